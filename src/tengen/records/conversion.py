"""Helpers of the GIB, NGF and UGF readers, which build SGF trees from lines of text."""

from collections.abc import Iterable
from typing import NamedTuple

from tengen.records.tree import Node, escaped_text


class TextLine(NamedTuple):
    """A stripped line and the index of its first character in the text."""

    start: int
    text: str


def split_lines(text: str) -> list[TextLine]:
    """Split a text at line feeds; strip carriage returns and blanks."""
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append(TextLine(start, line.strip(" \t\r\x00\ufeff")))
        start += len(line) + 1
    return lines


def new_root(size: int = 19) -> Node:
    """Return the root of a Go game on a square board."""
    root = Node()
    root.properties = {"FF": ["4"], "GM": ["1"], "CA": ["UTF-8"], "SZ": [str(size)]}
    return root


def set_if_missing(root: Node, name: str, text: str | None) -> None:
    """Set a property unless the text is blank or the property exists."""
    if text and text.strip() and name not in root.properties:
        root.set_text(name, text.strip())


def set_handicap(root: Node, count: int, size: int) -> None:
    """Set the number of handicap stones and their points."""
    root.properties["HA"] = [str(count)]
    stones = fixed_handicap(count, size)
    if stones:
        root.properties["AB"] = stones


def fixed_handicap(count: int, size: int) -> list[str]:
    """Return the SGF points of a fixed handicap in the order of Tygem and other servers.

    The third stone goes to the upper left, unlike in the West. Returns an empty list if the
    board has no such handicap.
    """
    if not 2 <= count <= 9 or not 7 <= size <= 19 or (count > 4 and size % 2 == 0):
        return []
    low = 3 if size >= 13 else 2
    high, middle = size - 1 - low, size // 2
    corners = [(high, low), (low, high), (low, low), (high, high)]
    sides = [(low, middle), (high, middle), (middle, low), (middle, high)]
    points = corners[: min(count, 4)]
    if count > 4:
        points += sides[: count - 4 if count % 2 == 0 else count - 5]
    if count > 4 and count % 2 == 1:
        points.append((middle, middle))
    return [sgf_point(column, row) for column, row in points]


def add_move(node: Node, color: str, value: str, offset: int) -> Node:
    """Append a move after `node` and return its node."""
    return node.add_child(Node({color: [value]}, offset))


def sgf_point(column: int, row: int) -> str:
    """Return the SGF letters of a point, or an invalid text if it is off any board."""
    if 0 <= column < 26 and 0 <= row < 26:
        return chr(97 + column) + chr(97 + row)
    return f"{column},{row}"


def set_game_comment(root: Node, lines: Iterable[str]) -> None:
    """Store header lines, including those without an SGF property, in the game comment (GC)."""
    lines = [line for line in lines if line]
    if lines:
        root.properties["GC"] = [escaped_text("\n".join(lines))]
