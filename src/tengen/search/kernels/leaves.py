"""Leaves of the tree that wait for a net."""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import CELLS, PASSES
from tengen.core.compiler import inline_kernel, kernel
from tengen.search.kernels.tree import DEEPEST

ONE = np.uintp(1)
MOST_LEAVES = 64
"""The largest batch."""


class Leaves(NamedTuple):
    """Leaves that wait for a net: a worker's own."""

    count: np.ndarray  # int64 [1]
    blocks: np.ndarray  # uint32 [MOST_LEAVES, CELLS]
    paths: np.ndarray  # uint32 [MOST_LEAVES, DEEPEST + 1]: the nodes from the root to the leaf
    lengths: np.ndarray  # int64 [MOST_LEAVES]


class Mixing(NamedTuple):
    """How a net's word counts; `NetUse` explains it."""

    has_net: bool
    playout_share: float  # lambda: the share of the playout in a leaf's value
    is_puct: bool  # whether all knowledge speaks through the policy, none by equivalent visits
    visits: float  # equivalent visits of a move that the net is sure of, but for puct
    lead_weight: float  # share of the margin, beside winning, in what puct goes by


NO_NET = Mixing(False, 1.0, False, 0.0, 0.0)


def new_leaves() -> Leaves:
    """Return room for one worker's leaves."""
    return Leaves(
        np.zeros(1, dtype=np.int64),
        np.zeros((MOST_LEAVES, int(CELLS)), dtype=np.uint32),
        np.zeros((MOST_LEAVES, DEEPEST + 1), dtype=np.uint32),
        np.zeros(MOST_LEAVES, dtype=np.int64),
    )


@inline_kernel
def _is_waiting(leaves, node, length):
    """Tell whether a leaf is among those that wait already."""
    for index in range(leaves.count[0]):
        if leaves.lengths[index] == length and leaves.paths[index, length - ONE] == node:
            return True
    return False


@inline_kernel
def _remember(leaves, worker, length):
    """Put the leaf at the end of the worker's path on the list."""
    place = leaves.count[0]
    copy_block(worker.block, leaves.blocks[place])
    for depth in range(length):
        leaves.paths[place, depth] = worker.path[depth]
    leaves.lengths[place] = length
    leaves.count[0] = place + 1


@kernel
def _take_back(tree, worker, length):
    """Uncount the visits of the worker's path."""
    for depth in range(length):
        tree.visits[worker.path[depth]] -= 1


@kernel
def put_aside(tree, worker, length, expand_at, mixing):
    """Put the leaf at the end of the worker's path on the list for the net, if it is for the net.

    Return the share of a playout in its value; -1 if it is on the list already, and then its
    visit is taken back. A leaf of fewer visits than `expand_at` gets a playout only, if playouts
    count at all. The end of a game needs no net.
    """
    if worker.block[PASSES] >= 2 or length > np.uintp(DEEPEST):
        return 1.0
    leaf = np.uintp(worker.path[length - ONE])
    if mixing.playout_share > 0 and length > ONE and tree.visits[leaf] < expand_at:
        return 1.0
    if _is_waiting(worker.leaves, leaf, length):
        _take_back(tree, worker, length)
        return -1.0
    _remember(worker.leaves, worker, length)
    return mixing.playout_share
