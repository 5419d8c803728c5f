"""Agreement of a network with a teacher: a larger network, its float version, or labels."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.nets.accuracy import LEAST_PROBABILITY
from tengen.nets.evaluation import Evaluation
from tengen.nets.examples import Example, swapped
from tengen.util import Estimate, mean_estimate, rms_estimate, share_estimate

POSITIONS_PER_STEP = 64
"""Positions evaluated between reports of progress."""


class PositionEvaluator(Protocol):
    """Evaluates positions: a network or a search."""

    def evaluate(self, positions: Sequence[Position]) -> list[Evaluation]:
        """Return the evaluation of each position, in order."""


class Measured(NamedTuple):
    """A position with its evaluations; None where there is no teacher."""

    example: Example
    net: Evaluation
    teacher: Evaluation | None
    swapped_net: Evaluation | None = None
    """Of the same stones with the other side to move."""
    swapped_teacher: Evaluation | None = None


def measure(
    net: PositionEvaluator,
    teacher: PositionEvaluator | None,
    examples: Iterable[Example],
    swaps: bool = False,
) -> Iterator[list[Measured]]:
    """Evaluate positions in batches, if `swaps` also with the other side to move.

    Without `teacher`, labels are the teacher's evaluations; they do not cover swapped positions.
    """
    remaining = iter(examples)
    while batch := list(islice(remaining, POSITIONS_PER_STEP)):
        positions = [example.position for example in batch]
        none: list[Evaluation | None] = [None] * len(batch)
        nets, swapped_nets = net.evaluate(positions), none
        labels = [example.label for example in batch]
        teachers = labels if teacher is None else [*teacher.evaluate(positions)]
        swapped_teachers = none
        if swaps:
            others = [swapped(position) for position in positions]
            swapped_nets = [*net.evaluate(others)]
            swapped_teachers = none if teacher is None else [*teacher.evaluate(others)]
        columns = (batch, nets, teachers, swapped_nets, swapped_teachers)
        yield [Measured(*values) for values in zip(*columns, strict=True)]


# Figures


class Figure(NamedTuple):
    """A row of the results."""

    size: str
    part: str
    """Group of figures, for example `agreement`."""
    name: str
    subset: str
    """`all`; `first`, `middle` or `last` third of the game; or a range of predictions."""
    estimate: Estimate

    def as_row(self) -> dict[str, str | float | int | None]:
        """Return the columns of a table; numbers that are unknown are None."""
        value, low, high = (_rounded(number) for number in self.estimate[:3])
        return {
            "size": self.size,
            "part": self.part,
            "figure": self.name,
            "subset": self.subset,
            "value": value,
            "low": low,
            "high": high,
            "observations": self.estimate.observations,
            "games": self.estimate.clusters,
        }


def _rounded(number: float) -> float | None:
    return round(number, 5) if np.isfinite(number) else None


# Agreement


class Agreement(NamedTuple):
    """Agreement of a network with its teacher in one position."""

    game: int
    top1: float
    """1 if both have the same first choice."""
    mass: float
    """Probability of the teacher's first choice."""
    cross_entropy: float
    """Of the policy, with the teacher's as the target, in nats."""
    divergence: float
    """Kullback-Leibler divergence from the teacher's policy, in nats."""
    win: float
    """Error of the winning probability of the side to move."""
    lead: float
    """Error of its lead, in points."""
    ownership: float
    """Mean absolute error of the ownership of a point, which is from -1 to 1."""


def compare(game: int, net: Evaluation, teacher: Evaluation) -> Agreement:
    """Return the agreement in a position of a game."""
    own, target = _moves(net), _moves(teacher)
    first = int(target.argmax())
    logs = np.log(np.maximum(own, LEAST_PROBABILITY))
    likely = target > 0
    entropy = -float(np.sum(target[likely] * np.log(target[likely])))
    cross_entropy = -float(np.sum(target * logs))
    ownership = np.abs(net.ownership_to_play - teacher.ownership_to_play).mean()
    return Agreement(
        game=game,
        top1=float(own.argmax() == first),
        mass=float(own[first]),
        cross_entropy=cross_entropy,
        divergence=cross_entropy - entropy,
        win=net.win_to_play - teacher.win_to_play,
        lead=net.lead_to_play - teacher.lead_to_play,
        ownership=float(ownership),
    )


def _moves(evaluation: Evaluation) -> npt.NDArray[np.float64]:
    """Return the policy with the pass last."""
    moves = evaluation.policy.astype(np.float64).reshape(-1)
    return np.append(moves, evaluation.pass_probability)


def agreement_figures(size: str, found: Sequence[Agreement]) -> list[Figure]:
    """Return the agreement over positions of one board size."""
    if not found:
        return []
    table = Agreement(*np.array(found, dtype=np.float64).T)
    columns: dict[str, npt.NDArray[np.float64]] = table._asdict()
    games = columns.pop("game").astype(np.intp)
    means = {
        "top1_mass": columns["mass"],
        "cross_entropy": columns["cross_entropy"],
        "kl_divergence": columns["divergence"],
        "win_error_mean": columns["win"],
        "win_error_abs": np.abs(columns["win"]),
        "lead_error_mean": columns["lead"],
        "lead_error_abs": np.abs(columns["lead"]),
        "ownership_error_abs": columns["ownership"],
    }
    squares = {"win_error_rms": columns["win"], "lead_error_rms": columns["lead"]}
    estimates = {"top1": share_estimate(columns["top1"], games)}
    estimates |= {name: mean_estimate(values, games) for name, values in means.items()}
    estimates |= {name: rms_estimate(values, games) for name, values in squares.items()}
    return [Figure(size, "agreement", name, "all", value) for name, value in estimates.items()]
