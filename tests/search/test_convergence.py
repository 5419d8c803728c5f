"""UCT on random trees with noisy leaves: paper 001, theorems 1 to 3.

The kernels play Go, so the trees here are artificial; the selection is the real one. The path
goes down by `select_child`, a leaf gives 1 or 0 by its probability, and the reward goes back up.
"""

import numpy as np
import pytest
from search_helpers import ROOT, cleared_tree, formula

from tengen.search.kernels.selection import UCT, select_child

pytestmark = pytest.mark.kernels

BRANCHES = 3
DEPTH = 3
UNUSED = np.ones(1, dtype=np.uint64)
"""Random generator state, used only with wide root noise."""
UCT_FORMULA = formula(UCT, exploration=0.7, fpu=100.0)


class NoisyTree:
    """A complete tree; leaf values are for the player who moves first at the root."""

    def __init__(self, seed: int, depth: int = DEPTH, branches: int = BRANCHES):
        self.random = np.random.default_rng(seed)
        nodes = 2 + sum(branches**level for level in range(1, depth + 1))
        self.tree = cleared_tree(nodes)
        self.depth = depth
        self.value = np.full(nodes, np.nan)
        self._grow(branches)

    def _grow(self, branches: int) -> None:
        level, free = [ROOT], ROOT + 1
        for _ in range(self.depth):
            below = []
            for node in level:
                self.tree.first_child[node], self.tree.child_count[node] = free, branches
                below += range(free, free + branches)
                free += branches
            level = below
        self.value[level] = self.random.random(len(level))

    def children(self, node: int) -> range:
        first = int(self.tree.first_child[node])
        return range(first, first + int(self.tree.child_count[node]))

    def minimax(self, node: int = ROOT, first_moves: bool = True) -> float:
        """Return the true value of a node, for the player who moves first at the root."""
        values = [self.minimax(child, not first_moves) for child in self.children(node)]
        if not values:
            return float(self.value[node])
        return max(values) if first_moves else min(values)

    def simulate(self, count: int) -> None:
        for _ in range(count):
            path = [ROOT]
            while len(path) <= self.depth:
                node = np.uintp(path[-1])
                child = select_child(self.tree, node, UCT_FORMULA, np.uintp(0), UNUSED, False)
                path.append(int(child))
            reward = float(self.random.random() < self.value[path[-1]])
            for level, node in enumerate(path):
                self.tree.visits[node] += 1
                self.tree.results[node] += 1
                # A node's wins are those of the player who moved there.
                self.tree.wins[node] += reward if level % 2 == 1 else 1 - reward

    def visits(self, node: int = ROOT) -> np.ndarray:
        children = self.children(node)
        return self.tree.visits[children.start : children.stop].copy()


def separated(seed: int) -> NoisyTree | None:
    """Return a random tree, or None if two root moves have nearly equal values."""
    tree = NoisyTree(seed)
    values = sorted(tree.minimax(child, first_moves=False) for child in tree.children(ROOT))
    return tree if values[-1] - values[-2] > 0.1 else None


TREES = [seed for seed in range(20) if separated(seed)][:6]


@pytest.mark.parametrize("seed", TREES)
def test_uct_converges_to_the_minimax_move_and_value(seed):
    """Theorem 3: estimate and choice at the root converge."""
    tree = NoisyTree(seed)
    values = [tree.minimax(child, first_moves=False) for child in tree.children(ROOT)]
    tree.simulate(1000)
    early = abs(1 - tree.tree.wins[ROOT] / tree.tree.visits[ROOT] - max(values))
    tree.simulate(5000)
    assert int(np.argmax(tree.visits())) == int(np.argmax(values))
    late = abs(1 - tree.tree.wins[ROOT] / tree.tree.visits[ROOT] - max(values))
    assert late < 0.1
    assert late < early + 0.02


def test_every_arm_is_played_infinitely_often():
    """Theorem 2: T_i(n) >= p log n for every arm, however bad."""
    tree = NoisyTree(3, depth=1, branches=4)
    tree.value[list(tree.children(ROOT))] = [0.95, 0.5, 0.05, 0.0]
    seen = []
    for _ in range(5):
        tree.simulate(1500)
        seen.append(tree.visits())
        assert (seen[-1] >= 0.5 * np.log(tree.tree.visits[ROOT])).all()
    assert (seen[-1] > seen[0]).all()


def test_bad_arms_are_played_logarithmically():
    """Theorem 1: T_i(n) <= 16 C^2 ln n / (gap / 2)^2 + a constant."""
    tree = NoisyTree(5, depth=1, branches=3)
    tree.value[list(tree.children(ROOT))] = [0.9, 0.4, 0.1]
    tree.simulate(1000)
    first = tree.visits()
    tree.simulate(7000)
    last = tree.visits()
    bound = 16 * UCT_FORMULA.exploration**2 * np.log(8000) / (np.array([0.5, 0.8]) / 2) ** 2
    assert (last[1:] <= bound + 10).all()
    # With eight times the plays, bad arms get far fewer than eight times as many.
    assert (last[1:] < 3 * first[1:]).all()
    assert last[0] > 0.9 * 8000
