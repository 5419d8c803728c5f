"""Descriptions of layers, their inputs, and helpers of the functions that compute them."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tengen.board import PASS, Position, column_of, row_of
from tengen.engine import DEFAULT, NONE, EngineSettings, load_named_net
from tengen.nets import Net
from tengen.records.database import GameDatabase
from tengen.search import SearchReport
from tengen.util import TengenError
from tengen.view.layer import Grid, Labels, Scale

MIN_LABELED = 0.01
"""Lowest probability with a label."""
_MAX_BEST_POINTS = 4
"""Largest number of equally good points to mark on small boards."""


@dataclass(frozen=True)
class ViewContext:
    """The inputs of layers besides the position: engine settings, search report, game database.

    Networks and databases are cached, so creating a context is cheap.
    """

    settings: EngineSettings = field(default_factory=EngineSettings)
    report: SearchReport | None = None
    games: Path | None = None

    def net(self) -> Net:
        """Return the network of the settings, or the bundled one; raise TengenError if it fails."""
        name = self.settings.play.net
        return load_named_net(DEFAULT if name == NONE else name)

    def search_report(self) -> SearchReport:
        """Return the search report; raise TengenError if there is none."""
        if self.report is None:
            raise TengenError("no search to show: start one first")
        return self.report

    def database(self) -> GameDatabase:
        """Return the game database; raise TengenError if there is none."""
        if self.games is None or not self.games.is_file():
            where = f" at {self.games}" if self.games else ""
            raise TengenError(f"no game database{where}: create one with `tengen games import`")
        return _open_database(self.games.resolve(), self.games.stat().st_ino)


@functools.lru_cache(maxsize=4)
def _open_database(path: Path, inode: int) -> GameDatabase:
    """Open a database; the inode distinguishes files that replace each other."""
    return GameDatabase(path)


class Need(IntEnum):
    """What a layer needs besides the position."""

    NOTHING = 0
    NET = 1
    """A network, and a board size it supports."""
    SEARCH = 2
    """A search report."""
    GAMES = 3
    """A game database."""


class LayerValues(NamedTuple):
    """The part of a `Layer` that depends on the position."""

    values: Grid
    marks: tuple[int, ...] = ()
    labels: Labels | None = None
    note: str = ""
    """Remark on the whole position, appended to the title."""
    low: float | None = None
    high: float | None = None
    notes: Labels | None = None


LayerFunction = Callable[[Position, ViewContext], LayerValues]


@dataclass(frozen=True)
class LayerInfo:
    """The description of a layer, and the function that computes it."""

    name: str
    title: str
    meaning: str
    group: str
    make: LayerFunction = field(repr=False, compare=False)
    scale: Scale = Scale.SEQUENTIAL
    unit: str = ""
    needs: Need = Need.NOTHING

    def as_dict(self) -> dict[str, str]:
        """Return the description for JSON."""
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
    """Return a grid of NaN, rows by columns."""
    return np.full((position.rows, position.columns), np.nan)


def legal_only(position: Position, values: Grid) -> Grid:
    """Return the values with NaN at illegal moves."""
    return np.where(position.legal_grid(), values, np.nan)


def set_value(grid: Grid, move: int, value: float) -> None:
    """Set the value of a move unless it is a pass."""
    if move != PASS:
        grid[row_of(move), column_of(move)] = value


def best_points(position: Position, values: Grid) -> tuple[int, ...]:
    """Return the points with the highest value, in board order.

    The result is empty if there are no values or too many equal ones.
    """
    if not np.isfinite(values).any():
        return ()
    best = np.flatnonzero(values.ravel() == np.nanmax(values))
    points = position.points()
    limit = max(_MAX_BEST_POINTS, len(points) // 20)
    return tuple(points[index] for index in best) if len(best) <= limit else ()


def label_grid(values: Grid, text: Callable[[float], str], minimum: float) -> Labels:
    """Return a label for every value of at least `minimum`."""
    return tuple(tuple(text(float(v)) if v >= minimum else None for v in row) for row in values)


def percent(value: float) -> str:
    """Format 0.37 as `37`, short enough for a point of the board."""
    return f"{100 * value:.0f}"
