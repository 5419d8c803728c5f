"""Writing records: valid FF[4] in UTF-8, with everything that was read.

What FF[4] forbids is put right on the way: several moves in one node become several nodes,
further values where one is allowed are kept under a private name, points and numbers
are spelled as FF[4] has them. The text itself is made by sgfmill.
"""

import os
import re
from collections.abc import Iterable, Mapping

from sgfmill import sgf_grammar

from tengen.board.colour import BLACK
from tengen.board.position import Position
from tengen.core.whole_file import whole_file
from tengen.records.game import GameRecord, is_other_game
from tengen.records.tree import Node, escaped_text
from tengen.records.values import is_playable, parse_move, point_text

PropertyMap = dict[str, list[str]]

WRAP = 79
"""Columns of a line of text."""

_SETUP = frozenset(("AB", "AW", "AE", "PL"))
_COMMENTS = frozenset(("C", "GC"))
_SINGLE = frozenset(
    ("AN", "AP", "BL", "BR", "BT", "CA", "CP", "DT", "EV", "FF", "GM", "GN", "HA", "KM", "MN")
    + ("N", "OB", "ON", "OT", "OW", "PB", "PC", "PL", "PW", "RE", "RO", "RU", "SO", "ST", "SZ")
    + ("TM", "US", "WL", "WR", "WT")
)
"""Properties that take one value in FF[4]."""
_ROOT_ONLY = frozenset(("AP", "CA", "FF", "GM", "ST", "SZ"))
_REAL = re.compile(r"[-+]?\d+(?:\.\d+)?")
_STRUCTURE = re.compile(r"(?<!\\)[\[;(]")
_RULES = {
    "chinese": "Chinese",
    "japanese": "Japanese",
    "aga": "AGA",
    "new-zealand": "NZ",
    "tromp-taylor": "Tromp-Taylor",
}


def sgf_bytes(record: GameRecord) -> bytes:
    """Return a record as FF[4] in UTF-8, ending with a line feed."""
    tree = _coarse_tree(record)
    return bytes(sgf_grammar.serialise_game_tree(tree, WRAP))


