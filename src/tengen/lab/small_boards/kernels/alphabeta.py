"""The search of paper 003 (section 5.2): alpha-beta with any mix of its evaluations at the leaves.

Iterative deepening within a number of nodes, a transposition table, the history heuristic, and
an order of moves that prefers the centre. Positional superko; a pass is a move like others, and
two of them end the game. Values inside are for the side to move.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import situation_hash, stones_hash
from tengen.board.kernels.layout import (
    CELLS,
    COLOURS,
    COLUMNS,
    EMPTIES,
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
from tengen.core.compiler import inline_kernel, kernel
from tengen.knowledge.kernels.metric import MEASURES, Scratch, evaluate_board, new_scratch
from tengen.knowledge.kernels.metric_sets import sign_of

PLIES = 64
"""The deepest search."""
LONGEST_GAME = 4 * 19 * 19 + PLIES + 1
TABLE_BITS = 13
"""The table is cleared for every move, and a move is a few thousand nodes; the paper had 2^19."""

ONE, TWO = np.uintp(1), np.uintp(2)
NODES, LIMIT, HORIZON = np.uintp(0), np.uintp(1), np.uintp(2)
"""Counters: nodes so far, the most there may be, leaves that are not ends of games."""
LEAST, MOST = np.uintp(0), np.uintp(1)
DEPTH, MOVE = np.uintp(0), np.uintp(1)
PASSED_KEY = np.uint64(0xD1B54A32D192ED03)
FORBIDDEN_TO_OPPONENT = -1e15
"""Below anything that the history gives: 2^depth at a cut-off."""
INFINITE = np.inf


class Tree(NamedTuple):
    """The memory of one search."""

    blocks: np.ndarray  # uint32 [PLIES + 1, CELLS]: the boards along the line
    history: np.ndarray  # uint64 [LONGEST_GAME]: hashes of all positions before and along it
    moves: np.ndarray  # uint32 [PLIES + 1, POINTS]
    merits: np.ndarray  # float64 [PLIES + 1, POINTS]: the best is tried first
    best: np.ndarray  # uint32 [PLIES + 1]: the best move at each ply, as known last
    credit: np.ndarray  # float64 [3, POINTS]: the history heuristic's, by colour and move
    keys: np.ndarray  # uint64 [table]: stones, side, last move a pass, what repetition forbids
    bounds: np.ndarray  # float64 [table, 2]: LEAST and MOST
    notes: np.ndarray  # uint32 [table, 2]: DEPTH and MOVE
    counters: np.ndarray  # uint64 [3]
    values: np.ndarray  # float64 [MEASURES]
    scratch: Scratch


def new_tree() -> Tree:
    """Return memory for one searcher."""
    plies, points, table = PLIES + 1, int(POINTS), 1 << TABLE_BITS
    return Tree(
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
    """Copy a board, but of each field only the points that it has: small boards are quick."""
    for cell in range(HEADER):
        target[cell] = source[cell]
    used = (np.uintp(source[ROWS]) + TWO) * STRIDE
    for field in range(HEADER, np.uintp(CELLS), POINTS):
        for cell in range(field, field + used):
            target[cell] = source[cell]


@inline_kernel
def _centrality(block, point):
    """Return less than 1, more in the centre than at the edge and least in the corners."""
    row = 2.0 * np.float64(point // STRIDE) - 1.0 - np.float64(block[ROWS])
    column = 2.0 * np.float64(point % STRIDE) - 1.0 - np.float64(block[COLUMNS])
    return 0.5 - (row * row + column * column) / 2048.0


@inline_kernel
def _forbidden_key(point):
    """Return a key for a point that repetition forbids: that of no stone, which none else has."""
    return (np.uint64(ZOBRIST_HIGH[point]) << np.uint64(32)) | np.uint64(ZOBRIST_LOW[point])


@kernel
def _find_moves(tree, ply, known):
    """List the moves of a ply with their merits; return (their number, key of what is forbidden).

    A pass comes last unless it made cut-offs; before it, what the rules forbid to the opponent.
    """
    block, moves, merits = tree.blocks[ply], tree.moves[ply], tree.merits[ply]
    colour = np.uintp(block[TO_PLAY])
    credit = tree.credit[colour]
    forbidden = np.uint64(0)
    count = np.uintp(0)
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if is_suicide(block, point, colour):
            continue
        if not is_legal(block, point, POSITIONAL_SUPERKO, False, tree.history, known):
            forbidden ^= _forbidden_key(point)
            continue
        moves[count] = point
        merits[count] = credit[point] + _centrality(block, point)
        if is_suicide(block, point, COLOURS - colour):
            merits[count] += FORBIDDEN_TO_OPPONENT
        count += ONE
    moves[count] = PASS
    merits[count] = credit[PASS] + 2.0 * FORBIDDEN_TO_OPPONENT
    return count + ONE, forbidden


@inline_kernel
def _prefer(tree, ply, count, move):
    """Let a move be tried first."""
    for place in range(count):
        if tree.moves[ply, place] == move:
            tree.merits[ply, place] = INFINITE


@inline_kernel
def _take_best(tree, ply, first, count):
    """Bring the move of greatest merit to the place `first` and return it."""
    moves, merits = tree.moves[ply], tree.merits[ply]
    best = first
    for place in range(first + ONE, count):
        if merits[place] > merits[best]:
            best = place
    move, merit = moves[best], merits[best]
    moves[best], merits[best] = moves[first], merits[first]
    moves[first], merits[first] = move, merit
    return np.uintp(move)


@inline_kernel
def _position_key(block, forbidden):
    key = situation_hash(block) ^ forbidden
    return key ^ PASSED_KEY if block[PASSES] > 0 else key


@inline_kernel
def _store(tree, slot, key, depth, value, alpha, beta, move):
    """Note what a search with this window showed."""
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
    """Return the value of a ply's board to `depth`, fail-soft; meaningless once nodes ran out."""
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
    """Search the board of ply 0 deeper and deeper; return (move, value, depth) of the last whole.

    `history[:known]` are the hashes up to that board. It ends when `nodes` have been seen, at the
    depth `deepest`, or when no leaf is left that is not the end of a game. If not even depth one
    fits into the nodes, the move is a pass and the depth 0.
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
