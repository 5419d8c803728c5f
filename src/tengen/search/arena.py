"""The memory of a tree: two halves, of which one is in use.

When a move is played, or when the memory is full, the part worth keeping is copied to the other
half. What is left of a half is shared out to the workers, so that threads never wait for memory.
"""

import numpy as np

from tengen.core.errors import TengenError
from tengen.search.kernels.expansion import END, NEXT_FREE
from tengen.search.kernels.simulation import Worker
from tengen.search.kernels.tree import BYTES_A_NODE, Tree, copy_subtree, new_tree, reset_node

ROOT = 1
FIRST_FREE = 2
FEWEST_NODES = 4096
FEWEST_A_WORKER = 1024
"""Room for the moves of an empty board of any size."""
_BYTES_OF_ORIGIN = 4


class Arena:
    """A tree with its spare half. The root is always node 1."""

    def __init__(self, memory_mib: int, workers: int = 1):
        """Take memory for that many workers; raise TengenError if there is not as much."""
        half = memory_mib * 2**20 // (2 * BYTES_A_NODE + _BYTES_OF_ORIGIN)
        self.capacity = max(FEWEST_NODES, FEWEST_A_WORKER * workers, half)
        try:
            self.tree: Tree = new_tree(self.capacity)
        except MemoryError:
            raise TengenError(f"there are no {memory_mib} MiB for the tree (memory_mib)") from None
        self._spare: Tree | None = None
        self._origin: np.ndarray | None = None
        self._used = FIRST_FREE
        self.clear()

    def clear(self) -> None:
        """Forget everything but an empty root."""
        reset_node(self.tree, np.uintp(ROOT), np.uintp(0))
        self._used = FIRST_FREE

    def share_out(self, workers: list[Worker]) -> None:
        """Give each worker an equal part of what is free."""
        part = (self.capacity - self._used) // len(workers)
        for index, worker in enumerate(workers):
            worker.room[NEXT_FREE] = self._used + index * part
            worker.room[END] = self._used + (index + 1) * part

    def used(self, workers: list[Worker]) -> int:
        """Return how many nodes are in use."""
        part = (self.capacity - self._used) // len(workers)
        begun = (self._used + index * part for index in range(len(workers)))
        filled = (int(w.room[NEXT_FREE]) - b for w, b in zip(workers, begun, strict=True))
        return self._used + sum(filled)

    def keep(self, node: int, fewest_visits: float = 0.0) -> None:
        """Make `node` the root and forget what is not below it, until half of the memory is free.

        Nodes with fewer visits than `fewest_visits` lose their children; if that is not enough,
        of all others those with the fewest visits do.
        """
        self._copy(node, fewest_visits, self.capacity)
        half = self.capacity // 2
        if self._used > half:
            self._copy(ROOT, self._visits_that_fit(half), half)

    def _visits_that_fit(self, most_nodes: int) -> float:
        """Return how many visits a node needs at least, if so many nodes are to be kept."""
        visits, children = self.tree.visits[: self._used], self.tree.children[: self._used]
        opened = np.flatnonzero(children[ROOT:] > 0) + ROOT
        by_visits = opened[np.argsort(-visits[opened], kind="stable")]
        kept = FIRST_FREE + np.cumsum(children[by_visits], dtype=np.int64)
        first_cut = np.searchsorted(kept, most_nodes, side="right")
        return float(np.nextafter(visits[by_visits[first_cut]], np.inf))

    def _copy(self, node: int, fewest_visits: float, most_nodes: int) -> None:
        """Copy what is below a node to the other half, and use that from now on."""
        if self._spare is None or self._origin is None:
            self._spare = new_tree(self.capacity)
            self._origin = np.empty(self.capacity, dtype=np.uint32)
        start, most = np.uintp(node), np.uintp(most_nodes)
        used = copy_subtree(self.tree, start, self._spare, fewest_visits, most, self._origin)
        self.tree, self._spare = self._spare, self.tree
        self._used = int(used)

    def children(self, node: int) -> range:
        """Return the children of a node."""
        first = int(self.tree.first_child[node])
        return range(first, first + int(self.tree.children[node]))

    def child_with(self, node: int, move: int) -> int | None:
        """Return the child that a move leads to, or None."""
        for child in self.children(node):
            if int(self.tree.move[child]) == move:
                return child
        return None
