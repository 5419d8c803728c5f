"""Games that a net plays with itself without search, many at a time: moves drawn from its policy.

A batch of boards costs the net little more than one, so such games take a fraction of a second.
"""

from collections.abc import Callable, Sequence

import numpy as np

from tengen.board.points import PASS, point_at
from tengen.board.position import Position
from tengen.network.evaluation import Evaluation
from tengen.network.net import Net

LONGEST = 1.5
"""A game ends after so many moves a point of the board, whoever still moves."""


def play_out(
    net: Net,
    games: Sequence[Position],
    random: np.random.Generator,
    temperature: float = 1.0,
    watch: Callable[[int], None] = lambda over: None,
) -> None:
    """Play games on boards of one size to their end, in place; `watch` is told how many are over.

    The probabilities of the moves are taken to the power of 1 / temperature: below 1 likely moves
    become likelier.
    """
    longest = int(LONGEST * games[0].rows * games[0].columns)
    for _ in range(longest):
        going = [position for position in games if not position.is_over]
        watch(len(games) - len(going))
        if not going:
            break
        play_round(net, going, random, temperature)


def play_round(
    net: Net, going: Sequence[Position], random: np.random.Generator, temperature: float = 1.0
) -> None:
    """Play one move in each game."""
    for position, evaluation in zip(going, net.evaluate(going), strict=True):
        position.play(draw_move(evaluation, random, temperature))


def draw_move(evaluation: Evaluation, random: np.random.Generator, temperature: float = 1.0) -> int:
    """Return a move, drawn with the probabilities of a policy at a temperature."""
    weights = np.append(evaluation.policy.astype(float).reshape(-1), evaluation.pass_probability)
    weights = (weights / weights.max()) ** (1 / temperature)
    place = int(random.choice(weights.size, p=weights / weights.sum()))
    if place == weights.size - 1:
        return PASS
    row, column = divmod(place, evaluation.policy.shape[1])
    return point_at(row, column)
