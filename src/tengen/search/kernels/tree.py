"""The search tree as a structure of arrays, one element per node.

The children of a node are contiguous and created together when their parent is expanded. All
values are from the point of view of the player whose move leads to the node.
"""

from typing import NamedTuple

import numpy as np

from tengen.util.compiler import inline_kernel, kernel

NO_CHILDREN = np.uint32(0)
"""`first_child` of an unexpanded node; node 0 is never a child."""
BYTES_PER_NODE, PUCT_BYTES_PER_NODE = 36, 48
MAX_DEPTH = 256
"""Maximum length of a path from the root."""


class TreeArrays(NamedTuple):
    """The node arrays, each of shape [nodes]; those for PUCT are empty in other searches."""

    move: np.ndarray  # uint16: the move that leads to the node
    first_child: np.ndarray  # uint32: index of the first child, or NO_CHILDREN
    child_count: np.ndarray  # uint16
    visits: np.ndarray  # float32: simulations through the node, unfinished ones included
    results: np.ndarray  # float32: simulations that were backed up
    wins: np.ndarray  # float32: sum of their rewards
    prior_visits: np.ndarray  # float32: equivalent visits of the sources
    prior_wins: np.ndarray  # float32: value of the sources times equivalent visits
    rave_visits: np.ndarray  # float32: simulations in which the move was played later
    rave_wins: np.ndarray  # float32: sum of their rewards
    policy: np.ndarray  # float32, for PUCT: probability of the move
    squares: np.ndarray  # float32, for PUCT: sum of the squared rewards
    margins: np.ndarray  # float32, for PUCT: sum of the scaled score margins, 0 to 1; 0 if unused


def new_tree(nodes: int, has_puct: bool = True) -> TreeArrays:
    """Return uninitialized arrays: a node is initialized when it is created.

    `np.zeros` would touch all of the memory at once where it was used before.
    """
    always = [np.empty(nodes, dtype) for dtype in (np.uint16, np.uint32, np.uint16)]
    always += [np.empty(nodes, np.float32) for _ in range(7)]
    return TreeArrays(*always, *(np.empty(nodes * has_puct, np.float32) for _ in range(3)))


@inline_kernel
def has_puct_fields(tree):
    """Return whether the tree has the fields for PUCT."""
    return len(tree.policy) > 0


@kernel
def reset_node(tree, node, move):
    """Initialize an unexpanded node."""
    tree.move[node] = move
    tree.first_child[node] = NO_CHILDREN
    tree.child_count[node] = 0
    tree.visits[node] = 0
    tree.results[node] = 0
    tree.wins[node] = 0
    tree.prior_visits[node] = 0
    tree.prior_wins[node] = 0
    tree.rave_visits[node] = 0
    tree.rave_wins[node] = 0
    if has_puct_fields(tree):
        tree.policy[node] = 0
        tree.squares[node] = 0
        tree.margins[node] = 0


@kernel
def _copy_node(source, node, target, index):
    """Copy a node without its children."""
    target.move[index] = source.move[node]
    target.first_child[index] = NO_CHILDREN
    target.child_count[index] = 0
    target.visits[index] = source.visits[node]
    target.results[index] = source.results[node]
    target.wins[index] = source.wins[node]
    target.prior_visits[index] = source.prior_visits[node]
    target.prior_wins[index] = source.prior_wins[node]
    target.rave_visits[index] = source.rave_visits[node]
    target.rave_wins[index] = source.rave_wins[node]
    if has_puct_fields(source):
        target.policy[index] = source.policy[node]
        target.squares[index] = source.squares[node]
        target.margins[index] = source.margins[node]


@kernel
def copy_subtree(source, root, target, min_visits, max_nodes, origin):
    """Copy the subtree of `root` to another tree, with `root` as node 1; return the nodes used.

    Nodes with fewer than `min_visits` visits lose their children, and all nodes do once
    `max_nodes` are used. `origin` is scratch: the source index of each copied node.
    """
    _copy_node(source, root, target, np.uintp(1))
    origin[1] = root
    used = np.uintp(2)
    done = np.uintp(1)
    while done < used:
        old = np.uintp(origin[done])
        count = np.uintp(source.child_count[old])
        first = np.uintp(source.first_child[old])
        if count > 0 and source.visits[old] >= min_visits and used + count <= max_nodes:
            target.first_child[done] = used
            target.child_count[done] = count
            for index in range(count):
                _copy_node(source, first + index, target, used)
                origin[used] = first + index
                used += np.uintp(1)
        done += np.uintp(1)
    return used
