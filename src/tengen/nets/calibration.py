"""Calibration of a network: value errors of the side to move, sign errors, reliability.

A network that favors the side to move has a positive value error in a position and in the same
position with the other side to move.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.nets.comparison import Figure, Measured
from tengen.nets.evaluation import Evaluation
from tengen.util import Estimate, bootstrap_estimate, mean_estimate, share_estimate

THIRDS = ("first", "middle", "last")
CLEAR_LEAD_POINTS = 2.0
"""Leads beyond this should agree with the winning probability in sign."""
BINS = 10
SEED = 1
"""Seed of the bootstrap."""

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


class Case(NamedTuple):
    """A position as numbers; values are for the side to move, NaN if unknown."""

    game: float
    progress: float
    won: float
    win: float
    lead: float
    teacher_win: float
    teacher_lead: float
    swapped_win: float
    """With the other side to move; the teacher's evaluation too."""
    swapped_teacher_win: float


class Cases(NamedTuple):
    """Positions as columns; see `Case`."""

    game: Rows
    progress: Array
    won: Array
    win: Array
    lead: Array
    teacher_win: Array
    teacher_lead: Array
    swapped_win: Array
    swapped_teacher_win: Array


def to_case(measured: Measured) -> Case:
    """Return the numbers of a measured position."""
    example, teacher = measured.example, measured.teacher
    return Case(
        game=example.game,
        progress=example.progress,
        won=math.nan if example.won is None else float(example.won),
        win=measured.net.win_to_play,
        lead=measured.net.lead_to_play,
        teacher_win=_win(teacher),
        teacher_lead=math.nan if teacher is None else teacher.lead_to_play,
        swapped_win=_win(measured.swapped_net),
        swapped_teacher_win=_win(measured.swapped_teacher),
    )


def _win(evaluation: Evaluation | None) -> float:
    return math.nan if evaluation is None else evaluation.win_to_play


def position_figures(size: str, cases: Sequence[Case]) -> list[Figure]:
    """Return value errors, sign errors and reliability of one board size."""
    table = np.array(cases, dtype=np.float64).reshape(-1, len(Case._fields)).T
    columns = Cases(table[0].astype(np.intp), *table[1:])
    return [
        Figure(size, part, name, subset, estimate)
        for part, figures in (
            ("value_error", _value_errors(columns)),
            ("sign_error", _sign_errors(columns)),
            ("reliability", _reliability(columns)),
        )
        for name, subset, estimate in figures
    ]


def _value_errors(cases: Cases) -> Iterator[tuple[str, str, Estimate]]:
    """Yield mean signed errors of the winning probability of the side to move, by third."""
    played = cases.win - cases.teacher_win
    other = cases.swapped_win - cases.swapped_teacher_win
    kinds = {
        "played": played,
        "swapped": other,
        "both": (played + other) / 2,
        "result": cases.win - cases.won,
        "teacher_result": cases.teacher_win - cases.won,
    }
    third = np.minimum((cases.progress * len(THIRDS)).astype(int), len(THIRDS) - 1)
    subsets = {"all": third >= 0} | {name: third == n for n, name in enumerate(THIRDS)}
    for name, errors in kinds.items():
        known = ~np.isnan(errors)
        for subset, chosen in subsets.items():
            which = known & chosen
            if which.any():
                yield name, subset, mean_estimate(errors[which], cases.game[which])


def _sign_errors(cases: Cases) -> Iterator[tuple[str, str, Estimate]]:
    """Yield the share of clear leads with a winning probability on the other side of 0.5."""
    for name, win, lead in (
        ("net", cases.win, cases.lead),
        ("teacher", cases.teacher_win, cases.teacher_lead),
    ):
        clear = np.abs(lead) > CLEAR_LEAD_POINTS  # false for NaN
        if clear.any():
            wrong = (win[clear] - 0.5) * lead[clear] < 0
            yield name, "all", share_estimate(wrong.astype(np.float64), cases.game[clear])


# Reliability


def _reliability(cases: Cases) -> Iterator[tuple[str, str, Estimate]]:
    """Yield Brier score, expected calibration error and the reliability curve."""
    for prefix, predicted in (("", cases.win), ("teacher_", cases.teacher_win)):
        known = ~np.isnan(predicted) & ~np.isnan(cases.won)
        if not known.any():
            continue
        win, won, game = predicted[known], cases.won[known], cases.game[known]
        yield f"{prefix}brier", "all", mean_estimate((win - won) ** 2, game)
        yield f"{prefix}ece", "all", _calibration_error(win, won, game)
        bins = _bins(win)
        for number in np.unique(bins).tolist():
            of_bin = bins == number
            subset = f"{number / BINS:.1f}-{(number + 1) / BINS:.1f}"
            yield f"{prefix}predicted", subset, mean_estimate(win[of_bin], game[of_bin])
            yield f"{prefix}won", subset, share_estimate(won[of_bin], game[of_bin])


def _bins(win: Array) -> Rows:
    return np.minimum((win * BINS).astype(np.intp), BINS - 1)


def _calibration_error(win: Array, won: Array, game: Rows) -> Estimate:
    """Return the expected calibration error: the mean distance of the curve from the diagonal."""
    bins = _bins(win)

    def error(rows: Rows) -> float:
        sums = np.bincount(bins[rows], weights=(win - won)[rows], minlength=BINS)
        return float(np.abs(sums).sum() / len(rows))

    return bootstrap_estimate(error, game, SEED)
