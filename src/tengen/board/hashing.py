"""The Zobrist keys of the kernels, for work on whole arrays of stones."""

from functools import cache

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import POINTS, ZOBRIST_HIGH, ZOBRIST_LOW


@cache
def stone_keys() -> npt.NDArray[np.uint64]:
    """Return the key of a stone: a row a colour (row 0 means nothing), a column a point."""
    keys: npt.NDArray[np.uint64]
    keys = (ZOBRIST_HIGH.astype(np.uint64) << np.uint64(32)) | ZOBRIST_LOW
    keys.flags.writeable = False
    return keys.reshape(3, int(POINTS))
