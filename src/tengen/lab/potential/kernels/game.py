"""A game between two flat Monte-Carlo players, with or without filters, in one kernel call.

Each candidate gets the same number of light playouts and the move with the most wins is played
(paper 002). Playouts that cannot change the choice are counted but not played (see `choose_move`).
On boards with up to 16 columns 64 playouts run simultaneously.
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
from tengen.playout.kernels.batched import (
    ALL_BOARDS,
    MAX_COLUMNS,
    START_CELLS,
    BatchTerms,
    BoardBatch,
    black_area,
    new_board_batch,
    place_start,
    play_until_over,
    write_start,
)
from tengen.playout.kernels.light import light_playout
from tengen.playout.kernels.random import random_below
from tengen.sources.kernels.potential import MEMORY_CELLS, add_potential, is_on
from tengen.sources.kernels.registry import is_pruned
from tengen.util.compiler import inline_kernel, kernel
from tengen.util.lanes import lowest_set_bit

ONE = np.uintp(1)

# Cells of `tally`.
COUNTED, PLAYED = np.uintp(0), np.uintp(3)
"""COUNTED + color: playouts of the paper's player; PLAYED + color: playouts actually played."""
LENGTH = np.uintp(6)
"""Number of moves, passes included."""
FILTERED = np.uintp(7)
"""Number of moves chosen with the filter active."""
TALLY_CELLS = 8

LONGEST = 3
"""Maximum game length in moves per point, as for playouts."""
FIRST_SHARE = 5
"""One in this many playouts is played for all candidates before the best are completed."""
NO_CANDIDATE = -1
"""Index that represents no candidate."""


class FlatGame(NamedTuple):
    """A game in progress and the memory for choosing a move."""

    block: np.ndarray  # uint32 [CELLS]
    history: np.ndarray  # uint64: hashes of all positions so far
    random: np.ndarray  # uint64 [1]
    tally: np.ndarray  # int64 [TALLY_CELLS]
    scratch: np.ndarray  # uint32 [CELLS]: board for playouts
    moves: np.ndarray  # uint32 [POINTS]: candidates
    starts: np.ndarray  # uint16 [POINTS * START_CELLS]: board after each candidate
    started: np.ndarray  # int64 [POINTS]: playouts started
    finished: np.ndarray  # int64 [POINTS]: playouts finished
    wins: np.ndarray  # int64 [POINTS]: playouts won by the side to move
    best: np.ndarray  # int64 [1]: best candidate with all playouts finished, or NO_CANDIDATE
    prior_wins: np.ndarray  # float32 [POINTS]: output of the filter
    prior_visits: np.ndarray  # float32 [POINTS]
    memory: np.ndarray  # float64: memory of the filter
    boards: BoardBatch  # for simultaneous playouts


class FlatMatch(NamedTuple):
    """Settings of both players, as scalars so that one compiled kernel serves all."""

    playouts: int  # per candidate
    komi: float
    filtered: int  # filtering colors: 0 none, 1 Black, 2 White, 3 both
    fills_eyes: bool


def new_game(rows: int, columns: int, seed: int) -> FlatGame:
    """Return a new game; the seed must not be 0."""
    block, points = new_block(rows, columns), int(POINTS)
    history = np.zeros(LONGEST * rows * columns + 2, dtype=np.uint64)
    history[0] = stones_hash(block)
    return FlatGame(
        block=block,
        history=history,
        random=np.array([seed], dtype=np.uint64),
        tally=np.zeros(TALLY_CELLS, dtype=np.int64),
        scratch=np.zeros(CELLS, dtype=np.uint32),
        moves=np.zeros(points, dtype=np.uint32),
        starts=np.zeros(points * START_CELLS, dtype=np.uint16),
        started=np.zeros(points, dtype=np.int64),
        finished=np.zeros(points, dtype=np.int64),
        wins=np.zeros(points, dtype=np.int64),
        best=np.full(1, NO_CANDIDATE, dtype=np.int64),
        prior_wins=np.zeros(points, dtype=np.float32),
        prior_visits=np.zeros(points, dtype=np.float32),
        memory=np.zeros(MEMORY_CELLS, dtype=np.float64),
        boards=new_board_batch(seed),
    )


def branch_of(game: FlatGame, seed: int) -> FlatGame:
    """Return a copy of a game with another random seed."""
    copied = {
        name: part.copy() for name, part in game._asdict().items() if isinstance(part, np.ndarray)
    }
    branch = FlatGame(**copied, boards=new_board_batch(seed))
    branch.random[0] = seed
    return branch


@kernel
def _without_eyes(game, count):
    """Remove moves that fill own eyes from the candidates; return the number left."""
    color, kept = np.uintp(game.block[TO_PLAY]), np.uintp(0)
    for index in range(count):
        move = np.uintp(game.moves[index])
        if not is_eye(game.block, move, color):
            game.moves[kept] = move
            kept += ONE
    return kept


@kernel
def _without_pruned(game, numbers, count):
    """Remove pruned moves from the candidates unless none would be left; return the number left."""
    game.prior_visits[:] = 0.0
    tables = game.prior_wins[:0]
    add_potential(game.block, numbers, tables, game.memory, game.prior_wins, game.prior_visits)
    kept = np.uintp(0)
    for index in range(count):
        move = game.moves[index]
        if not is_pruned(game.prior_visits[move]):
            # Swap instead of overwriting: if all moves are pruned, all are kept.
            game.moves[index], game.moves[kept] = game.moves[kept], move
            kept += ONE
    return kept if kept > np.uintp(0) else count


