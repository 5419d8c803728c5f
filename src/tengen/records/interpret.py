"""Interpretation of a game tree: from the properties of its main line to a `GameRecord`.

The readers of all formats end here, so that every record gets the same checks: the moves are
replayed on a board once, in one call.
"""

import re

from tengen.board import BLACK, EMPTY, STRIDE, WHITE, Move, Rules
from tengen.records.game import GameRecord, SetupChange, SetupStone, is_other_game, lenient_rules
from tengen.records.tree import (
    Node,
    is_playable,
    line_table,
    mask_points,
    move_tables,
    parse_color,
    parse_komi,
    parse_move,
    parse_number,
    parse_size,
    point_mask,
    point_table,
)
from tengen.records.warning import WarningCollector, WarningKind

_SETUP_COLORS = (("AB", int(BLACK)), ("AW", int(WHITE)), ("AE", EMPTY))
"""AE comes last, so that it can clear points of a rectangle of stones."""
_SETUP_PROPERTIES = frozenset(("AE", "AB", "AW", "PL"))
MAX_SETUP_NODES = 2_000
"""Nodes with setup on the main line, each of which costs a replay."""
_REAL = re.compile(r"\s*[-+]?\d+(?:\.\d*)?\s*")
_LENIENT = lenient_rules(Rules())


def interpret(root: Node, warnings: WarningCollector, source: str, number: int) -> GameRecord:
    """Return the record of a game tree, with all warnings collected so far."""
    record = GameRecord(root=root, source=source, number=number)
    _Interpreter(record, warnings).run()
    record.warnings = warnings.take()
    return record


