"""UGF and UGI, the formats of PandaNet: sections of `key=value` lines and of nodes.

`[Data]` contains the moves of the game. The optional `[ReviewNode]` repeats them with variations,
numbered for reference by `[ReviewComment]` and `[Figure]`.
"""

import re
from typing import NamedTuple

from tengen.records.conversion import (
    TextLine,
    add_move,
    new_root,
    set_game_comment,
    set_handicap,
    set_if_missing,
    sgf_point,
    split_lines,
)
from tengen.records.tree import Node, escaped_text, parse_number
from tengen.records.warning import WarningCollector, WarningKind

_SECTION = re.compile(r"\[(\w+)\]")
_MOVE = re.compile(r"([A-Z]{2}),\s*([BW])\d*(?:,(\d*).*)?")
_NODE = re.compile(r"NODE,(\d{1,6}),([0-9]),(\d{1,3}),(\d{1,3}).*")
_TEXT = re.compile(r"\.(?:Comment|Text),?\s*(\d{1,6}).*", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2}).*")
_RULES = {"JPN": "Japanese", "CHN": "Chinese", "KOR": "Korean", "AGA": "AGA", "ING": "GOE"}

Sections = dict[str, list[TextLine]]
NumberedNodes = dict[int, Node]


class _Board(NamedTuple):
    """The coordinate system: columns and rows count from 1, rows from either side."""

    size: int
    from_bottom: bool

    def value(self, column: int, row: int) -> str:
        """Return the SGF value of a point; points off the board are passes."""
        if not (1 <= column <= self.size and 1 <= row <= self.size):
            return ""
        return sgf_point(column - 1, self.size - row if self.from_bottom else row - 1)


def looks_like_ugf(text: str) -> bool:
    """Return whether a text is UGF, by its first section."""
    head = text.lstrip("\ufeff \t\r\n")[:8].lower()
    return head.startswith(("[header]", "[data]"))


def read_ugf(text: str, warnings: WarningCollector) -> list[Node]:
    """Return the game of a UGF or UGI file as a list of one SGF tree, or an empty list."""
    sections = _sections(text)
    pairs = (line.text.partition("=") for line in sections.get("Header", []))
    header = {key: value for key, equals, value in pairs if equals}
    if not header and not sections.get("Data"):
        return []
    root = _root(header)
    from_bottom = header.get("CoordinateType", "").strip().upper() == "IGS"
    board = _Board(int(root.properties["SZ"][0]), from_bottom)
    review = sections.get("ReviewNode", [])
    # Only [Data] marks handicap stones.
    if review and "HA" not in root.properties:
        numbered = _read_review(root, review, board, warnings)
    else:
        numbered = _read_data(root, sections.get("Data", []), board, warnings)
        _report_skipped_variations(review, warnings)
    for name in ("ReviewComment", "Figure", "Comment"):
        _read_texts(sections.get(name, []), numbered)
    return [root]


def _sections(text: str) -> Sections:
    """Return the lines of each section; lines before the first are dropped."""
    sections: Sections = {}
    current: list[TextLine] = []
    for line in split_lines(text):
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
        set_if_missing(root, f"P{side}", name)
        set_if_missing(root, f"{side}R", rank)
    rules = header.get("Rule", header.get("Rules", ""))
    set_if_missing(root, "RU", _RULES.get(rules.upper(), rules))
    _set_game_info(root, header)
    handicap, komi = (header.get("Hdcp", "").split(",") + ["", ""])[:2]
    set_if_missing(root, "KM", komi)
    if handicap.isascii() and handicap.isdigit() and 2 <= int(handicap[:3]) <= 361:
        set_handicap(root, int(handicap[:3]), int(size))
    set_game_comment(root, (f"{key}={value}" for key, value in header.items() if value.strip()))
    return root


def _set_game_info(root: Node, header: dict[str, str]) -> None:
    date = _DATE.fullmatch(header.get("Date", ""))
    set_if_missing(root, "DT", f"{date[1]}-{int(date[2]):02d}-{int(date[3]):02d}" if date else None)
    set_if_missing(root, "EV", " ".join(header.get("Title", "").replace(",", " ").split()))
    set_if_missing(root, "PC", header.get("Place"))
    set_if_missing(root, "CP", header.get("Copyright"))
    set_if_missing(root, "AP", header.get("Writer"))
    winner, margin = (header.get("Winner", "").split(",") + ["", ""])[:2]
    if winner[:1] in ("B", "W"):
        detail = {"C": "R", "R": "R", "T": "T"}.get(margin.strip()[:1].upper(), margin.strip())
        set_if_missing(root, "RE", f"{winner[:1]}+{detail}")
    else:
        set_if_missing(root, "RE", {"D": "Draw", "J": "Draw", "N": "Void"}.get(winner[:1], ""))


def _read_data(
    root: Node, lines: list[TextLine], board: _Board, warnings: WarningCollector
) -> NumberedNodes:
    """Append the moves of `[Data]`; return the nodes by number.

    Stones numbered 0 before the first move are handicap stones.
    """
    node = root
    numbered: NumberedNodes = {0: root, 1: root}
    stones: list[str] = []
    for line in lines:
        match = _MOVE.fullmatch(line.text)
        if match is None:
            warnings.add(WarningKind.JUNK, line.start, f"skipped {line.text[:30]!r}")
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


def _read_review(
    root: Node, lines: list[TextLine], board: _Board, warnings: WarningCollector
) -> NumberedNodes:
    """Append the nodes of `[ReviewNode]` with their variations; return them by number.

    A variation comes before the move that it replaces, so that move is inserted in front of it.
    """
    numbered: NumberedNodes = {}
    node, branch_points, is_variation = root, [root], False
    for line in lines:
        if match := _NODE.fullmatch(line.text):
            child = _review_node(match, board, line.start)
            node.children.insert(len(node.children) if is_variation else 0, child)
            node, is_variation = child, False
            numbered[int(match[1])] = node
        elif line.text.startswith("VARIATIONEND"):
            node = branch_points.pop() if len(branch_points) > 1 else node
        elif line.text.startswith("VARIATION"):
            branch_points.append(node)
            is_variation = True
        else:
            warnings.add(WarningKind.JUNK, line.start, f"skipped {line.text[:30]!r}")
    return numbered


def _review_node(match: re.Match[str], board: _Board, offset: int) -> Node:
    """Return the node of `NODE,number,color,column,row`; color 0 means no move."""
    color = {"1": "B", "2": "W"}.get(match[2])
    if color is None:
        return Node(offset=offset)
    return Node({color: [board.value(int(match[3]), int(match[4]))]}, offset)


def _report_skipped_variations(review: list[TextLine], warnings: WarningCollector) -> None:
    skipped = [line for line in review if line.text.startswith("VARIATION,")]
    if skipped:
        reason = f"skipped {len(skipped)} variations of a handicap game"
        warnings.add(WarningKind.JUNK, skipped[0].start, reason)


def _read_texts(lines: list[TextLine], numbered: NumberedNodes) -> None:
    """Add comments to their nodes."""
    node: Node | None = None
    for line in lines:
        if match := _TEXT.fullmatch(line.text):
            node = numbered.get(int(match[1]))
        elif node is not None and not line.text.startswith("."):
            comment = node.properties.setdefault("C", [""])
            comment[0] += ("\n" if comment[0] else "") + escaped_text(line.text)
