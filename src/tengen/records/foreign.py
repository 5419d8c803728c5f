"""What the readers of other formats share: they all build an SGF tree from lines of text."""

from collections.abc import Iterable
from typing import NamedTuple

from tengen.records.handicap import fixed_handicap
from tengen.records.tree import Node, escaped_text


class Line(NamedTuple):
    """A line without its end, and where it starts in the text."""

    start: int
    text: str


def lines_of(text: str) -> list[Line]:
    """Split a text at line feeds; carriage returns and blanks at the ends are dropped."""
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append(Line(start, line.strip(" \t\r\x00\ufeff")))
        start += len(line) + 1
    return lines


def new_root(size: int = 19) -> Node:
    """Return the root of a game of Go on a square board."""
    root = Node()
    root.properties = {"FF": ["4"], "GM": ["1"], "CA": ["UTF-8"], "SZ": [str(size)]}
    return root


def set_if(root: Node, name: str, text: str | None) -> None:
    """Set a property unless there is nothing to say, or it is said already."""
    if text and text.strip() and name not in root.properties:
        root.set_text(name, text.strip())


def set_handicap(root: Node, count: int, size: int) -> None:
    """Set the number of handicap stones and put them where servers do."""
    root.properties["HA"] = [str(count)]
    stones = fixed_handicap(count, size)
    if stones:
        root.properties["AB"] = stones


def add_move(node: Node, colour: str, value: str, offset: int) -> Node:
    """Append a move after `node` and return its node."""
    return node.add_child(Node({colour: [value]}, offset))


def letters(column: int, row: int) -> str:
    """Return the SGF letters of a point, or a text that is none for one off the board."""
    if 0 <= column < 26 and 0 <= row < 26:
        return chr(97 + column) + chr(97 + row)
    return f"{column},{row}"


def keep_rest(root: Node, rest: Iterable[str]) -> None:
    """Keep header lines that have no place in SGF in the game comment."""
    lines = [line for line in rest if line]
    if lines:
        root.properties["GC"] = [escaped_text("\n".join(lines))]
