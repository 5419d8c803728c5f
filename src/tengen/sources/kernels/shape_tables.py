"""The sloppy hash array (A. Terenin et al., SHAPE, paper 004): pattern rates without stored keys.

Each pattern size has a few tables. A pattern has one slot in each of them, found by independent
hashes; patterns that collide in a slot are added up. Two patterns that share a slot in one table
rarely share one in another, so the mean over the tables is close to the true rate.

Samples for learning: for each move, the played pattern and one that was not played.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import clear
from tengen.board.kernels.layout import CELLS, KO, NOWHERE, PASS, POINTS, TO_PLAY
from tengen.board.kernels.legality import SIMPLE_KO, is_legal, legal_points
from tengen.board.kernels.stones import play, put_stone
from tengen.playout.kernels.random import random_below
from tengen.records.kernels.moves import COLOR_SHIFT, POINT_MASK, SETUP
from tengen.sources.kernels.shape_keys import RING_CELLS, RINGS, point_keys
from tengen.util.compiler import inline_kernel, kernel, prefetch

SHAPE_PARAMETERS = np.dtype(
    [
        ("equivalent_visits", np.float64),
        ("marks", np.float64),  # optional parts of a pattern, bits of `shape_keys`
        ("tables", np.float64),  # tables per size
        ("bits", np.float64, (int(RINGS),)),  # per size: log2 of the slots of a table, 0: unused
        ("loads", np.float64, (int(RINGS),)),  # per size: the median total of a slot
        ("backoff", np.float64),
        ("value", np.float64),
    ]
)
"""Fields of the parameters of the shape source."""
PARAMETER_COUNT = SHAPE_PARAMETERS.itemsize // 8

PAIR = np.uintp(2)
"""A slot is two cells: wins and losses while learning, rate and total for look-up."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
ONE = np.uintp(1)


@inline_kernel
def shape_fields(parameters):
    """Return the parameters of the shape source as a record."""
    return parameters[:PARAMETER_COUNT].view(SHAPE_PARAMETERS)[0]


@inline_kernel
def slot_of(key, table, bits):
    """Return the slot of a pattern in a table: a hash of the key that differs between tables.

    The hash is SplitMix64 (G. Steele et al., 2014).
    """
    mixed = np.uint64(key) + (np.uint64(table) + np.uint64(1)) * _STEP
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return np.uintp((mixed ^ (mixed >> np.uint64(31))) >> (np.uint64(64) - np.uint64(bits)))


@kernel
def count_patterns(keys, outcomes, parameters, counts):
    """Add patterns to the counts: one row of `keys` each, `outcomes` 0 for a win, 1 for a loss.

    `counts` holds the tables one after the other, by size and then by number.
    """
    fields = shape_fields(parameters)
    first = np.uintp(0)
    tables = np.uintp(fields.tables)
    for ring in range(RINGS):
        bits = np.uintp(fields.bits[ring])
        if bits == 0:
            continue
        for index in range(np.uintp(len(outcomes))):
            for table in range(tables):
                slot = first + (table << bits) + slot_of(keys[index, ring], table, bits)
                counts[slot * PAIR + np.uintp(outcomes[index])] += ONE
        first += tables << bits


@inline_kernel
def look_up(key, first, tables, bits, slots):
    """Return (mean rate, least total) over the slots of a pattern."""
    rate = np.float32(0.0)
    least = np.float32(np.inf)
    for table in range(tables):
        slot = (first + (table << bits) + slot_of(key, table, bits)) * PAIR
        rate += slots[slot]
        least = min(least, slots[slot + ONE])
    return rate / np.float32(tables), least


@inline_kernel
def prefetch_slots(keys, fields, slots):
    """Prefetch the slots of the patterns around a point."""
    first = np.uintp(0)
    tables = np.uintp(fields.tables)
    for ring in range(RINGS):
        bits = np.uintp(fields.bits[ring])
        if bits != 0:
            for table in range(tables):
                slot = first + (table << bits) + slot_of(keys[ring], table, bits)
                prefetch(slots, slot * PAIR)
            first += tables << bits


@kernel
def look_up_sizes(keys, parameters, slots, rates, leasts):
    """Write rate and least total of each size into `rates` and `leasts`, 0 for unused sizes."""
    fields = shape_fields(parameters)
    first = np.uintp(0)
    tables = np.uintp(fields.tables)
    for ring in range(RINGS):
        bits = np.uintp(fields.bits[ring])
        rates[ring] = leasts[ring] = np.float32(0.0)
        if bits != 0:
            rates[ring], leasts[ring] = look_up(keys[ring], first, tables, bits, slots)
            first += tables << bits


WIN, LOSS = np.uint8(0), np.uint8(1)
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
