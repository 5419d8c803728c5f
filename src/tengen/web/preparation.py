"""Preparation of a server: compiles the kernels on the first start, while the page is open.

Compiling in this process would block it for seconds, since Numba holds the GIL. A process of its
own fills the kernel cache; progress is the number of kernels in the cache.
"""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tengen.engine import EngineSettings
from tengen.util import TengenError
from tengen.web.engine_pool import EnginePool
from tengen.web.messages import ErrorMessage, Preparation, ServerMessage

log = logging.getLogger("tengen.web")
EXPECTED_KERNELS = 155
"""Approximate number of kernels that an engine needs."""
POLL_S = 0.5
STAMP = "engine-is-compiled"
CODE = """
from tengen.engine import EngineSettings, create_engine
for net in ("none", "default"):
    create_engine(EngineSettings().with_overrides([f"net={net}"]))
"""


@dataclass(eq=False)
class Preparer:
    """Prepares the engines of a server and reports the progress to waiting pages."""

    engines: EnginePool
    settings: EngineSettings
    """Of the first engine."""
    on_ready: Callable[[], object]
    _waiting: list[Callable[[ServerMessage], None]] = field(default_factory=list)
    _progress: Preparation = field(default=Preparation(0, EXPECTED_KERNELS, ""))
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    _task: "asyncio.Task[None] | None" = None

    def start(self) -> None:
        """Start in the running event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        """Stop compiling."""
        if self._task is not None:
            self._task.cancel()

    async def wait(self, send: Callable[[ServerMessage], None]) -> None:
        """Send progress to a page until the server is ready."""
        if self._ready.is_set():
            return
        self._waiting.append(send)
        send(self._progress)
        try:
            await self._ready.wait()
        finally:
            self._waiting.remove(send)

    def _report(self, message: ServerMessage) -> None:
        for send in self._waiting:
            send(message)

    async def _run(self) -> None:
        folder = os.environ.get("NUMBA_CACHE_DIR")
        if folder is not None and not (Path(folder) / STAMP).exists():
            await self._compile(Path(folder))
        try:
            await asyncio.get_running_loop().run_in_executor(
                None, self.engines.warm_up, self.settings
            )
        except TengenError as error:
            log.error("%s", error)
            self._report(ErrorMessage(str(error)))
        self._ready.set()
        self.on_ready()

    async def _compile(self, folder: Path) -> None:
        """Fill the kernel cache in another process."""
        null = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", CODE, stdin=null, stdout=null, stderr=null
        )
        try:
            while process.returncode is None:
                self._progress = _count_kernels(folder)
                self._report(self._progress)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), POLL_S)
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode == 0:
            (folder / STAMP).touch()


def _count_kernels(folder: Path) -> Preparation:
    """Return the progress: the kernels in the cache and the latest of them."""
    found = [(path.stat().st_mtime, path.name) for path in folder.rglob("*.nbi")]
    _, newest = max(found, default=(0.0, ""))
    kernel = newest.partition(".")[2].rpartition("-")[0]
    return Preparation(len(found), max(EXPECTED_KERNELS, len(found)), kernel)
