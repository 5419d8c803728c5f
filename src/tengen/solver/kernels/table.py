"""Transposition table: two entries of four words per bucket.

An entry stores the position exactly, not as a hash: own stones, opponent stones and whether the
last move was a pass. Symmetric and color-swapped positions share an entry. For each of its two
bounds an entry stores the search depth (PROVED: independent of the horizon) and the *shared
stones*: the stones on every board that the owner of the bound makes in the proof. The bound holds
after every history in which no board contains them (proof in docs/research/solver.md).
"""

import numpy as np

from tengen.solver.kernels.bitboard import index_of, lowest, own_first
from tengen.solver.kernels.memory import (
    ALL_STONES,
    BLACK_PROVES,
    EVALUATE,
    HALF,
    ONE,
    PASS,
    PROVED,
    ZERO,
)
from tengen.util.compiler import inline_kernel, kernel

_MIX = np.uint64(0x9E3779B97F4A7C15)
_PASSED = np.uint64(1 << 31)
_PROVING = np.uint64(1 << 62)
_DEFENDS = np.uint64(1 << 63)
_FOLD = np.uint64(29)
_WORD = np.uint64(64)

# Layout of the data word: two values, two depths, a move, the logarithm of the nodes searched.
_VALUE_MASK, _VALUE_ZERO = np.uint64((1 << 18) - 1), 1 << 17
_DEPTH_MASK = np.uint64(255)
_UP_VALUE, _LOW_DEPTH, _UP_DEPTH = np.uint64(18), np.uint64(36), np.uint64(44)
_MOVE, _MOVE_MASK, _WORK = np.uint64(52), np.uint64(31), np.uint64(57)


@inline_kernel
def pack(low, up, low_depth, up_depth, move, work):
    """Return the data word."""
    word = np.uint64(low + _VALUE_ZERO) | (np.uint64(up + _VALUE_ZERO) << _UP_VALUE)
    word |= (np.uint64(low_depth) << _LOW_DEPTH) | (np.uint64(up_depth) << _UP_DEPTH)
    return word | (np.uint64(move) << _MOVE) | (np.uint64(work) << _WORK)


@inline_kernel
def low_value(data):
    """Return the lower bound."""
    return np.int64(data & _VALUE_MASK) - _VALUE_ZERO


@inline_kernel
def up_value(data):
    """Return the upper bound."""
    return np.int64((data >> _UP_VALUE) & _VALUE_MASK) - _VALUE_ZERO


@inline_kernel
def low_depth(data):
    """Return the search depth of the lower bound."""
    return np.int64((data >> _LOW_DEPTH) & _DEPTH_MASK)


@inline_kernel
def up_depth(data):
    """Return the search depth of the upper bound."""
    return np.int64((data >> _UP_DEPTH) & _DEPTH_MASK)


@inline_kernel
def stored_move(data):
    """Return the best move in the entry's orientation."""
    return np.int64((data >> _MOVE) & _MOVE_MASK)


@inline_kernel
def stored_work(data):
    """Return the logarithm of the nodes searched for the entry."""
    return np.int64(data >> _WORK)


@inline_kernel
def transformed(geometry, points, symmetry):
    """Return the image of a board or set under a symmetry."""
    if symmetry == ZERO or points == ALL_STONES:
        return points
    image = ZERO
    while points != ZERO:
        bit = lowest(points)
        points ^= bit
        image |= geometry.images[index_of(bit), symmetry]
    return image


@inline_kernel
def transformed_move(geometry, move, symmetry):
    """Return the image of a move under a symmetry."""
    if move == PASS:
        return move
    return np.int64(index_of(geometry.images[np.uint64(move), symmetry]))


@inline_kernel
def canonical_symmetry(state, ply, side):
    """Return the symmetry that gives the board of a ply its smallest word."""
    if not state.control[0].use_symmetry:
        return ZERO
    boards = state.path[np.uintp(ply)]
    best, smallest = ZERO, own_first(boards[ZERO], side)
    for symmetry in range(ONE, state.geometry[0].symmetry_count):
        image = own_first(boards[np.uint64(symmetry)], side)
        if image < smallest:
            best, smallest = np.uint64(symmetry), image
    return best