def write_games(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Write a collection. Raise TengenError, and leave an old file as it was, if that fails."""
    with whole_file(path) as file:
        for record in records:
            file.write(sgf_bytes(record))


def record_from_position(
    position: Position,
    black: str = "",
    white: str = "",
    result: str = "",
    comments: Mapping[int, str] | None = None,
    properties: Mapping[str, str] | None = None,
) -> GameRecord:
    """Return the record of a played game, from its first position to its last move.

    `comments` are by the number of moves played, 0 before the first. `properties` are further
    root properties as plain text, such as DT, EV, PC, BR or WR.
    """
    start = position.copy()
    start.undo(len(position.moves))
    record = GameRecord(position.rows, position.columns, position.rules.komi, position.handicap)
    record.setup = [(p, start.colour(p)) for p in start.points() if start.colour(p)]
    record.to_play = start.to_play if record.setup or start.to_play != BLACK else None
    record.moves = position.moves.copy()
    rules = _RULES.get(position.rules.name, "")
    texts = {"RU": rules, "PB": black, "PW": white, "RE": result, **(properties or {})}
    record.root = _line(record, texts, comments or {})
    return record


def _line(record: GameRecord, texts: Mapping[str, str], comments: Mapping[int, str]) -> Node:
    """Return the tree of a record without variations."""
    root = node = Node()
    for name, text in texts.items():
        if text:
            root.set_text(name, text)
    for name, colour in (("AB", 1), ("AW", 2)):
        points = [point_text(point) for point, stone in record.setup if stone == colour]
        if points:
            root.properties[name] = points
    if record.to_play is not None:
        root.properties["PL"] = [record.to_play.letter]
    for number in range(len(record.moves) + 1):
        if number > 0:
            move = record.moves[number - 1]
            node = node.add_child(Node({move.colour.letter: [point_text(move.move)]}))
        if comments.get(number):
            node.set_text("C", comments[number])
    return root


def _coarse_tree(record: GameRecord) -> sgf_grammar.Coarse_game_tree:
    """Return sgfmill's tree of a record."""
    result = sgf_grammar.Coarse_game_tree()
    waiting = [(result, record.root)]
    while waiting:
        tree, node = waiting.pop()
        while True:
            for properties in _maps(node, record):
                tree.sequence.append(_encoded(properties))
            if len(node.children) != 1:
                break
            node = node.children[0]
        for child in node.children:
            branch = sgf_grammar.Coarse_game_tree()
            tree.children.append(branch)
            waiting.append((branch, child))
    return result


def _encoded(properties: PropertyMap) -> dict[str, list[bytes]]:
    return {
        name: [_valid(value.encode("utf-8", "replace")) for value in values]
        for name, values in properties.items()
        if values
    }


def _valid(value: bytes) -> bytes:
    """Return a raw value, escaped if it would end too early otherwise."""
    if sgf_grammar.is_valid_property_value(value):
        return value
    return bytes(sgf_grammar.escape_text(value))


def _maps(node: Node, record: GameRecord) -> list[PropertyMap]:
    """Return the properties of a node as FF[4] allows them: one map, or one for each move."""
    is_root = node is record.root
    properties = _single_values(_root_properties(record) if is_root else _inner_properties(node))
    if is_other_game(record.root):
        return [properties]
    names = [name for name in properties if name in ("B", "W")]
    values = [(name, value) for name in names for value in properties[name]]
    moves = [(name, _move_text(value, record)) for name, value in values]
    rest = {
        name: list(map(_shielded, values)) if name in _SETUP else values
        for name, values in properties.items()
        if name not in ("B", "W")
    }
    setup = {name: values for name, values in rest.items() if name in _SETUP}
    if len(moves) + bool(setup) <= 1:
        return [{**rest, **{name: [value] for name, value in moves}}]
    if is_root:
        return [rest, *({name: [value]} for name, value in moves)]
    maps: list[PropertyMap] = [setup] if setup else []
    maps += [{name: [value]} for name, value in moves]
    maps[-1].update({name: values for name, values in rest.items() if name not in _SETUP})
    return maps


def _single_values(properties: PropertyMap) -> PropertyMap:
    """Join comments, and put further values aside where FF[4] allows one only."""
    result: PropertyMap = {}
    for name, values in properties.items():
        result[name] = values
        if len(values) > 1 and name in _COMMENTS:
            result[name] = ["\n".join(values)]
        elif len(values) > 1 and name in _SINGLE:
            result[name] = values[:1]
            result[f"X{name}"] = values[1:]
    return result


def _move_text(value: str, record: GameRecord) -> str:
    """Spell a move as FF[4] does; what is no move at all stays what it is."""
    if not is_playable(record.rows, record.columns):
        return _shielded(value)
    move = parse_move(value, record.rows, record.columns)
    if move is None:
        return _shielded(value)
    return value if value == "tt" else point_text(move)


def _shielded(value: str) -> str:
    """Escape what readers may take for the end of a point whose bracket is missing."""
    return _STRUCTURE.sub(r"\\\g<0>", value)


def _inner_properties(node: Node) -> PropertyMap:
    """Return the properties of a node, those that belong in the root under a private name."""
    properties = node.properties
    if _ROOT_ONLY.isdisjoint(properties):
        return properties
    return {f"X{n}" if n in _ROOT_ONLY else n: values for n, values in properties.items()}


def _root_properties(record: GameRecord) -> PropertyMap:
    """Return the root's properties with those that say how to read the file put right."""
    properties = dict(record.root.properties)
    properties["FF"] = ["4"]
    properties["CA"] = ["UTF-8"]
    if is_other_game(record.root):
        return properties
    properties["GM"] = ["1"]
    square = record.rows == record.columns
    properties["SZ"] = [str(record.rows) if square else f"{record.columns}:{record.rows}"]
    for name, number in (("KM", record.komi), ("HA", record.handicap or None)):
        _put_number(properties, name, number)
    return properties


def _put_number(properties: PropertyMap, name: str, number: float | None) -> None:
    """Spell a number as FF[4] does; what is no number is kept under a private name."""
    values = properties.get(name, [])
    if values and _REAL.fullmatch(values[0]):
        return
    properties.pop(name, None)
    if number is not None:
        properties[name] = [f"{number:g}"]
    if any(value.strip() for value in values):
        properties[f"X{name}"] = [escaped_text(value) for value in values]
