"""A GTP engine as a child process: send commands, read replies, enforce time limits.

Two threads drain the engine's output, so that it cannot block on a full pipe. The engine leads its
own process group: Ctrl-C in the terminal does not reach it, and killing it kills its children.
"""

import contextlib
import os
import queue
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from tengen.util import TengenError

MAX_LINE_BYTES = 65536
"""Longer lines are split."""
MAX_UNREAD_LINES = 10000
"""Unread lines of standard output kept; an engine that writes more blocks on its pipe."""
STDERR_LINES = 200
"""Lines of standard error kept."""
NOISE_LINES = 20
PROC = Path("/proc")


class EngineRefusedError(TengenError):
    """The engine answered with a `?` reply."""


class EngineDiedError(TengenError):
    """The engine exited or closed its output while a reply was due."""


class EngineHungError(TengenError):
    """The engine did not reply in time and was killed."""


class GtpClient:
    """A running GTP engine. Not thread-safe."""

    def __init__(self, command: Sequence[str]):
        """Start the engine; raise TengenError if that fails."""
        self.command = list(command)
        self.noise: deque[str] = deque(maxlen=NOISE_LINES)
        """The last lines of standard output that belong to no reply."""
        self.noise_count = 0
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._lines: queue.Queue[str | None] = queue.Queue(MAX_UNREAD_LINES)
        self._cpu_s: float | None = None
        self._process = self._start()
        self._stderr_pipe = self._pipe(self._process.stderr).fileno()
        self._stderr_partial = b""
        self._stderr_lock = threading.Lock()
        self._stderr_thread = self._start_thread(self._drain_stderr)
        self._start_thread(self._drain_stdout)

    def send(self, command: str, timeout_s: float) -> str:
        """Send a command and return the text of its reply without the `=`.

        Raise EngineRefusedError for a `?` reply, EngineDiedError if the engine has exited, and
        EngineHungError (after killing the engine) if no complete reply arrived in time.
        """
        reply = self.ask(command, timeout_s)
        text = "\n".join([reply[0][1:].lstrip("0123456789").strip(), *reply[1:]]).strip()
        if reply[0][0] == "?":
            raise EngineRefusedError(f"{command.split()[0]}: {text}")
        return text

    def ask(self, command: str, timeout_s: float) -> list[str]:
        """Send a command and return the raw lines of its reply; raise like `send`."""
        self._discard_unread()
        deadline_s = time.monotonic() + timeout_s
        try:
            self._pipe(self._process.stdin).write(command.encode() + b"\n")
            self._pipe(self._process.stdin).flush()
        except (BrokenPipeError, ValueError):
            raise self._died(command) from None
        return self._read_reply(command, deadline_s)

    def wait_exit(self, timeout_s: float) -> int | None:
        """Wait for the engine to exit; return its exit code, or None on timeout."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def close(self, timeout_s: float = 2.0) -> None:
        """Send `quit`, then kill what is left of the process group."""
        try:
            if self.is_alive:
                self.send("quit", timeout_s)
            self._process.wait(timeout_s)
        except (TengenError, subprocess.TimeoutExpired):
            pass
        self.kill()

    def kill(self) -> None:
        """Kill the engine and its children."""
        self._cpu_s = self.cpu_s
        kill_group(self._process.pid)
        self._process.wait()

    @property
    def is_alive(self) -> bool:
        """Whether the engine is running."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process id of the engine."""
        return self._process.pid

    @property
    def cpu_s(self) -> float | None:
        """CPU time of the engine and its children; None if unknown."""
        now_s = tree_cpu_s(self._process.pid)
        self._cpu_s = self._cpu_s if now_s is None else now_s
        return self._cpu_s

    @property
    def stderr(self) -> str:
        """The last lines of standard error."""
        self._read_stderr()
        return "\n".join(list(self._stderr))

    def clear_stderr(self) -> None:
        """Discard the standard error read so far."""
        self._read_stderr()
        self._stderr.clear()

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            words = shlex.join(self.command)
            raise TengenError(f"cannot start {words!r}: {error.strerror or error}") from None

    def _start_thread(self, target: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=target, daemon=True)
        thread.start()
        return thread

    def _drain_stdout(self) -> None:
        while line := self._pipe(self._process.stdout).readline(MAX_LINE_BYTES):
            self._lines.put(line.decode(errors="replace").rstrip())
        self._lines.put(None)

    def _drain_stderr(self) -> None:
        is_open = True
        while is_open:
            if sys.platform == "win32":
                is_open = self._add_stderr(os.read(self._stderr_pipe, MAX_LINE_BYTES))
            else:
                is_readable(self._stderr_pipe, wait=True)
                is_open = self._read_stderr()

    def _read_stderr(self) -> bool:
        """Read the pending standard error; return whether the pipe is still open.

        Called by readers too, since the draining thread may lag behind.
        """
        with self._stderr_lock:
            while is_readable(self._stderr_pipe):
                if not self._add_stderr(os.read(self._stderr_pipe, MAX_LINE_BYTES)):
                    return False
        return True

    def _add_stderr(self, chunk: bytes) -> bool:
        """Keep the lines of a chunk; return False for an empty one, the end of the pipe."""
        *lines, self._stderr_partial = (self._stderr_partial + chunk).split(b"\n")
        if not chunk or len(self._stderr_partial) > MAX_LINE_BYTES:
            lines, self._stderr_partial = [*lines, self._stderr_partial], b""
        self._stderr += [line.decode(errors="replace").rstrip() for line in lines if line]
        return bool(chunk)

    def _read_reply(self, command: str, deadline_s: float) -> list[str]:
        """Return the lines of the next reply; lines before it are noise."""
        lines: list[str] = []
        while True:
            line = self._next_line(command, deadline_s)
            if lines and not line:
                return lines
            if lines or line[:1] in ("=", "?"):
                lines.append(line)
            elif line:
                self._record_noise(line)

    def _next_line(self, command: str, deadline_s: float) -> str:
        try:
            line = self._lines.get(timeout=max(deadline_s - time.monotonic(), 0.001))
        except queue.Empty:
            self.kill()
            raise EngineHungError(f"no reply to {command!r} in time") from None
        if line is None:
            self._lines.put(None)
            raise self._died(command)
        return line

    def _discard_unread(self) -> None:
        """Discard output written since the last reply."""
        while not self._lines.empty():
            line = self._lines.get()
            if line is None:
                self._lines.put(None)
                return
            if line:
                self._record_noise(line)

    def _record_noise(self, line: str) -> None:
        self.noise.append(line)
        self.noise_count += 1

    def _died(self, command: str) -> EngineDiedError:
        """Kill the engine and return an error with its exit code and last line of stderr."""
        self.kill()
        self._stderr_thread.join(1.0)
        last_line = next((line for line in reversed(self._stderr) if line), "")
        message = f"the engine exited with code {self._process.returncode} at {command!r}"
        return EngineDiedError(f"{message}: {last_line}" if last_line else message)

    @staticmethod
    def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
        if stream is None:
            raise AssertionError("all three streams are pipes")
        return stream


def is_readable(pipe: int, wait: bool = False) -> bool:
    """Return whether a pipe has data or has been closed; with `wait`, block until it has.

    The result is always False on Windows, which does not provide this information.
    """
    if sys.platform == "win32":
        return False
    readiness = select.poll()
    readiness.register(pipe, select.POLLIN)
    return bool(readiness.poll(None if wait else 0))


def tree_cpu_s(pid: int) -> float | None:
    """Return the CPU time of a process and its children, in seconds.

    None if the system has no /proc or the process is gone.
    """
    if sys.platform == "win32":
        return None
    try:
        own_s = _own_cpu_s(pid)
        children = _child_pids(pid)
    except OSError:
        return None
    return own_s + sum(tree_cpu_s(child) or 0.0 for child in children)


def _own_cpu_s(pid: int) -> float:
    if sys.platform == "win32":
        raise OSError("no /proc")
    # The process name in the second field may contain spaces and brackets.
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def _child_pids(pid: int) -> list[int]:
    tasks = (PROC / str(pid) / "task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def kill_group(pid: int) -> None:
    """Kill the process group led by `pid` (on Windows its process tree), if it exists."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
