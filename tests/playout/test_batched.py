"""Tests of batched playouts against single ones, move by move and on average."""

import numpy as np
import pytest
from scipy.stats import chisquare

from tengen.board.kernels.block import new_block
from tengen.board.kernels.layout import (
    CELLS,
    COLOR,
    COLUMNS,
    EMPTY_COUNT,
    KO,
    POINTS,
    ROWS,
    STRIDE,
    TO_PLAY,
)
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_suicide
from tengen.playout.kernels import batched
from tengen.playout.kernels.light import light_playout, playable, run_light_playouts
from tengen.util.compiler import kernel

pytestmark = pytest.mark.kernels

LANES, PLANE_ROWS = int(batched.LANES), batched.PLANE_ROWS


@kernel
def is_playable(block, point):
    return playable(block, point, np.uintp(block[TO_PLAY]))


@kernel
def is_suicidal(block, point):
    return is_suicide(block, point, np.uintp(block[TO_PLAY]))


@kernel
def step(boards, rows, columns):
    full = (np.uintp(1) << columns) - np.uintp(1)
    batched.step(boards.planes, boards.random, rows, full, np.uintp(1000))


def points_of(planes, plane, lane):
    """Return the points of one board that are set in a plane."""
    rows = planes[int(plane) + lane : int(plane) + PLANE_ROWS * LANES : LANES]
    return {
        row * int(STRIDE) + column + 1
        for row, word in enumerate(rows.tolist())
        for column in range(16)
        if word >> column & 1
    }


def stones_of(block, color):
    return set(np.flatnonzero(block[int(COLOR) : int(COLOR + POINTS)] == color).tolist())


def batch_from(block, seed=1):
    """Return a batch of boards that all start from one position."""
    boards = batched.new_board_batch(seed)
    starts = np.zeros(batched.START_CELLS, dtype=np.uint16)
    batched.write_start(block, starts, np.uintp(0))
    for lane in range(LANES):
        boards.planes[lane : batched.START_CELLS * LANES : LANES] = starts
    return boards


def random_position(rows, columns, moves, seed):
    block = new_block(rows, columns)
    light_playout(block, np.array([seed * 7919 + 1], dtype=np.uint64), np.uintp(moves))
    return block


def follow(block, boards, lane, length_before):
    """Replay the last move of a board on `block`; check legality and the resulting position."""
    planes = boards.planes
    move = points_of(planes, batched.MOVE, lane)
    if planes[int(batched.LENGTH) + lane] == length_before:
        assert is_suicidal(block, np.uintp(move.pop())), "only suicide is rejected"
        return
    assert len(move) <= 1
    if move:
        assert is_playable(block, np.uintp(min(move)))
    play(block, np.uintp(min(move, default=0)))
    own = int(block[TO_PLAY])
    assert points_of(planes, batched.OWN, lane) == stones_of(block, own)
    assert points_of(planes, batched.OTHER, lane) == stones_of(block, 3 - own)
    assert points_of(planes, batched.BANNED, lane) == {int(block[KO])} - {0}


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
def test_moves_are_legal_and_positions_match(rows, columns, moves):
    start = random_position(rows, columns, moves, 3)
    boards, blocks = batch_from(start), [start.copy() for _ in range(LANES)]
    lengths = slice(int(batched.LENGTH), int(batched.LENGTH) + LANES)
    for _ in range(60):
        before = boards.planes[lengths].copy()
        step(boards, np.uintp(rows), np.uintp(columns))
        for lane in range(LANES):
            follow(blocks[lane], boards, lane, before[lane])


