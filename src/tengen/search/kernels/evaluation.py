"""What becomes of the leaves that a net has seen.

A net is fast only on several positions at once, and does not run inside a kernel. So
`run_simulations` walks down the tree until a few leaves wait, the caller asks the net about all
of them, and `settle` gives each its children and its value. A visit is counted on the way down, so
a leaf that waits looks like a loss, and the next walk goes elsewhere (virtual loss).
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import BLACK, COLOURS, TO_PLAY
from tengen.core.compiler import kernel
from tengen.search.kernels.expansion import expand
from tengen.search.kernels.simulation import REFUSED, ask_python, give, margin_of

ONE = np.uintp(1)


class Said(NamedTuple):
    """What a net said of leaves, one row each."""

    policy: np.ndarray  # float32 [leaves, POINTS]: by move, the pass among them
    win_to_play: np.ndarray  # float32 [leaves]
    lead_to_play: np.ndarray  # float32 [leaves]: points
    weight: np.ndarray  # float32 [leaves]: how much of the policy is the net's, 0 to 1


@kernel
def _mix_in(tree, node, policy, weight, mixing):
    """Mix what a net says of a node's moves, with `weight`, into what the sources said.

    For puct that is the policy alone: equivalent visits, which were made for playouts, would
    outweigh the few visits of a search by a net.
    """
    first = np.uintp(tree.first_child[node])
    end = first + np.uintp(tree.children[node])
    total = np.float32(1e-9)
    for child in range(first, end):
        total += policy[tree.move[child]]
    rest = np.float32(1) - weight
    kept = np.float32(0) if mixing.is_puct else rest
    said = np.float32(0) if mixing.is_puct else np.float32(weight * mixing.visits)
    for child in range(first, end):
        share = policy[tree.move[child]] / total
        extra = np.float32(said * np.sqrt(share))
        tree.policy[child] = rest * tree.policy[child] + weight * share
        tree.prior_visits[child] = kept * tree.prior_visits[child] + extra
        tree.prior_wins[child] = kept * tree.prior_wins[child] + extra


@kernel
def settle(tree, worker, sources, said, rollout, mixing, colour):
    """Give each waiting leaf its children and its value, by what the net `said`.

    `colour` moves at the root.
    """
    leaves = worker.leaves
    for index in range(np.uintp(leaves.count[0])):
        length = np.uintp(leaves.lengths[index])
        path, block = leaves.paths[index], leaves.blocks[index]
        node, depth = np.uintp(path[length - ONE]), length - ONE
        if tree.children[node] == 0:
            if expand(tree, node, block, depth, sources, worker.room, worker.leaf):
                _mix_in(tree, node, said.policy[index], said.weight[index], mixing)
                ask_python(worker, block, node, depth, rollout)
            else:
                worker.totals[REFUSED] += 1
        win, lead = said.win_to_play[index], said.lead_to_play[index]
        reward = win if block[TO_PLAY] == BLACK else 1 - win
        margin = -1.0
        if mixing.lead_weight > 0:
            margin = margin_of(lead if block[TO_PLAY] == BLACK else -lead, rollout.margin_unit)
        for step in range(length):
            is_black = (colour if step % np.uintp(2) == ONE else COLOURS - colour) == BLACK
            give(tree, np.uintp(path[step]), is_black, 1 - mixing.playout_share, reward, margin)
