"""What `predict` compares: each gives every point of a position a number, large for a big move."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from tengen.board.position import Position
from tengen.knowledge.bigmove import BigMove

Grid = npt.NDArray[np.float64]
Scorer = Callable[[Position], Grid]


def mode_of(variant: str) -> Scorer:
    """Return the mode under a variant."""
    source = BigMove(variants=variant)
    return lambda position: source.mode(position).grid


def whole_board(position: Position) -> Grid:
    """Return the mean of the modes p2 and p3, each divided by its maximum: the thesis's outlook."""
    modes = [P2(position), P3(position)]
    mean: Grid = np.mean([mode / mode.max() for mode in modes], axis=0)
    return mean


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
    rows, columns = (
        np.minimum(np.arange(1, n + 1), np.arange(n, 0, -1))
        for n in (position.rows, position.columns)
    )
    return np.minimum(rows[:, None], columns[None, :])


def same_everywhere(position: Position) -> Grid:
    """Return the same for every point: a random legal move."""
    return np.zeros((position.rows, position.columns))


P1, P2, P3 = (mode_of(name) for name in ("p1", "p2", "p3"))
SCORERS: dict[str, Scorer] = {
    "p1": P1,
    "p2": P2,
    "p3": P3,
    "whole board (p2 + p3)": whole_board,
    "distance": distance_of(),
    "distance, line 7 taken": distance_of((7,)),
    "distance, lines 6 and 7 taken": distance_of((6, 7)),
    "random legal move": same_everywhere,
}
