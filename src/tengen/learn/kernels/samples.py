"""Samples from games: for each move the pattern that was played, and one that was not."""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import clear
from tengen.board.kernels.layout import CELLS, KO, NOWHERE, PASS, POINTS, TO_PLAY
from tengen.board.kernels.legality import SIMPLE_KO, is_legal, legal_points
from tengen.board.kernels.stones import play, put_stone
from tengen.core.compiler import inline_kernel, kernel
from tengen.knowledge.kernels.shape_keys import RING_CELLS, point_keys
from tengen.playout.kernels.random import random_below
from tengen.records.kernels.moves import COLOUR_SHIFT, POINT_MASK, SETUP

WIN, LOSS = np.uint8(0), np.uint8(1)
ONE = np.uintp(1)
_FNV_START, _FNV_STEP = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


class Scratch(NamedTuple):
    """Memory to replay games in."""

    block: np.ndarray  # uint32 [CELLS]
    points: np.ndarray  # uint32 [POINTS]
    rings: np.ndarray  # uint64 [RING_CELLS]
    random: np.ndarray  # uint64 [1]
    history: np.ndarray  # uint64 [1]: simple ko needs none, but the kernels want one


def new_scratch() -> Scratch:
    """Return memory for one worker."""
    return Scratch(
        np.zeros(CELLS, dtype=np.uint32),
        np.zeros(int(POINTS), dtype=np.uint32),
        np.zeros(int(RING_CELLS), dtype=np.uint64),
        np.ones(1, dtype=np.uint64),
        np.zeros(1, dtype=np.uint64),
    )


@inline_kernel
def begin_move(block, word):
    """Give the turn to the colour of a move; return its point."""
    colour = (np.uintp(word) >> COLOUR_SHIFT) & np.uintp(3)
    if block[TO_PLAY] != colour:
        # The ko forbids a point to one side only.
        block[TO_PLAY] = colour
        block[KO] = NOWHERE
    return np.uintp(word) & POINT_MASK


@inline_kernel
def make_move(block, word, point):
    """Play the move, or put the stone, that `begin_move` gave the turn to."""
    if np.uintp(word) & SETUP:
        put_stone(block, point, np.uintp(block[TO_PLAY]))
    else:
        play(block, point)


@kernel
def is_sound(words, rows, columns, scratch):
    """Tell whether a game can be replayed: no stone on another, no ko taken back at once."""
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
    """Let the random numbers depend on the game alone, so that the order of games does not matter.

    The hash of the moves is FNV-1a (G. Fowler, L. Noll, K. Vo).
    """
    seed = _FNV_START
    for index in range(np.uintp(len(words))):
        seed = (seed ^ np.uint64(words[index])) * _FNV_STEP
    random[0] = seed | np.uint64(1)


@inline_kernel
def _other_move(played, scratch):
    """Return a legal move other than the one played, all alike; NOWHERE if there is none."""
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
    """Write the keys of the patterns of a sound game, and whether each was played.

    `keys` has a row for each sample, with one column for each size. Return how many samples
    there are: at most two a move; passes and setup stones give none.
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
    """Sample many games, laid end to end in `words`; return how many samples there are.

    Game i is `words[starts[i]:starts[i + 1]]` on `sizes[i]` (rows, columns). Broken games give
    no samples and 0 in `sound`.
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
