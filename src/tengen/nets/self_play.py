"""Self-play without search: many games in parallel, with moves sampled from the policy."""

from collections.abc import Callable, Sequence

import numpy as np

from tengen.board import PASS, Position, point_at
from tengen.nets.evaluation import Evaluation
from tengen.nets.net import Net

LONGEST = 1.5
"""Games end after this many moves per point of the board."""


def play_out(
    net: Net,
    games: Sequence[Position],
    random: np.random.Generator,
    temperature: float = 1.0,
    on_progress: Callable[[int], None] = lambda over: None,
) -> None:
    """Play games on boards of one size to the end, in place.

    `on_progress` is called with the number of finished games. Move probabilities are raised to the
    power 1 / temperature and normalized.
    """
    longest = int(LONGEST * games[0].rows * games[0].columns)
    for _ in range(longest):
        active = [position for position in games if not position.is_over]
        on_progress(len(games) - len(active))
        if not active:
            break
        play_round(net, active, random, temperature)


def play_round(
    net: Net, active: Sequence[Position], random: np.random.Generator, temperature: float = 1.0
) -> None:
    """Play one move in each game."""
    for position, evaluation in zip(active, net.evaluate(active), strict=True):
        position.play(draw_move(evaluation, random, temperature))


def draw_move(evaluation: Evaluation, random: np.random.Generator, temperature: float = 1.0) -> int:
    """Sample a move from a policy at a temperature."""
    weights = np.append(evaluation.policy.astype(float).reshape(-1), evaluation.pass_probability)
    weights = (weights / weights.max()) ** (1 / temperature)
    place = int(random.choice(weights.size, p=weights / weights.sum()))
    if place == weights.size - 1:
        return PASS
    row, column = divmod(place, evaluation.policy.shape[1])
    return point_at(row, column)
