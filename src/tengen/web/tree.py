"""The game tree of the page: numbered nodes, positions, and the changes sent to viewers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count, pairwise

from tengen.board import BLACK, EMPTY, WHITE, Color, Move, Position, Rules, vertex
from tengen.records import (
    GameRecord,
    Node,
    SetupStone,
    lenient_rules,
    mask_points,
    parse_color,
    parse_move,
    point_mask,
    point_text,
    read_bytes,
    sgf_bytes,
    unplayable_reason,
)
from tengen.util import TengenError
from tengen.web.messages import NodeRow, TreeChanges, TreeSnapshot

ROOT = 0
MAX_NODES = 50_000
MAX_SETUP_NODES = 2_000
"""Nodes with setup; each costs a replay for every position after it."""
SETUP_COLORS = (("AB", int(BLACK)), ("AW", int(WHITE)), ("AE", EMPTY))
_VERSIONS = count()
"""Versions are unique across all trees, so a version identifies a tree and its state."""


@dataclass
class TreeNode:
    """A node of the record with its parent and children."""

    sgf: Node
    parent: int | None
    children: list[int] = field(default_factory=list)


class GameTree:
    """The nodes of a record by number; 0 is the root. Numbers are never reused."""

    def __init__(self, record: GameRecord):
        """Number the nodes of a record; raise TengenError if it cannot be displayed."""
        if not record.is_playable:
            raise TengenError(unplayable_reason(record))
        self.record = record
        self.change_count = 0
        """Changes of the record since it was loaded."""
        self.nodes: dict[int, TreeNode] = {}
        self.version = self._published_version = next(_VERSIONS)
        self._pending: list[list[object]] = []
        """Changes since the published version."""
        self._next = 0
        self._add_record_nodes(record.root)
        self.rules = self._applicable_rules()

    def _add_record_nodes(self, root: Node, parent: int | None = None) -> list[int]:
        """Number the nodes of a subtree; return them in preorder."""
        stack: list[tuple[Node, int | None]] = [(root, parent)]
        added = []
        setup_nodes = 0
        while stack:
            node, above = stack.pop()
            if len(self.nodes) >= MAX_NODES:
                raise TengenError(f"the record has more than {MAX_NODES:,} nodes")
            setup_nodes += any(name in node.properties for name, _ in SETUP_COLORS)
            if setup_nodes > MAX_SETUP_NODES:
                raise TengenError(f"the record has more than {MAX_SETUP_NODES:,} setup nodes")
            number = self._add_node(node, above)
            added.append(number)
            stack.extend((child, number) for child in reversed(node.children))
        return added

    def _add_node(self, node: Node, parent: int | None) -> int:
        number = self._next
        self._next += 1
        self.nodes[number] = TreeNode(node, parent)
        if parent is not None:
            self.nodes[parent].children.append(number)
        return number

    def _applicable_rules(self) -> Rules:
        """Return the record's rules, or lenient ones if its main line violates them."""
        try:
            self._position(self.main_line()[-1], self.record.rules)
        except TengenError:
            return lenient_rules(self.record.rules)
        return self.record.rules

    # Navigation

    def node(self, number: int) -> TreeNode:
        """Return a node; raise TengenError if it does not exist."""
        found = self.nodes.get(number)
        if found is None:
            raise TengenError(f"there is no node {number}")
        return found

    def path(self, number: int) -> list[int]:
        """Return the nodes from the root to a node."""
        path: list[int] = []
        step: int | None = number
        while step is not None:
            path.append(step)
            step = self.node(step).parent
        return path[::-1]

    def main_line(self) -> list[int]:
        """Return the nodes along first children from the root."""
        return self.line(ROOT)

    def line(self, number: int) -> list[int]:
        """Return the nodes from the root to a node and on along first children."""
        line = self.path(number)
        while children := self.nodes[line[-1]].children:
            line.append(children[0])
        return line

    def subtree(self, number: int) -> Iterator[int]:
        """Iterate over a node and its descendants."""
        stack = [number]
        while stack:
            step = stack.pop()
            yield step
            stack.extend(self.nodes[step].children)

    # Positions

    def position(self, number: int) -> Position:
        """Return the position at a node, by lenient rules in a variation that needs them.

        Raise TengenError if the path to it is illegal even so.
        """
        try:
            return self._position(number, self.rules)
        except TengenError:
            return self._position(number, lenient_rules(self.rules))

    def _position(self, number: int, rules: Rules) -> Position:
        record = self.record
        position = Position(record.rows, record.columns, rules)
        moves: list[Move] = []
        for step in self.path(number):
            node = self.nodes[step].sgf
            stones, to_play = self._stones(node), self._to_play(node, step)
            if stones or to_play is not None:
                _play_all(position, moves)
                _set_up(position, stones, to_play)
            moves += self._moves(node)
        _play_all(position, moves)
        position.handicap = record.handicap
        return position

    def _moves(self, node: Node) -> list[Move]:
        """Return the moves of a node, usually one; raise TengenError if one is invalid."""
        moves = []
        for name in node.properties:
            if name in ("B", "W"):
                for text in node.properties[name]:
                    move = parse_move(text, self.record.rows, self.record.columns)
                    if move is None:
                        raise TengenError(f"{name}[{text[:20]}] is not a move")
                    moves.append(Move(BLACK if name == "B" else WHITE, move))
        return moves

    def _stones(self, node: Node) -> list[SetupStone]:
        found: dict[int, int] = {}
        for name, color in SETUP_COLORS:
            mask = 0
            for value in node.properties.get(name, ()):
                mask |= point_mask(value, self.record.rows, self.record.columns) or 0
            found.update(dict.fromkeys(mask_points(mask), color))
        return list(found.items())

    def _to_play(self, node: Node, number: int) -> Color | None:
        """Return the color to play set by a node; for the root, who plays first."""
        if text := node.text("PL"):
            return parse_color(text)
        return self.record.first_to_play if number == ROOT else None

    def move_at(self, number: int) -> Move | None:
        """Return the last move of a node, or None."""
        moves = self._moves(self.node(number).sgf)
        return moves[-1] if moves else None

    # Changes

    def add(self, parent: int, move: Move) -> tuple[int, bool]:
        """Return the child with a move, and whether it was created as the last child."""
        for child in self.node(parent).children:
            if self._moves(self.nodes[child].sgf) == [move]:
                return child, False
        if len(self.nodes) >= MAX_NODES:
            raise TengenError(f"the record has reached the limit of {MAX_NODES:,} nodes")
        node = Node({move.color.letter: [point_text(move.move)]})
        self.nodes[parent].sgf.children.append(node)
        self.change_count += 1
        number = self._add_node(node, parent)
        self._record_change("add", *self._row(number))
        return number, True

    def set_main_line(self, number: int) -> None:
        """Make the path to a node the main line."""
        is_changed = False
        for parent, step in pairwise(self.path(number)):
            above = self.nodes[parent]
            rank = above.children.index(step)
            above.children.insert(0, above.children.pop(rank))
            above.sgf.children.insert(0, above.sgf.children.pop(rank))
            is_changed |= rank > 0
        if is_changed:
            self.change_count += 1
            self._record_change("main_line", number)

    def delete(self, number: int) -> int:
        """Delete a node and its descendants; return its parent."""
        node = self.node(number)
        if node.parent is None:
            raise TengenError("the root cannot be deleted")
        parent = self.nodes[node.parent]
        parent.children.remove(number)
        parent.sgf.children = [child for child in parent.sgf.children if child is not node.sgf]
        for descendant in list(self.subtree(number)):
            del self.nodes[descendant]
        self.change_count += 1
        self._record_change("delete", number)
        return node.parent

    def set_property(self, number: int, name: str, text: str) -> None:
        """Set an SGF property of a node; an empty text removes it."""
        node = self.node(number).sgf
        previous = node.properties.get(name)
        if text:
            node.set_text(name, text)
        else:
            node.properties.pop(name, None)
        self.change_count += node.properties.get(name) != previous
        if name == "C" and bool(text) != (previous is not None):
            self._record_change("comment", number, bool(text))

    def set_values(self, number: int, name: str, values: list[str]) -> None:
        """Set the raw values of an SGF property of a node; none remove it."""
        properties = self.node(number).sgf.properties
        previous = properties.get(name)
        if values:
            properties[name] = values
        else:
            properties.pop(name, None)
        self.change_count += properties.get(name) != previous

    def set_record(self, record: GameRecord) -> None:
        """Replace the interpretation of the root, which must be that of this tree."""
        self.record = record
        self.rules = self._applicable_rules()

    def annotate(self, annotate: Callable[[Node], None]) -> None:
        """Let a function add properties and last children to the nodes of the record."""
        annotate(self.record.root)
        self.change_count += 1
        for number in list(self.nodes):
            node = self.nodes[number]
            self._record_change("comment", number, "C" in node.sgf.properties)
            for child in node.sgf.children[len(node.children) :]:
                for added in self._add_record_nodes(child, number):
                    self._record_change("add", *self._row(added))

    def _record_change(self, *change: object) -> None:
        self._pending.append(list(change))
        self.version = next(_VERSIONS)

    def reread_record(self) -> GameRecord:
        """Return the record as it would be read from its SGF, with the current main line."""
        return next(read_bytes(sgf_bytes(self.record), self.record.source))

    # Messages

    def _row(self, number: int) -> NodeRow:
        node = self.nodes[number]
        has_comment = "C" in node.sgf.properties
        try:
            move = self.move_at(number)
        except TengenError:
            move = None
        if move is None:
            return number, node.parent, None, None, has_comment
        where = vertex(move.move, self.record.rows)
        return number, node.parent, move.color.name.lower(), where, has_comment

    def snapshot(self) -> TreeSnapshot:
        """Return the whole tree in preorder."""
        stack, rows = [ROOT], []
        while stack:
            step = stack.pop()
            rows.append(self._row(step))
            stack.extend(reversed(self.nodes[step].children))
        return TreeSnapshot(self.version, rows)

    def take_changes(self) -> TreeChanges | None:
        """Return the changes since the last call, or None if there are none."""
        if not self._pending:
            return None
        changes = TreeChanges(self._published_version, self.version, self._pending)
        self._published_version, self._pending = self.version, []
        return changes


def _play_all(position: Position, moves: list[Move]) -> None:
    """Play the moves and clear the list; raise TengenError at an illegal one."""
    played = position.play_sequence(moves)
    if played < len(moves):
        move = moves[played]
        raise TengenError(f"illegal move {move.color.letter} {position.vertex(move.move)}")
    moves.clear()


def _set_up(position: Position, stones: list[SetupStone], to_play: Color | None) -> None:
    if stones:
        position.setup(stones, to_play or position.to_play)
    elif to_play is not None:
        position.to_play = to_play
