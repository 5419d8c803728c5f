"""The words of a command: how they are read, and how moves are written."""

import contextlib

from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.gtp.protocol import GtpError


def vertex_text(position: Position, move: int) -> str:
    """Return a move as replies write it: `D4` or `pass`."""
    return "pass" if move == PASS else position.vertex(move)


def size_text(position: Position) -> str:
    """Return the size of a board: one number for a square, else columns and rows."""
    rows, columns = position.rows, position.columns
    return str(rows) if rows == columns else f"{columns} {rows}"


def want(arguments: list[str], count: int, usage: str) -> list[str]:
    """Return the first `count` arguments; raise GtpError if there are fewer."""
    if len(arguments) < count:
        raise GtpError(f"usage: {usage}")
    return arguments[:count]


def number(text: str, usage: str, kind: type = int) -> float:
    """Read a number; raise GtpError if it is none."""
    with contextlib.suppress(ValueError, OverflowError):
        value = float(kind(text))
        if value == value and abs(value) != float("inf"):
            return value
    raise GtpError(f"usage: {usage}")


def check_stones(stones: list[tuple[int, int]]) -> None:
    """Raise GtpError if a stone lies on no point, or two of different colours on one."""
    if any(point == PASS for point, _ in stones):
        raise GtpError("invalid vertex")
    if len({point for point, _ in stones}) < len(set(stones)):
        raise GtpError("two stones on one point")
