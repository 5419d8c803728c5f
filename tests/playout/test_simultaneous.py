"""Sixty-four boards at once play as one board does: move by move, and on the average."""

import numpy as np
import pytest
from scipy.stats import chisquare

from tengen.board.kernels.block import new_block
from tengen.board.kernels.layout import (
    CELLS,
    COLOUR,
    COLUMNS,
    EMPTIES,
    KO,
    POINTS,
    ROWS,
    STRIDE,
    TO_PLAY,
)
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_suicide
from tengen.core.compiler import kernel
from tengen.playout.kernels import simultaneous, simultaneous_games
from tengen.playout.kernels.light import light_playout, playable, run_light_playouts

pytestmark = pytest.mark.kernels

LANES, PLANE_ROWS = int(simultaneous.LANES), simultaneous.PLANE_ROWS


@kernel
def is_playable(block, point):
    return playable(block, point, np.uintp(block[TO_PLAY]))


@kernel
def is_suicidal(block, point):
    return is_suicide(block, point, np.uintp(block[TO_PLAY]))


@kernel
def step(boards, rows, columns):
    full = (np.uintp(1) << columns) - np.uintp(1)
    simultaneous.step(boards.planes, boards.random, rows, full, np.uintp(1000))


def points_of(planes, plane, lane):
    """The points of one board that are set in a plane."""
    rows = planes[int(plane) + lane : int(plane) + PLANE_ROWS * LANES : LANES]
    return {
        row * int(STRIDE) + column + 1
        for row, word in enumerate(rows.tolist())
        for column in range(16)
        if word >> column & 1
    }


def stones_of(block, colour):
    return set(np.flatnonzero(block[int(COLOUR) : int(COLOUR + POINTS)] == colour).tolist())


def started(block, seed=1):
    """Boards that all begin with one position."""
    boards = simultaneous.new_boards(seed)
    starts = np.zeros(simultaneous_games.START_CELLS, dtype=np.uint16)
    simultaneous_games.write_start(block, starts, np.uintp(0))
    for lane in range(LANES):
        boards.planes[lane : simultaneous_games.START_CELLS * LANES : LANES] = starts
    return boards


def random_position(rows, columns, moves, seed):
    block = new_block(rows, columns)
    light_playout(block, np.array([seed * 7919 + 1], dtype=np.uint64), np.uintp(moves))
    return block


def follow(block, boards, lane, length_before):
    """Play on `block` what a board has just played; check that it may, and that both agree."""
    planes = boards.planes
    move = points_of(planes, simultaneous.MOVE, lane)
    if planes[int(simultaneous.LENGTH) + lane] == length_before:
        assert is_suicidal(block, np.uintp(move.pop())), "only suicide is refused"
        return
    assert len(move) <= 1
    if move:
        assert is_playable(block, np.uintp(min(move)))
    play(block, np.uintp(min(move, default=0)))
    own = int(block[TO_PLAY])
    assert points_of(planes, simultaneous.OWN, lane) == stones_of(block, own)
    assert points_of(planes, simultaneous.OTHER, lane) == stones_of(block, 3 - own)
    assert points_of(planes, simultaneous.BANNED, lane) == {int(block[KO])} - {0}


@pytest.mark.parametrize(
    ("rows", "columns", "moves"),
    [
        (2, 2, 0),
        (3, 3, 0),
        (1, 7, 0),
        (4, 5, 3),
        (9, 9, 60),
        (19, 2, 10),
        (2, 16, 0),
        (13, 13, 150),
    ],
)
def test_every_move_is_one_that_the_board_allows(rows, columns, moves):
    start = random_position(rows, columns, moves, 3)
    boards, blocks = started(start), [start.copy() for _ in range(LANES)]
    lengths = slice(int(simultaneous.LENGTH), int(simultaneous.LENGTH) + LANES)
    for _ in range(60):
        before = boards.planes[lengths].copy()
        step(boards, np.uintp(rows), np.uintp(columns))
        for lane in range(LANES):
            follow(blocks[lane], boards, lane, before[lane])


