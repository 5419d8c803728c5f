"""The infrastructure of a game room: viewers, broadcasts and background tasks."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from tengen.engine import EngineSettings
from tengen.search import SearchReport
from tengen.util import TengenError
from tengen.web.context import ServerContext
from tengen.web.game import WebGame
from tengen.web.messages import ErrorMessage, Notice, ServerMessage

log = logging.getLogger("tengen.web")


class Viewer(Protocol):
    """A page connected to a room."""

    def send(self, message: ServerMessage) -> None:
        """Queue a message for the page."""


@dataclass(eq=False)
class Room:
    """A game, the pages that view it and its background tasks.

    All methods run in the event loop. A task is identified by its name.
    """

    id: str
    context: ServerContext
    game: WebGame
    viewers: list[Viewer] = field(default_factory=list)
    left_s: float = field(default_factory=time.monotonic)
    """When the last viewer left."""
    report: SearchReport | None = None
    """The latest search report of the current node."""
    net: str | None = None
    """The network chosen on the page; None for that of the server's settings."""
    _tasks: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    _reported: set[str] = field(default_factory=set)

    @property
    def settings(self) -> EngineSettings:
        """The engine settings at full strength, with the chosen network."""
        settings = self.context.settings
        return settings if self.net is None else settings.with_overrides([f"net={self.net}"])

    def broadcast(self, message: ServerMessage) -> None:
        """Send a message to all viewers."""
        for viewer in self.viewers:
            viewer.send(message)

    def report_problem(self, problem: str) -> None:
        """Broadcast an error of a user-defined source, once."""
        if problem not in self._reported:
            self._reported.add(problem)
            self.broadcast(Notice(f"{problem}; the source is disabled"))

    def is_running(self, name: str) -> bool:
        """Return whether a task is running."""
        return name in self._tasks

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Start a task; a running one of the same name is canceled."""
        self.stop(name)
        task = asyncio.get_running_loop().create_task(self._run(name, work))
        task.add_done_callback(lambda _: work.close())  # in case it was canceled before it ran
        self._tasks[name] = task

    def stop(self, *names: str) -> None:
        """Cancel tasks by name; without names, all of them."""
        for name in names or list(self._tasks):
            task = self._tasks.pop(name, None)
            if task is not None and task is not asyncio.current_task():
                task.cancel()

    async def _run(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Await the work and broadcast its failure."""
        problem = None
        try:
            await work
        except TengenError as error:
            problem = str(error)
        except Exception as error:
            log.exception("task %r of room %s failed", name, self.id)
            problem = f"internal error: {error!r}"
        is_current = self._tasks.get(name) is asyncio.current_task()
        if is_current:
            del self._tasks[name]
        if problem is not None:
            self.broadcast(ErrorMessage(problem))
            self.task_failed(name, is_current)

    def task_failed(self, name: str, is_current: bool) -> None:
        """React to the failure of a task; `is_current` unless it was replaced or stopped."""
