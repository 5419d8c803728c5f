"""KataGo's input features, version 7: 22 planes and 19 global features.

They follow KataGo's code for ordinary play. The encore phase of its territory scoring, tax rules,
the button and its handicap settings are not supported; these features are zero.
"""

import math
import threading

import numpy as np
import numpy.typing as npt

from tengen.board import PASS, WHITE, Ko, Position, Scoring
from tengen.board.kernels import layout
from tengen.board.kernels.ladder import new_ladder_boards
from tengen.nets.evaluation import Floats
from tengen.nets.katago.kernels.planes import recent_boards, write_planes
from tengen.nets.katago.model import NUMBERS, PLANES
from tengen.nets.katago.player_profile import METADATA, parse_profile
from tengen.nets.net import stones_paid

TURNS = 5
"""Number of past moves among the features."""
BOARDS = 3
KOMI_BEYOND_AREA = 20
"""Komi is clipped to the area of the board plus this."""

# Indices of the global features; 0 to 4 mark which of the last moves were passes.
KOMI, SUPERKO, KO_KIND, SUICIDE, TERRITORY, SEKI_TAX = 5, 6, 7, 8, 9, 10
PASS_ENDS, PARITY = 14, 18


class KataGoFeatures:
    """Features of version 7; safe to share between threads."""

    planes = PLANES
    numbers = NUMBERS

    def __init__(self) -> None:
        self._scratch = threading.local()

    def encode(self, position: Position, planes: Floats, numbers: Floats) -> None:
        """Write a position into `planes` (22, rows, columns) and `numbers`, both zeroed."""
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
        colors = np.array([move.color for move in position.moves], dtype=np.uint32)
        moves = np.array([move.move for move in position.moves], dtype=np.uint32)
        recent_boards(position.start, colors, moves, boards)
        boards[0] = position.block
        return boards

    def _ladder_boards(self) -> npt.NDArray[np.uint32]:
        """Return this thread's scratch memory for ladder reading."""
        if not hasattr(self._scratch, "boards"):
            self._scratch.boards = new_ladder_boards()
        boards: npt.NDArray[np.uint32] = self._scratch.boards
        return boards


class HumanFeatures(KataGoFeatures):
    """Features of a human-like network: those of version 7, then the encoded player profile."""

    numbers = NUMBERS + METADATA

    def __init__(self, profile: str) -> None:
        """Use a profile by name; raise TengenError if it is unknown."""
        super().__init__()
        self._profile = parse_profile(profile)

    def encode(self, position: Position, planes: Floats, numbers: Floats) -> None:
        """Write a position into `planes` (22, rows, columns) and `numbers`, both zeroed."""
        super().encode(position, planes, numbers[:NUMBERS])
        numbers[NUMBERS:] = self._profile.encode(position.to_play, position.area)


def shown_moves(position: Position) -> list[int]:
    """Return the last moves among the features, the newest first.

    Moves are included while colors alternate; of a finished game only the last pass, and none if
    `hides_pass`.
    """
    if hides_pass(position):
        return []
    shown: list[int] = []
    expected = position.to_play.opponent
    for played in reversed(position.moves[-TURNS:]):
        if played.color is not expected:
            break
        shown.append(played.move)
        expected = expected.opponent
    return shown[:1] if position.is_over else shown


def hides_pass(position: Position) -> bool:
    """Return whether the last move was a pass that KataGo conceals.

    A second pass ends the game, but dead stones need not be captured first: the network is to
    evaluate the board as if play went on.
    """
    rules = position.rules
    is_friendly = rules.scoring is Scoring.AREA and not rules.requires_capture
    return is_friendly and int(position.block[layout.PASSES]) == 1


def write_numbers(position: Position, shown: list[int], numbers: Floats) -> None:
    """Write the global features of a position into `numbers`, which is zeroed."""
    rules = position.rules
    numbers[: len(shown)] = [move == PASS for move in shown]
    komi = own_komi(position)
    numbers[KOMI] = komi / 20
    if rules.ko is not Ko.SIMPLE:
        numbers[SUPERKO] = 1
        numbers[KO_KIND] = 0.5 if rules.ko is Ko.POSITIONAL else -0.5
    numbers[SUICIDE] = rules.suicide
    numbers[PASS_ENDS] = position.block[layout.PASSES] > 0 and not hides_pass(position)
    if rules.scoring is Scoring.TERRITORY:
        numbers[TERRITORY] = numbers[SEKI_TAX] = 1
    else:
        numbers[PARITY] = parity_wave(komi, position.area)


def own_komi(position: Position) -> float:
    """Return the points the side to move gets in addition to those on the board."""
    bonus = position.rules.white_bonus(position.handicap) + stones_paid(position)
    limit = position.area + KOMI_BEYOND_AREA
    own = bonus if position.to_play is WHITE else -bonus
    return min(max(own, -limit), limit)


def parity_wave(komi: float, area: int) -> float:
    """Return how much the last half point of komi matters on a board of this area.

    A triangular wave of period 2 that rises through the komi values that allow a draw.
    """
    odd = area % 2
    above = komi - (math.floor((komi - odd) / 2) * 2 + odd)
    if above < 0.5:
        return above
    return 1 - above if above < 1.5 else above - 2
