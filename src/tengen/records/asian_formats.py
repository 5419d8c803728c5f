"""Formats of Asian Go servers: GIB, NGF and UGF, read as SGF trees.

GIB is the format of Tygem: a header of `\\[KEY=value\\]` lines, then one line per move.

NGF is the format of Cyberoro and WBaduk: a header of fixed lines, then `PM` lines. There are two
variants: twelve plain header lines, White first; and an older one whose header lines begin with
`GI`, Black first.

UGF and UGI are the formats of PandaNet: sections of `key=value` lines and of nodes. `[Data]`
contains the moves of the game. The optional `[ReviewNode]` repeats them with variations, numbered
for reference by `[ReviewComment]` and `[Figure]`.
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

_HEADER = re.compile(r"\\\[(\w+)=(.*?)(?:\\\])?")
_FIELD = re.compile(r"(?:^|,)([A-Z]+):?([^,]*)")
_PLAYER = re.compile(r"(.*?)\s*\(([^()]*)\)")
_GIB_DATE = re.compile(r"(\d{4})\D{1,2}(\d{1,2})\D{1,2}(\d{1,2})")
_RESULTS = {"0": "B+", "1": "W+", "3": "B+R", "4": "W+R", "7": "B+T", "8": "W+T"}
_MARKERS = ("\\HS", "\\HE", "\\GS", "\\GE", "\\CS", "\\CE")


def looks_like_gib(text: str) -> bool:
    """Return whether a text is GIB, by its beginning."""
    return text.lstrip("\ufeff \t\r\n").startswith(("\\HS", "\\["))


def read_gib(text: str, warnings: WarningCollector) -> list[Node]:
    """Return the game of a GIB file as a list of one SGF tree, or an empty list."""
    lines = split_lines(text)
    headers: dict[str, str] = {}
    body: list[TextLine] = []
    for line in lines:
        if match := _HEADER.fullmatch(line.text):
            headers[match[1]] = match[2]
        elif line.text.split() and line.text not in _MARKERS:
            body.append(line)
    if not headers and not any(line.text.startswith("STO ") for line in body):
        return []
    root = _gib_root(headers)
    _read_body(root, body, warnings)
    return [root]


def _gib_root(headers: dict[str, str]) -> Node:
    """Return the root node with the properties of the header."""
    main = dict(_FIELD.findall(headers.get("GAMEINFOMAIN", "")))
    tag = dict(_FIELD.findall(headers.get("GAMETAG", "")))
    size = main.get("LINE", "19")
    root = new_root(int(size) if size in ("9", "13", "19") else 19)
    _set_players(root, headers)
    set_if_missing(root, "DT", _gib_date(headers))
    set_if_missing(root, "PC", headers.get("GAMEPLACE"))
    set_if_missing(root, "EV", headers.get("GAMENAME"))
    set_if_missing(root, "C", headers.get("GAMECOMMENT"))
    set_if_missing(root, "RE", _result(main, tag) or headers.get("GAMERESULT"))
    set_if_missing(root, "KM", _komi(main.get("GONGJE") or tag.get("G")))
    set_game_comment(root, (f"{name}={value}" for name, value in headers.items() if value))
    return root


def _set_players(root: Node, headers: dict[str, str]) -> None:
    for side, word, letter in (("B", "BLACK", "B"), ("W", "WHITE", "W")):
        named = headers.get(f"GAME{word}NAME", "")
        if match := _PLAYER.fullmatch(named):
            set_if_missing(root, f"P{side}", match[1])
            set_if_missing(root, f"{side}R", match[2])
        info = dict(_FIELD.findall(headers.get(f"{letter}USERINFO", "")))
        set_if_missing(
            root, f"P{side}", named or info.get(f"{letter}ID") or info.get(f"{letter}NICK")
        )


def _gib_date(headers: dict[str, str]) -> str | None:
    for name in ("GAMEINFOSUB", "GAMETAG", "GAMEDATE"):
        if match := _GIB_DATE.search(headers.get(name, "").replace("- ", "-")):
            return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}"
    return None


def _result(main: dict[str, str], tag: dict[str, str]) -> str | None:
    """Return the result; GIB stores the margin in tenths of a point."""
    result = _RESULTS.get(main.get("GRLT") or tag.get("W", ""))
    if result is None or not result.endswith("+"):
        return result
    margin = main.get("ZIPSU") or tag.get("Z", "")
    return f"{result}{int(margin) / 10:g}" if _is_number(margin) else result


def _komi(tenths: str | None) -> str | None:
    return f"{int(tenths) / 10:g}" if tenths and _is_number(tenths) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 6


def _read_body(root: Node, lines: list[TextLine], warnings: WarningCollector) -> None:
    node = root
    for line in lines:
        words = line.text.split()
        if words[0] == "INI" and len(words) > 3 and _is_number(words[3]) and int(words[3]) >= 2:
            set_handicap(root, int(words[3]), int(root.properties["SZ"][0]))
        elif words[0] == "STO":
            node = _read_move(node, words, line, warnings)
        elif words[0] == "SKI":
            node = add_move(node, _next_color(node), "", line.start)
        elif words[0] not in ("INI", "REM") and not _is_number(words[0]):
            warnings.add(WarningKind.JUNK, line.start, f"skipped {line.text[:30]!r}")


def _read_move(node: Node, words: list[str], line: TextLine, warnings: WarningCollector) -> Node:
    """Append the move of a line `STO 0 number color column row`."""
    if len(words) < 6 or not all(_is_number(word) for word in words[3:6]):
        warnings.add(WarningKind.VALUE, line.start, f"{line.text[:30]!r} skipped: not a move")
        return node
    color = "B" if words[3] == "1" else "W"
    return add_move(node, color, sgf_point(int(words[4]), int(words[5])), line.start)


def _next_color(node: Node) -> str:
    """Return the side to move, since lines of passes do not contain it."""
    if "B" in node.properties:
        return "W"
    return "W" if "HA" in node.properties else "B"


_NGF_MOVE = re.compile(r"PM[A-Z0-9?]{2}([BW])([A-Z@])([A-Z@]).*")
_NGF_DATE = re.compile(r"(\d{4})-?(\d{1,2})-?(\d{1,2})(?:\D.*)?")
_RANK = re.compile(r"(\d{1,2})\s*(DP|P|D|K)\*?")
_FIRST_LETTER = ord("B")


def looks_like_ngf(text: str) -> bool:
    """Return whether a text is NGF, by its move lines."""
    return re.search(r"^PM[A-Z]{2}[BW][A-Z]{2}", text[:4000], re.MULTILINE) is not None


def read_ngf(text: str, warnings: WarningCollector) -> list[Node]:
    """Return the game of an NGF file as a list of one SGF tree, or an empty list."""
    lines = split_lines(text)
    first = next((i for i, line in enumerate(lines) if line.text.startswith("PM")), len(lines))
    header = [line.text for line in lines[:first]]
    if not any(header):
        return []
    is_old = header[0].startswith("GI")
    root = _old_root([line.removeprefix("GI") for line in header]) if is_old else _ngf_root(header)
    _read_moves(root, lines[first:], warnings)
    return [root]


def _ngf_root(header: list[str]) -> Node:
    """Return the root node of a plain header."""
    header = header + [""] * (12 - len(header))
    size, handicap = _parse_int(header[1], 19), _parse_int(header[5], 0)
    root = new_root(size)
    set_if_missing(root, "EV", header[0])
    _set_player(root, "W", header[2])
    _set_player(root, "B", header[3])
    set_if_missing(root, "PC", header[4])
    set_if_missing(root, "DT", _ngf_date(header[8]))
    set_if_missing(root, "RE", header[10].rstrip("!"))
    _set_handicap_and_komi(root, handicap, header[7], size)
    set_game_comment(root, header)
    return root


def _old_root(header: list[str]) -> Node:
    """Return the root node of an older header."""
    header = header + [""] * (11 - len(header))
    size, handicap = _parse_int(header[6], 19), _parse_int(header[7], 0)
    root = new_root(size)
    set_if_missing(root, "EV", header[0])
    _set_player(root, "B", header[1])
    _set_player(root, "W", header[2])
    set_if_missing(root, "DT", _ngf_date(header[5]))
    _set_handicap_and_komi(root, handicap, header[9], size)
    set_game_comment(root, header)
    return root


def _set_handicap_and_komi(root: Node, handicap: int, komi: str, size: int) -> None:
    """Set both. NGF has komi in whole points; even games get an additional half point."""
    number = parse_number(komi) or 0.0
    if handicap >= 2:
        set_handicap(root, handicap, size)
    elif number == int(number):
        number += 0.5
    root.properties["KM"] = [f"{number:g}"]


def _parse_int(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 2 else default


def _set_player(root: Node, side: str, text: str) -> None:
    """Set the name of a player and the rank after it."""
    name, _, rank = text.strip().rpartition(" ")
    if not name:
        name, rank = rank, ""
    if match := _RANK.fullmatch(rank):
        rank = match[1] + {"DP": "p", "P": "p", "D": "d", "K": "k"}[match[2]]
    set_if_missing(root, f"P{side}", name)
    set_if_missing(root, f"{side}R", rank)


def _ngf_date(text: str) -> str | None:
    match = _NGF_DATE.fullmatch(text.strip())
    return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}" if match else text


def _read_moves(root: Node, lines: list[TextLine], warnings: WarningCollector) -> None:
    """Append the moves. Letters off the board are passes: servers write AA or @@."""
    node = root
    size = int(root.properties["SZ"][0])
    for line in lines:
        match = _NGF_MOVE.fullmatch(line.text)
        if match:
            column, row = ord(match[2]) - _FIRST_LETTER, ord(match[3]) - _FIRST_LETTER
            is_pass = column < 0 and row < 0
            value = "" if is_pass else sgf_point(column, row)
            node = add_move(node, match[1], value if size <= 26 else "", line.start)
        elif line.text.startswith("ID") and "[" in line.text:
            _read_result(root, line.text)
        elif line.text and not line.text.startswith("GI"):
            warnings.add(WarningKind.JUNK, line.start, f"skipped {line.text[:30]!r}")


def _read_result(root: Node, text: str) -> None:
    """Set the result from the last line of the older variant."""
    set_if_missing(root, "RE", text.partition("]")[2].removesuffix("[EndTxt]"))


_SECTION = re.compile(r"\[(\w+)\]")
_UGF_MOVE = re.compile(r"([A-Z]{2}),\s*([BW])\d*(?:,(\d*).*)?")
_NODE = re.compile(r"NODE,(\d{1,6}),([0-9]),(\d{1,3}),(\d{1,3}).*")
_TEXT = re.compile(r"\.(?:Comment|Text),?\s*(\d{1,6}).*", re.IGNORECASE)
_UGF_DATE = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2}).*")
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
    root = _ugf_root(header)
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


def _ugf_root(header: dict[str, str]) -> Node:
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
    date = _UGF_DATE.fullmatch(header.get("Date", ""))
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
        match = _UGF_MOVE.fullmatch(line.text)
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
