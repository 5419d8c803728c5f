"""Board symmetries as tables of points: eight for square boards, four for others.

Symmetry `s` first mirrors top and bottom if bit 0 is set, then left and right if bit 1 is set, then
transposes if bit 2 is set. Symmetry 0 is the identity.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tengen.board.kernels import layout

PointTable = npt.NDArray[np.uint16]
"""Image of each padded point, one row per symmetry: uint16 [symmetries, POINTS]."""


@lru_cache(maxsize=64)
def symmetries(rows: int, columns: int) -> PointTable:
    """Return the image of each point under each symmetry; PASS and walls stay fixed."""
    count = 8 if rows == columns else 4
    table = np.tile(np.arange(int(layout.POINTS), dtype=np.uint16), (count, 1))
    row, column = np.divmod(np.arange(rows * columns), columns)
    points = _points(row, column)
    for symmetry in range(count):
        new_row = rows - 1 - row if symmetry & 1 else row
        new_column = columns - 1 - column if symmetry & 2 else column
        if symmetry & 4:
            new_row, new_column = new_column, new_row
        table[symmetry, points] = _points(new_row, new_column)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=64)
def inverse_symmetries(rows: int, columns: int) -> PointTable:
    """Return the table of inverses: row `s` reverts symmetry `s`."""
    inverse = np.argsort(symmetries(rows, columns), axis=1).astype(np.uint16)
    inverse.flags.writeable = False
    return inverse


@lru_cache(maxsize=64)
def eight_symmetries(rows: int, columns: int) -> PointTable:
    """Return a table with eight rows; on non-square boards each symmetry occurs twice."""
    table = symmetries(rows, columns)
    return np.concatenate([table] * (8 // len(table)))


def _points(row: npt.NDArray[np.intp], column: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    return (row + 1) * int(layout.STRIDE) + column + 1
