"""Commands of Tengen that the page runs in separate processes."""

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tengen.util import Json, TengenError

MAX_ERROR_LENGTH = 300
END_TIMEOUT_S = 5.0
"""Time that an interrupted command gets to remove its temporary files."""


async def run_command(
    words: Sequence[str], on_line: Callable[[Json], object], folder: Path | None = None
) -> None:
    """Run `tengen WORDS` and pass on the JSON objects that it prints, one per line.

    Raise TengenError with its last line on stderr if it fails. When canceled, interrupt it.
    """
    command = [sys.executable, "-m", "tengen", *words]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, cwd=folder
    )
    assert process.stdout is not None
    assert process.stderr is not None
    errors = asyncio.create_task(process.stderr.read())
    try:
        async for line in process.stdout:
            if line.startswith(b"{"):
                on_line(json.loads(line))
        if await process.wait():
            raise TengenError(_last_line(await errors) or f"`tengen {words[0]}` failed")
    except BaseException:
        await _end(process, errors)
        raise


async def _end(process: asyncio.subprocess.Process, errors: "asyncio.Task[bytes]") -> None:
    """Interrupt a process, so that it removes its temporary files; kill it if it does not end."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
    try:
        assert process.stdout is not None
        ending = asyncio.gather(process.stdout.read(), errors, process.wait())
        await asyncio.wait_for(ending, END_TIMEOUT_S)
    except (TimeoutError, asyncio.CancelledError):
        with contextlib.suppress(ProcessLookupError):
            process.kill()


def _last_line(output: bytes) -> str:
    """Return the last line of the errors of a command, without its name."""
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("tengen: ")[:MAX_ERROR_LENGTH] if lines else ""