def test_kos_and_rejected_moves_occur():
    """The previous test covers kos and rejections. A banned point after a move is a ko."""
    start = new_block(3, 3)
    boards = batch_from(start)
    kos = rejected = 0
    for _ in range(60):
        before = boards.planes.copy()
        step(boards, np.uintp(3), np.uintp(3))
        banned = boards.planes[int(batched.BANNED) : int(batched.FREE)]
        stayed = (boards.planes == before)[int(batched.LENGTH) : int(batched.LENGTH) + LANES]
        rejected += int(stayed.sum())
        kos += int(banned.reshape(-1, LANES)[:, ~stayed].any())
    assert rejected > 50
    assert kos >= 5


def test_moves_are_drawn_uniformly():
    """First moves from a position with eyes and suicide points."""
    block = random_position(9, 9, 72, 11)
    moves = [point for point in stones_of(block, 0) if is_playable(block, np.uintp(point))]
    assert 5 <= len(moves) < int(block[EMPTY_COUNT])
    boards, drawn = batch_from(block), dict.fromkeys(moves, 0)
    for _ in range(200):
        fresh = batch_from(block)
        boards.planes[:] = fresh.planes
        for _ in range(12):
            step(boards, np.uintp(9), np.uintp(9))
            for lane in range(LANES):
                if boards.planes[int(batched.LENGTH) + lane] == 1:
                    for move in points_of(boards.planes, batched.MOVE, lane):
                        drawn[move] += 1
                    # Count each board once.
                    boards.planes[int(batched.LENGTH) + lane] = 100
    assert sum(drawn.values()) == 200 * LANES
    assert chisquare(list(drawn.values())).pvalue > 0.001


def averages(block, count, seed):
    """Return mean wins, areas and lengths of single and batched playouts, and standard errors."""
    single = np.zeros((50, 3), dtype=np.int64)
    scratch, random = np.zeros(CELLS, dtype=np.uint32), np.array([seed], dtype=np.uint64)
    for row in single:
        run_light_playouts(block, scratch, random, count // 50, row)
    batch = np.zeros((50, 3), dtype=np.int64)
    starts = np.zeros(50 * batched.START_CELLS, dtype=np.uint16)
    for index in range(50):
        batched.write_start(block, starts, np.uintp(index))
    wanted = np.full(50, count // 50, dtype=np.int64)
    rows, columns = int(block[ROWS]), int(block[COLUMNS])
    terms = batched.BatchTerms(rows, columns, bool(block[TO_PLAY] == 1))
    batched.run_batched_playouts(batched.new_board_batch(seed), starts, wanted, terms, batch)
    assert not wanted.any()
    parts = np.stack([single, batch]) / (count // 50)
    return parts.mean(axis=1), parts.std(axis=1, ddof=1) / 50**0.5


@pytest.mark.parametrize(("size", "moves"), [(9, 0), (9, 45), (9, 80), (13, 61), (5, 7)])
def test_averages_match_single_playouts(size, moves):
    means, errors = averages(random_position(size, size, moves, 5), 20_000, 9)
    difference = abs(means[0] - means[1]) / np.hypot(errors[0], errors[1])
    assert (difference < 4).all(), f"{means} differ by {difference} standard errors"
    assert means[0, 2] > 1


def test_plays_the_wanted_number_from_each_start():
    """Black owns the board except for two eyes: each playout is a win by 16 points."""
    starts = np.zeros((3, batched.START_CELLS), dtype=np.uint16)
    starts[:, 1:5] = 0b0111, 0b1111, 0b1111, 0b1110
    wanted, results = np.array([100, 0, 7]), np.zeros((3, 3), dtype=np.int64)
    batched.run_batched_playouts(
        batched.new_board_batch(1),
        starts.reshape(-1),
        wanted,
        batched.BatchTerms(4, 4, True),
        results,
    )
    assert not wanted.any()
    assert results.tolist() == [[100, 1600, 200], [0, 0, 0], [7, 112, 14]]


def test_same_seed_gives_same_playouts():
    block = random_position(7, 7, 20, 1)
    one, two, three = (averages(block, 500, seed)[0][1].tolist() for seed in (5, 5, 6))
    assert one == two != three
