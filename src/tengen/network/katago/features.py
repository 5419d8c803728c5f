"""What KataGo's nets take in: version 7 of its input features, 22 planes and 19 numbers.

They follow KataGo's own code for ordinary play; the second phase of its territory scoring (the
encore), its tax and button rules and its handicap settings do not exist here, and stay zero.
"""

import math
import threading

import numpy as np
import numpy.typing as npt

from tengen.board.colour import WHITE
from tengen.board.kernels import layout
from tengen.board.kernels.ladder import new_ladder_boards
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.board.rules import Ko, Scoring
from tengen.network.evaluation import Floats
from tengen.network.katago.kernels.planes import recent_boards, write_planes
from tengen.network.katago.model import NUMBERS, PLANES
from tengen.network.net import stones_paid

TURNS = 5
"""How many of the last moves a net sees."""
BOARDS = 3
KOMI_BEYOND_AREA = 20
"""Komi is cut off at that many points above the area of the board."""

# The numbers, by index; 0 to 4 tell which of the last moves were passes.
KOMI, SUPERKO, KO_KIND, SUICIDE, TERRITORY, SEKI_TAX = 5, 6, 7, 8, 9, 10
PASS_ENDS, PARITY = 14, 18


class KataGoFeatures:
    """Features of version 7; several threads may use one object."""

    planes = PLANES
    numbers = NUMBERS

    def __init__(self) -> None:
        self._scratch = threading.local()

    def encode(self, position: Position, planes: Floats, numbers: Floats) -> None:
        """Write a position into `planes` (22, rows, columns) and `numbers`, all zero before."""
        shown = shown_moves(position)
        rules = position.rules
        write_planes(
            self._recent_boards(position),
            np.array([*shown, *[PASS] * (TURNS - len(shown))], dtype=np.uint32),
            np.uintp(len(shown)),
            np.uintp(rules.ko),
            rules.suicide,
            position.history(),
            np.uintp(len(position.history())),
            rules.scoring is Scoring.AREA,
            self._ladder_boards(),
            planes.reshape(PLANES, -1),
        )
        write_numbers(position, shown, numbers)

    def _recent_boards(self, position: Position) -> npt.NDArray[np.uint32]:
        """Return the last three boards, the newest first."""
        boards = np.empty((BOARDS, layout.CELLS), dtype=np.uint32)
        colours = np.array([move.colour for move in position.moves], dtype=np.uint32)
        moves = np.array([move.move for move in position.moves], dtype=np.uint32)
        recent_boards(position.start, colours, moves, boards)
        boards[0] = position.block
        return boards

    def _ladder_boards(self) -> npt.NDArray[np.uint32]:
        """Return this thread's memory of ladder reading."""
        if not hasattr(self._scratch, "boards"):
            self._scratch.boards = new_ladder_boards()
        boards: npt.NDArray[np.uint32] = self._scratch.boards
        return boards


def shown_moves(position: Position) -> list[int]:
    """Return the last moves that a net sees, the newest first.

    They are shown as long as the colours alternate; of a game that is over, only the last pass.
    """
    shown: list[int] = []
    expected = position.to_play.opponent
    for played in reversed(position.moves[-TURNS:]):
        if played.colour is not expected:
            break
        shown.append(played.move)
        expected = expected.opponent
    return shown[:1] if position.is_over else shown


def write_numbers(position: Position, shown: list[int], numbers: Floats) -> None:
    """Write the numbers for the position as a whole, all zero before."""
    rules = position.rules
    numbers[: len(shown)] = [move == PASS for move in shown]
    komi = own_komi(position)
    numbers[KOMI] = komi / 20
    if rules.ko is not Ko.SIMPLE:
        numbers[SUPERKO] = 1
        numbers[KO_KIND] = 0.5 if rules.ko is Ko.POSITIONAL else -0.5
    numbers[SUICIDE] = rules.suicide
    numbers[PASS_ENDS] = position.block[layout.PASSES] > 0
    if rules.scoring is Scoring.TERRITORY:
        numbers[TERRITORY] = numbers[SEKI_TAX] = 1
    else:
        numbers[PARITY] = parity_wave(komi, position.area)


def own_komi(position: Position) -> float:
    """Return the points that the side to move gets beside those on the board."""
    bonus = position.rules.white_bonus(position.handicap) + stones_paid(position)
    most = position.area + KOMI_BEYOND_AREA
    own = bonus if position.to_play is WHITE else -bonus
    return min(max(own, -most), most)


def parity_wave(komi: float, area: int) -> float:
    """Return how much the last half point of komi matters on a board of that area.

    A triangular wave of period 2: it rises through the komis with which a game can be drawn.
    """
    odd = area % 2
    above = komi - (math.floor((komi - odd) / 2) * 2 + odd)
    if above < 0.5:
        return above
    return 1 - above if above < 1.5 else above - 2
