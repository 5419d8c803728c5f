"""Simulations: selection, expansion, evaluation and backup; and flat Monte Carlo.

Threads share the tree without locks; occasional lost updates are harmless.
"""

import numpy as np

from tengen.board.kernels.area import finished_area
from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import COLUMNS, PASSES, ROWS, TO_PLAY
from tengen.board.kernels.stones import play
from tengen.playout.kernels.heavy import heavy_playout
from tengen.search.kernels.backup import backup_playout, reward_for_black, scaled_margin
from tengen.search.kernels.evaluation import playout_score, queue_for_net, queue_for_python
from tengen.search.kernels.expansion import expand
from tengen.search.kernels.selection import descend, descend_to_leaf
from tengen.search.kernels.tree import MAX_DEPTH
from tengen.search.kernels.worker import MAX_QUEUED_LEAVES, MAX_QUEUED_NODES, OWNERSHIP_INTERVAL
from tengen.util.compiler import kernel

ONE = np.uintp(1)


@kernel
def _descend_and_expand(tree, root, worker, sources, selection, parameters):
    """Descend to a leaf, expanding nodes with enough visits; return the length of the path."""
    block, path, counters = worker.block, worker.path, worker.counters[0]
    node = np.uintp(root)
    path[0] = node
    depth = np.uintp(0)
    tree.visits[node] += 1
    while depth < np.uintp(MAX_DEPTH) and block[PASSES] < 2:
        if tree.child_count[node] == 0:
            if tree.visits[node] < parameters.expansion_visits and depth > np.uintp(0):
                break
            if not expand(tree, node, block, depth, sources, worker.node_range, worker.expansion):
                counters.refused += 1
                break
            queue_for_python(worker, block, node, depth, parameters)
        depth += ONE
        node = descend(tree, node, worker, selection, depth)
    return depth + ONE


@kernel
def run_simulations(
    tree, root, start, worker, sources, policy, selection, parameters, weights, count, stop
):
    """Run up to `count` simulations from `root`, whose position is `start`.

    Without a network, the root is expanded first, even if `count` is 0; with one, leaves are
    queued for it. Ends early when `stop[0]` is set, when a queue is full, or when a leaf is
    selected that is queued already. The worker's counters hold the number of simulations run.
    """
    color, counters = np.uintp(start[TO_PLAY]), worker.counters[0]
    worker.leaves.count[0] = 0
    if tree.child_count[root] == 0 and not weights.has_net:
        expand(tree, root, start, np.uintp(0), sources, worker.node_range, worker.expansion)
    for _ in range(count):
        if (
            stop[0] != 0
            or counters.queued_nodes >= MAX_QUEUED_NODES
            or worker.leaves.count[0] >= MAX_QUEUED_LEAVES
        ):
            break
        copy_block(start, worker.block)
        worker.playout.first_by[:] = 0
        share = 1.0
        if weights.has_net:
            length = descend_to_leaf(tree, root, worker, selection)
            share = queue_for_net(tree, worker, length, parameters.expansion_visits, weights)
            if share < 0:
                break
        else:
            length = _descend_and_expand(tree, root, worker, sources, selection, parameters)
        # Ownership comes from playouts, so some are played even where their value does not count.
        if share > 0 or counters.simulations % OWNERSHIP_INTERVAL == 0:
            score = playout_score(worker, policy, parameters)
            if share > 0:
                reward = reward_for_black(score, parameters.score_weight)
                margin = -1.0
                if weights.lead_weight > 0:
                    margin = scaled_margin(score - parameters.lead_center, parameters.margin_unit)
                backup_playout(tree, worker, length, color, reward, margin, share)
        counters.simulations += 1
        counters.depth_sum += length


@kernel
def run_flat(start, block, moves, playouts, policy, memory, komi, score_weight, rewards):
    """Add Black's rewards of `playouts` playouts after each of `moves` to `rewards`."""
    max_moves = np.uintp(3) * np.uintp(start[ROWS]) * np.uintp(start[COLUMNS])
    for index in range(np.uintp(len(moves))):
        for _ in range(playouts):
            copy_block(start, block)
            play(block, np.uintp(moves[index]))
            heavy_playout(block, policy, memory, max_moves, max_moves)
            rewards[index] += reward_for_black(finished_area(block) - komi, score_weight)
