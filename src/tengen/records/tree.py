"""Game trees: nodes, their properties, and the parsing of property values.

The parsing functions take plain text and return None for invalid values; they never raise.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from sgfmill import sgf_grammar

from tengen.board import (
    BLACK,
    LETTERS,
    MAX_SIZE,
    PASS,
    STRIDE,
    WHITE,
    Color,
    Move,
    column_of,
    point_at,
    row_of,
)

_SPECIAL_CHARACTERS = frozenset("\\\n\r\t\f\v")
_SGF_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_VERTEX = re.compile(r"([A-HJ-Ta-hj-t])(\d{1,2})")
_NUMBER = re.compile(r"[-+]?\d{1,6}(?:\.\d{0,6})?|[-+]?\.\d{1,6}")
_SIZE = re.compile(r"(\d{1,3})(?:\s*[:xX*]\s*(\d{1,3}))?")
_MAX_KOMI_POINTS = 400

RAW_VALUE = r"[^\\\]]*+(?:\\.[^\\\]]*+)*+"
"""A property value as written, without its brackets."""
_EXTRAS = rf"(?:[BW]L\[[0-9.]*+\])?+(?:O[BW]\[[0-9]*+\])?+(?:C\[{RAW_VALUE}\])?+"
_NODE = re.compile(rf";([BW])\[([a-t]{{0,2}}+)\]({_EXTRAS})", re.DOTALL)
_NODE_MOVE = re.compile(rf";([BW]\[[a-t]{{0,2}}+\]){_EXTRAS}", re.DOTALL)
_PROPERTY = re.compile(rf"([A-Z]+)\[({RAW_VALUE})\]", re.DOTALL)
PLAIN_LINE = re.compile(rf"\s*+(?:;[BW]\[[a-t]{{0,2}}+\]{_EXTRAS}\s*+(?=[;()]))++", re.DOTALL)
"""Nodes with one move each, and at most the time left and a comment."""


class Node:
    """A node of a game tree: its raw properties, its children and its offset in the file.

    Property values are raw: escapes are not resolved. The first child continues the main line,
    the others are variations. `offset` counts characters of the decoded file.

    A line of plain nodes (`PLAIN_LINE`) stays text until its nodes are used, since creating them
    would dominate the reading time.
    """

    __slots__ = ("properties", "offset", "_children", "_line", "_line_offset")

    def __init__(self, properties: dict[str, list[str]] | None = None, offset: int = 0):
        self.properties: dict[str, list[str]] = {} if properties is None else properties
        self.offset = offset
        self._children: list[Node] = []
        self._line = ""
        self._line_offset = 0

    @property
    def children(self) -> "list[Node]":
        """The children, the main line first."""
        if self._line:
            self._create_line()
        return self._children

    @children.setter
    def children(self, children: "list[Node]") -> None:
        self._line = ""
        self._children = children

    def add_line(self, line: str, offset: int) -> None:
        """Append a child that begins a line, given as text that matches `PLAIN_LINE`."""
        if self.children:
            start = Node()
            start.add_line(line, offset)
            self._children += start.children
        else:
            self._line, self._line_offset = line, offset

    def line_moves(self) -> list[str]:
        """Return the moves of a line that is still text, as `B[dd]`."""
        return _NODE_MOVE.findall(self._line)

    def _create_line(self) -> None:
        """Create the nodes of the line."""
        line, self._line = self._line, ""
        parent = self
        for match in _NODE.finditer(line):
            color, move, others = match.groups()
            properties = {color: [move]}
            for name, value in _PROPERTY.findall(others) if others else ():
                properties[name] = [value]
            node = Node(properties, self._line_offset + match.start())
            parent._children.append(node)
            parent = node

    def text(self, name: str) -> str | None:
        """Return the first value of a property as plain text, or None if it is missing."""
        values = self.properties.get(name)
        return None if not values else plain_text(values[0])

    @property
    def comment(self) -> str:
        """All values of C as plain text, joined by line feeds; some programs write several."""
        return "\n".join(map(plain_text, self.properties.get("C", ())))

    def set_text(self, name: str, text: str) -> None:
        """Replace all values of a property by one plain text."""
        self.properties[name] = [escaped_text(text)]

    def add_child(self, node: "Node") -> "Node":
        """Append a child and return it."""
        self.children.append(node)
        return node

    def main_line(self) -> Iterator["Node"]:
        """Yield this node, its first child, the first child of that, and so on."""
        node = self
        yield node
        while node.children:
            node = node.children[0]
            yield node

    def walk(self) -> Iterator["Node"]:
        """Yield all nodes of the subtree in depth-first order, parents first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle and copy the tree as a flat list: the default would recurse once per move."""
        flat = [(node.properties, node.offset, len(node.children)) for node in self.walk()]
        return _rebuild_tree, (flat,)

    def __repr__(self) -> str:
        return f"Node({self.properties}, {len(self.children)} children)"


def _rebuild_tree(flat: list[tuple[dict[str, list[str]], int, int]]) -> Node:
    """Return the tree whose nodes are listed in the order of `Node.walk`."""
    top = Node()
    unfinished = [(top, 1)]
    for properties, offset, children in flat:
        parent, missing = unfinished.pop()
        node = parent.add_child(Node(properties, offset))
        if missing > 1:
            unfinished.append((parent, missing - 1))
        if children:
            unfinished.append((node, children))
    return top.children[0]


# Text


def plain_text(value: str) -> str:
    """Return a raw value with escapes resolved and line breaks as `\\n`."""
    if _SPECIAL_CHARACTERS.isdisjoint(value):
        return value
    data = value.encode("utf-8", "surrogatepass")
    return str(sgf_grammar.text_value(data).decode("utf-8", "surrogatepass"))


def escaped_text(text: str) -> str:
    """Return the raw value of a plain text."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


