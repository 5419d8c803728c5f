"""The Go Text Protocol, version 2: commands, replies and arguments."""

import contextlib
from dataclasses import dataclass

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
