"""What the playouts know of SHAPE (paper 004): odds of 3x3 patterns beside the last move."""

import functools

import numpy as np
import numpy.typing as npt

from tengen.knowledge.kernels.shape_answers import write_answer_odds
from tengen.knowledge.kernels.shape_keys import RING_CELLS, RINGS
from tengen.knowledge.kernels.shape_tables import BITS
from tengen.knowledge.shape import Shape
from tengen.knowledge.shape_tables import SIZES
from tengen.playout.kernels.shape import PATTERN_CODES


@functools.cache
def answer_odds() -> npt.NDArray[np.uint32]:
    """Return the table for `playout.kernels.shape.shape_answer`, from the file that comes along."""
    _, own, slots, _ = Shape().code()
    numbers = np.array([0.0, *own])
    numbers[int(BITS) + 1 : int(BITS) + len(SIZES)] = 0  # 3x3 only
    rings = np.zeros(int(RING_CELLS), dtype=np.uint64)
    keys = np.zeros(int(RINGS), dtype=np.uint64)
    odds = np.zeros(PATTERN_CODES, dtype=np.uint32)
    write_answer_odds(numbers, slots, rings, keys, odds)
    return odds
