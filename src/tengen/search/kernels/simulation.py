"""One simulation: down the tree, a playout, and back up.

Threads share the tree without locks. A visit is counted on the way down, which serves as a
virtual loss until the reward comes; a lost update now and then does no harm.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.area import area_balance, finished_area
from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    BLACK,
    CELLS,
    COLOURS,
    COLUMNS,
    LAST,
    MOVES,
    PASS,
    PASSES,
    POINTS,
    ROWS,
    STRIDE,
    TO_PLAY,
    WHITE,
)
from tengen.core.compiler import inline_kernel, kernel
from tengen.playout.kernels.heavy import (
    NO_ODDS,
    PlayoutMemory,
    heavy_playout,
    learn_replies,
    new_playout_memory,
)
from tengen.playout.kernels.ownership import final_owner
from tengen.search.kernels.descent import step_down, walk
from tengen.search.kernels.expansion import Leaf, expand, new_leaf
from tengen.search.kernels.leaves import MOST_LEAVES, Leaves, new_leaves, put_aside
from tengen.search.kernels.tree import DEEPEST

ONE = np.uintp(1)
EVERY = np.int64(8)
"""Ownership is counted in one of so many playouts."""

# The cells of a worker's `totals`.
SIMULATIONS, PLAYOUT_MOVES, REFUSED, OWNERSHIPS, DEPTH_SUM, WAITING = range(6)
TOTALS = 6
ASKED = 16
"""How many nodes may wait for Python sources before the kernel returns to them."""


class Rollout(NamedTuple):
    """How simulations are played and rewarded; `SearchSettings` explains it."""

    expand_at: float  # visits after which a leaf gets children
    komi: float  # points that White gets
    score_weight: float  # share of the margin in the reward
    mercy: int  # lead in prisoners that ends a playout
    longest: int  # moves after which a playout ends
    margin_unit: float  # points that make a margin of 0.75
    ask_to_depth: int  # leaves down to this depth are put on the list for Python sources
    ask_before_move: int  # and only before this move


class Worker(NamedTuple):
    """What a thread of the search has for itself."""

    block: np.ndarray  # uint32 [CELLS]
    room: np.ndarray  # uint32 [2]: see `expansion`
    path: np.ndarray  # uint32 [DEEPEST + 1]: the nodes of this simulation
    playout: PlayoutMemory
    leaf: Leaf
    owned: np.ndarray  # int64 [POINTS]: who owned each point at the end
    totals: np.ndarray  # int64 [TOTALS]: see above
    leaves: Leaves
    asked: np.ndarray  # uint32 [ASKED]: nodes that wait for what Python sources say
    asked_blocks: np.ndarray  # uint32 [ASKED, CELLS]: their positions


def new_worker(seed: int, memory_cells: int, odds: np.ndarray = NO_ODDS) -> Worker:
    """Return a worker; its room in the tree is set by the searcher.

    Its sources get so many cells of memory, its playouts the odds of patterns.
    """
    points = int(POINTS)
    return Worker(
        block=np.zeros(CELLS, dtype=np.uint32),
        room=np.zeros(2, dtype=np.uint32),
        path=np.zeros(DEEPEST + 1, dtype=np.uint32),
        playout=new_playout_memory(seed, odds),
        leaf=new_leaf(memory_cells),
        owned=np.zeros(points, dtype=np.int64),
        totals=np.zeros(TOTALS, dtype=np.int64),
        leaves=new_leaves(),
        asked=np.zeros(ASKED, dtype=np.uint32),
        asked_blocks=np.zeros((ASKED, CELLS), dtype=np.uint32),
    )


@inline_kernel
def ask_python(worker, block, node, depth, rollout):
    """Put a fresh node on the list of those that Python sources shall look at."""
    totals = worker.totals
    if depth <= rollout.ask_to_depth and block[MOVES] < rollout.ask_before_move:
        place = totals[WAITING]
        if place < ASKED:
            worker.asked[place] = node
            copy_block(block, worker.asked_blocks[place])
            totals[WAITING] = place + 1


@kernel
def _descend(tree, root, worker, sources, formula, rollout):
    """Walk from the root to a leaf, playing on the worker's board; return the path's length."""
    block, path, totals = worker.block, worker.path, worker.totals
    node = np.uintp(root)
    path[0] = node
    depth = np.uintp(0)
    tree.visits[node] += 1
    while depth < np.uintp(DEEPEST) and block[PASSES] < 2:
        if tree.children[node] == 0:
            if tree.visits[node] < rollout.expand_at and depth > np.uintp(0):
                break
            if not expand(tree, node, block, depth, sources, worker.room, worker.leaf):
                totals[REFUSED] += 1
                break
            ask_python(worker, block, node, depth, rollout)
        depth += ONE
        node = step_down(tree, node, worker, formula, depth)
    return depth + ONE


@inline_kernel
def reward_for_black(score, score_weight):
    """Return Black's reward for a score (komi counted): 0 to 1, the margin with a small share."""
    win = 1.0 if score > 0 else (0.5 if score == 0 else 0.0)
    if score_weight > 0:
        margin = max(-1.0, min(1.0, score / 40.0))
        win = (1 - score_weight) * win + score_weight * (0.5 + 0.5 * margin)
    return win