# Points and moves


@lru_cache(maxsize=400)
def point_table(rows: int, columns: int) -> dict[str, int]:
    """Return the points of a board keyed by their two SGF letters."""
    return {
        _SGF_LETTERS[column] + _SGF_LETTERS[row]: point_at(row, column)
        for row in range(rows)
        for column in range(columns)
    }


@lru_cache(maxsize=400)
def line_table(rows: int, columns: int) -> dict[str, Move]:
    """Return the moves keyed by their SGF text, as `B[dd]`."""
    tables = zip("BW", move_tables(rows, columns), strict=True)
    return {f"{letter}[{text}]": move for letter, table in tables for text, move in table.items()}


@lru_cache(maxsize=400)
def move_tables(rows: int, columns: int) -> tuple[dict[str, Move], dict[str, Move]]:
    """Return Black's and White's moves keyed by their text; the empty text and `tt` pass.

    Games share the Move objects, since creating them would dominate the reading time.
    """
    points = {**point_table(rows, columns), "": PASS, "tt": PASS}
    black = {text: Move(BLACK, point) for text, point in points.items()}
    white = {text: Move(WHITE, point) for text, point in points.items()}
    return black, white


def parse_move(text: str, rows: int, columns: int) -> int | None:
    """Parse a move in FF[4], in capitals, as `pass` or as a vertex like Q16."""
    name = "".join(text.split()).lower()
    if name in ("", "tt", "pass"):
        return PASS
    if match := _VERTEX.fullmatch(name):
        column, row = LETTERS.index(match[1].upper()), rows - int(match[2])
        on_board = column < columns and 0 <= row < rows
        return point_at(row, column) if on_board else None
    return point_table(rows, columns).get(name)


def parse_points(text: str, rows: int, columns: int) -> list[int] | None:
    """Parse a point `dd` or a rectangle `aa:cc`; None if a corner is off the board."""
    mask = point_mask(text, rows, columns)
    return None if mask is None else mask_points(mask)


@lru_cache(maxsize=1 << 14)
def point_mask(text: str, rows: int, columns: int) -> int | None:
    """Parse as `parse_points`; return an integer with one bit per point.

    Masks make the time independent of the size of rectangles.
    """
    corners = text.split(":", 2)
    points = [parse_move(corner, rows, columns) for corner in corners]
    if len(points) > 2 or None in points or PASS in points:
        return None
    first, last = points[0], points[-1]
    if first is None or last is None:
        return None
    top, bottom = sorted((row_of(first), row_of(last)))
    left, right = sorted((column_of(first), column_of(last)))
    line = ((2 << (right - left)) - 1) << point_at(top, left)
    mask = 0
    for _ in range(top, bottom + 1):
        mask |= line
        line <<= STRIDE
    return mask


def mask_points(mask: int) -> list[int]:
    """Return the points of a mask, row by row."""
    points = []
    while mask:
        lowest = mask & -mask
        points.append(lowest.bit_length() - 1)
        mask ^= lowest
    return points


def point_text(move: int) -> str:
    """Return the two SGF letters of a point; PASS is the empty text."""
    if move == PASS:
        return ""
    return _SGF_LETTERS[column_of(move)] + _SGF_LETTERS[row_of(move)]


# Other values


def parse_size(text: str) -> tuple[int, int] | None:
    """Parse `19`, `7:9` or `7x9` (columns first) into (rows, columns), without an upper limit."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    columns = int(match[1])
    return (int(match[2]) if match[2] else columns), columns


def is_playable(rows: int, columns: int) -> bool:
    """Return whether Tengen supports the board size."""
    return 1 <= rows <= MAX_SIZE and 1 <= columns <= MAX_SIZE


def parse_number(text: str) -> float | None:
    """Return the first number in a text; a decimal comma is accepted."""
    match = _NUMBER.search(text.replace(",", "."))
    return None if match is None else float(match[0])


def parse_komi(text: str) -> float | None:
    """Parse komi in points, rounded to a multiple of 0.5; None if there is no number.

    Chinese servers count in stones: 3.75 stones are 7.5 points. Some write hundredths: 375 or
    650.
    """
    number = parse_number(text)
    if number is None:
        return None
    if abs(number) >= 100:
        number /= 100
    if abs(number) > _MAX_KOMI_POINTS:
        return None
    in_stones = number * 2 != int(number * 2) and number * 4 == int(number * 4)
    return number * 2 if in_stones else round(number * 2) / 2


def parse_color(text: str) -> Color | None:
    """Parse `B`, `white`, `1` (Black) or `2` (White)."""
    first = text.strip().lower()[:1]
    return {"b": BLACK, "1": BLACK, "w": WHITE, "2": WHITE}.get(first)
