"""The house: all tables, the engines they share, and the folder of experiments."""

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tengen.engine.settings import EngineSettings
from tengen.view.catalogue import LAYERS, find_layer
from tengen.web.engines import EnginePool
from tengen.web.experiments import list_experiments
from tengen.web.game import WebGame
from tengen.web.messages import Json, New
from tengen.web.setting import start_game

if TYPE_CHECKING:
    from tengen.web.table import Table

MOST_TABLES = 500
"""Of games that nobody looks at, the longest left are forgotten beyond this."""
LOOKING_THREADS = 2
Result = TypeVar("Result")


@dataclass(eq=False)
class House:
    """What all pages of one server share."""

    settings: EngineSettings
    first_game: New = field(default_factory=New)
    experiments: Path = field(default_factory=Path.cwd)
    games: Path | None = None
    """A games database, for the layer of expert games."""
    own_layers: tuple[str, ...] = ()
    """Sources of one's own that may be looked at: `FILE.py:NAME`."""
    engines: EnginePool = field(default_factory=EnginePool)
    tables: dict[str, "Table"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Once: to describe a source of one's own its file is run.
        own = {name: find_layer(name) for name in self.own_layers}
        self.layers = {**LAYERS, **own}
        """What pages may ask for, by name."""
        self._looking = ThreadPoolExecutor(LOOKING_THREADS, thread_name_prefix="look")
        # Apart: slow disks and large folders shall keep nobody from a score.
        self._listing = ThreadPoolExecutor(1, thread_name_prefix="list")

    def table(self, name: str | None) -> "Table":
        """Return the table of that id, or a new one with a game as the command line asks for."""
        from tengen.web.table import Table

        found = self.tables.get(name or "")
        if found is not None:
            return found
        self._forget_old()
        fresh = secrets.token_urlsafe(12)
        self.tables[fresh] = Table(fresh, self, WebGame(*start_game(self.first_game)))
        return self.tables[fresh]

    def _forget_old(self) -> None:
        empty = [table for table in self.tables.values() if not table.listeners]
        empty.sort(key=lambda table: table.left_s)
        for table in empty[: max(0, len(self.tables) + 1 - MOST_TABLES)]:
            del self.tables[table.id]

    async def in_thread(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Do something that may take a while beside the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._looking, function, *arguments)

    async def list_experiments(self) -> list[Json]:
        """Return what is below the folder of experiments; may take long, but holds up no game."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._listing, list_experiments, self.experiments)

    def close(self) -> None:
        """Stop everything."""
        for table in self.tables.values():
            table.stop()
        self.engines.close()
        self._looking.shutdown(wait=False, cancel_futures=True)
        self._listing.shutdown(wait=False, cancel_futures=True)
