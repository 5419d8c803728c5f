"""UGF and UGI, the formats of PandaNet: sections of `key=value` lines and of nodes.

`[Data]` holds the moves of the game. `[ReviewNode]`, where there is one, holds the same moves
again with variations, numbered so that `[ReviewComment]` and `[Figure]` can speak of them.
"""

import re
from typing import NamedTuple

from tengen.records.foreign import (
    Line,
    add_move,
    keep_rest,
    letters,
    lines_of,
    new_root,
    set_handicap,
    set_if,
)
from tengen.records.tree import Node, escaped_text
from tengen.records.values import parse_number
from tengen.records.warning import Problems, WarningKind

_SECTION = re.compile(r"\[(\w+)\]")
_MOVE = re.compile(r"([A-Z]{2}),\s*([BW])\d*(?:,(\d*).*)?")
_NODE = re.compile(r"NODE,(\d{1,6}),([0-9]),(\d{1,3}),(\d{1,3}).*")
_TEXT = re.compile(r"\.(?:Comment|Text),?\s*(\d{1,6}).*", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2}).*")
_RULES = {"JPN": "Japanese", "CHN": "Chinese", "KOR": "Korean", "AGA": "AGA", "ING": "GOE"}

Sections = dict[str, list[Line]]
Numbered = dict[int, Node]


class _Board(NamedTuple):
    """How coordinates are meant: letters and numbers from 1, rows from one side."""

    size: int
    from_bottom: bool

    def value(self, column: int, row: int) -> str:
        """Return the SGF letters of a point; beyond the board it is a pass."""
        if not (1 <= column <= self.size and 1 <= row <= self.size):
            return ""
        return letters(column - 1, self.size - row if self.from_bottom else row - 1)


def looks_like_ugf(text: str) -> bool:
    """Tell whether a text is UGF by its first section."""
    head = text.lstrip("\ufeff \t\r\n")[:8].lower()
    return head.startswith(("[header]", "[data]"))


def read_ugf(text: str, problems: Problems) -> list[Node]:
    """Return the game of a UGF or UGI file as an SGF tree; an empty list if nothing is in it."""
    sections = _sections(text)
    pairs = (line.text.partition("=") for line in sections.get("Header", []))
    header = {key: value for key, equals, value in pairs if equals}
    if not header and not sections.get("Data"):
        return []
    root = _root(header)
    from_bottom = header.get("CoordinateType", "").strip().upper() == "IGS"
    board = _Board(int(root.properties["SZ"][0]), from_bottom)
    review = sections.get("ReviewNode", [])
    # Only the moves of the game tell which stones are the handicap.
    if review and "HA" not in root.properties:
        numbered = _read_review(root, review, board, problems)
    else:
        numbered = _read_data(root, sections.get("Data", []), board, problems)
        _report_lost(review, problems)
    for name in ("ReviewComment", "Figure", "Comment"):
        _read_texts(sections.get(name, []), numbered)
    return [root]


def _sections(text: str) -> Sections:
    """Gather the lines of each section; what precedes the first is nobody's."""
    sections: Sections = {}
    current: list[Line] = []
    for line in lines_of(text):
        if match := _SECTION.fullmatch(line.text):
            current = sections.setdefault(match[1], [])
        elif line.text:
            current.append(line)
    return sections


def _root(header: dict[str, str]) -> Node:
    size = parse_number(header.get("Size", "")) or 19
    root = new_root(int(size) if 1 <= size <= 26 else 19)
    for side, key in (("B", "PlayerB"), ("W", "PlayerW")):
        name, rank = (header.get(key, "").split(",") + ["", ""])[:2]
        set_if(root, f"P{side}", name)
        set_if(root, f"{side}R", rank)
    rules = header.get("Rule", header.get("Rules", ""))
    set_if(root, "RU", _RULES.get(rules.upper(), rules))
    _set_game_info(root, header)
    handicap, komi = (header.get("Hdcp", "").split(",") + ["", ""])[:2]
    set_if(root, "KM", komi)
    if handicap.isascii() and handicap.isdigit() and 2 <= int(handicap[:3]) <= 361:
        set_handicap(root, int(handicap[:3]), int(size))
    keep_rest(root, (f"{key}={value}" for key, value in header.items() if value.strip()))
    return root


