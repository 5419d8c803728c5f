"""SGF writer: valid FF[4] in UTF-8 that keeps all properties of the tree.

Violations of FF[4] are corrected: several moves in one node become several nodes, superfluous
values are kept under a private property name, points and numbers are normalized. sgfmill
serializes the tree.
"""

import os
import re
from collections.abc import Iterable, Mapping

from sgfmill import sgf_grammar

from tengen.board import BLACK, Position
from tengen.records.game import GameRecord, is_other_game
from tengen.records.tree import Node, escaped_text, is_playable, parse_move, point_text
from tengen.util import atomic_write

PropertyMap = dict[str, list[str]]

_LINE_WIDTH = 79

_SETUP_PROPERTIES = frozenset(("AB", "AW", "AE", "PL"))
_COMMENTS = frozenset(("C", "GC"))
_SINGLE_VALUE = frozenset(
    ("AN", "AP", "BL", "BR", "BT", "CA", "CP", "DT", "EV", "FF", "GM", "GN", "HA", "KM", "MN")
    + ("N", "OB", "ON", "OT", "OW", "PB", "PC", "PL", "PW", "RE", "RO", "RU", "SO", "ST", "SZ")
    + ("TM", "US", "WL", "WR", "WT")
)
"""Properties that have one value in FF[4]."""
_ROOT_ONLY = frozenset(("AP", "CA", "FF", "GM", "ST", "SZ"))
_REAL = re.compile(r"[-+]?\d+(?:\.\d+)?")
_DELIMITER = re.compile(r"(?<!\\)[\[;(]")
_RULES_TEXTS = {
    "chinese": "Chinese",
    "japanese": "Japanese",
    "aga": "AGA",
    "new-zealand": "NZ",
    "tromp-taylor": "Tromp-Taylor",
}


def sgf_bytes(record: GameRecord) -> bytes:
    """Return a record as FF[4] in UTF-8, with a final line feed."""
    tree = _coarse_tree(record)
    return bytes(sgf_grammar.serialise_game_tree(tree, _LINE_WIDTH))


