"""The symmetries of a board: eight of a square one, four of any other, as tables of points.

Symmetry `s` first mirrors top and bottom if bit 0 is set, then left and right if bit 1 is, then
swaps rows and columns if bit 2 is. Symmetry 0 leaves everything where it is.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tengen.board.kernels import layout

PointTable = npt.NDArray[np.uint16]
"""One row a symmetry: where it takes each point of the padded board."""


@lru_cache(maxsize=64)
def symmetries(rows: int, columns: int) -> PointTable:
    """Return where each symmetry takes each point; PASS and the walls stay where they are."""
    count = 8 if rows == columns else 4
    table = np.tile(np.arange(int(layout.POINTS), dtype=np.uint16), (count, 1))
    row, column = np.divmod(np.arange(rows * columns), columns)
    points = _points(row, column)
    for symmetry in range(count):
        there = rows - 1 - row if symmetry & 1 else row
        across = columns - 1 - column if symmetry & 2 else column
        table[symmetry, points] = _points(*((across, there) if symmetry & 4 else (there, across)))
    table.flags.writeable = False
    return table


@lru_cache(maxsize=64)
def inverse_symmetries(rows: int, columns: int) -> PointTable:
    """Return the table whose row `s` takes each point back from where symmetry `s` took it."""
    inverse = np.argsort(symmetries(rows, columns), axis=1).astype(np.uint16)
    inverse.flags.writeable = False
    return inverse


@lru_cache(maxsize=64)
def eight_symmetries(rows: int, columns: int) -> PointTable:
    """Return a table that always has eight rows: on oblong boards each symmetry comes twice."""
    table = symmetries(rows, columns)
    return np.concatenate([table] * (8 // len(table)))


def _points(row: npt.NDArray[np.intp], column: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    return (row + 1) * int(layout.STRIDE) + column + 1
