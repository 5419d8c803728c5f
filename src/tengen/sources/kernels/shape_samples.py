"""Samples for shape learning: for each move the played pattern and one that was not played."""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import clear
from tengen.board.kernels.layout import CELLS, KO, NOWHERE, PASS, POINTS, TO_PLAY
from tengen.board.kernels.legality import SIMPLE_KO, is_legal, legal_points
from tengen.board.kernels.stones import play, put_stone
from tengen.playout.kernels.random import random_below
from tengen.records.kernels.moves import COLOR_SHIFT, POINT_MASK, SETUP
from tengen.sources.kernels.shape_keys import RING_CELLS, point_keys
from tengen.util.compiler import inline_kernel, kernel

WIN, LOSS = np.uint8(0), np.uint8(1)
ONE = np.uintp(1)
_FNV_START, _FNV_STEP = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


class ReplayScratch(NamedTuple):
    """Scratch memory for replaying games."""

    block: np.ndarray  # uint32 [CELLS]
    points: np.ndarray  # uint32 [POINTS]
    rings: np.ndarray  # uint64 [RING_CELLS]
    random: np.ndarray  # uint64 [1]
    history: np.ndarray  # uint64 [1]: history, unused under simple ko


def new_scratch() -> ReplayScratch:
    """Allocate scratch memory for one worker."""
    return ReplayScratch(
        np.zeros(CELLS, dtype=np.uint32),
        np.zeros(int(POINTS), dtype=np.uint32),
        np.zeros(int(RING_CELLS), dtype=np.uint64),
        np.ones(1, dtype=np.uint64),
        np.zeros(1, dtype=np.uint64),
    )


@inline_kernel
def begin_move(block, word):
    """Set the side to move to the color of a move; return its point."""
    color = (np.uintp(word) >> COLOR_SHIFT) & np.uintp(3)
    if block[TO_PLAY] != color:
        # A ko restricts one side only.
        block[TO_PLAY] = color
        block[KO] = NOWHERE
    return np.uintp(word) & POINT_MASK


@inline_kernel
def make_move(block, word, point):
    """Play the move, or place the setup stone, that `begin_move` prepared."""
    if np.uintp(word) & SETUP:
        put_stone(block, point, np.uintp(block[TO_PLAY]))
    else:
        play(block, point)


@kernel
def is_sound(words, rows, columns, scratch):
    """Return whether a game can be replayed without occupied points and immediate ko recaptures."""
    block = scratch.block
    clear(block, rows, columns)
    for index in range(np.uintp(len(words))):
        point = begin_move(block, words[index])
        if not is_legal(block, point, SIMPLE_KO, True, scratch.history, ONE):
            return False
        make_move(block, words[index], point)
    return True


@inline_kernel
def _seed(words, random):
    """Seed the generator from the moves, so that the order of games does not matter.

    The hash is FNV-1a (G. Fowler, L. Noll, K. Vo).
    """
    seed = _FNV_START
    for index in range(np.uintp(len(words))):
        seed = (seed ^ np.uint64(words[index])) * _FNV_STEP
    random[0] = seed | np.uint64(1)


@inline_kernel
def _other_move(played, scratch):
    """Return a uniformly random legal move other than the one played, NOWHERE if there is none."""
    points = scratch.points
    count = legal_points(scratch.block, SIMPLE_KO, False, scratch.history, ONE, points)
    others = np.uintp(0)
    for index in range(count):
        if points[index] != played:
            points[others] = points[index]
            others += ONE
    if others == np.uintp(0):
        return NOWHERE
    return np.uintp(points[random_below(scratch.random, others)])


@kernel
def sample_game(words, rows, columns, marks, scratch, keys, outcomes):
    """Write the pattern keys of a valid game, and whether each pattern was played.

    `keys` has one row per sample and one column per size. Return the number of samples, at most two
    per move; passes and setup stones give none.
    """
    block = scratch.block
    _seed(words, scratch.random)
    clear(block, rows, columns)
    count = np.uintp(0)
    for index in range(np.uintp(len(words))):
        point = begin_move(block, words[index])
        if point != PASS and not np.uintp(words[index]) & SETUP:
            point_keys(block, point, marks, scratch.rings, keys[count])
            outcomes[count] = WIN
            count += ONE
            other = _other_move(point, scratch)
            if other != NOWHERE:
                point_keys(block, other, marks, scratch.rings, keys[count])
                outcomes[count] = LOSS
                count += ONE
        make_move(block, words[index], point)
    return count


@kernel
def sample_games(words, starts, sizes, marks, scratch, keys, outcomes, sound):
    """Sample games that are concatenated in `words`; return the number of samples.

    Game i is `words[starts[i]:starts[i + 1]]` on a board of `sizes[i]` (rows, columns). Invalid
    games give no samples and 0 in `sound`.
    """
    count = np.uintp(0)
    for game in range(np.uintp(len(sizes))):
        moves = words[starts[game] : starts[game + ONE]]
        rows, columns = np.uintp(sizes[game, 0]), np.uintp(sizes[game, 1])
        sound[game] = is_sound(moves, rows, columns, scratch)
        if sound[game]:
            count += sample_game(
                moves, rows, columns, marks, scratch, keys[count:], outcomes[count:]
            )
    return count
