"""A whole game between two flat Monte-Carlo players, one or both with a filter, in one call.

This is the experiment of paper 002 without Python in its loop: light playouts, the same number for
each candidate, the move with the most wins is played. A playout that can no longer change which
move that is, is not played but counted (see `choose_move`).
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.area import finished_area
from tengen.board.kernels.block import copy_block, new_block, stones_hash
from tengen.board.kernels.layout import (
    BLACK,
    CELLS,
    COLUMNS,
    PASS,
    PASSES,
    POINTS,
    ROWS,
    TO_PLAY,
)
from tengen.board.kernels.legality import POSITIONAL_SUPERKO, legal_points
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_eye
from tengen.core.compiler import kernel
from tengen.knowledge.kernels.potential import MEMORY_CELLS, add_potential, is_on
from tengen.knowledge.kernels.registry import is_pruned
from tengen.playout.kernels.light import light_playout
from tengen.playout.kernels.random import random_below

ONE = np.uintp(1)

# The cells of `tally`.
COUNTED, PLAYED = np.uintp(0), np.uintp(3)
"""COUNTED + colour: playouts as the paper's players spend them; PLAYED + colour: really played."""
LENGTH = np.uintp(6)
"""How many moves, passes included."""
FILTERED = np.uintp(7)
"""How many moves were chosen with the filter on."""
TALLY_CELLS = 8

LONGEST = 3
"""A game ends at the latest after this many moves a point, as a playout does."""
FIRST_SHARE = np.uintp(5)
"""One in so many playouts is played for all candidates before the best of them are finished."""


class Game(NamedTuple):
    """A game in progress, and the memory that choosing a move needs."""

    block: np.ndarray  # uint32 [CELLS]
    history: np.ndarray  # uint64: the hashes of all positions so far
    random: np.ndarray  # uint64 [1]
    tally: np.ndarray  # int64 [TALLY_CELLS]
    scratch: np.ndarray  # uint32 [CELLS]: a board for playouts
    moves: np.ndarray  # uint32 [POINTS]: the candidates
    wins: np.ndarray  # int64 [POINTS]: of each candidate, for the side to move
    done: np.ndarray  # int64 [POINTS]: its playouts so far
    prior_wins: np.ndarray  # float32 [POINTS]: what the filter writes
    prior_visits: np.ndarray  # float32 [POINTS]
    memory: np.ndarray  # float64: the filter's


class Match(NamedTuple):
    """What the players are told; numbers that Numba sees as such, so that one kernel serves."""

    playouts: int  # for each candidate
    komi: float
    filtered: int  # the colours that filter: 0 nobody, 1 Black, 2 White, 3 both
    fills_eyes: bool


def new_game(rows: int, columns: int, seed: int) -> Game:
    """Return a game at its first move; the seed is not 0."""
    block, points = new_block(rows, columns), int(POINTS)
    history = np.zeros(LONGEST * rows * columns + 2, dtype=np.uint64)
    history[0] = stones_hash(block)
    return Game(
        block,
        history,
        np.array([seed], dtype=np.uint64),
        np.zeros(TALLY_CELLS, dtype=np.int64),
        np.zeros(CELLS, dtype=np.uint32),
        np.zeros(points, dtype=np.uint32),
        np.zeros(points, dtype=np.int64),
        np.zeros(points, dtype=np.int64),
        np.zeros(points, dtype=np.float32),
        np.zeros(points, dtype=np.float32),
        np.zeros(MEMORY_CELLS, dtype=np.float64),
    )


@kernel
def _without_eyes(game, count):
    """Take the moves that fill an own eye off the candidates; return how many are left."""
    colour, kept = np.uintp(game.block[TO_PLAY]), np.uintp(0)
    for index in range(count):
        move = np.uintp(game.moves[index])
        if not is_eye(game.block, move, colour):
            game.moves[kept] = move
            kept += ONE
    return kept


@kernel
def _without_pruned(game, numbers, count):
    """Take what the filter prunes off the candidates, unless nothing would be left."""
    game.prior_visits[:] = 0.0
    tables = game.prior_wins[:0]
    add_potential(game.block, numbers, tables, game.memory, game.prior_wins, game.prior_visits)
    kept = np.uintp(0)
    for index in range(count):
        move = game.moves[index]
        if not is_pruned(game.prior_visits[move]):
            # Swapped, not overwritten: all of them are kept if none of them is.
            game.moves[index], game.moves[kept] = game.moves[kept], move
            kept += ONE
    return kept if kept > np.uintp(0) else count


