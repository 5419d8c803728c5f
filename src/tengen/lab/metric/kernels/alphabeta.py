"""Alpha-beta search of paper 003 (section 5.2) with any mixture of its evaluations at the leaves.

The search uses iterative deepening with a node limit, a transposition table, the history heuristic
and center-first move ordering. It follows positional superko; a pass is a move and two passes end
the game. Values are for the side to move.

It is separate from `tengen.solver`, whose bitboards and proof bounds support only E1 to E3 on up to
30 points: here the leaves evaluate real-valued mixtures with distances on boards of any size.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import situation_hash, stones_hash
from tengen.board.kernels.layout import (
    CELLS,
    COLORS,
    COLUMNS,
    EMPTY_COUNT,
    EMPTY_LIST,
    HEADER,
    PASS,
    PASSES,
    POINTS,
    ROWS,
    STRIDE,
    TO_PLAY,
    ZOBRIST_HIGH,
    ZOBRIST_LOW,
)
from tengen.board.kernels.legality import POSITIONAL_SUPERKO, is_legal
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_suicide
from tengen.sources.kernels.metric import MEASURES, MetricScratch, evaluate_board, new_scratch
from tengen.sources.kernels.metric_sets import sign_of
from tengen.util.compiler import inline_kernel, kernel

PLIES = 64
"""Maximum depth."""
LONGEST_GAME = 4 * 19 * 19 + PLIES + 1
TABLE_BITS = 13
"""The table is cleared for every move, and a move takes a few thousand nodes; the paper used 2^19.
"""

ONE, TWO = np.uintp(1), np.uintp(2)
NODES, LIMIT, HORIZON = np.uintp(0), np.uintp(1), np.uintp(2)
"""Counters: nodes searched, node limit, leaves at the horizon."""
LEAST, MOST = np.uintp(0), np.uintp(1)
DEPTH, MOVE = np.uintp(0), np.uintp(1)
PASSED_KEY = np.uint64(0xD1B54A32D192ED03)
FORBIDDEN_TO_OPPONENT = -1e15
"""Lower than any history score (2^depth per cutoff)."""
INFINITE = np.inf


class SearchMemory(NamedTuple):
    """Memory of one search."""

    blocks: np.ndarray  # uint32 [PLIES + 1, CELLS]: boards of the current line
    history: np.ndarray  # uint64 [LONGEST_GAME]: hashes of all positions before and on the line
    moves: np.ndarray  # uint32 [PLIES + 1, POINTS]
    scores: np.ndarray  # float64 [PLIES + 1, POINTS]: ordering scores
    best: np.ndarray  # uint32 [PLIES + 1]: best move at each ply
    credit: np.ndarray  # float64 [3, POINTS]: history heuristic by color and move
    keys: np.ndarray  # uint64 [table]: stones, side, previous pass, moves banned by repetition
    bounds: np.ndarray  # float64 [table, 2]: LEAST and MOST
    notes: np.ndarray  # uint32 [table, 2]: DEPTH and MOVE
    counters: np.ndarray  # uint64 [3]
    values: np.ndarray  # float64 [MEASURES]
    scratch: MetricScratch


def new_tree() -> SearchMemory:
    """Return memory for one searcher."""
    plies, points, table = PLIES + 1, int(POINTS), 1 << TABLE_BITS
    return SearchMemory(
        np.zeros((plies, CELLS), dtype=np.uint32),
        np.zeros(LONGEST_GAME, dtype=np.uint64),
        np.zeros((plies, points), dtype=np.uint32),
        np.zeros((plies, points)),
        np.zeros(plies, dtype=np.uint32),
        np.zeros((3, points)),
        np.zeros(table, dtype=np.uint64),
        np.zeros((table, 2)),
        np.zeros((table, 2), dtype=np.uint32),
        np.zeros(3, dtype=np.uint64),
        np.zeros(MEASURES),
        new_scratch(),
    )


@inline_kernel
def _copy_used(source, target):
    """Copy a board, limited to the points in use, which is fast for small boards."""
    for cell in range(HEADER):
        target[cell] = source[cell]
    used = (np.uintp(source[ROWS]) + TWO) * STRIDE
    for field in range(HEADER, np.uintp(CELLS), POINTS):
        for cell in range(field, field + used):
            target[cell] = source[cell]


@inline_kernel
def _centrality(block, point):
    """Return a number below 1: highest in the center, lowest in the corners."""
    row = 2.0 * np.float64(point // STRIDE) - 1.0 - np.float64(block[ROWS])
    column = 2.0 * np.float64(point % STRIDE) - 1.0 - np.float64(block[COLUMNS])
    return 0.5 - (row * row + column * column) / 2048.0


@inline_kernel
def _forbidden_key(point):
    """Return the key of a point banned by repetition: the Zobrist key of an empty point."""
    return (np.uint64(ZOBRIST_HIGH[point]) << np.uint64(32)) | np.uint64(ZOBRIST_LOW[point])


@kernel
def _find_moves(tree, ply, known):
    """List the moves of a ply with their ordering scores; return (number, key of banned moves).

    A pass comes last unless it caused cutoffs; before it come moves illegal for the opponent.
    """
    block, moves, scores = tree.blocks[ply], tree.moves[ply], tree.scores[ply]
    color = np.uintp(block[TO_PLAY])
    credit = tree.credit[color]
    forbidden = np.uint64(0)
    count = np.uintp(0)
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if is_suicide(block, point, color):
            continue
        if not is_legal(block, point, POSITIONAL_SUPERKO, False, tree.history, known):
            forbidden ^= _forbidden_key(point)
            continue
        moves[count] = point
        scores[count] = credit[point] + _centrality(block, point)
        if is_suicide(block, point, COLORS - color):
            scores[count] += FORBIDDEN_TO_OPPONENT
        count += ONE
    moves[count] = PASS
    scores[count] = credit[PASS] + 2.0 * FORBIDDEN_TO_OPPONENT
    return count + ONE, forbidden


@inline_kernel
def _prefer(tree, ply, count, move):
    """Move a move to the front of the order."""
    for place in range(count):
        if tree.moves[ply, place] == move:
            tree.scores[ply, place] = INFINITE


@inline_kernel
def _take_best(tree, ply, first, count):
    """Swap the move with the highest score to position `first` and return it."""
    moves, scores = tree.moves[ply], tree.scores[ply]
    best = first
    for place in range(first + ONE, count):
        if scores[place] > scores[best]:
            best = place
    move, score = moves[best], scores[best]
    moves[best], scores[best] = moves[first], scores[first]
    moves[first], scores[first] = move, score
    return np.uintp(move)


@inline_kernel
def _position_key(block, forbidden):
    key = situation_hash(block) ^ forbidden
    return key ^ PASSED_KEY if block[PASSES] > 0 else key


@inline_kernel
def _store(tree, slot, key, depth, value, alpha, beta, move):
    """Store the result of a search with a window."""
    tree.keys[slot] = key
    tree.notes[slot, DEPTH] = depth
    tree.notes[slot, MOVE] = move
    tree.bounds[slot, LEAST] = value if value > alpha else -INFINITE
    tree.bounds[slot, MOST] = value if value < beta else INFINITE


@inline_kernel
def _is_over(tree):
    return tree.counters[NODES] >= tree.counters[LIMIT]


@kernel
def _leaf_value(tree, ply, weights):
    block = tree.blocks[ply]
    mix = evaluate_board(block, weights, tree.scratch, tree.values)
    return sign_of(np.uintp(block[TO_PLAY])) * mix


@kernel
def _search(tree, weights, known, ply, depth, alpha, beta):
    """Return the fail-soft value of a ply's board at `depth`; meaningless after the node limit."""
    block = tree.blocks[ply]
    tree.counters[NODES] += np.uint64(1)
    if block[PASSES] >= TWO:
        return _leaf_value(tree, ply, weights)
    if depth == np.uintp(0):
        tree.counters[HORIZON] += np.uint64(1)
        return _leaf_value(tree, ply, weights)
    count, forbidden = _find_moves(tree, ply, known)
    key = _position_key(block, forbidden)
    slot = np.uintp(key) & np.uintp(len(tree.keys) - 1)
    if tree.keys[slot] == key:
        if tree.notes[slot, DEPTH] >= depth and ply > np.uintp(0):
            least, most = tree.bounds[slot, LEAST], tree.bounds[slot, MOST]
            if least >= beta or least == most:
                return least
            if most <= alpha:
                return most
        _prefer(tree, ply, count, tree.notes[slot, MOVE])
    value, best, low = -INFINITE, PASS, alpha
    for first in range(count):
        move = _take_best(tree, ply, first, count)
        _copy_used(block, tree.blocks[ply + ONE])
        play(tree.blocks[ply + ONE], move)
        tree.history[known] = stones_hash(tree.blocks[ply + ONE])
        reply = -_search(tree, weights, known + ONE, ply + ONE, depth - ONE, -beta, -low)
        if _is_over(tree):
            return value
        if reply > value:
            value, best = reply, move
            tree.best[ply] = move
            low = max(low, value)
            if value >= beta:
                tree.credit[np.uintp(block[TO_PLAY]), move] += 2.0 ** np.float64(depth)
                break
    _store(tree, slot, key, depth, value, alpha, beta, best)
    return value


@kernel
def deepen(tree, known, weights, deepest, nodes):
    """Deepen the search of ply 0; return (move, value, depth) of the last completed depth.

    `history[:known]` contains the hashes up to that board. The search ends at the node limit, at
    depth `deepest`, or when every leaf is the end of a game. If depth one is not completed, the
    result is a pass with depth 0.
    """
    tree.keys[:] = np.uint64(0)
    tree.credit[:] = 0.0
    tree.counters[NODES] = np.uint64(0)
    tree.counters[LIMIT] = nodes
    move, value, reached = PASS, 0.0, np.uintp(0)
    for depth in range(ONE, deepest + ONE):
        tree.counters[HORIZON] = np.uint64(0)
        found = _search(tree, weights, known, np.uintp(0), depth, -INFINITE, INFINITE)
        if _is_over(tree):
            break
        move, value, reached = np.uintp(tree.best[0]), found, depth
        if tree.counters[HORIZON] == np.uint64(0):
            break
    return move, value, reached
