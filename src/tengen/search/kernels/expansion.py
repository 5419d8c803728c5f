"""Expansion: creating the children of a leaf with the priors of the sources."""

import numpy as np

from tengen.board.kernels.layout import EMPTY_COUNT, EMPTY_LIST, PASS, TO_PLAY
from tengen.playout.kernels.light import playable
from tengen.search.kernels.tree import has_puct_fields, reset_node
from tengen.sources.kernels.registry import add_priors, is_pruned
from tengen.util.compiler import kernel

ONE = np.uintp(1)
PASS_VALUE, PASS_VISITS = np.float32(0.1), np.float32(25.0)
"""Prior of a pass in a search with priors."""


@kernel
def _is_candidate(block, point, color, is_root, scratch):
    """Return whether a move gets a child: legal, allowed at the root, and not filling an eye."""
    if is_root and scratch.allowed[point] == 0:
        return False
    return playable(block, point, color)


@kernel
def _add_child(tree, child, move, wins, visits):
    reset_node(tree, child, move)
    tree.prior_wins[child] = wins
    tree.prior_visits[child] = visits


@kernel
def _set_policy(tree, first, count):
    """Set the policy of the children in proportion to prior value times equivalent visits."""
    total = np.float32(0.0)
    for child in range(first, first + count):
        tree.policy[child] = tree.prior_wins[child] + np.float32(0.01)
        total += tree.policy[child]
    for child in range(first, first + count):
        tree.policy[child] /= total


@kernel
def _add_moves(tree, first, block, is_root, scratch, with_pruned):
    """Create a child for every candidate from node `first` on; return the next free node."""
    color = np.uintp(block[TO_PLAY])
    child = first
    for index in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + index])
        if not _is_candidate(block, point, color, is_root, scratch):
            continue
        if not is_pruned(scratch.visits[point]):
            _add_child(tree, child, point, scratch.wins[point], scratch.visits[point])
        elif with_pruned:
            _add_child(tree, child, point, np.float32(0), np.float32(0))
        else:
            continue
        child += ONE
    return child


@kernel
def expand(tree, node, block, depth, sources, node_range, scratch):
    """Create the children of `node`, whose position is `block`; return False if memory is full.

    Moves pruned by a source are omitted, unless all moves are pruned. The children are complete
    before the node refers to them, so other threads never see a partial expansion. If two threads
    expand the same node, the later one wins.
    """
    free = node_range[0]
    first = np.uintp(free.next)
    if first + np.uintp(block[EMPTY_COUNT]) + ONE > np.uintp(free.end):
        return False
    add_priors(block, depth, sources, scratch.memory, scratch.wins, scratch.visits)
    is_root = depth == np.uintp(0)
    child = _add_moves(tree, first, block, is_root, scratch, False)
    if child == first:
        child = _add_moves(tree, first, block, is_root, scratch, True)
    pass_visits = PASS_VISITS if len(sources.address) > 0 else np.float32(0.0)
    _add_child(tree, child, PASS, PASS_VALUE * pass_visits, pass_visits)
    child += ONE
    if has_puct_fields(tree):
        _set_policy(tree, first, child - first)
    free.next = child
    # The order matters to other threads: set the index of the children before their number.
    tree.first_child[node] = first
    tree.child_count[node] = child - first
    return True
