"""A game of Go in progress: the board, its history and the side to move.

`Position` is the object that everything outside the kernels works with. The board itself is the
kernels' block; what is kept here beside it is what the rules need to know of the past.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import diagram
from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.kernels import layout
from tengen.board.kernels.block import new_block, stones_hash
from tengen.board.kernels.legality import is_legal, legal_points, position_hash, replay
from tengen.board.kernels.stones import put_stone
from tengen.board.picture import board_drawing
from tengen.board.points import (
    MAX_SIZE,
    PASS,
    STRIDE,
    board_points,
    check_size,
    column_of,
    parse_vertex,
    row_of,
    vertex,
)
from tengen.board.rules import Rules, Scoring, rules_named
from tengen.core.errors import TengenError

Block = npt.NDArray[np.uint32]

MOST_IN_ADVANCE = 9
"""The largest handicap that moves of Black's are taken for."""


class Move(NamedTuple):
    """A move and who made it."""

    colour: Colour
    move: int


class IllegalMoveError(TengenError):
    """A move that the rules forbid."""


class Position:
    """A board with its history under given rules. It changes in place; `copy` branches off.

    Colours need not alternate: `play` takes whose move it is, and by default the side to move.
    """

    def __init__(
        self, rows: int = 19, columns: int | None = None, rules: Rules | str | None = None
    ):
        """Start an empty board; raise TengenError for a size outside 1x1 to 19x19.

        Rules may be given by their name, as `rules_named` has them.
        """
        columns = rows if columns is None else columns
        check_size(rows, columns)
        self.rows = rows
        self.columns = columns
        self.rules = rules_named(rules) if isinstance(rules, str) else rules or Rules()
        self._handicap = 0
        self.moves: list[Move] = []
        self.block: Block = new_block(rows, columns)
        self._start: Block = self.block.copy()
        self._history = np.zeros(64, dtype=np.uint64)
        self._history[0] = self._hash()

    @property
    def area(self) -> int:
        """How many points the board has."""
        return self.rows * self.columns

    # Making positions

    @classmethod
    def from_diagram(
        cls, text: str, to_play: Colour = BLACK, rules: Rules | None = None
    ) -> "Position":
        """Return the position drawn in `text` (see `tengen.board.diagram`)."""
        rows = diagram.parse_diagram(text)
        position = cls(len(rows), len(rows[0]), rules)
        points = board_points(position.rows, position.columns)
        colours = [colour for row in rows for colour in row]
        position.setup(zip(points, colours, strict=True), to_play)
        return position

    def setup(self, stones: Iterable[tuple[int, int]], to_play: Colour) -> None:
        """Put or remove stones ((point, colour), colour 0 to remove) and forget the history.

        What was captured before stays captured.

        Raise TengenError, and change nothing, if a chain would stand without a liberty.
        """
        wanted = {point: self.colour(point) for point in self.points()}
        for point, colour in stones:
            if point not in wanted:
                raise TengenError("a setup stone lies outside the board")
            wanted[point] = colour
        block = new_block(self.rows, self.columns)
        for point, colour in wanted.items():
            if colour:
                put_stone(block, np.uintp(point), np.uintp(colour))
        if any(block[layout.COLOUR + np.uintp(point)] != c for point, c in wanted.items()):
            raise TengenError("a setup chain has no liberty")
        black, white = (int(layout.PRISONERS + colour) for colour in (layout.BLACK, layout.WHITE))
        block[[black, white]] = self.block[[black, white]]
        block[layout.TO_PLAY] = to_play
        self._restart(block)

    def place_handicap(self, points: Sequence[int]) -> None:
        """Give Black handicap stones; White is to play."""
        self.setup([(point, BLACK) for point in points], WHITE)
        self.handicap = len(points)

    @property
    def handicap(self) -> int:
        """How many stones Black got before White's first move, 0 for an even game.

        What was said counts; else the two to nine moves with which Black began on an empty board:
        so some programs place handicap stones. (More are a position that is set up.)
        """
        return self._handicap or self._moves_in_advance()

    @handicap.setter
    def handicap(self, stones: int) -> None:
        self._handicap = stones

    def _moves_in_advance(self) -> int:
        if self._start[layout.EMPTIES] < self.area:
            return 0
        in_advance = itertools.takewhile(lambda m: m.colour is BLACK and m.move != PASS, self.moves)
        stones = sum(1 for _ in in_advance)
        return stones if 2 <= stones <= MOST_IN_ADVANCE else 0

    @classmethod
    def from_block(cls, block: Block, rules: Rules | None = None) -> "Position":
        """Return a position with the board of a kernel's block and no history."""
        rows, columns = int(block[layout.ROWS]), int(block[layout.COLUMNS])
        position = cls(rows, columns, rules)
        position._restart(block.copy())
        return position

    def copy(self) -> "Position":
        """Return an independent position with the same history."""
        twin = Position.__new__(Position)
        twin.__dict__.update(self.__dict__)
        twin.moves = self.moves.copy()
        twin.block = self.block.copy()
        twin._history = self._history.copy()
        return twin

    def after(self, vertices: str) -> "Position":
        """Return a new position after moves by turns, such as `"E5 C3 pass"`; raise TengenError."""
        position = self.copy()
        for text in vertices.split():
            position.play(position.parse_move(text))
        return position

    # Playing

    def play(self, move: int, colour: Colour | None = None) -> None:
        """Play a point or PASS; raise IllegalMoveError, and change nothing, if it is illegal."""
        mover = self.to_play if colour is None else colour
        if move != PASS and not self.on_board(move):
            raise IllegalMoveError(f"{move} is no point of this board")
        if not self.play_sequence([Move(mover, move)]):
            raise IllegalMoveError(f"illegal move {mover.letter} {self.vertex(move)}")

    def play_sequence(self, moves: Sequence[Move]) -> int:
        """Play moves until one is illegal; return how many were played."""
        known = len(self.moves) + 1
        points = np.array([move.move for move in moves], dtype=np.int64)
        # The kernel knows walls, but no numbers beyond its arrays.
        beyond = np.flatnonzero((points < 0) | (points >= layout.POINTS))
        count = int(beyond[0]) if len(beyond) else len(moves)
        self._reserve(known + count)
        played = int(
            replay(
                self.block,
                np.array([move.colour for move in moves[:count]], dtype=np.uint32),
                points[:count].astype(np.uint32),
                np.uintp(self.rules.ko),
                self.rules.suicide,
                self._history,
                np.uintp(known),
            )
        )
        self.moves.extend(moves[:played])
        return played

    def undo(self, count: int = 1) -> None:
        """Take back moves; raise TengenError, and change nothing, if there are too few."""
        if not 0 <= count <= len(self.moves):
            raise TengenError("cannot undo")
        kept = self.moves[: len(self.moves) - count]
        if (earlier := self._played_again(kept, self.rules)) is None:
            raise TengenError("cannot undo: the moves before are not legal any more")
        self.__dict__.update(earlier.__dict__)

    def under(self, rules: Rules) -> "Position":
        """Return the same game by other rules; raise TengenError if they forbid its moves."""
        if (position := self._played_again(self.moves, rules)) is None:
            raise TengenError("the game so far breaks these rules")
        position.to_play = self.to_play
        return position

    def continues(self, earlier: "Position") -> list[Move] | None:
        """Return the moves that lead from an earlier position of this game here, else None."""
        known = len(earlier.moves)
        if self.moves[:known] != earlier.moves or self.rules != earlier.rules:
            return None
        return self.moves[known:] if np.array_equal(self._start, earlier._start) else None

    # Looking

    @property
    def to_play(self) -> Colour:
        """The side to move."""
        return Colour(int(self.block[layout.TO_PLAY]))

    @to_play.setter
    def to_play(self, colour: Colour) -> None:
        if colour == self.to_play:
            return
        self.block[layout.TO_PLAY] = colour
        self.block[layout.KO] = layout.NOWHERE  # it forbids a point to one side only
        self._history[len(self.moves)] = self._hash()
        if not self.moves:
            self._start = self.block.copy()

    def is_legal(self, move: int, colour: Colour | None = None) -> bool:
        """Tell whether a side (the side to move by default) may play `move` now."""
        if move != PASS and not self.on_board(move):
            return False
        mover = self.to_play if colour is None else colour
        return bool(is_legal(self._block_for(mover), np.uintp(move), *self._ko_state()))

    def legal_moves(self, colour: Colour | None = None) -> list[int]:
        """Return the legal points in board order; PASS, always legal, is not among them."""
        mover = self.to_play if colour is None else colour
        points = np.empty(self.area, dtype=np.uint32)
        count = legal_points(self._block_for(mover), *self._ko_state(), points)
        return sorted(points[: int(count)].tolist())

    def legal_grid(self) -> npt.NDArray[np.bool_]:
        """Return rows by columns: where the side to move may play."""
        legal = np.zeros((self.rows, self.columns), dtype=bool)
        points = np.array(self.legal_moves(), dtype=np.intp)
        legal[points // STRIDE - 1, points % STRIDE - 1] = True
        return legal

    def colour(self, point: int) -> int:
        """Return what stands on a point: 0, BLACK or WHITE; another number beside the board."""
        return int(self.block[int(layout.COLOUR) + point])

    def points(self) -> list[int]:
        """Return all points, row by row from the top left."""
        return board_points(self.rows, self.columns)

    def on_board(self, point: int) -> bool:
        """Tell whether a number is a point of this board."""
        return 0 <= row_of(point) < self.rows and 0 <= column_of(point) < self.columns

    def board(self) -> npt.NDArray[np.uint8]:
        """Return the colours as an array of rows by columns, row 0 at the top."""
        return self.on_grid(self.block[layout.COLOUR : layout.COLOUR + layout.POINTS]).astype(
            np.uint8
        )

    def on_grid(self, field: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a field over the padded points as an array of rows by columns."""
        padded = field[: (MAX_SIZE + 2) * STRIDE].reshape(MAX_SIZE + 2, STRIDE)
        return padded[1 : self.rows + 1, 1 : self.columns + 1]

    def chain(self, point: int) -> list[int]:
        """Return the stones of the chain at `point`, sorted; an empty list if none is there."""
        if self.colour(point) not in (BLACK, WHITE):
            return []
        stones = [point]
        while (following := int(self.block[int(layout.NEXT) + stones[-1]])) != point:
            stones.append(following)
        return sorted(stones)

    def prisoners(self, colour: Colour) -> int:
        """Return how many stones of that colour were captured since the start."""
        return int(self.block[int(layout.PRISONERS) + colour])

    @property
    def area_bonus(self) -> float:
        """What White gains where areas are counted, whatever the rules count.

        Under territory rules that is more than komi by the stones that Black has put on the board
        beyond White's, handicap and setup among them: they are area and no territory.
        """
        return self.rules.white_bonus(self.handicap) + self.stones_beyond

    @property
    def stones_beyond(self) -> int:
        """The points that counting areas gives Black and the rules do not: 0 if they count areas.

        As at Black's turn: who will make the last move of the game is not known.
        """
        if self.rules.scoring is not Scoring.TERRITORY:
            return 0
        stones = self.on_grid(self.block[layout.COLOUR : layout.COLOUR + layout.POINTS])
        black, white = (
            int(np.count_nonzero(stones == colour)) + self.prisoners(colour) for colour in Colour
        )
        return black - white - (self.to_play is WHITE)

    @property
    def start(self) -> Block:
        """The board before the first of `moves`; not to be written into."""
        return self._start

    def history(self) -> npt.NDArray[np.uint64]:
        """Return the hashes that superko compares: of every position so far, this one last."""
        return self._history[: len(self.moves) + 1]

    @property
    def hash(self) -> int:
        """The Zobrist hash of the stones on the board."""
        return int(stones_hash(self.block))

    @property
    def last_move(self) -> int | None:
        """The last move, or None at the start; a board out of a search tree knows it too."""
        if self.moves:
            return self.moves[-1].move
        return int(self.block[layout.LAST]) if self.block[layout.MOVES] else None

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return int(self.block[layout.PASSES]) >= 2

    def vertex(self, move: int) -> str:
        """Return the GTP text of a move."""
        return vertex(move, self.rows)

    def parse_move(self, text: str) -> int:
        """Return the move that GTP text such as `D4` or `pass` names; raise TengenError."""
        return parse_vertex(text, self.rows, self.columns)

    def diagram(self) -> str:
        """Return the bare board as text that `from_diagram` reads back."""
        return "\n".join("".join(".XO"[colour] for colour in row) for row in self.board())

    def __str__(self) -> str:
        return diagram.draw(self.rows, self.columns, lambda p: ".XO"[self.colour(p)])

    def _repr_svg_(self) -> str:
        """Return the board as a picture: notebooks show it."""
        return board_drawing(self.board(), self.last_move).svg()

    # Inside

    def _played_again(self, moves: Sequence[Move], rules: Rules) -> "Position | None":
        """Return the position after moves of this game from its start; None if rules forbid one."""
        position = self.copy()
        position.rules = rules
        position._restart(self._start.copy())
        position.play_sequence(moves)
        while len(position.moves) < len(moves):
            # It was legal when it was played: who gives the turn away and back again lifts a ko.
            position.block[layout.KO] = layout.NOWHERE
            if not position.play_sequence(moves[len(position.moves) :]):
                return None
        return position

    def _restart(self, block: Block) -> None:
        self.block = block
        self._start = block.copy()
        self.moves = []
        self._history[0] = self._hash()

    def _hash(self) -> int:
        return int(position_hash(self.block, np.uintp(self.rules.ko)))

    def _block_for(self, mover: Colour) -> Block:
        """Return the block with `mover` to play: a copy if that is not so already."""
        if mover == self.to_play:
            return self.block
        block = self.block.copy()
        block[layout.TO_PLAY] = mover
        block[layout.KO] = layout.NOWHERE
        return block

    def _ko_state(self) -> tuple[np.uintp, bool, npt.NDArray[np.uint64], np.uintp]:
        known = np.uintp(len(self.moves) + 1)
        return np.uintp(self.rules.ko), self.rules.suicide, self._history, known

    def _reserve(self, length: int) -> None:
        """Make room for that many hashes."""
        if length > len(self._history):
            longer = np.zeros(max(length, 2 * len(self._history)), dtype=np.uint64)
            longer[: len(self._history)] = self._history
            self._history = longer
