"""From a tree to a `GameRecord`: what the properties of the main line mean.

All readers end here, whatever the format, so that every record is checked in the same way: the
moves are played on a board once, in one call.
"""

import re

from tengen.board.colour import BLACK, EMPTY, WHITE
from tengen.board.points import STRIDE
from tengen.board.position import Move
from tengen.board.rules import Rules
from tengen.records.game import GameRecord, SetupChange, Stone, is_other_game, lenient
from tengen.records.tree import Node
from tengen.records.values import (
    is_playable,
    move_tables,
    parse_colour,
    parse_komi,
    parse_move,
    parse_number,
    parse_points,
    parse_size,
    point_table,
)
from tengen.records.warning import Problems, WarningKind

_SETUP = (("AB", int(BLACK)), ("AW", int(WHITE)), ("AE", EMPTY))
"""In this order, so that clearing can carve a point out of a rectangle of stones."""
_SETUP_NAMES = frozenset(("AE", "AB", "AW", "PL"))
_REAL = re.compile(r"\s*[-+]?\d+(?:\.\d*)?\s*")
_LENIENT = lenient(Rules())


def interpret(root: Node, problems: Problems, source: str, number: int) -> GameRecord:
    """Return the record of a tree; `problems` get what is wrong with it and are taken from it."""
    record = GameRecord(root=root, source=source, number=number)
    _Interpreter(record, problems).run()
    record.warnings = problems.take()
    return record