@kernel
def find_candidates(game, match, numbers):
    """Write the candidates of the side to move into `game.moves`; return how many there are."""
    known = np.uintp(game.tally[LENGTH]) + ONE
    count = legal_points(game.block, POSITIONAL_SUPERKO, False, game.history, known, game.moves)
    if not match.fills_eyes:
        count = _without_eyes(game, count)
    if np.uintp(match.filtered) & np.uintp(game.block[TO_PLAY]) and is_on(game.block, numbers):
        game.tally[FILTERED] += 1
        count = _without_pruned(game, numbers, count)
    return count


@kernel
def _shuffle(game, count):
    """Put the candidates into an order drawn by lot, since the first of equals is chosen."""
    for index in range(count):
        other = index + np.uintp(random_below(game.random, count - index))
        game.moves[index], game.moves[other] = game.moves[other], game.moves[index]


@kernel
def _add_playouts(game, match, index, count):
    """Play `count` playouts after a candidate."""
    block = game.block
    longest = np.uintp(LONGEST) * np.uintp(block[ROWS]) * np.uintp(block[COLUMNS])
    is_black = block[TO_PLAY] == BLACK
    for _ in range(count):
        copy_block(block, game.scratch)
        play(game.scratch, np.uintp(game.moves[index]))
        light_playout(game.scratch, game.random, longest)
        game.wins[index] += np.int64((finished_area(game.scratch) > match.komi) == is_black)
    game.done[index] += count
    game.tally[PLAYED + block[TO_PLAY]] += count


@kernel
def _can_win(game, match, index, best):
    """Tell whether a candidate may still come before the best one that has all its playouts."""
    if best == index:
        return False
    reached = game.wins[index] + match.playouts - game.done[index]
    return reached > game.wins[best] or (reached == game.wins[best] and index < best)


@kernel
def _next_unfinished(game, match, count):
    """Return the candidate with the most wins among those without all playouts, or `count`."""
    chosen, most = count, np.int64(-1)
    for index in range(count):
        if game.done[index] < match.playouts and game.wins[index] > most:
            chosen, most = np.uintp(index), game.wins[index]
    return chosen


@kernel
def choose_move(game, match, count):
    """Return the candidate that wins the most of its playouts; of equals one drawn by lot.

    Exactly as if each had all of them: the most promising one gets its playouts first, and another
    gets no more as soon as it would not come out ahead if it won all that are left.
    """
    _shuffle(game, count)
    for index in range(count):
        game.wins[index] = game.done[index] = 0
        _add_playouts(game, match, index, np.int64(np.uintp(match.playouts) // FIRST_SHARE))
    game.tally[COUNTED + game.block[TO_PLAY]] += match.playouts * np.int64(count)
    best = count
    for _ in range(count):
        index = _next_unfinished(game, match, count)
        if best == count:
            _add_playouts(game, match, index, match.playouts - game.done[index])
            best = index
        while game.done[index] < match.playouts and _can_win(game, match, index, best):
            _add_playouts(game, match, index, np.int64(1))
        if game.done[index] == match.playouts and _can_win(game, match, index, best):
            best = index
        # What is given up counts as finished.
        game.done[index] = match.playouts
    return np.uintp(game.moves[best])


@kernel
def play_on(game, match, numbers, stops):
    """Play until the game is over; return whether it is.

    With `stops`, halt where a player that filters is to move and the filter is off.
    """
    block = game.block
    longest = LONGEST * np.int64(block[ROWS]) * np.int64(block[COLUMNS])
    while block[PASSES] < 2 and game.tally[LENGTH] < longest:
        may_filter = np.uintp(match.filtered) & np.uintp(block[TO_PLAY])
        if stops and may_filter and not is_on(block, numbers):
            return False
        count = find_candidates(game, match, numbers)
        play(block, choose_move(game, match, count) if count > np.uintp(0) else PASS)
        game.tally[LENGTH] += 1
        game.history[game.tally[LENGTH]] = stones_hash(block)
    return True


@kernel
def final_area(game):
    """Return Black's area minus White's at the end, counted as at the end of a playout."""
    return finished_area(game.block)
