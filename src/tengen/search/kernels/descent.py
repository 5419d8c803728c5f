"""Walking down the tree."""

import numpy as np

from tengen.board.kernels.layout import PASSES
from tengen.board.kernels.stones import play
from tengen.core.compiler import inline_kernel, kernel
from tengen.playout.kernels.random import random_below
from tengen.search.kernels.selection import select_child
from tengen.search.kernels.tree import DEEPEST

ONE = np.uintp(1)


@inline_kernel
def step_down(tree, node, worker, formula, depth):
    """Choose a child of `node`, play its move and put it on the path at `depth`; return it."""
    random = worker.playout.random
    start = np.uintp(random_below(random, np.uintp(tree.children[node])))
    child = select_child(tree, node, formula, start, random, depth == ONE)
    play(worker.block, np.uintp(tree.move[child]))
    tree.visits[child] += 1
    worker.path[depth] = child
    return child


@kernel
def walk(tree, root, worker, formula):
    """Walk from the root to a node without children, or to the end of the game, playing along.

    Return the length of the path.
    """
    node = np.uintp(root)
    worker.path[0] = node
    tree.visits[node] += 1
    depth = np.uintp(0)
    while depth < np.uintp(DEEPEST) and worker.block[PASSES] < 2 and tree.children[node] != 0:
        depth += ONE
        node = step_down(tree, node, worker, formula, depth)
    return depth + ONE