@inline_kernel
def key_of(state, ply, frame):
    """Return the key of a node: its board, own stones first; a pass; the side that proves."""
    key = own_first(state.path[np.uintp(ply), frame.symmetry], frame.side)
    if frame.passes > 0:
        key |= _PASSED
    horizon = state.control[0].horizon
    if horizon != EVALUATE:
        key |= _PROVING
        if (horizon == BLACK_PROVES) != (frame.side == 0):
            key |= _DEFENDS
    return key


@inline_kernel
def evaluation_key(key):
    """Return the key of the same position in a search with evaluations."""
    return key & ~(_PROVING | _DEFENDS)


@inline_kernel
def _bucket_of(table_bits, key):
    """Return the index of the first entry of a key's bucket."""
    mixed = (key ^ (key >> _FOLD)) * _MIX
    mixed ^= mixed >> HALF
    mixed *= _MIX
    return (mixed >> (_WORD - np.uint64(table_bits))) & ~ONE


@kernel
def find(table, table_bits, key):
    """Return the index of a key's entry, or -1."""
    first = _bucket_of(table_bits, key)
    for way in range(2):
        index = first + np.uint64(way)
        entry = table[index]
        if entry.key == key and entry.data != ZERO:
            return np.int64(index)
    return np.int64(-1)


@inline_kernel
def _copy_entry(source, target):
    target.key, target.data = source.key, source.data
    target.low_shared, target.up_shared = source.low_shared, source.up_shared


@kernel
def slot_for(table, table_bits, key, work):
    """Return the index at which to write a key's entry: its own, an empty one, or the cheaper one.

    The first entry of a bucket is replaced only by at least as much work, the second always.
    """
    index = _bucket_of(table_bits, key)
    first, second = table[index], table[index + ONE]
    if first.key == key or first.data == ZERO:
        return index
    if second.key == key or second.data == ZERO:
        return index + ONE
    if work >= stored_work(first.data):
        _copy_entry(first, second)
        return index
    return index + ONE


@kernel
def history_allows(state, ply, symmetry, shared):
    """Return whether no earlier board contains the shared stones, both in the given orientation."""
    now = state.path[np.uintp(ply), symmetry]
    for earlier in range(np.uint64(ply)):
        board = state.path[np.uintp(earlier), symmetry]
        if board & shared == shared and board != now:
            return False
    return True


@kernel
def keep_proved(entries, limit):
    """Remove unproved bounds; entries without a proved bound become empty."""
    for index in range(np.uint64(len(entries))):
        entry = entries[np.uintp(index)]
        data = entry.data
        low, up, low_at, up_at = -limit, limit, 0, 0
        if low_depth(data) == PROVED:
            low, low_at = low_value(data), PROVED
        else:
            entry.low_shared = ALL_STONES
        if up_depth(data) == PROVED:
            up, up_at = up_value(data), PROVED
        else:
            entry.up_shared = ALL_STONES
        if low_at == 0 and up_at == 0:
            entry.data = ZERO
        else:
            entry.data = pack(low, up, low_at, up_at, stored_move(data), stored_work(data))


@kernel
def add_proved(entries, others):
    """Add the proved bounds of other entries for the same positions where they are missing."""
    for index in range(np.uint64(len(entries))):
        entry, other = entries[np.uintp(index)], others[np.uintp(index)]
        data = entry.data
        low, up, low_at, up_at = low_value(data), up_value(data), low_depth(data), up_depth(data)
        if low_at != PROVED and low_depth(other.data) == PROVED:
            low, low_at = low_value(other.data), PROVED
            entry.low_shared = other.low_shared
        if up_at != PROVED and up_depth(other.data) == PROVED:
            up, up_at = up_value(other.data), PROVED
            entry.up_shared = other.up_shared
        entry.data = pack(low, up, low_at, up_at, stored_move(data), stored_work(data))


@kernel
def insert_entries(table, table_bits, entries):
    """Insert entries, possibly from a table of another size."""
    for index in range(np.uint64(len(entries))):
        entry = entries[np.uintp(index)]
        slot = slot_for(table, table_bits, entry.key, stored_work(entry.data))
        _copy_entry(entry, table[slot])
