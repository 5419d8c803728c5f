"""GIB, the format of Tygem: a header of `\\[KEY=value\\]` lines, then one line per move."""

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
from tengen.records.tree import Node
from tengen.records.warning import WarningCollector, WarningKind

_HEADER = re.compile(r"\\\[(\w+)=(.*?)(?:\\\])?")
_FIELD = re.compile(r"(?:^|,)([A-Z]+):?([^,]*)")
_PLAYER = re.compile(r"(.*?)\s*\(([^()]*)\)")
_DATE = re.compile(r"(\d{4})\D{1,2}(\d{1,2})\D{1,2}(\d{1,2})")
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
    root = _root(headers)
    _read_body(root, body, warnings)
    return [root]


def _root(headers: dict[str, str]) -> Node:
    """Return the root node with the properties of the header."""
    main = dict(_FIELD.findall(headers.get("GAMEINFOMAIN", "")))
    tag = dict(_FIELD.findall(headers.get("GAMETAG", "")))
    size = main.get("LINE", "19")
    root = new_root(int(size) if size in ("9", "13", "19") else 19)
    _set_players(root, headers)
    set_if_missing(root, "DT", _date(headers))
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


def _date(headers: dict[str, str]) -> str | None:
    for name in ("GAMEINFOSUB", "GAMETAG", "GAMEDATE"):
        if match := _DATE.search(headers.get(name, "").replace("- ", "-")):
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