def test_kos_captures_and_refusals_are_met():
    """What the test above is for happens in it. A ban after a move is a ko, else a refusal."""
    start = new_block(3, 3)
    boards = started(start)
    kos = refused = 0
    for _ in range(60):
        before = boards.planes.copy()
        step(boards, np.uintp(3), np.uintp(3))
        banned = boards.planes[int(simultaneous.BANNED) : int(simultaneous.FREE)]
        stayed = (boards.planes == before)[
            int(simultaneous.LENGTH) : int(simultaneous.LENGTH) + LANES
        ]
        refused += int(stayed.sum())
        kos += int(banned.reshape(-1, LANES)[:, ~stayed].any())
    assert refused > 50
    assert kos >= 5


def test_a_move_is_drawn_uniformly():
    """First moves from a position with suicides or eyes."""
    block = random_position(9, 9, 72, 11)
    moves = [point for point in stones_of(block, 0) if is_playable(block, np.uintp(point))]
    assert 5 <= len(moves) < int(block[EMPTIES])
    boards, drawn = started(block), dict.fromkeys(moves, 0)
    for _ in range(200):
        fresh = started(block)
        boards.planes[:] = fresh.planes
        for _ in range(12):
            step(boards, np.uintp(9), np.uintp(9))
            for lane in range(LANES):
                if boards.planes[int(simultaneous.LENGTH) + lane] == 1:
                    for move in points_of(boards.planes, simultaneous.MOVE, lane):
                        drawn[move] += 1
                    # Counted once, and looked at no more.
                    boards.planes[int(simultaneous.LENGTH) + lane] = 100
    assert sum(drawn.values()) == 200 * LANES
    assert chisquare(list(drawn.values())).pvalue > 0.001


def averages(block, count, seed):
    """Rates of wins, areas and lengths of both kinds of playout, and their standard errors."""
    alone = np.zeros((50, 3), dtype=np.int64)
    scratch, random = np.zeros(CELLS, dtype=np.uint32), np.array([seed], dtype=np.uint64)
    for row in alone:
        run_light_playouts(block, scratch, random, count // 50, row)
    many = np.zeros((50, 3), dtype=np.int64)
    starts = np.zeros(50 * simultaneous_games.START_CELLS, dtype=np.uint16)
    for index in range(50):
        simultaneous_games.write_start(block, starts, np.uintp(index))
    wanted = np.full(50, count // 50, dtype=np.int64)
    rows, columns = int(block[ROWS]), int(block[COLUMNS])
    terms = simultaneous_games.Terms(rows, columns, bool(block[TO_PLAY] == 1))
    simultaneous_games.run_simultaneous_playouts(
        simultaneous.new_boards(seed), starts, wanted, terms, many
    )
    assert not wanted.any()
    parts = np.stack([alone, many]) / (count // 50)
    return parts.mean(axis=1), parts.std(axis=1, ddof=1) / 50**0.5


@pytest.mark.parametrize(("size", "moves"), [(9, 0), (9, 45), (9, 80), (13, 61), (5, 7)])
def test_the_games_are_the_same_on_the_average(size, moves):
    means, errors = averages(random_position(size, size, moves, 5), 20_000, 9)
    apart = abs(means[0] - means[1]) / np.hypot(errors[0], errors[1])
    assert (apart < 4).all(), f"{means} differ by {apart} standard errors"
    assert means[0, 2] > 1


def test_every_start_gets_what_it_wants():
    """From boards that Black owns but for two eyes: each playout is a win of 16 points."""
    starts = np.zeros((3, simultaneous_games.START_CELLS), dtype=np.uint16)
    starts[:, 1:5] = 0b0111, 0b1111, 0b1111, 0b1110
    wanted, results = np.array([100, 0, 7]), np.zeros((3, 3), dtype=np.int64)
    simultaneous_games.run_simultaneous_playouts(
        simultaneous.new_boards(1),
        starts.reshape(-1),
        wanted,
        simultaneous_games.Terms(4, 4, True),
        results,
    )
    assert not wanted.any()
    assert results.tolist() == [[100, 1600, 200], [0, 0, 0], [7, 112, 14]]


def test_the_same_seed_plays_the_same_games():
    block = random_position(7, 7, 20, 1)
    one, two, three = (averages(block, 500, seed)[0][1].tolist() for seed in (5, 5, 6))
    assert one == two != three
