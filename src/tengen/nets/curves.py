"""Winning probabilities over whole games: how much they alternate and how much they move."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK
from tengen.nets.comparison import Figure, PositionEvaluator
from tengen.nets.examples import Example
from tengen.util import Estimate, mean_estimate, ratio_estimate

NET, TEACHER, SEARCH = "net", "teacher", "search"
"""Names of the evaluators."""

Array = npt.NDArray[np.float64]


class Curve(NamedTuple):
    """Black's winning probability over one game, by each evaluator."""

    game: int
    turns: npt.NDArray[np.intp]
    black_to_play: npt.NDArray[np.bool_]
    black_win: Mapping[str, Array]


def trace(game: Sequence[Example], evaluators: Mapping[str, PositionEvaluator]) -> Curve:
    """Evaluate the positions of a game; labels are the teacher's unless an evaluator is."""
    positions = [example.position for example in game]
    black = np.array([position.to_play is BLACK for position in positions])
    win = {
        name: np.array([found.win_to_play for found in evaluator.evaluate(positions)])
        for name, evaluator in evaluators.items()
    }
    labels = [example.label for example in game]
    if TEACHER not in win and all(label is not None for label in labels):
        win[TEACHER] = np.array([label.win_to_play for label in labels if label is not None])
    return Curve(
        game=game[0].game,
        turns=np.array([example.turn for example in game], dtype=np.intp),
        black_to_play=black,
        black_win={name: np.where(black, own, 1 - own) for name, own in win.items()},
    )


class Steps(NamedTuple):
    """Pairs of consecutive positions with alternating sides, as columns."""

    game: npt.NDArray[np.intp]
    change: Array
    """Change of Black's winning probability."""
    turn_gain: Array
    """Winning probability of the side to move, minus that before the opponent's move."""


def curve_figures(size: str, curves: Sequence[Curve]) -> list[Figure]:
    """Return sawtooth, steps and autocorrelation of the curves of one board size.

    Figures that are undefined, such as ratios to a constant curve, are left out.
    """
    if not curves:
        return []
    found = {
        name: _steps(curves, name)
        for name in (NET, TEACHER, SEARCH)
        if all(name in curve.black_win for curve in curves)
    }
    if not len(found[NET].game):
        return []
    return [
        Figure(size, part, name, "all", estimate)
        for part, figures in (
            ("sawtooth", _sawtooth(found)),
            ("step", _sizes(found)),
            ("autocorrelation", _autocorrelations(curves, list(found))),
        )
        for name, estimate in figures
        if not np.isnan(estimate.value)
    ]


def _steps(curves: Sequence[Curve], name: str) -> Steps:
    games, changes, gains = [], [], []
    for curve in curves:
        is_step = _is_step(curve)
        change = np.diff(curve.black_win[name])[is_step]
        games.append(np.full(len(change), curve.game, dtype=np.intp))
        changes.append(change)
        gains.append(np.where(curve.black_to_play[1:][is_step], change, -change))
    return Steps(np.concatenate(games), np.concatenate(changes), np.concatenate(gains))


def _is_step(curve: Curve) -> npt.NDArray[np.bool_]:
    """Return which neighboring rows are consecutive positions with alternating sides."""
    alternates = curve.black_to_play[1:] != curve.black_to_play[:-1]
    is_step: npt.NDArray[np.bool_] = (np.diff(curve.turns) == 1) & alternates
    return is_step


def _sawtooth(found: Mapping[str, Steps]) -> Iterator[tuple[str, Estimate]]:
    """Yield the mean gain of a side by being to move after the opponent's move.

    This is the mean loss of a move, plus twice the bias for the side to move.
    """
    for name, steps in found.items():
        yield name, mean_estimate(steps.turn_gain, steps.game)
    for name in (NET, SEARCH):
        if name in found and TEACHER in found:
            excess = found[name].turn_gain - found[TEACHER].turn_gain
            yield f"{name}_excess", mean_estimate(excess, found[name].game)


def _sizes(found: Mapping[str, Steps]) -> Iterator[tuple[str, Estimate]]:
    """Yield mean absolute steps, and their ratios to the teacher's."""
    for name, steps in found.items():
        yield name, mean_estimate(np.abs(steps.change), steps.game)
    for name in (NET, SEARCH):
        if name in found and TEACHER in found:
            own, teacher = np.abs(found[name].change), np.abs(found[TEACHER].change)
            yield f"{name}_ratio", ratio_estimate(own, teacher, found[name].game)


def _autocorrelations(
    curves: Sequence[Curve], names: Sequence[str]
) -> Iterator[tuple[str, Estimate]]:
    """Yield the correlation of successive steps: negative if the curve alternates.

    Steps are compared without subtracting their mean: Black's mean step is the same trend for all
    evaluators.
    """
    for name in names:
        games, products, squares = [], [], []
        for curve in curves:
            is_step = _is_step(curve)
            both = is_step[1:] & is_step[:-1]
            change = np.diff(curve.black_win[name])
            first, second = change[:-1][both], change[1:][both]
            games.append(np.full(len(first), curve.game, dtype=np.intp))
            products.append(first * second)
            squares.append((first**2 + second**2) / 2)
        sums = np.concatenate(products), np.concatenate(squares)
        yield name, ratio_estimate(*sums, np.concatenate(games))
