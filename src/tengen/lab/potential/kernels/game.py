"""A whole game between two flat Monte-Carlo players, one or both with a filter, in one call.

This is the experiment of paper 002 without Python in its loop: light playouts, the same number for
each candidate, the move with the most wins is played. A playout that can no longer change which
move that is, is not played but counted (see `choose_move`). On boards of up to 16 columns
sixty-four playouts run at once.
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
from tengen.core.compiler import inline_kernel, kernel
from tengen.core.lanes import lowest_bit
from tengen.knowledge.kernels.potential import MEMORY_CELLS, add_potential, is_on
from tengen.knowledge.kernels.registry import is_pruned
from tengen.playout.kernels.light import light_playout
from tengen.playout.kernels.random import random_below
from tengen.playout.kernels.simultaneous import ALL_BOARDS, WIDEST, Boards, new_boards
from tengen.playout.kernels.simultaneous_games import (
    START_CELLS,
    Terms,
    advance,
    begin,
    black_area,
    write_start,
)

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
FIRST_SHARE = 5
"""One in so many playouts is played for all candidates before the best of them are finished."""
NOBODY = -1
"""Stands for no candidate."""


class Game(NamedTuple):
    """A game in progress, and the memory that choosing a move needs."""

    block: np.ndarray  # uint32 [CELLS]
    history: np.ndarray  # uint64: the hashes of all positions so far
    random: np.ndarray  # uint64 [1]
    tally: np.ndarray  # int64 [TALLY_CELLS]
    scratch: np.ndarray  # uint32 [CELLS]: a board for playouts
    moves: np.ndarray  # uint32 [POINTS]: the candidates
    starts: np.ndarray  # uint16 [POINTS * START_CELLS]: the board after each candidate
    begun: np.ndarray  # int64 [POINTS]: the playouts of each that were begun
    done: np.ndarray  # int64 [POINTS]: those that are over
    wins: np.ndarray  # int64 [POINTS]: those that the side to move has won
    best: np.ndarray  # int64 [1]: the best candidate that has all its playouts, or NOBODY
    prior_wins: np.ndarray  # float32 [POINTS]: what the filter writes
    prior_visits: np.ndarray  # float32 [POINTS]
    memory: np.ndarray  # float64: the filter's
    boards: Boards  # for many playouts at once


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
        block=block,
        history=history,
        random=np.array([seed], dtype=np.uint64),
        tally=np.zeros(TALLY_CELLS, dtype=np.int64),
        scratch=np.zeros(CELLS, dtype=np.uint32),
        moves=np.zeros(points, dtype=np.uint32),
        starts=np.zeros(points * START_CELLS, dtype=np.uint16),
        begun=np.zeros(points, dtype=np.int64),
        done=np.zeros(points, dtype=np.int64),
        wins=np.zeros(points, dtype=np.int64),
        best=np.full(1, NOBODY, dtype=np.int64),
        prior_wins=np.zeros(points, dtype=np.float32),
        prior_visits=np.zeros(points, dtype=np.float32),
        memory=np.zeros(MEMORY_CELLS, dtype=np.float64),
        boards=new_boards(seed),
    )


def branch_of(game: Game, seed: int) -> Game:
    """Return a copy of a game that goes on by other random numbers."""
    copied = {
        name: part.copy() for name, part in game._asdict().items() if isinstance(part, np.ndarray)
    }
    branch = Game(**copied, boards=new_boards(seed))
    branch.random[0] = seed
    return branch


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
def _next_candidate(game, match, count):
    """Return the candidate whose playout is to begin next; NOBODY if none has to for now.

    All get a first share. Then those with the most wins come first, and one that could not come
    before the best even if it won all that are left gets no more. What would give it up if it were
    lost, and is under way, is waited for.
    """
    chosen, most = NOBODY, np.int64(-1)
    best = game.best[0]
    to_beat = game.wins[best] if best != NOBODY else np.int64(-1)
    for index in range(np.int64(count)):
        if game.begun[index] < match.playouts // FIRST_SHARE:
            return index
        reach = game.wins[index] + match.playouts - game.done[index]
        # A tie is enough for the one that stands before the other.
        losses_left = reach - to_beat + np.int64(index < best)
        is_needed = losses_left > game.begun[index] - game.done[index]
        if game.begun[index] < match.playouts and is_needed and game.wins[index] > most:
            chosen, most = index, game.wins[index]
    return chosen


@inline_kernel
def _count_playout(game, match, index, area):
    """Count a playout of a candidate that is over."""
    colour = game.block[TO_PLAY]
    game.tally[PLAYED + colour] += 1
    game.done[index] += 1
    game.wins[index] += np.int64((area > match.komi) == (colour == BLACK))
    if game.done[index] == match.playouts:
        best = game.best[0]
        is_first = best == NOBODY or game.wins[index] > game.wins[best]
        if is_first or (game.wins[index] == game.wins[best] and index < best):
            game.best[0] = index


@kernel
def _play_one_by_one(game, match, count):
    """Play what is needed on one board: for boards whose rows are too long to play many at once."""
    block = game.block
    longest = np.uintp(LONGEST) * np.uintp(block[ROWS]) * np.uintp(block[COLUMNS])
    while True:
        index = _next_candidate(game, match, count)
        if index == NOBODY:
            break
        game.begun[index] += 1
        copy_block(block, game.scratch)
        play(game.scratch, np.uintp(game.moves[index]))
        light_playout(game.scratch, game.random, longest)
        _count_playout(game, match, index, finished_area(game.scratch))


@kernel
def _write_starts(game, count):
    """Write down the board after each candidate."""
    for index in range(count):
        copy_block(game.block, game.scratch)
        play(game.scratch, np.uintp(game.moves[index]))
        write_start(game.scratch, game.starts, np.uintp(index))


@kernel
def _fill_boards(game, match, count, idle):
    """Begin what is needed on the boards that idle; return those that still do."""
    rows = np.uintp(game.block[ROWS])
    while idle != np.uint64(0):
        index = _next_candidate(game, match, count)
        if index == NOBODY:
            break
        game.begun[index] += 1
        begin(game.boards, np.uintp(lowest_bit(idle)), game.starts, index, rows)
        idle &= idle - np.uint64(1)
    return idle


@kernel
def _play_many(game, match, count):
    """Play what is needed on many boards at once."""
    _write_starts(game, count)
    block, boards = game.block, game.boards
    terms = Terms(np.int64(block[ROWS]), np.int64(block[COLUMNS]), block[TO_PLAY] != BLACK)
    idle = _fill_boards(game, match, count, ALL_BOARDS)
    while idle != ALL_BOARDS:
        over = advance(boards, terms, idle)
        idle |= over
        while over != np.uint64(0):
            lane = np.uintp(lowest_bit(over))
            over &= over - np.uint64(1)
            _count_playout(game, match, boards.starts[lane], black_area(boards, terms, lane))
        idle = _fill_boards(game, match, count, idle)


@kernel
def choose_move(game, match, count):
    """Return the candidate that wins the most of its playouts; of equals one drawn by lot.

    Exactly as if each had all of them (see `_next_candidate`).
    """
    _shuffle(game, count)
    game.tally[COUNTED + game.block[TO_PLAY]] += match.playouts * np.int64(count)
    for index in range(count):
        game.begun[index] = game.done[index] = game.wins[index] = 0
    game.best[0] = NOBODY
    if game.block[COLUMNS] > WIDEST:
        _play_one_by_one(game, match, count)
    else:
        _play_many(game, match, count)
    return np.uintp(game.moves[game.best[0]])


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
