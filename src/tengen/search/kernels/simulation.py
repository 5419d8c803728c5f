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
from tengen.board.kernels.stones import play
from tengen.core.compiler import inline_kernel, kernel
from tengen.playout.kernels.heavy import (
    PlayoutMemory,
    heavy_playout,
    learn_replies,
    new_playout_memory,
)
from tengen.playout.kernels.ownership import final_owner
from tengen.playout.kernels.random import random_below
from tengen.search.kernels.expansion import Leaf, expand, new_leaf
from tengen.search.kernels.selection import select_child

ONE = np.uintp(1)
DEEPEST = 256
"""The longest path down the tree."""
EVERY = np.int64(8)
"""Ownership is counted in one of so many playouts."""

# The cells of a worker's `totals`.
SIMULATIONS, PLAYOUT_MOVES, EXPANSIONS, REFUSED, OWNERSHIPS, DEPTH_SUM, WAITING = range(7)
TOTALS = 7
ASKED = 16
"""How many nodes may wait for Python sources before the kernel returns to them."""


class Rollout(NamedTuple):
    """How simulations are played and rewarded; `SearchSettings` explains it."""

    expand_at: float  # visits after which a leaf gets children
    komi: float  # points that White gets
    score_weight: float  # share of the margin in the reward
    mercy: int  # lead in prisoners that ends a playout
    longest: int  # moves after which a playout ends
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
    asked: np.ndarray  # uint32 [ASKED]: nodes that wait for what Python sources say
    asked_blocks: np.ndarray  # uint32 [ASKED, CELLS]: their positions


def new_worker(seed: int, memory_cells: int) -> Worker:
    """Return a worker; its room in the tree is set by the searcher.

    Its sources get so many cells of memory.
    """
    points = int(POINTS)
    return Worker(
        block=np.zeros(CELLS, dtype=np.uint32),
        room=np.zeros(2, dtype=np.uint32),
        path=np.zeros(DEEPEST + 1, dtype=np.uint32),
        playout=new_playout_memory(seed),
        leaf=new_leaf(memory_cells),
        owned=np.zeros(points, dtype=np.int64),
        totals=np.zeros(TOTALS, dtype=np.int64),
        asked=np.zeros(ASKED, dtype=np.uint32),
        asked_blocks=np.zeros((ASKED, CELLS), dtype=np.uint32),
    )


@inline_kernel
def _ask_python(worker, node, depth, rollout):
    """Put a fresh node on the list of those that Python sources shall look at."""
    block, totals = worker.block, worker.totals
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
            totals[EXPANSIONS] += 1
            _ask_python(worker, node, depth, rollout)
        start = np.uintp(random_below(worker.playout.random, np.uintp(tree.children[node])))
        node = select_child(tree, node, formula, start)
        play(block, np.uintp(tree.move[node]))
        tree.visits[node] += 1
        depth += ONE
        path[depth] = node
    return depth + ONE


@inline_kernel
def reward_for_black(score, score_weight):
    """Return Black's reward for a score (komi counted): 0 to 1, the margin with a small share."""
    win = 1.0 if score > 0 else (0.5 if score == 0 else 0.0)
    if score_weight > 0:
        margin = max(-1.0, min(1.0, score / 40.0))
        win = (1 - score_weight) * win + score_weight * (0.5 + 0.5 * margin)
    return win


@kernel
def _back_up(tree, worker, length, first_colour, reward):
    """Give the reward to every node of the path, and to the siblings whose move came later.

    Going up, `first_by` grows from the playout to the whole rest of the game below each node.
    """
    path, first_by = worker.path, worker.playout.first_by
    for step in range(length - ONE):
        depth = length - ONE - step
        node = np.uintp(path[depth])
        mover = first_colour if depth % np.uintp(2) == ONE else COLOURS - first_colour
        gain = np.float32(reward if mover == BLACK else 1 - reward)
        tree.wins[node] += gain
        move = np.uintp(tree.move[node])
        if move != PASS:
            first_by[move] = mover
        _back_up_rave(tree, np.uintp(path[depth - ONE]), first_by, mover, gain)
    gain = np.float32(reward if first_colour != BLACK else 1 - reward)
    tree.wins[path[0]] += gain


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
def _play_out(worker, policy, rollout):
    """Play the worker's board to its end; return Black's reward."""
    block, memory, totals = worker.block, worker.playout, worker.totals
    if block[PASSES] >= 2:
        return reward_for_black(area_balance(block) - rollout.komi, rollout.score_weight)
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
    return reward_for_black(score, rollout.score_weight)


@kernel
def run_simulations(tree, root, start, worker, sources, policy, formula, rollout, count, stop):
    """Run up to `count` simulations from `root`, whose position is `start`.

    The root gets its children first, even if `count` is 0. Ends early when `stop[0]` is set or
    when the list for Python sources is full. The totals of the worker say how many were run.
    """
    if tree.children[root] == 0:
        expand(tree, root, start, np.uintp(0), sources, worker.room, worker.leaf)
    for _ in range(count):
        if stop[0] != 0 or worker.totals[WAITING] >= ASKED:
            break
        copy_block(start, worker.block)
        worker.playout.first_by[:] = 0
        length = _descend(tree, root, worker, sources, formula, rollout)
        reward = _play_out(worker, policy, rollout)
        _back_up(tree, worker, length, np.uintp(start[TO_PLAY]), reward)
        worker.totals[SIMULATIONS] += 1
        worker.totals[DEPTH_SUM] += length
