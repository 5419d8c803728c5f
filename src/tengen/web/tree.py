"""The tree of a game on the page: every node has a number, and a position of its own."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, pairwise

from tengen.board.colour import BLACK, EMPTY, WHITE, Colour
from tengen.board.points import vertex
from tengen.board.position import Move, Position
from tengen.board.rules import Rules
from tengen.core.errors import TengenError
from tengen.records.game import GameRecord, Stone, lenient
from tengen.records.reader import read_bytes
from tengen.records.tree import Node
from tengen.records.values import parse_colour, parse_move, parse_points, point_text
from tengen.records.writer import sgf_bytes
from tengen.web.messages import Json

ROOT = 0
MOST_NODES = 50_000
SETUP = (("AB", int(BLACK)), ("AW", int(WHITE)), ("AE", EMPTY))
VERSIONS = count()
"""Of all trees: a page that has a version has that tree, and no other one, as it was then."""


@dataclass
class Place:
    """A node of the record with its place in the tree."""

    node: Node
    parent: int | None
    children: list[int] = field(default_factory=list)


class GameTree:
    """The nodes of one record by number; 0 is the root. Numbers are never used twice."""

    def __init__(self, record: GameRecord):
        """Number the nodes of a record; raise TengenError if it is none we can show."""
        if not record.is_playable:
            raise TengenError(f"cannot play on {record.columns}x{record.rows}, or not a game of Go")
        self.record = record
        self.changes = 0
        """How often the record was changed since."""
        self.places: dict[int, Place] = {}
        self.version = self._told = next(VERSIONS)
        self._untold: list[list[object]] = []
        """What has changed between the version that was told last and this one."""
        self._next = 0
        self._take_over(record.root)
        self.rules = self._fitting_rules()

    def _take_over(self, root: Node) -> None:
        waiting: list[tuple[Node, int | None]] = [(root, None)]
        while waiting:
            node, parent = waiting.pop()
            if self._next >= MOST_NODES:
                raise TengenError(f"the record has more than {MOST_NODES:,} nodes")
            number = self._enter(node, parent)
            waiting.extend((child, number) for child in reversed(node.children))

    def _enter(self, node: Node, parent: int | None) -> int:
        number = self._next
        self._next += 1
        self.places[number] = Place(node, parent)
        if parent is not None:
            self.places[parent].children.append(number)
        return number

    def _fitting_rules(self) -> Rules:
        """Return the record's rules, or milder ones where it does not keep them."""
        try:
            self._position(self.main_line()[-1], self.record.rules)
        except TengenError:
            return lenient(self.record.rules)
        return self.record.rules

    # Ways through the tree

    def place(self, number: int) -> Place:
        """Return a node; raise TengenError if there is none of that number."""
        found = self.places.get(number)
        if found is None:
            raise TengenError(f"there is no node {number}")
        return found

    def path(self, number: int) -> list[int]:
        """Return the numbers of the nodes from the root to here."""
        way: list[int] = []
        step: int | None = number
        while step is not None:
            way.append(step)
            step = self.place(step).parent
        return way[::-1]

    def main_line(self) -> list[int]:
        """Return the numbers along the first children from the root."""
        line = [ROOT]
        while children := self.places[line[-1]].children:
            line.append(children[0])
        return line

    # Positions

    def position(self, number: int) -> Position:
        """Return the position at a node, by milder rules in a variation that needs them.

        Raise TengenError if the way to it is illegal even so.
        """
        try:
            return self._position(number, self.rules)
        except TengenError:
            return self._position(number, lenient(self.rules))

    def _position(self, number: int, rules: Rules) -> Position:
        record = self.record
        position = Position(record.rows, record.columns, rules)
        waiting: list[Move] = []
        for step in self.path(number):
            node = self.places[step].node
            stones, to_play = self._stones(node), self._to_play(node, step)
            if stones or to_play is not None:
                _play_all(position, waiting)
                _set_up(position, stones, to_play)
            waiting += self._moves(node)
        _play_all(position, waiting)
        position.handicap = record.handicap
        return position

    def _moves(self, node: Node) -> list[Move]:
        """Return the moves of a node, one as a rule."""
        moves = []
        for name in node.properties:
            if name in ("B", "W"):
                for text in node.properties[name]:
                    move = parse_move(text, self.record.rows, self.record.columns)
                    if move is None:
                        raise TengenError(f"{name}[{text[:20]}] is no move")
                    moves.append(Move(BLACK if name == "B" else WHITE, move))
        return moves

    def _stones(self, node: Node) -> list[Stone]:
        found: dict[int, int] = {}
        for name, colour in SETUP:
            for value in node.properties.get(name, ()):
                points = parse_points(value, self.record.rows, self.record.columns)
                found.update(dict.fromkeys(points or (), colour))
        return list(found.items())

    def _to_play(self, node: Node, number: int) -> Colour | None:
        """Return whose turn a node says it is; at the root, who begins."""
        if said := node.text("PL"):
            return parse_colour(said)
        return self.record.first_to_play if number == ROOT else None

    def move_at(self, number: int) -> Move | None:
        """Return the (last) move of a node, or None."""
        moves = self._moves(self.place(number).node)
        return moves[-1] if moves else None

    # Changes

    def add(self, parent: int, move: Move) -> tuple[int, bool]:
        """Return the child with that move, made if there is none, and whether it is new.

        A new one is the last child: a variation, unless it is the only one.
        """
        for child in self.place(parent).children:
            if self._moves(self.places[child].node) == [move]:
                return child, False
        if len(self.places) >= MOST_NODES:
            raise TengenError(f"the record has {MOST_NODES:,} nodes: that is enough")
        node = Node({move.colour.letter: [point_text(move.move)]})
        self.places[parent].node.children.append(node)
        self.changes += 1
        number = self._enter(node, parent)
        self._note("add", *self.describe(number))
        return number, True

    def lead_to(self, number: int) -> None:
        """Make the way to a node the main line."""
        is_other = False
        for parent, step in pairwise(self.path(number)):
            above = self.places[parent]
            rank = above.children.index(step)
            above.children.insert(0, above.children.pop(rank))
            above.node.children.insert(0, above.node.children.pop(rank))
            is_other |= rank > 0
        if is_other:
            self.changes += 1
            self._note("lead", number)

    def cut(self, number: int) -> int:
        """Take a node and all below it out; return its parent."""
        place = self.place(number)
        if place.parent is None:
            raise TengenError("the beginning of a game cannot be taken out")
        parent = self.places[place.parent]
        parent.children.remove(number)
        parent.node.children = [node for node in parent.node.children if node is not place.node]
        for below in list(self.below(number)):
            del self.places[below]
        self.changes += 1
        self._note("cut", number)
        return place.parent

    def write(self, number: int, name: str, text: str) -> None:
        """Set a property of a node to a text; an empty one takes it away."""
        node = self.place(number).node
        before = node.properties.get(name)
        if text:
            node.set_text(name, text)
        else:
            node.properties.pop(name, None)
        self.changes += node.properties.get(name) != before
        if name == "C" and bool(text) != (before is not None):
            self._note("comment", number, bool(text))

    def _note(self, *change: object) -> None:
        """Keep a change of what the page draws until it is told."""
        self._untold.append(list(change))
        self.version = next(VERSIONS)

    def below(self, number: int) -> Iterator[int]:
        """Walk a node and all that follow it."""
        waiting = [number]
        while waiting:
            step = waiting.pop()
            yield step
            waiting.extend(self.places[step].children)

    def fresh_record(self) -> GameRecord:
        """Return the record as a reader would find it now, with the main line as it is."""
        return next(read_bytes(sgf_bytes(self.record), self.record.source))

    # For the page

    def describe(self, number: int) -> list[object]:
        """Return [number, parent, colour, vertex, has a comment] of a node."""
        place = self.places[number]
        try:
            move = self.move_at(number)
        except TengenError:
            move = None
        colour = None if move is None else move.colour.name.lower()
        where = None if move is None else vertex(move.move, self.record.rows)
        return [number, place.parent, colour, where, "C" in place.node.properties]

    def describe_all(self) -> Json:
        """Return the version and every node, each before its children, first children first."""
        waiting, described = [ROOT], []
        while waiting:
            step = waiting.pop()
            described.append(self.describe(step))
            waiting.extend(reversed(self.places[step].children))
        return {"version": self.version, "nodes": described}

    def tell_changes(self) -> Json | None:
        """Return what has changed since this was asked last; None if nothing has.

        It makes this version of the one that was told then. The changes come in their order:

        - `add` and a new node as `describe` has it, the last child of its parent;
        - `lead` and the node to which the main line leads now: all on its way are first children;
        - `cut` and a node that is gone with all below it;
        - `comment`, a node, and whether it has one now.
        """
        if not self._untold:
            return None
        told = {"since": self._told, "version": self.version, "changes": self._untold}
        self._told, self._untold = self.version, []
        return told


def _play_all(position: Position, moves: list[Move]) -> None:
    """Play the moves and empty the list; raise TengenError at an illegal one."""
    played = position.play_sequence(moves)
    if played < len(moves):
        move = moves[played]
        raise TengenError(f"illegal move {move.colour.letter} {position.vertex(move.move)}")
    moves.clear()


def _set_up(position: Position, stones: list[Stone], to_play: Colour | None) -> None:
    if stones:
        position.setup(stones, to_play or position.to_play)
    elif to_play is not None:
        position.to_play = to_play
