"""What lies around a point, read from one number: `block[AROUND + point]`.

Its eight neighbours have two bits each: 1 for Black, 2 for White, 3 for the wall. So the low bits
say where Black or the wall is, the high bits where White or the wall is, and a question about all
neighbours is answered without a loop and without a branch.
"""

import numpy as np

from tengen.board.kernels.layout import COLOURS
from tengen.core.compiler import inline_kernel

ONE = np.uintp(1)

BESIDE = np.uintp(0x1144)
"""The low bits of the four neighbours on the lines."""
DIAGONAL = np.uintp(0x4411)
"""The low bits of the other four."""


@inline_kernel
def stones_around(code, colour, which):
    """Return a bit for each stone of `colour` among the neighbours of BESIDE or DIAGONAL."""
    own, other = code >> (colour - ONE), code >> (COLOURS - ONE - colour)
    return own & ~other & which


@inline_kernel
def walls_around(code, which):
    """Return a bit for each neighbour outside of the board."""
    return code & (code >> ONE) & which


@inline_kernel
def empty_beside(code):
    """Return a bit for each empty neighbour on the lines."""
    return ~(code | (code >> ONE)) & BESIDE


@inline_kernel
def is_enclosed(code, colour):
    """Tell whether all four neighbours on the lines are stones of `colour` or wall."""
    mask = BESIDE << (colour - ONE)
    return code & mask == mask


@inline_kernel
def has_several(bits):
    """Tell whether more than one bit is set."""
    return bits & (bits - ONE) != np.uintp(0)
