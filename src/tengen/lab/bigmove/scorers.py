"""What `predict` compares: each gives every point of a position a number, large for a big move."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from tengen.board.position import Position
from tengen.knowledge.bigmove import BigMove, from_edge

Grid = npt.NDArray[np.float64]
Scorer = Callable[[Position], Grid]


def size_of(source: BigMove) -> Scorer:
    """Return how big each move is by a source's first variant."""
    return lambda position: source.sizes(position)


def distance_of(lines: Sequence[int] = ()) -> Scorer:
    """Return the distance from the nearest stone, the edge, and lines that count as stones."""

    def score(position: Position) -> Grid:
        free = np.zeros((position.rows + 2, position.columns + 2), dtype=bool)
        free[1:-1, 1:-1] = (position.board() == 0) & ~np.isin(_lines(position), lines)
        apart: Grid = ndimage.distance_transform_edt(free)
        return apart[1:-1, 1:-1]

    return score


def _lines(position: Position) -> npt.NDArray[np.int64]:
    """Return the line of each point, counted from the nearest edge."""
    rows, columns = from_edge(position.rows), from_edge(position.columns)
    lines: npt.NDArray[np.int64] = np.minimum(rows[:, None], columns[None, :])
    return lines


def same_everywhere(position: Position) -> Grid:
    """Return the same for every point: a random legal move."""
    return np.zeros((position.rows, position.columns))


WHOLE = "whole board (p2 + p3)"
SINGLE: dict[str, Scorer] = {
    "p1": size_of(BigMove(variants="p1")),
    "p2": size_of(BigMove(variants="p2")),
    "p3": size_of(BigMove(variants="p3")),
    "p3, own stones count twice": size_of(BigMove(variants="p3", own=2)),
    "p3, opponent's stones count twice": size_of(BigMove(variants="p3", other=2)),
    "p3, stones by liberties": size_of(BigMove(variants="p3", weigh="liberties")),
    "p3, stones by chain strength": size_of(BigMove(variants="p3", weigh="strength")),
    "p3, corners preferred": size_of(BigMove(variants="p3", corner=0.5, side=0.2)),
    "p3, last fight held still": size_of(BigMove(variants="p3", fight=5)),
    "lines 6 to 10": size_of(BigMove(variants="6:1/7:1/8:1/9:1/10:1")),
    "distance": distance_of(),
    "distance, line 7 taken": distance_of((7,)),
    "distance, lines 6 and 7 taken": distance_of((6, 7)),
    "random legal move": same_everywhere,
}
PLOTTED = ("p1", "p2", "p3", "distance", "distance, line 7 taken", "random legal move")
SCORERS = (*SINGLE, WHOLE)


def all_scores(position: Position) -> dict[str, Grid]:
    """Return what every scorer says of a position.

    The whole board of the thesis's outlook is the mean of p2 and p3, each divided by its maximum.
    """
    scores = {name: scorer(position) for name, scorer in SINGLE.items()}
    scores[WHOLE] = (scores["p2"] / scores["p2"].max() + scores["p3"] / scores["p3"].max()) / 2
    return scores
