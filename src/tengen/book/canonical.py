"""A name for a position that is the same however it is turned and whichever side is to move.

The kernels give the same names to positions of games; see `book.kernels.steps`.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from tengen.board.colour import BLACK
from tengen.board.hashing import stone_keys
from tengen.board.kernels import layout
from tengen.board.position import Position
from tengen.board.symmetry import symmetries

_SIZE_SEED = 2**16
_COLOURS = slice(int(layout.COLOUR), int(layout.COLOUR + layout.POINTS))


class Name(NamedTuple):
    """The key of a position, and which symmetries turn it into the one the key was made of."""

    key: int
    symmetries: list[int]


@cache
def size_key(rows: int, columns: int) -> np.uint64:
    """Return a key for a board size, fixed for all time: boards of two sizes are not alike."""
    rng = np.random.Generator(np.random.PCG64(_SIZE_SEED + rows * 32 + columns))
    return rng.integers(0, 2**64, dtype=np.uint64)


def name_of(position: Position) -> Name:
    """Return the name of a position with its side to move. Ko and history are no part of it."""
    colours = position.block[_COLOURS]
    points = np.flatnonzero((colours == 1) | (colours == 2))
    seen = colours[points] if position.to_play is BLACK else 3 - colours[points]
    turned = symmetries(position.rows, position.columns)[:, points]
    hashes = np.bitwise_xor.reduce(stone_keys()[seen, turned], axis=1)
    hashes ^= size_key(position.rows, position.columns)
    least = hashes.min()
    return Name(int(least), np.flatnonzero(hashes == least).tolist())
