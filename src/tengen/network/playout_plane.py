"""A search-based feature: whose each point is at the end of a few playouts from the board.

The fourth way of paper 001, section 2.2.4: "adding a search-based feature to the input of the
neural network". The playouts are those of the search itself.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.board.colour import BLACK
from tengen.board.kernels import layout
from tengen.board.kernels.block import stones_hash
from tengen.board.points import STRIDE
from tengen.board.position import Block
from tengen.network.evaluation import Floats
from tengen.playout.ownership import playout_owners
from tengen.playout.policy import HEAVY

Shares = npt.NDArray[np.int8]
FULL = 127
"""All playouts gave the point to the side to move; -127: to the opponent."""
MOST_PLAYOUTS = 1000


def playout_shares(blocks: Sequence[Block], playouts: int) -> Shares:
    """Return (n, rows * columns) for boards of one size: -127 to 127, for the sides to move.

    Chance is drawn from the board: the same block always gives the same numbers. Without
    playouts it is (n, 0).
    """
    area = int(blocks[0][layout.ROWS]) * int(blocks[0][layout.COLUMNS])
    shares = np.empty((len(blocks), area if playouts else 0), dtype=np.int8)
    for index, block in enumerate(blocks if playouts else ()):
        shares[index] = _shares(block, playouts).reshape(-1)
    return shares


def to_plane(shares: Shares, rows: int, columns: int) -> Floats:
    """Return shares as a net sees them: (n, rows, columns), -1 to 1."""
    return shares.reshape(-1, rows, columns).astype(np.float32) / np.float32(FULL)


def _shares(block: Block, playouts: int) -> Shares:
    to_play = int(block[layout.TO_PLAY])
    owned, _ = playout_owners(block, to_play, playouts, _seed(block), HEAVY)
    rows, columns = int(block[layout.ROWS]), int(block[layout.COLUMNS])
    grid = owned[STRIDE : (rows + 1) * STRIDE].reshape(rows, STRIDE)[:, 1 : columns + 1]
    side = FULL if to_play == BLACK else -FULL
    shares: Shares = np.rint(side * grid).astype(np.int8)
    return shares


def _seed(block: Block) -> int:
    """Return a number that the stones and the side to move give, never 0."""
    return int(stones_hash(block)) & ~3 | int(block[layout.TO_PLAY])
