"""Giving a leaf its children, with what the sources say of them."""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import EMPTIES, EMPTY_LIST, PASS, POINTS, TO_PLAY
from tengen.core.compiler import kernel
from tengen.knowledge.kernels.registry import add_priors, is_pruned
from tengen.playout.kernels.light import playable
from tengen.search.kernels.tree import reset_node

ONE = np.uintp(1)
PASS_VALUE, PASS_VISITS = np.float32(0.1), np.float32(25.0)
"""The prior of a pass, wherever moves have priors: rarely good, always there."""
NEXT_FREE, END = np.uintp(0), np.uintp(1)
"""The cells of a worker's `room`: the next free node, and the end of its part of the tree."""


class Leaf(NamedTuple):
    """Scratch memory for expanding: a worker's own."""

    wins: np.ndarray  # float32 [POINTS]
    visits: np.ndarray  # float32 [POINTS]
    allowed: np.ndarray  # uint8 [POINTS]: the moves the root may have
    memory: np.ndarray  # float64: what the sources keep


def new_leaf(memory_cells: int) -> Leaf:
    """Return scratch memory for one worker, with so many cells for its sources."""
    points = int(POINTS)
    return Leaf(
        np.zeros(points, dtype=np.float32),
        np.zeros(points, dtype=np.float32),
        np.ones(points, dtype=np.uint8),
        np.zeros(memory_cells),
    )


@kernel
def _is_candidate(block, point, colour, is_root, leaf):
    """Tell whether a move gets a child: legal and no filling of an own eye."""
    if is_root and leaf.allowed[point] == 0:
        return False
    return playable(block, point, colour)


@kernel
def _add_child(tree, place, move, wins, visits):
    reset_node(tree, place, move)
    tree.prior_wins[place] = wins
    tree.prior_visits[place] = visits


@kernel
def _set_policy(tree, first, count):
    """Share out a probability by the priors: value times equivalent visits, a little for all."""
    total = np.float32(0.0)
    for child in range(first, first + count):
        tree.policy[child] = tree.prior_wins[child] + np.float32(0.01)
        total += tree.policy[child]
    for child in range(first, first + count):
        tree.policy[child] /= total


@kernel
def _add_moves(tree, first, block, is_root, leaf, with_pruned):
    """Make a child of every candidate from cell `first` on; return the cell after the last."""
    colour = np.uintp(block[TO_PLAY])
    place = first
    for index in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + index])
        if not _is_candidate(block, point, colour, is_root, leaf):
            continue
        if not is_pruned(leaf.visits[point]):
            _add_child(tree, place, point, leaf.wins[point], leaf.visits[point])
        elif with_pruned:
            _add_child(tree, place, point, np.float32(0), np.float32(0))
        else:
            continue
        place += ONE
    return place


@kernel
def expand(tree, node, block, depth, sources, room, leaf):
    """Give `node`, whose position is `block`, its children; return whether there was room.

    A move gets none if a source prunes it, unless all are pruned. The children are complete
    before the node tells of them, so another thread never sees half of them. Two threads may
    expand one node at once: the later one wins, nothing breaks.
    """
    first = np.uintp(room[NEXT_FREE])
    if first + np.uintp(block[EMPTIES]) + ONE > np.uintp(room[END]):
        return False
    add_priors(block, depth, sources, leaf.memory, leaf.wins, leaf.visits)
    is_root = depth == np.uintp(0)
    place = _add_moves(tree, first, block, is_root, leaf, False)
    if place == first:
        place = _add_moves(tree, first, block, is_root, leaf, True)
    pass_visits = PASS_VISITS if len(sources.address) > 0 else np.float32(0.0)
    _add_child(tree, place, PASS, PASS_VALUE * pass_visits, pass_visits)
    place += ONE
    _set_policy(tree, first, place - first)
    room[NEXT_FREE] = place
    # In this order: a node with children counted must know where they are.
    tree.first_child[node] = first
    tree.children[node] = place - first
    return True