def _set_game_info(root: Node, header: dict[str, str]) -> None:
    date = _DATE.fullmatch(header.get("Date", ""))
    set_if(root, "DT", f"{date[1]}-{int(date[2]):02d}-{int(date[3]):02d}" if date else None)
    set_if(root, "EV", " ".join(header.get("Title", "").replace(",", " ").split()))
    set_if(root, "PC", header.get("Place"))
    set_if(root, "CP", header.get("Copyright"))
    set_if(root, "AP", header.get("Writer"))
    winner, margin = (header.get("Winner", "").split(",") + ["", ""])[:2]
    if winner[:1] in ("B", "W"):
        how = {"C": "R", "R": "R", "T": "T"}.get(margin.strip()[:1].upper(), margin.strip())
        set_if(root, "RE", f"{winner[:1]}+{how}")
    else:
        set_if(root, "RE", {"D": "Draw", "J": "Draw", "N": "Void"}.get(winner[:1], ""))


def _read_data(root: Node, lines: list[Line], board: _Board, problems: Problems) -> Numbered:
    """Append the moves of `[Data]`; return the nodes by their place.

    Stones numbered 0 before the first move are the handicap.
    """
    node = root
    numbered: Numbered = {0: root, 1: root}
    stones: list[str] = []
    for line in lines:
        match = _MOVE.fullmatch(line.text)
        if match is None:
            problems.add(WarningKind.JUNK, line.start, f"skipped {line.text[:30]!r}")
            continue
        value = board.value(ord(match[1][0]) - 64, ord(match[1][1]) - 64)
        if match[3] == "0" and match[2] == "B" and node is root and "HA" in root.properties:
            stones.append(value)
            continue
        node = add_move(node, match[2], value, line.start)
        numbered[len(numbered)] = node
    if stones:
        root.properties["AB"] = stones
    return numbered


def _read_review(root: Node, lines: list[Line], board: _Board, problems: Problems) -> Numbered:
    """Append the nodes of `[ReviewNode]` with their variations; return them by number.

    A variation stands before the move that it replaces, so that move goes in front of it.
    """
    numbered: Numbered = {}
    node, origins, is_variation = root, [root], False
    for line in lines:
        if match := _NODE.fullmatch(line.text):
            following = _review_node(match, board, line.start)
            place = len(node.children) if is_variation else 0
            node.children.insert(place, following)
            node, is_variation = following, False
            numbered[int(match[1])] = node
        elif line.text.startswith("VARIATIONEND"):
            node = origins.pop() if len(origins) > 1 else node
        elif line.text.startswith("VARIATION"):
            origins.append(node)
            is_variation = True
        else:
            problems.add(WarningKind.JUNK, line.start, f"skipped {line.text[:30]!r}")
    return numbered


def _review_node(match: re.Match[str], board: _Board, offset: int) -> Node:
    """Return the node of `NODE,number,colour,column,row`; colour 0 is no move."""
    colour = {"1": "B", "2": "W"}.get(match[2])
    if colour is None:
        return Node(offset=offset)
    return Node({colour: [board.value(int(match[3]), int(match[4]))]}, offset)


def _report_lost(review: list[Line], problems: Problems) -> None:
    lost = [line for line in review if line.text.startswith("VARIATION,")]
    if lost:
        reason = f"{len(lost)} variations of a handicap game are not read"
        problems.add(WarningKind.JUNK, lost[0].start, reason)


def _read_texts(lines: list[Line], numbered: Numbered) -> None:
    """Add comments to the nodes they speak of."""
    node: Node | None = None
    for line in lines:
        if match := _TEXT.fullmatch(line.text):
            node = numbered.get(int(match[1]))
        elif node is not None and not line.text.startswith("."):
            said = node.properties.setdefault("C", [""])
            said[0] += ("\n" if said[0] else "") + escaped_text(line.text)
