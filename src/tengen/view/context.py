"""What layers may need beside the position."""

import functools
from dataclasses import dataclass, field
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.database.database import GameDatabase
from tengen.engine.net import DEFAULT, NONE
from tengen.engine.opinion import named_net
from tengen.engine.settings import EngineSettings
from tengen.network.net import Net
from tengen.search.report import SearchReport


@dataclass(frozen=True)
class ViewContext:
    """The engine's settings, a search if there is one, a games database if there is one.

    Nets and databases stay open between contexts, so that a new one for each report is cheap.
    """

    settings: EngineSettings = field(default_factory=EngineSettings)
    report: SearchReport | None = None
    games: Path | None = None

    def net(self) -> Net:
        """Return the engine's net, or the one that comes along; raise TengenError."""
        name = self.settings.play.net
        return named_net(DEFAULT if name == NONE else name)

    def search_report(self) -> SearchReport:
        """Return the report; raise TengenError if there is none."""
        if self.report is None:
            raise TengenError("there is no search to look into: start one first")
        return self.report

    def database(self) -> GameDatabase:
        """Return the games database; raise TengenError if there is none."""
        if self.games is None or not self.games.is_file():
            place = f" at {self.games}" if self.games else ""
            raise TengenError(f"no games database{place}: make one with `tengen games import`")
        return _database(self.games.resolve(), self.games.stat().st_ino)


@functools.lru_cache(maxsize=4)
def _database(path: Path, file_number: int) -> GameDatabase:
    """Return a database, which sees by itself what was added; another one in its place is new."""
    return GameDatabase(path)
