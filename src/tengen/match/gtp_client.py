"""One running GTP program: send a command, get its reply, never wait for ever.

Two threads drain the program's output, so that it can neither block on a full pipe nor make us
wait. The program leads its own process group: Ctrl-C in our terminal does not reach it, and
killing it takes its children along.
"""

import os
import queue
import select
import shlex
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import IO

from tengen.core.errors import TengenError
from tengen.match.process import kill_group, tree_cpu_s

LONGEST_LINE = 65536
"""Bytes; a longer line is cut in pieces."""
LINES_AHEAD = 10000
"""Unread lines of standard output we keep; a program that babbles more blocks on its pipe."""
STDERR_LINES = 200
"""The last lines of standard error that we keep."""
NOISE_LINES = 20


class GtpError(TengenError):
    """The program answered `?`."""


class EngineDiedError(TengenError):
    """The program ended, or closed its output, when a reply was due."""


class EngineHungError(TengenError):
    """The program gave no reply in time; it has been killed."""


def is_ready(pipe: int, wait: bool = False) -> bool:
    """Tell whether a pipe can be read, or has come to its end; or wait until that is so."""
    readiness = select.poll()
    readiness.register(pipe, select.POLLIN)
    return bool(readiness.poll(None if wait else 0))


class GtpClient:
    """A GTP program as a child process. Not for use by two threads at a time."""

    def __init__(self, command: Sequence[str]):
        """Start the program; raise TengenError if that fails."""
        self.command = list(command)
        self.noise: deque[str] = deque(maxlen=NOISE_LINES)
        """The last lines of standard output that belong to no reply."""
        self.noise_count = 0
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._lines: queue.Queue[str | None] = queue.Queue(LINES_AHEAD)
        self._cpu_s: float | None = None
        self._process = self._start()
        self._stderr_pipe = self._pipe(self._process.stderr).fileno()
        self._stderr_piece = b""
        self._stderr_lock = threading.Lock()
        self._stderr_thread = self._drain(self._read_stderr)
        self._drain(self._read_stdout)

    def send(self, command: str, timeout_s: float) -> str:
        """Send a command and return the text of its reply without the `=`.

        Raise GtpError for a `?` reply, EngineDiedError if the program has ended and
        EngineHungError, having killed it, if no whole reply came in time.
        """
        reply = self.ask(command, timeout_s)
        text = "\n".join([reply[0][1:].lstrip("0123456789").strip(), *reply[1:]]).strip()
        if reply[0][0] == "?":
            raise GtpError(f"{command.split()[0]}: {text}")
        return text

    def ask(self, command: str, timeout_s: float) -> list[str]:
        """Send a command and return the lines of its reply as they came; raise as `send`."""
        self._drop_unasked()
        deadline_s = time.monotonic() + timeout_s
        try:
            self._pipe(self._process.stdin).write(command.encode() + b"\n")
            self._pipe(self._process.stdin).flush()
        except (BrokenPipeError, ValueError):
            raise self._died(command) from None
        return self._reply(command, deadline_s)

    def wait_end(self, timeout_s: float) -> int | None:
        """Wait for the program to end by itself; return its exit code, None if it did not."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def close(self, timeout_s: float = 2.0) -> None:
        """Ask the program to quit, and kill what is left of its process group."""
        try:
            if self.alive:
                self.send("quit", timeout_s)
            self._process.wait(timeout_s)
        except (TengenError, subprocess.TimeoutExpired):
            pass
        self.kill()

    def kill(self) -> None:
        """Kill the program with its children."""
        self._cpu_s = self.cpu_s
        kill_group(self._process.pid)
        self._process.wait()

    @property
    def alive(self) -> bool:
        """Whether the program still runs."""
        return self._process.poll() is None

    @property
    def cpu_s(self) -> float | None:
        """CPU time of the program with its children so far; None where it cannot be known."""
        now_s = tree_cpu_s(self._process.pid)
        self._cpu_s = self._cpu_s if now_s is None else now_s
        return self._cpu_s

    @property
    def stderr(self) -> str:
        """The last lines of standard error, all that was written before now."""
        self._take_stderr()
        return "\n".join(list(self._stderr))

    def forget_stderr(self) -> None:
        """Drop what was written to standard error so far."""
        self._take_stderr()
        self._stderr.clear()

    # Inside

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

    def _drain(self, reader: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=reader, daemon=True)
        thread.start()
        return thread

    def _read_stdout(self) -> None:
        while line := self._pipe(self._process.stdout).readline(LONGEST_LINE):
            self._lines.put(line.decode(errors="replace").rstrip())
        self._lines.put(None)

    def _read_stderr(self) -> None:
        is_open = True
        while is_open:
            is_ready(self._stderr_pipe, wait=True)
            is_open = self._take_stderr()

    def _take_stderr(self) -> bool:
        """Keep what the program has written to standard error; return whether more may come.

        Whoever wants to know calls it: the thread that drains the pipe may be late.
        """
        with self._stderr_lock:
            while is_ready(self._stderr_pipe):
                piece = os.read(self._stderr_pipe, LONGEST_LINE)
                *lines, self._stderr_piece = (self._stderr_piece + piece).split(b"\n")
                if not piece or len(self._stderr_piece) > LONGEST_LINE:
                    lines, self._stderr_piece = [*lines, self._stderr_piece], b""
                self._stderr += [line.decode(errors="replace").rstrip() for line in lines if line]
                if not piece:
                    return False
        return True

    def _reply(self, command: str, deadline_s: float) -> list[str]:
        """Return the lines of the next reply; keep what comes before it as noise."""
        lines: list[str] = []
        while True:
            line = self._next_line(command, deadline_s)
            if lines and not line:
                return lines
            if lines or line[:1] in ("=", "?"):
                lines.append(line)
            elif line:
                self._note(line)

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

    def _drop_unasked(self) -> None:
        """Throw away what the program wrote without being asked."""
        while not self._lines.empty():
            line = self._lines.get()
            if line is None:
                self._lines.put(None)
                return
            if line:
                self._note(line)

    def _note(self, line: str) -> None:
        self.noise.append(line)
        self.noise_count += 1

    def _died(self, command: str) -> EngineDiedError:
        """Return the error that tells how the program ended."""
        self.kill()
        self._stderr_thread.join(1.0)
        last_words = next((line for line in reversed(self._stderr) if line), "")
        message = f"the program ended (exit code {self._process.returncode}) at {command!r}"
        return EngineDiedError(f"{message}: {last_words}" if last_words else message)

    @staticmethod
    def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
        if stream is None:
            raise AssertionError("all three streams are pipes")
        return stream
