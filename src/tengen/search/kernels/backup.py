"""Backup: rewards, and adding them to the nodes of a path and to RAVE statistics."""

import numpy as np

from tengen.board.kernels.layout import BLACK, COLORS, PASS
from tengen.search.kernels.tree import has_puct_fields
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)


@inline_kernel
def reward_for_black(score, score_weight):
    """Return Black's reward for a final score (with komi): the result mixed with the margin."""
    win = 1.0 if score > 0 else (0.5 if score == 0 else 0.0)
    if score_weight > 0:
        margin = max(-1.0, min(1.0, score / 40.0))
        win = (1 - score_weight) * win + score_weight * (0.5 + 0.5 * margin)
    return win


@inline_kernel
def scaled_margin(score, unit):
    """Scale a score to the range 0 to 1: 0.5 if even, 0.75 at `unit` points."""
    return 0.5 + np.arctan(score / unit) / np.pi


@inline_kernel
def _add_reward(tree, node, is_black, share, reward, margin):
    """Add a share of Black's reward and margin to a node; a negative margin is not added.

    Return the reward of the player whose move leads to the node.
    """
    gain = np.float32(reward if is_black else 1 - reward)
    weight = np.float32(share)
    tree.results[node] += weight
    tree.wins[node] += weight * gain
    if has_puct_fields(tree):
        tree.squares[node] += weight * gain * gain
        if margin >= 0:
            tree.margins[node] += np.float32(share * (margin if is_black else 1 - margin))
    return gain


@kernel
def backup_playout(tree, worker, length, first_color, reward, margin, share):
    """Back up the result of a playout along the path, and update RAVE with the full reward.

    `share` is the weight of the playout in the value. On the way up, `first_by` (who played each
    point first) grows from the playout to the whole game below each node.
    """
    path, first_by = worker.path, worker.playout.first_by
    for step in range(length - ONE):
        depth = length - ONE - step
        node = np.uintp(path[depth])
        mover = first_color if depth % np.uintp(2) == ONE else COLORS - first_color
        gain = _add_reward(tree, node, mover == BLACK, share, reward, margin)
        move = np.uintp(tree.move[node])
        if move != PASS:
            first_by[move] = mover
        _backup_rave(tree, np.uintp(path[depth - ONE]), first_by, mover, gain)
    _add_reward(tree, np.uintp(path[0]), first_color != BLACK, share, reward, margin)


@inline_kernel
def _backup_rave(tree, parent, first_by, mover, gain):
    """Update the RAVE statistics of every child whose point `mover` was the first to play.

    The loop has no branches: about half of them would be mispredicted.
    """
    first = np.uintp(tree.first_child[parent])
    for child in range(first, first + np.uintp(tree.child_count[parent])):
        is_first = np.float32(first_by[tree.move[child]] == mover)
        tree.rave_visits[child] += is_first
        tree.rave_wins[child] += is_first * gain


@kernel
def backup_net(tree, path, length, first_color, reward, margin, share):
    """Back up a network's value along a path, without RAVE."""
    for step in range(length):
        mover = first_color if step % np.uintp(2) == ONE else COLORS - first_color
        _add_reward(tree, np.uintp(path[step]), mover == BLACK, share, reward, margin)


@kernel
def remove_virtual_loss(tree, path, length):
    """Undo the visits of a descent that is abandoned."""
    for depth in range(length):
        tree.visits[path[depth]] -= 1