class _Interpreter:
    """One reading of a tree: fills a record and reports."""

    def __init__(self, record: GameRecord, problems: Problems):
        self.record = record
        self.root = record.root
        self.problems = problems
        self.origins: list[Node] = []  # the node of each move

    def run(self) -> None:
        """Fill the record."""
        self._read_size()
        self._read_numbers()
        if is_other_game(self.root):
            reason = f"not a game of Go: GM[{self.root.text('GM')}]"
            self._report(WarningKind.NOT_GO, self.root, reason)
        elif self.record.is_playable:
            self._read_line()
            self._check_setup()
            self._check_moves()

    def _report(self, kind: WarningKind, node: Node, reason: str) -> None:
        self.problems.add(kind, node.offset, reason)

    # The root

    def _read_size(self) -> None:
        text = self.root.text("SZ")
        if text is None or is_other_game(self.root):
            return
        size = parse_size(text)
        if size is None:
            self._report(WarningKind.SIZE, self.root, f"size {text[:20]!r} taken as 19")
            return
        self.record.rows, self.record.columns = size
        if not is_playable(*size):
            reason = f"a board of {size[1]}x{size[0]} is not playable, from 1x1 to 19x19 are"
            self._report(WarningKind.SIZE, self.root, reason)

    def _read_numbers(self) -> None:
        komi = self.root.text("KM")
        if komi:
            self.record.komi = parse_komi(komi)
            if not _REAL.fullmatch(komi):
                reason = f"komi {komi[:20]!r} taken as {self.record.komi}"
                self._report(WarningKind.VALUE, self.root, reason)
        handicap = self.root.text("HA")
        if handicap:
            number = parse_number(handicap)
            if number is None or not 0 <= number <= 361:
                self._report(WarningKind.VALUE, self.root, f"handicap {handicap[:20]!r} ignored")
            else:
                self.record.handicap = int(number)

    # The main line

    def _read_line(self) -> None:
        """Gather setup and moves from the nodes of the main line."""
        black, white = move_tables(self.record.rows, self.record.columns)
        for node in self.root.main_line():
            properties = node.properties
            if not _SETUP_NAMES.isdisjoint(properties):
                self._read_setup(node)
            if "B" in properties:
                values, table = properties["B"], black
            elif "W" in properties:
                values, table = properties["W"], white
            else:
                continue
            move = table.get(values[0])
            is_plain = len(values) == 1 and not (table is black and "W" in properties)
            if move is not None and is_plain:
                self.record.moves.append(move)
                self.origins.append(node)
            elif not self._read_odd_moves(node):
                return

    def _read_odd_moves(self, node: Node) -> bool:
        """Take moves that are not one plain move a node; return False to end the line."""
        names = [name for name in node.properties if name in ("B", "W")]
        values = [(name, value) for name in names for value in node.properties[name]]
        if len(values) > 1:
            self._report(WarningKind.PROPERTY, node, f"{len(values)} moves in one node")
        for name, value in values:
            colour = BLACK if name == "B" else WHITE
            move = parse_move(value, self.record.rows, self.record.columns)
            if move is None:
                self._report_end(WarningKind.ILLEGAL_MOVE, node, f"{name}[{value[:20]}] is no move")
                return False
            if value not in move_tables(self.record.rows, self.record.columns)[0]:
                self._report(WarningKind.VALUE, node, f"{name}[{value[:20]}] is not FF[4]")
            self.record.moves.append(Move(colour, move))
            self.origins.append(node)
        return True

    def _report_end(self, kind: WarningKind, node: Node, reason: str) -> None:
        number = len(self.record.moves) + 1
        self._report(kind, node, f"move {number}: {reason}: the main line ends before it")

    # Setup

    def _read_setup(self, node: Node) -> None:
        stones = self._stones(node)
        to_play = None
        if said := node.text("PL"):
            to_play = parse_colour(said)
            if to_play is None:
                self._report(WarningKind.VALUE, node, f"side to move {said[:20]!r} ignored")
        record = self.record
        if record.moves:
            record.changes.append(SetupChange(len(record.moves), stones, to_play))
            return
        merged = {**dict(record.setup), **dict(stones)}
        record.setup = [(point, colour) for point, colour in merged.items() if colour]
        record.to_play = to_play or record.to_play

    def _stones(self, node: Node) -> list[Stone]:
        """Return what a node puts on the board, each point once."""
        stones: dict[int, int] = {}
        for name, colour in _SETUP:
            for value in node.properties.get(name, ()):
                points = parse_points(value, self.record.rows, self.record.columns)
                if points is None:
                    if value.strip() or name != "AE":
                        reason = f"{name}[{value[:20]}] is not on the board"
                        self._report(WarningKind.SETUP, node, reason)
                    continue
                if not stones.keys().isdisjoint(points):
                    reason = f"{name}[{value[:20]}] set up more than once"
                    self._report(WarningKind.SETUP, node, reason)
                stones.update(dict.fromkeys(points, colour))
        return list(stones.items())

    def _check_setup(self) -> None:
        """Take chains off the board that were set up without a liberty."""
        record = self.record
        dead = _without_liberties(dict(record.setup), record.rows, record.columns)
        if dead:
            reason = f"{len(dead)} setup stones have no liberty and are taken off"
            self._report(WarningKind.SETUP, self.root, reason)
            record.setup = [stone for stone in record.setup if stone[0] not in dead]

    # Legality

    def _check_moves(self) -> None:
        """End the main line before its first illegal move."""
        record = self.record
        if not record.moves and not record.changes:
            return
        played, reason = record.replay(record.start(_LENIENT), len(record.moves))
        if reason is None:
            return
        left = len(record.moves) - played
        node = self.origins[min(played, len(self.origins) - 1)]
        del record.moves[played:]
        record.changes = [change for change in record.changes if change.before_move <= played]
        if record.replay(record.start(_LENIENT), played)[1] is not None:
            # It was not the move, but the setup before it.
            record.changes = [change for change in record.changes if change.before_move < played]
        self._report_end(WarningKind.ILLEGAL_MOVE, node, f"{reason} ({left} moves left)")


def _without_liberties(stones: dict[int, int], rows: int, columns: int) -> set[int]:
    """Return the stones of all chains that have no liberty."""
    dead: set[int] = set()
    seen: set[int] = set()
    on_board = set(point_table(rows, columns).values())
    for point in stones:
        if point in seen:
            continue
        chain, has_liberty = _chain(point, stones, on_board)
        seen |= chain
        if not has_liberty:
            dead |= chain
    return dead


def _chain(point: int, stones: dict[int, int], on_board: set[int]) -> tuple[set[int], bool]:
    """Return the chain at a point, and whether it has a liberty."""
    chain, waiting, has_liberty = {point}, [point], False
    while waiting:
        here = waiting.pop()
        for beside in (here - STRIDE, here - 1, here + 1, here + STRIDE):
            if beside not in stones:
                has_liberty = has_liberty or beside in on_board
            elif stones[beside] == stones[point] and beside not in chain:
                chain.add(beside)
                waiting.append(beside)
    return chain, has_liberty
