"""The tree: a struct of arrays, one cell a node in each.

The children of a node lie side by side. A node is made with its siblings, when their parent is
expanded; it is reached by one move. All values are from the side of the player who made it.
"""

from typing import NamedTuple

import numpy as np

from tengen.core.compiler import kernel

NO_CHILDREN = np.uint32(0)
"""Node 0 is never a child, so 0 can mean that a node is not expanded."""
BYTES_A_NODE = 40
DEEPEST = 256
"""The longest path down the tree."""


class Tree(NamedTuple):
    """The arrays, each [nodes]."""

    move: np.ndarray  # uint16: the move that leads here
    first_child: np.ndarray  # uint32: where the children begin, or NO_CHILDREN
    children: np.ndarray  # uint16: how many
    visits: np.ndarray  # float32: simulations through this node
    wins: np.ndarray  # float32: the sum of their rewards
    margins: np.ndarray  # float32: the sum of their margins, 0 to 1; only where these count
    prior_visits: np.ndarray  # float32: equivalent visits of what the sources say
    prior_wins: np.ndarray  # float32: value times equivalent visits
    rave_visits: np.ndarray  # float32: simulations in which the move came later
    rave_wins: np.ndarray  # float32: the sum of their rewards
    policy: np.ndarray  # float32: probability of the move, for puct


def new_tree(nodes: int) -> Tree:
    """Return a tree with room for that many nodes; their cells hold anything.

    Memory is taken as it is used: a node is cleared when it is made. Zeros would be written at
    once wherever the memory served another tree before, and take all of it.
    """
    dtypes = (np.uint16, np.uint32, np.uint16, *(np.float32,) * 8)
    return Tree(*(np.empty(nodes, dtype=dtype) for dtype in dtypes))


@kernel
def reset_node(tree, node, move):
    """Make a cell a fresh, unexpanded node."""
    tree.move[node] = move
    tree.first_child[node] = NO_CHILDREN
    tree.children[node] = 0
    tree.visits[node] = 0
    tree.wins[node] = 0
    tree.margins[node] = 0
    tree.prior_visits[node] = 0
    tree.prior_wins[node] = 0
    tree.rave_visits[node] = 0
    tree.rave_wins[node] = 0
    tree.policy[node] = 0


@kernel
def _copy_node(source, node, target, place):
    """Copy all of a node but its children."""
    target.move[place] = source.move[node]
    target.first_child[place] = NO_CHILDREN
    target.children[place] = 0
    target.visits[place] = source.visits[node]
    target.wins[place] = source.wins[node]
    target.margins[place] = source.margins[node]
    target.prior_visits[place] = source.prior_visits[node]
    target.prior_wins[place] = source.prior_wins[node]
    target.rave_visits[place] = source.rave_visits[node]
    target.rave_wins[place] = source.rave_wins[node]
    target.policy[place] = source.policy[node]


@kernel
def copy_subtree(source, root, target, fewest_visits, most_nodes, origin):
    """Copy the tree below `root` to the start of another; return how many cells it takes.

    The root becomes node 1. Nodes with fewer visits than `fewest_visits` lose their children, as
    do all once `most_nodes` are used. `origin` is scratch memory: where each copy came from.
    """
    _copy_node(source, root, target, np.uintp(1))
    origin[1] = root
    used = np.uintp(2)
    done = np.uintp(1)
    while done < used:
        old = np.uintp(origin[done])
        count = np.uintp(source.children[old])
        first = np.uintp(source.first_child[old])
        if count > 0 and source.visits[old] >= fewest_visits and used + count <= most_nodes:
            target.first_child[done] = used
            target.children[done] = count
            for index in range(count):
                _copy_node(source, first + index, target, used)
                origin[used] = first + index
                used += np.uintp(1)
        done += np.uintp(1)
    return used
