"""Patterns around all legal moves of a game, and the rank of the played move by pattern rate."""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import clear
from tengen.board.kernels.layout import PASS, POINTS
from tengen.board.kernels.legality import SIMPLE_KO, legal_points
from tengen.records.kernels.moves import SETUP
from tengen.sources.kernels.shape import combined_rates
from tengen.sources.kernels.shape_keys import (
    BOARD_CELLS,
    RING_CELLS,
    RINGS,
    finish_keys,
    spread_stones,
)
from tengen.sources.kernels.shape_tables import (
    ReplayScratch,
    begin_move,
    is_sound,
    look_up_sizes,
    make_move,
    new_scratch,
    shape_fields,
)
from tengen.util.compiler import kernel

ONE = np.uintp(1)
WAYS = RINGS + ONE
"""Number of rankings: by the rate of each size, and by all sizes combined."""
_NEAREST = np.float32(1e-4)


class Ranking(NamedTuple):
    """Scratch memory for ranking moves."""

    scratch: ReplayScratch
    rings: np.ndarray  # uint64 [BOARD_CELLS]
    keys: np.ndarray  # uint64 [RINGS]
    rates: np.ndarray  # float32 [POINTS, WAYS]: rates of each legal move
    leasts: np.ndarray  # float32 [RINGS]
    combined: np.ndarray  # float32 [RINGS]


def new_ranking() -> Ranking:
    """Return memory for one worker."""
    return Ranking(
        new_scratch(),
        np.zeros(int(BOARD_CELLS), dtype=np.uint64),
        np.zeros(int(RINGS), dtype=np.uint64),
        np.zeros((int(POINTS), int(WAYS)), dtype=np.float32),
        np.zeros(int(RINGS), dtype=np.float32),
        np.zeros(int(RINGS), dtype=np.float32),
    )


@kernel
def _rate_moves(parameters, slots, ranking):
    """Write the legal moves to `points` and their rates to `rates`; return their number."""
    block, points = ranking.scratch.block, ranking.scratch.points
    spread_stones(block, ranking.rings)
    count = legal_points(block, SIMPLE_KO, False, ranking.scratch.history, ONE, points)
    marks = np.uintp(shape_fields(parameters).marks)
    for index in range(count):
        point = np.uintp(points[index])
        finish_keys(block, point, marks, ranking.rings, point * RING_CELLS, ranking.keys)
        rates = ranking.rates[index]
        look_up_sizes(ranking.keys, parameters, slots, rates, ranking.leasts)
        combined_rates(rates, ranking.leasts, parameters, ranking.combined)
        rates[RINGS] = ranking.combined[RINGS - ONE]
    return count


@kernel
def _rank(rates, count, played, way):
    """Return the rank of a move, 1 being the best; equal rates get their mean rank."""
    better = 0
    equal = 0
    for index in range(count):
        better += rates[index, way] > rates[played, way]
        equal += rates[index, way] == rates[played, way]
    return better + (equal + 1) / 2


@kernel
def _probability(rates, count, played, way):
    """Return the odds of a move, normalized over all legal moves."""
    total = 0.0
    own = 0.0
    for index in range(count):
        rate = min(max(rates[index, way], _NEAREST), np.float32(1.0) - _NEAREST)
        total += rate / (1.0 - rate)
        if index == played:
            own = rate / (1.0 - rate)
    return own / total


@kernel
def rank_game(words, rows, columns, parameters, slots, ranking, ranks, probabilities, about):
    """Rank each move of a valid game; return the number of ranked moves.

    Rows are moves. `ranks` and `probabilities` have a column per ranking, `about` has the number of
    the move and that of the legal moves. Passes, setup stones and suicides are skipped.
    """
    block, points = ranking.scratch.block, ranking.scratch.points
    clear(block, rows, columns)
    done = np.uintp(0)
    for index in range(np.uintp(len(words))):
        point = begin_move(block, words[index])
        if point != PASS and not np.uintp(words[index]) & SETUP:
            count = _rate_moves(parameters, slots, ranking)
            for played in range(count):
                if points[played] == point:
                    for way in range(WAYS):
                        ranks[done, way] = _rank(ranking.rates, count, played, way)
                        probabilities[done, way] = _probability(ranking.rates, count, played, way)
                    about[done, 0] = index + ONE
                    about[done, 1] = count
                    done += ONE
        make_move(block, words[index], point)
    return done


@kernel
def rank_games(words, starts, sizes, parameters, slots, ranking, ranks, probabilities, about):
    """Rank the moves of many games (see `sample_games`); invalid ones are skipped."""
    done = np.uintp(0)
    for game in range(np.uintp(len(sizes))):
        moves = words[starts[game] : starts[game + ONE]]
        rows, columns = np.uintp(sizes[game, 0]), np.uintp(sizes[game, 1])
        if is_sound(moves, rows, columns, ranking.scratch):
            done += rank_game(
                moves,
                rows,
                columns,
                parameters,
                slots,
                ranking,
                ranks[done:],
                probabilities[done:],
                about[done:],
            )
    return done


@kernel
def occurrences(words, rows, columns, marks, every, ranking, keys, played):
    """Write the pattern keys of all legal moves and mark the played ones; return their number.

    Only every `every`-th position is used. `ranking` is scratch memory. Writing stops when another
    position does not fit.
    """
    block, points = ranking.scratch.block, ranking.scratch.points
    clear(block, rows, columns)
    done = np.uintp(0)
    for index in range(np.uintp(len(words))):
        point = begin_move(block, words[index])
        is_move = point != PASS and not np.uintp(words[index]) & SETUP
        if is_move and index % every == 0 and done + rows * columns <= np.uintp(len(keys)):
            spread_stones(block, ranking.rings)
            count = legal_points(block, SIMPLE_KO, False, ranking.scratch.history, ONE, points)
            for place in range(count):
                here = np.uintp(points[place])
                at = here * RING_CELLS
                finish_keys(block, here, marks, ranking.rings, at, keys[done])
                played[done] = here == point
                done += ONE
        make_move(block, words[index], point)
    return done