def write_games(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Write game records to an SGF file, atomically.

    Parameters
    ----------
    path : path
        The file to write; an existing one is replaced only if everything was written.
    records : iterable of GameRecord

    Raises
    ------
    TengenError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from tengen.board.position import Position
    >>> path = pathlib.Path(tempfile.mkdtemp(), "game.sgf")
    >>> write_games(path, [record_from_position(Position(9).after("E5"))])
    >>> ";B[ee]" in path.read_text()
    True
    """
    with atomic_write(path) as file:
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
    """Return the record of the game that led to a position.

    Parameters
    ----------
    position : Position
    black, white : str, optional
        Names of the players.
    result : str, optional
        As in SGF: ``B+3.5``, ``W+R``, ``0``.
    comments : mapping of int to str, optional
        Comments, keyed by the number of moves played before.
    properties : mapping of str to str, optional
        Further root properties as plain text, such as DT, EV, PC, BR or WR.

    Returns
    -------
    GameRecord

    Examples
    --------
    >>> from tengen.board.position import Position
    >>> position = Position(9).after("E5 C3")
    >>> game = record_from_position(position, white="Bob", properties={"EV": "Cup"})
    >>> game.white, game.text("EV"), len(game.moves)
    ('Bob', 'Cup', 2)
    """
    start = position.copy()
    start.undo(len(position.moves))
    record = GameRecord(position.rows, position.columns, position.rules.komi, position.handicap)
    record.setup = [(p, start.color(p)) for p in start.points() if start.color(p)]
    record.to_play = start.to_play if record.setup or start.to_play != BLACK else None
    record.moves = position.moves.copy()
    rules = _RULES_TEXTS.get(position.rules.name, "")
    texts = {"RU": rules, "PB": black, "PW": white, "RE": result, **(properties or {})}
    record.root = _build_tree(record, texts, comments or {})
    return record


def _build_tree(record: GameRecord, texts: Mapping[str, str], comments: Mapping[int, str]) -> Node:
    """Return the tree of a record, without variations."""
    root = node = Node()
    for name, text in texts.items():
        if text:
            root.set_text(name, text)
    for name, color in (("AB", 1), ("AW", 2)):
        points = [point_text(point) for point, stone in record.setup if stone == color]
        if points:
            root.properties[name] = points
    if record.to_play is not None:
        root.properties["PL"] = [record.to_play.letter]
    for number in range(len(record.moves) + 1):
        if number > 0:
            move = record.moves[number - 1]
            node = node.add_child(Node({move.color.letter: [point_text(move.move)]}))
        if comments.get(number):
            node.set_text("C", comments[number])
    return root


def _coarse_tree(record: GameRecord) -> sgf_grammar.Coarse_game_tree:
    """Return the tree of a record for sgfmill."""
    result = sgf_grammar.Coarse_game_tree()
    stack = [(result, record.root)]
    while stack:
        tree, node = stack.pop()
        while True:
            for properties in _valid_nodes(node, record):
                tree.sequence.append(_encode(properties))
            if len(node.children) != 1:
                break
            node = node.children[0]
        for child in node.children:
            branch = sgf_grammar.Coarse_game_tree()
            tree.children.append(branch)
            stack.append((branch, child))
    return result


def _encode(properties: PropertyMap) -> dict[str, list[bytes]]:
    return {
        name: [_valid_value(value.encode("utf-8", "replace")) for value in values]
        for name, values in properties.items()
        if values
    }


def _valid_value(value: bytes) -> bytes:
    """Return a raw value, escaped if it is not a valid property value."""
    if sgf_grammar.is_valid_property_value(value):
        return value
    return bytes(sgf_grammar.escape_text(value))


def _valid_nodes(node: Node, record: GameRecord) -> list[PropertyMap]:
    """Return the properties of a node as one or more valid FF[4] nodes with one move each."""
    is_root = node is record.root
    properties = _single_values(_root_properties(record) if is_root else _inner_properties(node))
    if is_other_game(record.root):
        return [properties]
    names = [name for name in properties if name in ("B", "W")]
    values = [(name, value) for name in names for value in properties[name]]
    moves = [(name, _move_text(value, record)) for name, value in values]
    rest = {
        name: list(map(_escape_delimiters, values)) if name in _SETUP_PROPERTIES else values
        for name, values in properties.items()
        if name not in ("B", "W")
    }
    setup = {name: values for name, values in rest.items() if name in _SETUP_PROPERTIES}
    if len(moves) + bool(setup) <= 1:
        return [{**rest, **{name: [value] for name, value in moves}}]
    if is_root:
        return [rest, *({name: [value]} for name, value in moves)]
    nodes: list[PropertyMap] = [setup] if setup else []
    nodes += [{name: [value]} for name, value in moves]
    nodes[-1].update({n: values for n, values in rest.items() if n not in _SETUP_PROPERTIES})
    return nodes


def _single_values(properties: PropertyMap) -> PropertyMap:
    """Join comments, and move superfluous values of other properties to a private property."""
    result: PropertyMap = {}
    for name, values in properties.items():
        result[name] = values
        if len(values) > 1 and name in _COMMENTS:
            result[name] = ["\n".join(values)]
        elif len(values) > 1 and name in _SINGLE_VALUE:
            result[name] = values[:1]
            result[f"X{name}"] = values[1:]
    return result


def _move_text(value: str, record: GameRecord) -> str:
    """Return the FF[4] text of a move; invalid moves are kept, escaped."""
    if not is_playable(record.rows, record.columns):
        return _escape_delimiters(value)
    move = parse_move(value, record.rows, record.columns)
    if move is None:
        return _escape_delimiters(value)
    return value if value == "tt" else point_text(move)


def _escape_delimiters(value: str) -> str:
    """Escape delimiters, which the parser would take for a missing bracket in a point."""
    return _DELIMITER.sub(r"\\\g<0>", value)


def _inner_properties(node: Node) -> PropertyMap:
    """Return the properties of a node with root properties renamed to private ones."""
    properties = node.properties
    if _ROOT_ONLY.isdisjoint(properties):
        return properties
    return {f"X{n}" if n in _ROOT_ONLY else n: values for n, values in properties.items()}


def _root_properties(record: GameRecord) -> PropertyMap:
    """Return the root properties with FF, CA, GM, SZ, KM and HA corrected."""
    properties = dict(record.root.properties)
    properties["FF"] = ["4"]
    properties["CA"] = ["UTF-8"]
    if is_other_game(record.root):
        return properties
    properties["GM"] = ["1"]
    is_square = record.rows == record.columns
    properties["SZ"] = [str(record.rows) if is_square else f"{record.columns}:{record.rows}"]
    for name, number in (("KM", record.komi), ("HA", record.handicap or None)):
        _set_number(properties, name, number)
    return properties


def _set_number(properties: PropertyMap, name: str, number: float | None) -> None:
    """Set a number unless it is valid; an invalid value is kept as a private property."""
    values = properties.get(name, [])
    if values and _REAL.fullmatch(values[0]):
        return
    properties.pop(name, None)
    if number is not None:
        properties[name] = [f"{number:g}"]
    if any(value.strip() for value in values):
        properties[f"X{name}"] = [escaped_text(value) for value in values]
