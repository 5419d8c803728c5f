"""The Go Text Protocol, version 2: commands, replies, arguments, and the connection."""

import contextlib
import datetime
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TextIO

from tengen.board import PASS, Position
from tengen.util import TengenError


@dataclass(frozen=True)
class Command:
    """A command received from the controller."""

    id: str
    name: str
    arguments: list[str]


class CommandError(TengenError):
    """A command failed; the message is sent after the `?`."""


def parse_command(line: str) -> Command | None:
    """Parse a line; return None if it is empty. The name may be missing after an id.

    Control characters are discarded, tabs become spaces, and `#` begins a comment.
    """
    cleaned = "".join(_clean(character) for character in line.partition("#")[0])
    words = cleaned.split()
    if not words:
        return None
    number = words.pop(0) if words[0].isascii() and words[0].isdigit() else ""
    return Command(number, words[0] if words else "", words[1:])


def _clean(character: str) -> str:
    if character in "\t\n":
        return " "
    return "" if ord(character) < 32 or ord(character) == 127 else character


def success(command_id: str, text: str) -> str:
    """Return the reply to a command that succeeded."""
    return f"={command_id} {_body(text)}\n\n"


def failure(command_id: str, message: str) -> str:
    """Return the reply to a command that failed."""
    return f"?{command_id} {_body(message)}\n\n"


def _body(text: str) -> str:
    """Remove blank lines, which would end the reply; diagrams start on a new line."""
    lines = "\n".join(line for line in text.splitlines() if line.strip())
    return f"\n{lines}" if lines and text.startswith("\n") else lines


# Arguments and results


def require(arguments: list[str], count: int, usage: str) -> list[str]:
    """Return the first `count` arguments; raise CommandError if there are fewer."""
    if len(arguments) < count:
        raise CommandError(f"usage: {usage}")
    return arguments[:count]


def parse_number(text: str, usage: str, kind: type = int) -> float:
    """Parse a finite number; raise CommandError for anything else."""
    with contextlib.suppress(ValueError, OverflowError):
        value = float(kind(text))
        if value == value and abs(value) != float("inf"):
            return value
    raise CommandError(f"usage: {usage}")


def check_stones(stones: list[tuple[int, int]]) -> None:
    """Raise CommandError for a stone on no point, or stones of both colors on one point."""
    if any(point == PASS for point, _ in stones):
        raise CommandError("invalid vertex")
    if len({point for point, _ in stones}) < len(set(stones)):
        raise CommandError("two stones on one point")


def vertex_text(position: Position, move: int) -> str:
    """Return a move as replies spell it: `D4` or `pass`."""
    return "pass" if move == PASS else position.vertex(move)


def size_text(position: Position) -> str:
    """Return the board size: one number for a square board, else columns and rows."""
    rows, columns = position.rows, position.columns
    return str(rows) if rows == columns else f"{columns} {rows}"


RECEIVED, SENT, NOTE = ">>", "<<", "--"


class StopOn(IntEnum):
    """Input that stops the running search."""

    NOTHING = 0
    INTERRUPT = 1
    """The comment line `# interrupt` of GoGui."""
    ANY_LINE = 2


class InputQueue:
    """Lines received from the controller, filled by one thread and emptied by another.

    A running search registers its stop function, which is called as soon as a line arrives that
    should stop it.
    """

    def __init__(self) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._interrupts_received = self._interrupts_taken = 0
        self._stop_on = StopOn.NOTHING
        self._stop: Callable[[], None] | None = None

    def put(self, line: str | None) -> None:
        """Add a line, None for the end of input; stop the running search if it requests that."""
        if line is not None and _is_interrupt(line):
            self._interrupts_received += 1
        self._lines.put(line)
        stop = self._stop
        if stop is not None and self.should_stop():
            stop()

    def get(self) -> str | None:
        """Wait for the next line and return it; None at the end of input."""
        line = self._lines.get()
        if line is not None and _is_interrupt(line):
            # The search it was meant for has ended.
            self._interrupts_taken += 1
        return line

    def has_lines(self) -> bool:
        """Return whether something has been received and not yet taken."""
        return not self._lines.empty()

    def should_stop(self) -> bool:
        """Return whether the running search should stop."""
        if self._stop_on is StopOn.ANY_LINE:
            return self.has_lines()
        is_interrupted = self._interrupts_received > self._interrupts_taken
        return self._stop_on is StopOn.INTERRUPT and is_interrupted

    @contextlib.contextmanager
    def stopping(self, stop_on: StopOn, stop: Callable[[], None]) -> Iterator[None]:
        """Let input stop the search that runs in this context.

        `stop` has no effect on a search that has not begun, so the search must also poll
        `should_stop`.
        """
        self._stop_on, self._stop = stop_on, stop
        try:
            yield
        finally:
            self._stop_on, self._stop = StopOn.NOTHING, None


def _is_interrupt(line: str) -> bool:
    return line.strip() == "# interrupt"


class GtpLog:
    """Appends received and sent lines to a file with the time of day; thread-safe.

    Logging never stops play: if the file cannot be written, the log ends with a message on stderr.
    """

    def __init__(self, path: Path):
        """Open the file; raise TengenError if that fails."""
        try:
            self._file: TextIO | None = path.open("a", encoding="utf-8", errors="replace")
        except OSError as error:
            raise TengenError(f"cannot write the log {path}: {error.strerror}") from None
        self._path = path
        self._lock = threading.Lock()

    def write(self, mark: str, text: str) -> None:
        """Write each line of a text, marked RECEIVED, SENT or NOTE."""
        now = datetime.datetime.now().isoformat(sep=" ", timespec="milliseconds")
        lines = "".join(f"{now} {mark} {line}\n" for line in text.splitlines() if line.strip())
        with self._lock:
            if self._file is None:
                return
            try:
                self._file.write(lines)
                self._file.flush()
            except OSError as error:
                self._end(error)

    def _end(self, error: OSError) -> None:
        """End the log because of an error."""
        file, self._file = self._file, None
        with contextlib.suppress(OSError):
            print(
                f"tengen: cannot write the log {self._path}: {error.strerror}; the log ends here",
                file=sys.stderr,
                flush=True,
            )
        with contextlib.suppress(OSError):
            if file is not None:
                file.close()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


class Output:
    """Sends replies, whole or line by line, and logs them."""

    def __init__(self, write: Callable[[str], None] | None = None, log: GtpLog | None = None):
        self._write = write
        self._log = log
        self._id = ""
        self.is_streaming = False
        """Whether the current reply has begun; a failure can no longer be reported."""

    def start(self, command_id: str) -> None:
        """Prepare for the reply to a new command."""
        self._id = command_id
        self.is_streaming = False

    def begin_stream(self) -> None:
        """Begin a reply that is sent line by line; a blank line ends it."""
        if not self.is_streaming:
            self.is_streaming = True
            self.send(f"={self._id}\n")

    def send(self, text: str) -> None:
        """Log a text and send it at once."""
        # Log first: the controller may answer before the log is written.
        if self._log is not None:
            self._log.write(SENT, text)
        if self._write is not None:
            self._write(text)

    def note(self, text: str) -> None:
        """Add a text to the log, for example a traceback."""
        if self._log is not None:
            self._log.write(NOTE, text)