@inline_kernel
def margin_of(score, unit):
    """Return a score as a number from 0 to 1: 0.5 if even, 0.75 at `unit` points."""
    return 0.5 + np.arctan(score / unit) / np.pi


@inline_kernel
def give(tree, node, is_black, share, reward, margin):
    """Add a share of Black's reward and margin to a node, whose move is Black's or is not.

    A margin below 0 is none: then they do not count.
    """
    gain = np.float32(reward if is_black else 1 - reward)
    tree.wins[node] += np.float32(share) * gain
    if margin >= 0:
        tree.margins[node] += np.float32(share * (margin if is_black else 1 - margin))
    return gain


@kernel
def back_up(tree, worker, length, first_colour, reward, margin, share):
    """Give a share of reward and margin to every node of the path; RAVE gets all of the reward.

    In RAVE, it counts for the siblings whose move came later.

    Going up, `first_by` grows from the playout to the whole rest of the game below each node.
    """
    path, first_by = worker.path, worker.playout.first_by
    for step in range(length - ONE):
        depth = length - ONE - step
        node = np.uintp(path[depth])
        mover = first_colour if depth % np.uintp(2) == ONE else COLOURS - first_colour
        gain = give(tree, node, mover == BLACK, share, reward, margin)
        move = np.uintp(tree.move[node])
        if move != PASS:
            first_by[move] = mover
        _back_up_rave(tree, np.uintp(path[depth - ONE]), first_by, mover, gain)
    give(tree, np.uintp(path[0]), first_colour != BLACK, share, reward, margin)


@inline_kernel
def _back_up_rave(tree, parent, first_by, mover, gain):
    """Count the simulation for every child whose point `mover` was the first to play."""
    first = np.uintp(tree.first_child[parent])
    for child in range(first, first + np.uintp(tree.children[parent])):
        if first_by[tree.move[child]] == mover:
            tree.rave_visits[child] += 1
            tree.rave_wins[child] += gain


@kernel
def _add_ownership(block, owned):
    """Count who owns each point of a finished board."""
    for row in range(ONE, np.uintp(block[ROWS]) + ONE):
        for column in range(ONE, np.uintp(block[COLUMNS]) + ONE):
            point = row * STRIDE + column
            owner = final_owner(block, point)
            owned[point] += np.int64(owner == BLACK) - np.int64(owner == WHITE)


@kernel
def play_out(worker, policy, rollout):
    """Play the worker's board to its end; return Black's score, komi counted."""
    block, memory, totals = worker.block, worker.playout, worker.totals
    if block[PASSES] >= 2:
        return area_balance(block) - rollout.komi
    colour, last = np.uintp(block[TO_PLAY]), np.uintp(block[LAST])
    length = heavy_playout(
        block, policy, memory, np.uintp(rollout.mercy), np.uintp(rollout.longest)
    )
    totals[PLAYOUT_MOVES] += length
    score = finished_area(block) - rollout.komi
    if policy[0] > np.uint64(0):
        learn_replies(memory, colour, last, length, BLACK if score > 0 else WHITE)
    if totals[SIMULATIONS] % EVERY == 0:
        _add_ownership(block, worker.owned)
        totals[OWNERSHIPS] += 1
    return score


@kernel
def run_simulations(
    tree, root, start, worker, sources, policy, formula, rollout, mixing, count, stop
):
    """Run up to `count` simulations from `root`, whose position is `start`.

    Without a net, the root gets its children first, even if `count` is 0. With one, leaves are put
    aside for it. Ends early when `stop[0]` is set, when a list of those who wait is full, or when a
    leaf would wait twice. The totals of the worker say how many were run.
    """
    colour, totals = np.uintp(start[TO_PLAY]), worker.totals
    worker.leaves.count[0] = 0
    if tree.children[root] == 0 and not mixing.has_net:
        expand(tree, root, start, np.uintp(0), sources, worker.room, worker.leaf)
    for _ in range(count):
        if stop[0] != 0 or totals[WAITING] >= ASKED or worker.leaves.count[0] >= MOST_LEAVES:
            break
        copy_block(start, worker.block)
        worker.playout.first_by[:] = 0
        share = 1.0
        if mixing.has_net:
            length = walk(tree, root, worker, formula)
            share = put_aside(tree, worker, length, rollout.expand_at, mixing)
            if share < 0:
                break
        else:
            length = _descend(tree, root, worker, sources, formula, rollout)
        # Ownership is seen in playouts only, so that some are played even where none count.
        if share > 0 or totals[SIMULATIONS] % EVERY == 0:
            score = play_out(worker, policy, rollout)
            if share > 0:
                reward = reward_for_black(score, rollout.score_weight)
                margin = margin_of(score, rollout.margin_unit) if mixing.lead_weight > 0 else -1.0
                back_up(tree, worker, length, colour, reward, margin, share)
        totals[SIMULATIONS] += 1
        totals[DEPTH_SUM] += length
