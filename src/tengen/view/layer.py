"""A layer: a number for every point of a board, and what the numbers mean."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.board.points import vertex

Grid = npt.NDArray[np.float64]
Labels = tuple[tuple[str | None, ...], ...]


class Scale(IntEnum):
    """How the numbers are to be read, and so which colours suit them."""

    SEQUENTIAL = 0
    """From none to most."""
    DIVERGING = 1
    """From White's to Black's, around 0."""
    MASK = 2
    """1 or 0: kept or pruned."""


@dataclass(frozen=True, eq=False)
class Layer:
    """What one source says of one position."""

    name: str
    title: str
    meaning: str
    values: Grid
    """Rows by columns, row 0 at the top; NaN where nothing is said."""
    scale: Scale = Scale.SEQUENTIAL
    marks: tuple[int, ...] = ()
    """Points worth a look, such as the biggest moves; the first is the best."""
    labels: Labels | None = None
    """A short text for some points, rows by columns."""
    notes: Labels | None = None
    """More to say of a point, in some lines, such as the pattern around it."""
    unit: str = ""
    low: float | None = None
    """The value of the faintest colour; None to take it from the values."""
    high: float | None = None
    board: npt.NDArray[np.uint8] | None = None
    """The colours of the stones, for pictures."""

    def limits(self) -> tuple[float, float]:
        """Return the values of the two ends of the colours; they differ."""
        said = self.values[np.isfinite(self.values)]
        if self.scale is Scale.MASK or not said.size:
            return 0.0, 1.0
        if self.scale is Scale.DIVERGING:
            most = float(np.abs(said).max()) if self.high is None else self.high
            return -(most or 1.0), most or 1.0
        low = min(0.0, float(said.min())) if self.low is None else self.low
        high = float(said.max()) if self.high is None else self.high
        return low, high if high > low else low + 1.0

    def _repr_svg_(self) -> str:
        """Return the heat map: notebooks show it."""
        from tengen.view.heat import heat_map

        return heat_map(self).svg()

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain JSON: None for NaN, marks as vertices, the stones left out."""
        low, high = self.limits()
        rows = [[float(v) if np.isfinite(v) else None for v in row] for row in self.values]
        return {
            "name": self.name,
            "title": self.title,
            "meaning": self.meaning,
            "scale": self.scale.name.lower(),
            "unit": self.unit,
            "low": low,
            "high": high,
            "values": rows,
            "marks": [vertex(point, len(rows)) for point in self.marks],
            "labels": _listed(self.labels),
            "notes": _listed(self.notes),
        }


def _listed(texts: Labels | None) -> list[list[str | None]] | None:
    return None if texts is None else [list(row) for row in texts]