class _Interpreter:
    """Fills in a record from its tree and reports problems."""

    def __init__(self, record: GameRecord, warnings: WarningCollector):
        self.record = record
        self.root = record.root
        self.warnings = warnings
        self.setup_nodes = 0

    def run(self) -> None:
        """Fill in the record."""
        self._read_size()
        self._read_numbers()
        if is_other_game(self.root):
            reason = f"not a game of Go: GM[{self.root.text('GM')}]"
            self._report(WarningKind.NOT_GO, self.root, reason)
        elif self.record.is_playable:
            self._read_main_line()
            self._check_setup()
            self._check_moves()

    def _report(self, kind: WarningKind, node: Node, reason: str) -> None:
        self.warnings.add(kind, node.offset, reason)

    # Root properties

    def _read_size(self) -> None:
        text = self.root.text("SZ")
        if text is None or is_other_game(self.root):
            return
        size = parse_size(text)
        if size is None:
            self._report(WarningKind.SIZE, self.root, f"invalid size {text[:20]!r}: 19 assumed")
            return
        self.record.rows, self.record.columns = size
        if not is_playable(*size):
            reason = f"board size {size[1]}x{size[0]} is not supported: 1x1 to 19x19 are"
            self._report(WarningKind.SIZE, self.root, reason)

    def _read_numbers(self) -> None:
        komi = self.root.text("KM")
        if komi:
            self.record.komi = parse_komi(komi)
            if not _REAL.fullmatch(komi):
                reason = f"invalid komi {komi[:20]!r}: {self.record.komi} assumed"
                self._report(WarningKind.VALUE, self.root, reason)
        handicap = self.root.text("HA")
        if handicap:
            number = parse_number(handicap)
            if number is None or not 0 <= number <= 361:
                self._report(
                    WarningKind.VALUE, self.root, f"invalid handicap {handicap[:20]!r} ignored"
                )
            else:
                self.record.handicap = int(number)

    # Main line

    def _read_main_line(self) -> None:
        """Collect setup and moves from the nodes of the main line."""
        node = self.root
        while self._read_node(node) and not self._read_line(node) and node.children:
            node = node.children[0]

    def _read_node(self, node: Node) -> bool:
        """Read setup and moves of a node; return False to end the main line."""
        properties = node.properties
        if not _SETUP_PROPERTIES.isdisjoint(properties):
            self.setup_nodes += 1
            if self.setup_nodes > MAX_SETUP_NODES:
                reason = f"more than {MAX_SETUP_NODES:,} nodes with setup"
                self._report_end(WarningKind.SETUP, node, reason)
                return False
            self._read_setup(node)
        if "B" not in properties and "W" not in properties:
            return True
        return self._read_irregular_moves(node)

    def _read_line(self, node: Node) -> bool:
        """Read the rest of the main line if it is still text and all moves are valid FF[4]."""
        table = line_table(self.record.rows, self.record.columns)
        texts = node.line_moves()
        try:
            self.record.moves += [table[text] for text in texts]
        except KeyError:
            return False
        return bool(texts)

    def _read_irregular_moves(self, node: Node) -> bool:
        """Read a node without exactly one FF[4] move; return False to end the main line."""
        names = [name for name in node.properties if name in ("B", "W")]
        values = [(name, value) for name in names for value in node.properties[name]]
        if len(values) > 1:
            self._report(WarningKind.PROPERTY, node, f"{len(values)} moves in one node")
        for name, value in values:
            color = BLACK if name == "B" else WHITE
            move = parse_move(value, self.record.rows, self.record.columns)
            if move is None:
                self._report_end(
                    WarningKind.ILLEGAL_MOVE, node, f"{name}[{value[:20]}] is not a move"
                )
                return False
            if value not in move_tables(self.record.rows, self.record.columns)[0]:
                self._report(WarningKind.VALUE, node, f"{name}[{value[:20]}] is not valid FF[4]")
            self.record.moves.append(Move(color, move))
        return True

    def _report_end(self, kind: WarningKind, node: Node, reason: str) -> None:
        number = len(self.record.moves) + 1
        self._report(kind, node, f"move {number}: {reason}: the main line ends before it")

    # Setup

    def _read_setup(self, node: Node) -> None:
        stones = self._setup_stones(node)
        to_play = None
        if text := node.text("PL"):
            to_play = parse_color(text)
            if to_play is None:
                self._report(WarningKind.VALUE, node, f"invalid side to move {text[:20]!r} ignored")
        record = self.record
        if record.moves:
            record.setup_changes.append(SetupChange(len(record.moves), stones, to_play))
            return
        merged = {**dict(record.setup), **dict(stones)}
        record.setup = [(point, color) for point, color in merged.items() if color]
        record.to_play = to_play or record.to_play

    def _setup_stones(self, node: Node) -> list[SetupStone]:
        """Return the setup of a node, each point once."""
        stones: dict[int, int] = {}
        seen = 0
        for name, color in _SETUP_COLORS:
            added = 0
            for value in node.properties.get(name, ()):
                mask = point_mask(value, self.record.rows, self.record.columns)
                if mask is None:
                    if value.strip() or name != "AE":
                        reason = f"{name}[{value[:20]}] is not on the board"
                        self._report(WarningKind.SETUP, node, reason)
                    continue
                if mask & seen:
                    reason = f"{name}[{value[:20]}] set up more than once"
                    self._report(WarningKind.SETUP, node, reason)
                seen |= mask
                added |= mask
            stones.update(dict.fromkeys(mask_points(added), color))
        return list(stones.items())

    def _check_setup(self) -> None:
        """Remove setup chains without a liberty."""
        record = self.record
        dead = _without_liberties(dict(record.setup), record.rows, record.columns)
        if dead:
            reason = f"{len(dead)} setup stones without a liberty were removed"
            self._report(WarningKind.SETUP, self.root, reason)
            record.setup = [stone for stone in record.setup if stone[0] not in dead]

    # Legality

    def _node_of_move(self, number: int) -> Node:
        """Return the node of the main line with a move."""
        node, last = self.root, -1
        for node in self.root.main_line():
            last += sum(len(node.properties.get(name, ())) for name in ("B", "W"))
            if last >= number:
                break
        return node

    def _check_moves(self) -> None:
        """End the main line before its first illegal move."""
        record = self.record
        if not record.moves and not record.setup_changes:
            return
        played, reason = record.replay(record.initial_position(_LENIENT), len(record.moves))
        if reason is None:
            return
        left = len(record.moves) - played
        node = self._node_of_move(min(played, len(record.moves) - 1))
        del record.moves[played:]
        record.setup_changes = [c for c in record.setup_changes if c.before_move <= played]
        if record.replay(record.initial_position(_LENIENT), played)[1] is not None:
            # The setup before the move is illegal, not the move.
            record.setup_changes = [c for c in record.setup_changes if c.before_move < played]
        self._report_end(WarningKind.ILLEGAL_MOVE, node, f"{reason} ({left} moves left)")


def _without_liberties(stones: dict[int, int], rows: int, columns: int) -> set[int]:
    """Return the stones of all chains without a liberty."""
    if not stones:
        return set()
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
    chain, stack, has_liberty = {point}, [point], False
    while stack:
        stone = stack.pop()
        for neighbor in (stone - STRIDE, stone - 1, stone + 1, stone + STRIDE):
            if neighbor not in stones:
                has_liberty = has_liberty or neighbor in on_board
            elif stones[neighbor] == stones[point] and neighbor not in chain:
                chain.add(neighbor)
                stack.append(neighbor)
    return chain, has_liberty