@kernel
def find_candidates(game, match, numbers):
    """Write the candidates of the side to move to `game.moves`; return their number."""
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
    """Shuffle the candidates, because the first of equals is chosen."""
    for index in range(count):
        other = index + np.uintp(random_below(game.random, count - index))
        game.moves[index], game.moves[other] = game.moves[other], game.moves[index]


@kernel
def _next_candidate(game, match, count):
    """Return the candidate whose playout starts next, or NO_CANDIDATE if none is needed now.

    All candidates get a first share. Then candidates with the most wins come first, and one that
    cannot overtake the best even by winning all its remaining playouts gets no more. If losing the
    running playouts would eliminate a candidate, no new one is started.
    """
    chosen, most = NO_CANDIDATE, np.int64(-1)
    best = game.best[0]
    to_beat = game.wins[best] if best != NO_CANDIDATE else np.int64(-1)
    for index in range(np.int64(count)):
        if game.started[index] < match.playouts // FIRST_SHARE:
            return index
        reach = game.wins[index] + match.playouts - game.finished[index]
        # A tie suffices for the candidate listed first.
        losses_left = reach - to_beat + np.int64(index < best)
        is_needed = losses_left > game.started[index] - game.finished[index]
        if game.started[index] < match.playouts and is_needed and game.wins[index] > most:
            chosen, most = index, game.wins[index]
    return chosen


@inline_kernel
def _count_playout(game, match, index, area):
    """Count a finished playout of a candidate."""
    color = game.block[TO_PLAY]
    game.tally[PLAYED + color] += 1
    game.finished[index] += 1
    game.wins[index] += np.int64((area > match.komi) == (color == BLACK))
    if game.finished[index] == match.playouts:
        best = game.best[0]
        is_first = best == NO_CANDIDATE or game.wins[index] > game.wins[best]
        if is_first or (game.wins[index] == game.wins[best] and index < best):
            game.best[0] = index


@kernel
def _play_one_by_one(game, match, count):
    """Play the needed playouts one at a time, for boards too wide for simultaneous ones."""
    block = game.block
    longest = np.uintp(LONGEST) * np.uintp(block[ROWS]) * np.uintp(block[COLUMNS])
    while True:
        index = _next_candidate(game, match, count)
        if index == NO_CANDIDATE:
            break
        game.started[index] += 1
        copy_block(block, game.scratch)
        play(game.scratch, np.uintp(game.moves[index]))
        light_playout(game.scratch, game.random, longest)
        _count_playout(game, match, index, finished_area(game.scratch))


@kernel
def _write_starts(game, count):
    """Store the board after each candidate."""
    for index in range(count):
        copy_block(game.block, game.scratch)
        play(game.scratch, np.uintp(game.moves[index]))
        write_start(game.scratch, game.starts, np.uintp(index))


@kernel
def _fill_boards(game, match, count, idle):
    """Start needed playouts on idle boards; return the boards that stay idle."""
    rows = np.uintp(game.block[ROWS])
    while idle != np.uint64(0):
        index = _next_candidate(game, match, count)
        if index == NO_CANDIDATE:
            break
        game.started[index] += 1
        place_start(game.boards, np.uintp(lowest_set_bit(idle)), game.starts, index, rows)
        idle &= idle - np.uint64(1)
    return idle


@kernel
def _play_many(game, match, count):
    """Play the needed playouts simultaneously."""
    _write_starts(game, count)
    block, boards = game.block, game.boards
    terms = BatchTerms(np.int64(block[ROWS]), np.int64(block[COLUMNS]), block[TO_PLAY] != BLACK)
    idle = _fill_boards(game, match, count, ALL_BOARDS)
    while idle != ALL_BOARDS:
        over = play_until_over(boards, terms, idle)
        idle |= over
        while over != np.uint64(0):
            lane = np.uintp(lowest_set_bit(over))
            over &= over - np.uint64(1)
            _count_playout(game, match, boards.starts[lane], black_area(boards, terms, lane))
        idle = _fill_boards(game, match, count, idle)


@kernel
def choose_move(game, match, count):
    """Return the candidate with the most won playouts; ties are broken at random.

    The result is the same as if every candidate got all its playouts (see `_next_candidate`).
    """
    _shuffle(game, count)
    game.tally[COUNTED + game.block[TO_PLAY]] += match.playouts * np.int64(count)
    for index in range(count):
        game.started[index] = game.finished[index] = game.wins[index] = 0
    game.best[0] = NO_CANDIDATE
    if game.block[COLUMNS] > MAX_COLUMNS:
        _play_one_by_one(game, match, count)
    else:
        _play_many(game, match, count)
    return np.uintp(game.moves[game.best[0]])


@kernel
def play_on(game, match, numbers, stops):
    """Play to the end of the game; return whether it is over.

    With `stops`, stop where the filtering side is to move and the filter is inactive.
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
    """Return Black's area minus White's of a finished game, counted as for playouts."""
    return finished_area(game.block)
