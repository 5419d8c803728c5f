"""NGF, the format of Cyberoro and WBaduk: a header of fixed lines, then `PM` lines.

There are two variants: twelve plain header lines, White first; and an older one whose header lines
begin with `GI`, Black first.
"""

import re

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
from tengen.records.tree import Node, parse_number
from tengen.records.warning import WarningCollector, WarningKind

_MOVE = re.compile(r"PM[A-Z0-9?]{2}([BW])([A-Z@])([A-Z@]).*")
_DATE = re.compile(r"(\d{4})-?(\d{1,2})-?(\d{1,2})(?:\D.*)?")
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
    root = _old_root([line.removeprefix("GI") for line in header]) if is_old else _root(header)
    _read_moves(root, lines[first:], warnings)
    return [root]


def _root(header: list[str]) -> Node:
    """Return the root node of a plain header."""
    header = header + [""] * (12 - len(header))
    size, handicap = _parse_int(header[1], 19), _parse_int(header[5], 0)
    root = new_root(size)
    set_if_missing(root, "EV", header[0])
    _set_player(root, "W", header[2])
    _set_player(root, "B", header[3])
    set_if_missing(root, "PC", header[4])
    set_if_missing(root, "DT", _date(header[8]))
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
    set_if_missing(root, "DT", _date(header[5]))
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


def _date(text: str) -> str | None:
    match = _DATE.fullmatch(text.strip())
    return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}" if match else text


def _read_moves(root: Node, lines: list[TextLine], warnings: WarningCollector) -> None:
    """Append the moves. Letters off the board are passes: servers write AA or @@."""
    node = root
    size = int(root.properties["SZ"][0])
    for line in lines:
        match = _MOVE.fullmatch(line.text)
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
