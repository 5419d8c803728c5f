"""What is known of a layer before it is made, and what its maker gives back."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from tengen.board.points import PASS, column_of, row_of
from tengen.board.position import Position
from tengen.view.context import ViewContext
from tengen.view.layer import Grid, Labels, Scale

LEAST_SHOWN = 0.01
"""Probabilities from here on get a label."""
FEW = 4
"""Equally good points that are marked on the smallest of boards."""


class Need(IntEnum):
    """What a layer needs beside the position."""

    NOTHING = 0
    NET = 1
    """A net and a board that is large enough for it."""
    SEARCH = 2
    """The report of a search."""
    GAMES = 3
    """A database of games."""


class Said(NamedTuple):
    """What a source says of a position; `Layer` tells what the parts mean."""

    values: Grid
    marks: tuple[int, ...] = ()
    labels: Labels | None = None
    note: str = ""
    """Of the position as a whole, for the title."""
    low: float | None = None
    high: float | None = None
    notes: Labels | None = None


Maker = Callable[[Position, ViewContext], Said]


@dataclass(frozen=True)
class LayerInfo:
    """A layer that can be made of any position."""

    name: str
    title: str
    meaning: str
    group: str
    make: Maker = field(repr=False, compare=False)
    scale: Scale = Scale.SEQUENTIAL
    unit: str = ""
    needs: Need = Need.NOTHING

    def as_dict(self) -> dict[str, str]:
        """Return it as plain JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "meaning": self.meaning,
            "group": self.group,
            "scale": self.scale.name.lower(),
            "unit": self.unit,
            "needs": self.needs.name.lower(),
        }


def empty_grid(position: Position) -> Grid:
    """Return rows by columns of NaN."""
    return np.full((position.rows, position.columns), np.nan)


def legal_only(position: Position, values: Grid) -> Grid:
    """Return the values with NaN where no move is legal."""
    return np.where(position.legal_grid(), values, np.nan)


def put(grid: Grid, move: int, value: float) -> None:
    """Write the value of a move; a pass has no place on the board."""
    if move != PASS:
        grid[row_of(move), column_of(move)] = value


def best_points(position: Position, values: Grid) -> tuple[int, ...]:
    """Return the points with the greatest value, in board order.

    None if nothing is said, or if so many are equal that no move stands out.
    """
    if not np.isfinite(values).any():
        return ()
    best = np.flatnonzero(values.ravel() == np.nanmax(values))
    points = position.points()
    most = max(FEW, len(points) // 20)
    return tuple(points[index] for index in best) if len(best) <= most else ()


def label_grid(values: Grid, text: Callable[[float], str], least: float) -> Labels:
    """Return a text for every value of at least `least`."""
    return tuple(tuple(text(float(v)) if v >= least else None for v in row) for row in values)


def percent(value: float) -> str:
    """Return `37` for 0.37: short enough for a point of the board."""
    return f"{100 * value:.0f}"
