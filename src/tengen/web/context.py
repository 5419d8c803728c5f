"""Resources shared by all games of a server."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tengen.engine import PRESETS, EngineSettings
from tengen.util import data_dir
from tengen.view import LAYERS, find_layer
from tengen.web import messages
from tengen.web.engine_pool import EnginePool
from tengen.web.experiment_jobs import LAB_EXPERIMENTS, ExperimentJobs
from tengen.web.experiments import list_experiments, match_games
from tengen.web.library import GameLibrary
from tengen.web.net_installer import NetInstaller
from tengen.web.problem_store import ProblemStore

WORKER_THREADS = 2
Result = TypeVar("Result")


@dataclass(eq=False)
class ServerContext:
    """Engine settings, engines, layers and worker threads."""

    settings: EngineSettings
    experiments: Path = field(default_factory=Path.cwd)
    """Folder of matches, tuning runs and lab reports."""
    database: Path | None = None
    """Games database for the layer of expert moves."""
    user_layers: tuple[str, ...] = ()
    """User-defined sources offered as layers: `FILE.py:NAME`."""
    engines: EnginePool = field(default_factory=EnginePool)
    nets: NetInstaller = field(default_factory=NetInstaller)
    problems: ProblemStore = field(default_factory=lambda: ProblemStore(data_dir() / "problems"))
    library: GameLibrary = field(default_factory=GameLibrary)
    reply_s: tuple[float, float] = (0.4, 1.2)
    """Range of the minimum time of a move of a level other than the strongest."""

    def __post_init__(self) -> None:
        # Once, since describing a user-defined source runs its file.
        self.layers = {**LAYERS, **{name: find_layer(name) for name in self.user_layers}}
        """Layers offered to pages, by name."""
        self.jobs = ExperimentJobs(self.experiments)
        """Experiments started on the page."""
        self._workers = ThreadPoolExecutor(WORKER_THREADS, thread_name_prefix="worker")
        # A separate thread, since scanning large folders is slow.
        self._scanner = ThreadPoolExecutor(1, thread_name_prefix="scan")

    async def run_in_thread(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Run a slow function outside the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._workers, function, *arguments)

    async def list_experiments(self) -> messages.ExperimentList:
        """List the experiments without delaying games."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._scanner, self._list_experiments)

    def _list_experiments(self) -> messages.ExperimentList:
        return messages.ExperimentList(
            list_experiments(self.experiments, self.jobs.jobs()),
            str(self.experiments),
            self.jobs.functions(),
            [{"name": one.name, "description": one.description} for one in PRESETS],
            list(LAB_EXPERIMENTS),
        )

    async def list_match_games(self, path: str) -> int:
        """Copy the games of a match to the library; return the collection."""
        games = await self.run_in_thread(match_games, self.experiments, path)
        return await self.library.replace_collection(path, games)

    def close(self) -> None:
        """Stop all threads."""
        self.nets.cancel()
        self.engines.close()
        self.library.close()
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._scanner.shutdown(wait=False, cancel_futures=True)
