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
from tengen.core.compiler import kernel
from tengen.knowledge.kernels.potential import MEMORY_CELLS, add_potential, is_on
from tengen.knowledge.kernels.registry import is_pruned
from tengen.playout.kernels.light import light_playout
from tengen.playout.kernels.random import random_below
from tengen.playout.kernels.simultaneous import (
    START_CELLS,
    WIDEST,
    Boards,
    Terms,
    new_boards,
    run_simultaneous_playouts,
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
LEADERS = 4
"""So many of the best then get all that is left: one of them is nearly always chosen."""
LEAST_ADDED = 8
"""A candidate gets no fewer playouts at a time, if it gets any: the boards should not idle."""


class Game(NamedTuple):
    """A game in progress, and the memory that choosing a move needs."""

    block: np.ndarray  # uint32 [CELLS]
    history: np.ndarray  # uint64: the hashes of all positions so far
    random: np.ndarray  # uint64 [1]
    tally: np.ndarray  # int64 [TALLY_CELLS]
    scratch: np.ndarray  # uint32 [CELLS]: a board for playouts
    moves: np.ndarray  # uint32 [POINTS]: the candidates
    starts: np.ndarray  # uint16 [POINTS * START_CELLS]: the board after each candidate
    wanted: np.ndarray  # int64 [POINTS]: the playouts that each shall have more
    done: np.ndarray  # int64 [POINTS]: those it has
    results: np.ndarray  # int64 [POINTS, 3]: Black's wins in them, areas, moves
    wins: np.ndarray  # int64 [POINTS]: the wins of the side to move
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
        wanted=np.zeros(points, dtype=np.int64),
        done=np.zeros(points, dtype=np.int64),
        results=np.zeros((points, 3), dtype=np.int64),
        wins=np.zeros(points, dtype=np.int64),
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
def _write_starts(game, count):
    """Write down the board after each candidate."""
    for index in range(count):
        copy_block(game.block, game.scratch)
        play(game.scratch, np.uintp(game.moves[index]))
        write_start(game.scratch, game.starts, np.uintp(index))


@kernel
def _play_one_by_one(game, match, count):
    """Play what is wanted on one board: for boards whose rows are too long to play many at once."""
    rows, columns = np.uintp(game.block[ROWS]), np.uintp(game.block[COLUMNS])
    for index in range(count):
        for _ in range(game.wanted[index]):
            copy_block(game.block, game.scratch)
            play(game.scratch, np.uintp(game.moves[index]))
            light_playout(game.scratch, game.random, np.uintp(LONGEST) * rows * columns)
            game.results[index, 0] += np.int64(finished_area(game.scratch) > match.komi)
        game.wanted[index] = 0


@kernel
def add_playouts(game, match, count):
    """Play the playouts that are wanted of each candidate."""
    is_black = game.block[TO_PLAY] == BLACK
    for index in range(count):
        game.done[index] += game.wanted[index]
        game.tally[PLAYED + game.block[TO_PLAY]] += game.wanted[index]
    if game.block[COLUMNS] > WIDEST:
        _play_one_by_one(game, match, count)
    else:
        rows, columns = np.int64(game.block[ROWS]), np.int64(game.block[COLUMNS])
        terms = Terms(rows, columns, match.komi, not is_black)
        run_simultaneous_playouts(game.boards, game.starts, game.wanted, terms, game.results)
    for index in range(count):
        lost = game.done[index] - game.results[index, 0]
        game.wins[index] = game.results[index, 0] if is_black else lost


@kernel
def _begin_choice(game, match, count):
    """Give each candidate its first playouts."""
    game.results[:] = 0
    game.wanted[:] = 0
    if game.block[COLUMNS] <= WIDEST:
        _write_starts(game, count)
    for index in range(count):
        game.wins[index] = game.done[index] = 0
        game.wanted[index] = match.playouts // FIRST_SHARE
    add_playouts(game, match, count)


@kernel
def _finish_leaders(game, match, count):
    """Give those with the most wins all of their playouts."""
    for _ in range(min(LEADERS, np.int64(count))):
        leader, most = np.uintp(0), np.int64(-1)
        for index in range(count):
            if game.wanted[index] == 0 and game.wins[index] > most:
                leader, most = np.uintp(index), game.wins[index]
        game.wanted[leader] = match.playouts - game.done[leader]
    add_playouts(game, match, count)


@kernel
def _best_finished(game, match, count):
    """Return the candidate with all playouts and the most wins, of equals the first."""
    best, most = np.uintp(0), np.int64(-1)
    for index in range(count):
        if game.done[index] == match.playouts and game.wins[index] > most:
            best, most = np.uintp(index), game.wins[index]
    return best


@kernel
def _want_what_may_win(game, match, count, best):
    """Want playouts of each candidate that may still come before the best; tell whether any may.

    As many as it would take to give it up, if it lost them all.
    """
    is_any = False
    for index in range(count):
        left = match.playouts - game.done[index]
        reach = game.wins[index] + left - game.wins[best]
        # A tie is enough for the one that comes first.
        needed = reach + 1 if index < best else reach
        if left > 0 and needed > 0:
            game.wanted[index] = min(left, max(needed, LEAST_ADDED))
            is_any = True
    return is_any


@kernel
def choose_move(game, match, count):
    """Return the candidate that wins the most of its playouts; of equals one drawn by lot.

    Exactly as if each had all of them: the most promising ones get theirs first, and another
    gets no more as soon as it would not come out ahead if it won all that are left.
    """
    _shuffle(game, count)
    game.tally[COUNTED + game.block[TO_PLAY]] += match.playouts * np.int64(count)
    _begin_choice(game, match, count)
    _finish_leaders(game, match, count)
    best = _best_finished(game, match, count)
    while _want_what_may_win(game, match, count, best):
        add_playouts(game, match, count)
        best = _best_finished(game, match, count)
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
