"""Memory of the search tree: allocation, subtree reuse and pruning.

The memory has two halves, one in use. When a move is played or the memory is full, the subtree to
keep is copied to the other half. Free nodes are divided among the threads, which then allocate
without locks.
"""

import numpy as np
import numpy.typing as npt

from tengen.search.kernels.tree import (
    BYTES_PER_NODE,
    PUCT_BYTES_PER_NODE,
    TreeArrays,
    copy_subtree,
    new_tree,
    reset_node,
)
from tengen.search.kernels.worker import Worker
from tengen.util import TengenError

ROOT = 1
FIRST_FREE = 2
MIN_NODES = 4096
MIN_NODES_PER_WORKER = 1024
"""Enough for the moves of an empty board of any size."""
_BYTES_OF_ORIGIN = 4


class SearchTree:
    """The tree of a search. The root is always node 1."""

    def __init__(self, memory_mib: int, workers: int = 1, has_puct: bool = True):
        """Allocate memory, with the fields for PUCT or without; raise TengenError if it fails."""
        node_bytes = PUCT_BYTES_PER_NODE if has_puct else BYTES_PER_NODE
        nodes = memory_mib * 2**20 // (2 * node_bytes + _BYTES_OF_ORIGIN)
        self._has_puct = has_puct
        self.capacity = max(MIN_NODES, MIN_NODES_PER_WORKER * workers, nodes)
        try:
            self.arrays: TreeArrays = new_tree(self.capacity, has_puct)
        except MemoryError:
            raise TengenError(
                f"not enough memory for a tree of {memory_mib} MiB: reduce memory_mib"
            ) from None
        self._spare: TreeArrays | None = None
        self._origin: np.ndarray | None = None
        self._net_values: npt.NDArray[np.float32] | None = None
        self._used = FIRST_FREE
        self.clear()

    def clear(self) -> None:
        """Discard all nodes but an unexpanded root."""
        reset_node(self.arrays, np.uintp(ROOT), np.uintp(0))
        self._used = FIRST_FREE

    def divide_free_nodes(self, workers: list[Worker]) -> None:
        """Give each worker an equal part of the free nodes."""
        part = (self.capacity - self._used) // len(workers)
        for index, worker in enumerate(workers):
            worker.node_range["next"] = self._used + index * part
            worker.node_range["end"] = self._used + (index + 1) * part

    def nodes_used(self, workers: list[Worker]) -> int:
        """Return the number of nodes in use."""
        part = (self.capacity - self._used) // len(workers)
        starts = (self._used + index * part for index in range(len(workers)))
        allocated = (int(w.node_range["next"][0]) - s for w, s in zip(workers, starts, strict=True))
        return self._used + sum(allocated)

    def keep_subtree(self, node: int, min_visits: float = 0.0) -> None:
        """Make `node` the root, discard all other subtrees, and free at least half of the memory.

        Nodes with fewer than `min_visits` visits lose their children; if that is not enough, more
        nodes do, those with the fewest visits first.
        """
        self._copy(node, min_visits, self.capacity)
        half = self.capacity // 2
        if self._used > half:
            self._copy(ROOT, self._min_visits_for(half), half)

    def policy_of_children(self, node: int) -> npt.NDArray[np.float32]:
        """Return the policy of the children of a node; without PUCT, that of their priors."""
        children, arrays = self.children(node), self.arrays
        part = slice(children.start, children.stop)
        if self._has_puct:
            return arrays.policy[part]
        policy = arrays.prior_wins[part] + np.float32(0.01)
        return np.asarray(policy / policy.sum(), dtype=np.float32)

    def temper_root_policy(self, temperature: float) -> None:
        """Raise the policy at the root to the power 1/temperature."""
        children = self.children(ROOT)
        policy = self.arrays.policy[children.start : children.stop]
        policy[:] = policy ** (1 / temperature)
        policy /= max(policy.sum(), np.float32(1e-9))

    def _min_visits_for(self, max_nodes: int) -> float:
        """Return the lowest `min_visits` that keeps at most `max_nodes` nodes."""
        visits, counts = self.arrays.visits[: self._used], self.arrays.child_count[: self._used]
        expanded = np.flatnonzero(counts[ROOT:] > 0) + ROOT
        by_visits = expanded[np.argsort(-visits[expanded], kind="stable")]
        kept = FIRST_FREE + np.cumsum(counts[by_visits], dtype=np.int64)
        first_cut = np.searchsorted(kept, max_nodes, side="right")
        return float(np.nextafter(visits[by_visits[first_cut]], np.inf))

    def _copy(self, node: int, min_visits: float, max_nodes: int) -> None:
        """Copy a subtree to the other half of the memory and switch to it."""
        if self._spare is None or self._origin is None:
            self._spare = new_tree(self.capacity, self._has_puct)
            self._origin = np.empty(self.capacity, dtype=np.uint32)
        start, limit = np.uintp(node), np.uintp(max_nodes)
        used = copy_subtree(self.arrays, start, self._spare, min_visits, limit, self._origin)
        self.arrays, self._spare = self._spare, self.arrays
        self._used = int(used)
        if self._net_values is not None:
            self._net_values[ROOT : self._used] = self._net_values[self._origin[ROOT : self._used]]

    def record_net_values(
        self, nodes: npt.NDArray[np.uint32], values: npt.NDArray[np.float32]
    ) -> None:
        """Store a network's win rate and lead for Black of nodes; `values` is [nodes, 2]."""
        if self._net_values is None:
            self._net_values = np.empty((self.capacity, 2), dtype=np.float32)
        self._net_values[nodes] = values

    @property
    def net_values(self) -> npt.NDArray[np.float32] | None:
        """Win rate and lead for Black, [nodes, 2]; defined for the nodes a network expanded.

        None if no network has evaluated a node.
        """
        return self._net_values

    def children(self, node: int) -> range:
        """Return the children of a node."""
        first = int(self.arrays.first_child[node])
        return range(first, first + int(self.arrays.child_count[node]))

    def child_with_move(self, node: int, move: int) -> int | None:
        """Return the child that a move leads to, or None."""
        for child in self.children(node):
            if int(self.arrays.move[child]) == move:
                return child
        return None
