"""NGF, the format of Cyberoro and WBaduk: a header of fixed lines, then `PM` lines.

Two kinds exist: twelve plain lines, White first; and an older one whose lines begin with `GI`,
Black first.
"""

import re

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
from tengen.records.tree import Node
from tengen.records.values import parse_number
from tengen.records.warning import Problems, WarningKind

_MOVE = re.compile(r"PM[A-Z0-9?]{2}([BW])([A-Z@])([A-Z@]).*")
_DATE = re.compile(r"(\d{4})-?(\d{1,2})-?(\d{1,2})(?:\D.*)?")
_RANK = re.compile(r"(\d{1,2})\s*(DP|P|D|K)\*?")
_LOWEST = ord("B")


def looks_like_ngf(text: str) -> bool:
    """Tell whether a text is NGF: its moves are unlike anything else."""
    return re.search(r"^PM[A-Z]{2}[BW][A-Z]{2}", text[:4000], re.MULTILINE) is not None


def read_ngf(text: str, problems: Problems) -> list[Node]:
    """Return the game of an NGF file as an SGF tree; an empty list if nothing is in it."""
    lines = lines_of(text)
    first = next((i for i, line in enumerate(lines) if line.text.startswith("PM")), len(lines))
    header = [line.text for line in lines[:first]]
    if not any(header):
        return []
    old = header[0].startswith("GI")
    root = _old_root([line.removeprefix("GI") for line in header]) if old else _root(header)
    _read_moves(root, lines[first:], problems)
    return [root]


def _root(header: list[str]) -> Node:
    """Return the root of the plain header."""
    header = header + [""] * (12 - len(header))
    size, handicap = _number(header[1], 19), _number(header[5], 0)
    root = new_root(size)
    set_if(root, "EV", header[0])
    _set_player(root, "W", header[2])
    _set_player(root, "B", header[3])
    set_if(root, "PC", header[4])
    set_if(root, "DT", _date(header[8]))
    set_if(root, "RE", header[10].rstrip("!"))
    _set_handicap_and_komi(root, handicap, header[7], size)
    keep_rest(root, header)
    return root


def _old_root(header: list[str]) -> Node:
    """Return the root of the older header."""
    header = header + [""] * (11 - len(header))
    size, handicap = _number(header[6], 19), _number(header[7], 0)
    root = new_root(size)
    set_if(root, "EV", header[0])
    _set_player(root, "B", header[1])
    _set_player(root, "W", header[2])
    set_if(root, "DT", _date(header[5]))
    _set_handicap_and_komi(root, handicap, header[9], size)
    keep_rest(root, header)
    return root


def _set_handicap_and_komi(root: Node, handicap: int, komi: str, size: int) -> None:
    """Set both. The files tell whole points of komi; in even games a half is added."""
    number = parse_number(komi) or 0.0
    if handicap >= 2:
        set_handicap(root, handicap, size)
    elif number == int(number):
        number += 0.5
    root.properties["KM"] = [f"{number:g}"]


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 2 else otherwise


def _set_player(root: Node, side: str, text: str) -> None:
    """Set a name and the rank that follows it."""
    name, _, rank = text.strip().rpartition(" ")
    if not name:
        name, rank = rank, ""
    if match := _RANK.fullmatch(rank):
        rank = match[1] + {"DP": "p", "P": "p", "D": "d", "K": "k"}[match[2]]
    set_if(root, f"P{side}", name)
    set_if(root, f"{side}R", rank)


def _date(text: str) -> str | None:
    match = _DATE.fullmatch(text.strip())
    return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}" if match else text


def _read_moves(root: Node, lines: list[Line], problems: Problems) -> None:
    """Append the moves. Off-board letters are passes: servers write AA, @@ or TT beyond."""
    node = root
    size = int(root.properties["SZ"][0])
    for line in lines:
        match = _MOVE.fullmatch(line.text)
        if match:
            column, row = ord(match[2]) - _LOWEST, ord(match[3]) - _LOWEST
            passes = column < 0 and row < 0
            value = "" if passes else letters(column, row)
            node = add_move(node, match[1], value if size <= 26 else "", line.start)
        elif line.text.startswith("ID") and "[" in line.text:
            _read_end(root, line.text)
        elif line.text and not line.text.startswith("GI"):
            problems.add(WarningKind.JUNK, line.start, f"skipped {line.text[:30]!r}")


def _read_end(root: Node, text: str) -> None:
    """Take the result from the closing line of the older kind."""
    set_if(root, "RE", text.partition("]")[2].removesuffix("[EndTxt]"))
