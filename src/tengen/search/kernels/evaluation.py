"""Evaluation of leaves: playouts, networks and the queue for Python sources.

Networks are fast only in batches and cannot run inside a kernel. `run_simulations` therefore
queues leaves, the caller evaluates the queue, and `apply_net_outputs` expands the leaves and backs
up their values. Until then, the visit counted during the descent acts as a virtual loss.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.area import area_balance, finished_area
from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    BLACK,
    COLUMNS,
    LAST,
    MOVES,
    PASSES,
    ROWS,
    STRIDE,
    TO_PLAY,
    WHITE,
)
from tengen.playout.kernels.heavy import final_owner, heavy_playout, learn_replies
from tengen.search.kernels.backup import backup_net, remove_virtual_loss, scaled_margin
from tengen.search.kernels.expansion import expand
from tengen.search.kernels.tree import MAX_DEPTH, has_puct_fields
from tengen.search.kernels.worker import MAX_QUEUED_NODES, OWNERSHIP_INTERVAL
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)


class LeafEvaluations(NamedTuple):
    """Network outputs for the queued leaves, one row each."""

    policy: np.ndarray  # float32 [leaves, POINTS]: by move; the pass is move 0
    win_to_play: np.ndarray  # float32 [leaves]
    lead_to_play: np.ndarray  # float32 [leaves]: points
    weight: np.ndarray  # float32 [leaves]: weight of the policy beside the priors, 0 to 1


# Playouts


@kernel
def _record_ownership(block, ownership):
    """Add the owner of each point of a finished board to the ownership sums."""
    for row in range(ONE, np.uintp(block[ROWS]) + ONE):
        for column in range(ONE, np.uintp(block[COLUMNS]) + ONE):
            point = row * STRIDE + column
            owner = final_owner(block, point)
            ownership[point] += np.int64(owner == BLACK) - np.int64(owner == WHITE)


@kernel
def playout_score(worker, policy, parameters):
    """Play the worker's position to the end; return Black's score including komi."""
    block, memory, counters = worker.block, worker.playout, worker.counters[0]
    if block[PASSES] >= 2:
        return area_balance(block) - parameters.komi
    color, last = np.uintp(block[TO_PLAY]), np.uintp(block[LAST])
    mercy, max_moves = np.uintp(parameters.mercy), np.uintp(parameters.max_playout_moves)
    length = heavy_playout(block, policy, memory, mercy, max_moves)
    counters.playout_moves += length
    score = finished_area(block) - parameters.komi
    if policy[0] > np.uint64(0):
        learn_replies(memory, color, last, length, BLACK if score > 0 else WHITE)
    if counters.simulations % OWNERSHIP_INTERVAL == 0:
        _record_ownership(block, worker.ownership)
        counters.ownerships += 1
    return score


# Queues


@inline_kernel
def queue_for_python(worker, block, node, depth, parameters):
    """Queue a new node for the Python sources, if they apply to it."""
    counters = worker.counters[0]
    if depth <= parameters.python_max_depth and block[MOVES] < parameters.python_before_move:
        index = counters.queued_nodes
        if index < MAX_QUEUED_NODES:
            worker.queued_nodes[index] = node
            copy_block(block, worker.queued_blocks[index])
            counters.queued_nodes = index + 1


@inline_kernel
def _is_queued(leaves, node, length):
    for index in range(leaves.count[0]):
        if leaves.lengths[index] == length and leaves.paths[index, length - ONE] == node:
            return True
    return False


@inline_kernel
def _append_leaf(leaves, worker, length):
    index = leaves.count[0]
    copy_block(worker.block, leaves.blocks[index])
    for depth in range(length):
        leaves.paths[index, depth] = worker.path[depth]
    leaves.lengths[index] = length
    leaves.count[0] = index + 1


@kernel
def queue_for_net(tree, worker, length, expansion_visits, weights):
    """Queue the leaf at the end of the worker's path for the network, if it needs one.

    Return the share of a playout in the value of the leaf. Leaves with fewer visits than
    `expansion_visits` get only a playout where playouts count, and so do finished games. If the
    leaf is queued already, remove the virtual loss of this descent and return -1.
    """
    if worker.block[PASSES] >= 2 or length > np.uintp(MAX_DEPTH):
        return 1.0
    leaf = np.uintp(worker.path[length - ONE])
    if weights.playout_share > 0 and length > ONE and tree.visits[leaf] < expansion_visits:
        return 1.0
    if _is_queued(worker.leaves, leaf, length):
        remove_virtual_loss(tree, worker.path, length)
        return -1.0
    _append_leaf(worker.leaves, worker, length)
    return weights.playout_share


# Networks


@kernel
def _mix_policy(tree, node, policy, weight, net_weights):
    """Mix a network's policy into the priors of a node's children.

    For PUCT only the policy is used: equivalent visits are calibrated for playouts and would
    outweigh the few visits of a network search.
    """
    first = np.uintp(tree.first_child[node])
    end = first + np.uintp(tree.child_count[node])
    total = np.float32(1e-9)
    for child in range(first, end):
        total += policy[tree.move[child]]
    rest = np.float32(1) - weight
    kept = np.float32(0) if net_weights.is_puct else rest
    visits = np.float32(0)
    if not net_weights.is_puct:
        visits = np.float32(weight * net_weights.equivalent_visits)
    for child in range(first, end):
        share = policy[tree.move[child]] / total
        extra = np.float32(visits * np.sqrt(share))
        if has_puct_fields(tree):
            tree.policy[child] = rest * tree.policy[child] + weight * share
        tree.prior_visits[child] = kept * tree.prior_visits[child] + extra
        tree.prior_wins[child] = kept * tree.prior_wins[child] + extra


@kernel
def apply_net_outputs(tree, worker, sources, outputs, parameters, weights, first_color):
    """Expand the queued leaves and back up their network values.

    `outputs` are `LeafEvaluations`; `first_color` is to move at the root.
    """
    leaves = worker.leaves
    for index in range(np.uintp(leaves.count[0])):
        length = np.uintp(leaves.lengths[index])
        path, block = leaves.paths[index], leaves.blocks[index]
        node, depth = np.uintp(path[length - ONE]), length - ONE
        if tree.child_count[node] == 0:
            if expand(tree, node, block, depth, sources, worker.node_range, worker.expansion):
                _mix_policy(tree, node, outputs.policy[index], outputs.weight[index], weights)
                queue_for_python(worker, block, node, depth, parameters)
            else:
                worker.counters[0].refused += 1
        is_black = block[TO_PLAY] == BLACK
        win, lead = outputs.win_to_play[index], outputs.lead_to_play[index]
        reward = win if is_black else 1 - win
        margin = -1.0
        if weights.lead_weight > 0:
            black_lead = lead if is_black else -lead
            margin = scaled_margin(black_lead - parameters.lead_center, parameters.margin_unit)
        share = 1 - weights.playout_share
        backup_net(tree, path, length, first_color, reward, margin, share)
