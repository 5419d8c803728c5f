"""A game in progress: the board, its history, the rules and the side to move."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import diagram
from tengen.board.color import BLACK, WHITE, Color
from tengen.board.diagram import board_drawing
from tengen.board.kernels import layout
from tengen.board.kernels.block import new_block, stones_hash
from tengen.board.kernels.legality import is_legal, legal_points, position_hash, replay
from tengen.board.kernels.stones import put_stone
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
from tengen.util import TengenError

Block = npt.NDArray[np.uint32]
"""A board in the memory layout of the kernels (`tengen.board.kernels.layout`)."""

MAX_IMPLICIT_HANDICAP = 9
"""Largest number of consecutive opening moves by Black that count as handicap stones."""


class Move(NamedTuple):
    """A move (a point or PASS) and the player who made it.

    Examples
    --------
    >>> position = Position(9).after("E5")
    >>> color, move = position.moves[0]
    >>> color.name, position.vertex(move)
    ('BLACK', 'E5')
    """

    color: Color
    move: int


class IllegalMoveError(TengenError):
    """A move is not legal under the rules of the game."""


class Position:
    """A game in progress, with history and rules.

    Positions are mutable; use `copy` to branch off. Colors need not alternate: `play` takes the
    color of the move and defaults to the side to move.

    Parameters
    ----------
    rows
        Number of rows, 1 to 19.
    columns
        Number of columns; equal to `rows` by default.
    rules
        Rules or the name of a rule set, such as `"japanese"`; positional superko, area scoring and
        7.5 komi by default.

    Raises
    ------
    TengenError
        If the size or the name of the rules is invalid.

    Examples
    --------
    >>> from tengen.api import Position
    >>> position = Position(5).after("C3 C4 D4")
    >>> position.to_play.name, position.is_legal(position.parse_move("C3"))
    ('WHITE', False)
    >>> print(position)
       A B C D E
     5 . . . . . 5
     4 . . O X . 4
     3 . . X . . 3
     2 . . . . . 2
     1 . . . . . 1
       A B C D E
    """

    def __init__(
        self, rows: int = 19, columns: int | None = None, rules: Rules | str | None = None
    ):
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
        """The number of points of the board."""
        return self.rows * self.columns

    # Construction

    @classmethod
    def from_diagram(
        cls, text: str, to_play: Color = BLACK, rules: Rules | None = None
    ) -> "Position":
        """Return the position of a text diagram: `X` Black, `O` White, `.` empty."""
        rows = diagram.parse_diagram(text)
        position = cls(len(rows), len(rows[0]), rules)
        points = board_points(position.rows, position.columns)
        colors = [color for row in rows for color in row]
        position.setup(zip(points, colors, strict=True), to_play)
        return position

    def setup(self, stones: Iterable[tuple[int, int]], to_play: Color) -> None:
        """Add or remove stones and clear the history; prisoners are kept.

        `stones` are pairs (point, color); color 0 removes a stone. Raise TengenError, and change
        nothing, if a chain would have no liberty.
        """
        wanted = {point: self.color(point) for point in self.points()}
        for point, color in stones:
            if point not in wanted:
                raise TengenError("setup stone outside the board")
            wanted[point] = color
        block = new_block(self.rows, self.columns)
        for point, color in wanted.items():
            if color:
                put_stone(block, np.uintp(point), np.uintp(color))
        if any(block[layout.COLOR + np.uintp(point)] != c for point, c in wanted.items()):
            raise TengenError("a setup chain has no liberty")
        black, white = (int(layout.PRISONERS + color) for color in (layout.BLACK, layout.WHITE))
        block[[black, white]] = self.block[[black, white]]
        block[layout.TO_PLAY] = to_play
        self._restart(block)

    def place_handicap(self, points: Sequence[int]) -> None:
        """Place handicap stones for Black; White is to play."""
        self.setup([(point, BLACK) for point in points], WHITE)
        self.handicap = len(points)

    @property
    def handicap(self) -> int:
        """The number of handicap stones, 0 for an even game.

        If it was not set, two to nine consecutive moves of Black at the start of a game count as
        handicap stones, since some programs place them so.
        """
        return self._handicap or self._implicit_handicap()

    @handicap.setter
    def handicap(self, stones: int) -> None:
        self._handicap = stones

    def _implicit_handicap(self) -> int:
        if self._start[layout.EMPTY_COUNT] < self.area:
            return 0
        opening = itertools.takewhile(lambda m: m.color is BLACK and m.move != PASS, self.moves)
        stones = sum(1 for _ in opening)
        return stones if 2 <= stones <= MAX_IMPLICIT_HANDICAP else 0

    @classmethod
    def from_block(cls, block: Block, rules: Rules | None = None) -> "Position":
        """Return a position with a copy of a kernel block and no history."""
        rows, columns = int(block[layout.ROWS]), int(block[layout.COLUMNS])
        position = cls(rows, columns, rules)
        position._restart(block.copy())
        return position

    def copy(self) -> "Position":
        """Return an independent copy with the same history."""
        twin = Position.__new__(Position)
        twin.__dict__.update(self.__dict__)
        twin.moves = self.moves.copy()
        twin.block = self.block.copy()
        twin._history = self._history.copy()
        return twin

    def after(self, vertices: str) -> "Position":
        """Return the position after alternating moves such as `"E5 C3 pass"`; raise TengenError."""
        position = self.copy()
        for text in vertices.split():
            position.play(position.parse_move(text))
        return position

    # Moves

    def play(self, move: int, color: Color | None = None) -> None:
        """Play a point or PASS; raise IllegalMoveError, and change nothing, if it is illegal."""
        mover = self.to_play if color is None else color
        if move != PASS and not self.on_board(move):
            raise IllegalMoveError(f"{move} is not a point of this board")
        if not self.play_sequence([Move(mover, move)]):
            raise IllegalMoveError(f"illegal move {mover.letter} {self.vertex(move)}")

    def play_sequence(self, moves: Sequence[Move]) -> int:
        """Play moves up to the first illegal one; return the number of moves played."""
        known = len(self.moves) + 1
        points = np.array([move.move for move in moves], dtype=np.int64)
        # The kernel rejects walls, but does not check array bounds.
        invalid = np.flatnonzero((points < 0) | (points >= layout.POINTS))
        count = int(invalid[0]) if len(invalid) else len(moves)
        self._reserve(known + count)
        played = int(
            replay(
                self.block,
                np.array([move.color for move in moves[:count]], dtype=np.uint32),
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
        """Undo moves; raise TengenError, and change nothing, if there are too few."""
        if not 0 <= count <= len(self.moves):
            raise TengenError("cannot undo")
        kept = self.moves[: len(self.moves) - count]
        if (earlier := self._replayed(kept, self.rules)) is None:
            raise TengenError("cannot undo: an earlier move is illegal under the current rules")
        self.__dict__.update(earlier.__dict__)

    def with_rules(self, rules: Rules) -> "Position":
        """Return the same game under other rules; raise TengenError if a move is illegal there."""
        if (position := self._replayed(self.moves, rules)) is None:
            raise TengenError("a move of the game is illegal under these rules")
        position.to_play = self.to_play
        return position

    def moves_since(self, earlier: "Position") -> list[Move] | None:
        """Return the moves from an earlier position of this game to here, or None if unrelated."""
        known = len(earlier.moves)
        if self.moves[:known] != earlier.moves or self.rules != earlier.rules:
            return None
        return self.moves[known:] if np.array_equal(self._start, earlier._start) else None

    # Queries

    @property
    def to_play(self) -> Color:
        """The side to move."""
        return Color(int(self.block[layout.TO_PLAY]))

    @to_play.setter
    def to_play(self, color: Color) -> None:
        if color == self.to_play:
            return
        self.block[layout.TO_PLAY] = color
        self.block[layout.KO] = layout.NOWHERE  # a ko restricts only one side
        self._history[len(self.moves)] = self._hash()
        if not self.moves:
            self._start = self.block.copy()

    def is_legal(self, move: int, color: Color | None = None) -> bool:
        """Return whether a color (by default the side to move) may play `move`."""
        if move != PASS and not self.on_board(move):
            return False
        mover = self.to_play if color is None else color
        return bool(is_legal(self._block_for(mover), np.uintp(move), *self._ko_state()))

    def legal_moves(self, color: Color | None = None) -> list[int]:
        """Return the legal points in board order, without PASS."""
        mover = self.to_play if color is None else color
        points = np.empty(self.area, dtype=np.uint32)
        count = legal_points(self._block_for(mover), *self._ko_state(), points)
        return sorted(points[: int(count)].tolist())

    def legal_grid(self) -> npt.NDArray[np.bool_]:
        """Return where the side to move may play, bool [rows, columns]."""
        legal = np.zeros((self.rows, self.columns), dtype=bool)
        points = np.array(self.legal_moves(), dtype=np.intp)
        legal[points // STRIDE - 1, points % STRIDE - 1] = True
        return legal

    def color(self, point: int) -> int:
        """Return the color of a point: 0, BLACK or WHITE; another value outside the board."""
        return int(self.block[int(layout.COLOR) + point])

    def points(self) -> list[int]:
        """Return all points, row by row from the top left."""
        return board_points(self.rows, self.columns)

    def on_board(self, point: int) -> bool:
        """Return whether `point` is a point of this board."""
        return 0 <= row_of(point) < self.rows and 0 <= column_of(point) < self.columns

    def board(self) -> npt.NDArray[np.uint8]:
        """Return the colors, uint8 [rows, columns], row 0 at the top."""
        return self.on_grid(self.block[layout.COLOR : layout.COLOR + layout.POINTS]).astype(
            np.uint8
        )

    def on_grid(self, field: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return an array over padded points as a view [rows, columns]."""
        padded = field[: (MAX_SIZE + 2) * STRIDE].reshape(MAX_SIZE + 2, STRIDE)
        return padded[1 : self.rows + 1, 1 : self.columns + 1]

    def chain(self, point: int) -> list[int]:
        """Return the sorted stones of the chain at `point`, or an empty list."""
        if self.color(point) not in (BLACK, WHITE):
            return []
        stones = [point]
        while (following := int(self.block[int(layout.NEXT) + stones[-1]])) != point:
            stones.append(following)
        return sorted(stones)

    def prisoners(self, color: Color) -> int:
        """Return the number of captured stones of that color."""
        return int(self.block[int(layout.PRISONERS) + color])

    @property
    def area_komi(self) -> float:
        """The komi that gives the result of the game when areas are counted.

        Under territory rules it includes `territory_adjustment`.
        """
        return self.rules.white_bonus(self.handicap) + self.territory_adjustment

    @property
    def territory_adjustment(self) -> int:
        """Black's area score minus Black's territory score; 0 under area rules.

        It is the number of stones Black has placed more than White, handicap and setup included,
        counted as at Black's turn, since the side that will make the last move is not known.
        """
        if self.rules.scoring is not Scoring.TERRITORY:
            return 0
        stones = self.on_grid(self.block[layout.COLOR : layout.COLOR + layout.POINTS])
        black, white = (
            int(np.count_nonzero(stones == color)) + self.prisoners(color) for color in Color
        )
        return black - white - (self.to_play is WHITE)

    @property
    def start(self) -> Block:
        """The board before the first of `moves`; do not modify it."""
        return self._start

    def history(self) -> npt.NDArray[np.uint64]:
        """Return the hashes compared for superko: all positions so far, the current one last."""
        return self._history[: len(self.moves) + 1]

    @property
    def hash(self) -> int:
        """The Zobrist hash of the stones on the board."""
        return int(stones_hash(self.block))

    @property
    def last_move(self) -> int | None:
        """The last move, or None at the start."""
        if self.moves:
            return self.moves[-1].move
        return int(self.block[layout.LAST]) if self.block[layout.MOVES] else None

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return int(self.block[layout.PASSES]) >= 2

    def vertex(self, move: int) -> str:
        """Return the GTP vertex of a move."""
        return vertex(move, self.rows)

    def parse_move(self, text: str) -> int:
        """Parse a GTP vertex such as `D4` or `pass`; raise TengenError if it is invalid."""
        return parse_vertex(text, self.rows, self.columns)

    def diagram(self) -> str:
        """Return the board as text for `from_diagram`, without coordinates."""
        return "\n".join("".join(".XO"[color] for color in row) for row in self.board())

    def __str__(self) -> str:
        return diagram.draw_diagram(self.rows, self.columns, lambda p: ".XO"[self.color(p)])

    def _repr_svg_(self) -> str:
        """Return the board as SVG, for notebooks."""
        return board_drawing(self.board(), self.last_move).svg()

    # Internals

    def _replayed(self, moves: Sequence[Move], rules: Rules) -> "Position | None":
        """Return the game replayed from its start with `moves`; None if a move is illegal."""
        position = self.copy()
        position.rules = rules
        position._restart(self._start.copy())
        position.play_sequence(moves)
        while len(position.moves) < len(moves):
            # The move was legal when played: changing the side to move twice clears a ko.
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

    def _block_for(self, mover: Color) -> Block:
        """Return the block with `mover` to play, copied if necessary."""
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
        """Ensure room for `length` hashes."""
        if length > len(self._history):
            longer = np.zeros(max(length, 2 * len(self._history)), dtype=np.uint64)
            longer[: len(self._history)] = self._history
            self._history = longer
