"""The transposition table: entries of four words, two for each place.

An entry holds the position exactly, not a hash of it: own stones, the opponent's, whether the
last move was a pass. Symmetric positions, and those with colours swapped, share an entry. For
each of its two bounds it holds how deep was looked (PROVED: the bound needs no horizon) and the
*shared stones*: what all boards that the bound's owner makes in the proof have in common. The
bound holds after every history none of whose boards contains them; docs/solver.md says why.
"""

import numpy as np

from tengen.core.compiler import inline_kernel, kernel
from tengen.solver.kernels.bits import lowest, place
from tengen.solver.kernels.memory import (
    BIT,
    BLACK_PROVES,
    DATA,
    ENTRY_LOW_SET,
    ENTRY_UP_SET,
    ENTRY_WORDS,
    EVALUATE,
    EVERYTHING,
    FLAGS,
    HALF,
    HORIZON,
    INVERSE,
    KEY,
    MOVER,
    ONE,
    PASS,
    PASSES,
    PATH,
    PROVED,
    SYMMETRIES,
    SYMMETRY_COUNT,
    TABLE_BITS,
    USE_SYMMETRY,
    ZERO,
)
from tengen.solver.kernels.rules import turned

_STRIDE = np.uint64(SYMMETRIES)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_PASSED = np.uint64(1 << 31)
_PROVING = np.uint64(1 << 62)
_DEFENDS = np.uint64(1 << 63)
_FOLD = np.uint64(29)
_WORD = np.uint64(64)

# The data word: two values, two depths, a move, the logarithm of the work.
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
    """Return how deep was looked for the lower bound."""
    return np.int64((data >> _LOW_DEPTH) & _DEPTH_MASK)


@inline_kernel
def up_depth(data):
    """Return how deep was looked for the upper bound."""
    return np.int64((data >> _UP_DEPTH) & _DEPTH_MASK)


@inline_kernel
def stored_move(data):
    """Return the best move, as the entry's symmetry shows it."""
    return np.int64((data >> _MOVE) & _MOVE_MASK)


@inline_kernel
def stored_work(data):
    """Return the logarithm of the nodes that went into the entry."""
    return np.int64(data >> _WORK)


@inline_kernel
def mapped(words, points, symmetry):
    """Return a board, or a set like one, as a symmetry shows it."""
    if symmetry == ZERO or points == EVERYTHING:
        return points
    image = ZERO
    while points != ZERO:
        bit = lowest(points)
        points ^= bit
        image |= words[BIT + place(bit) * _STRIDE + symmetry]
    return image


@inline_kernel
def mapped_move(words, move, symmetry):
    """Return a move as a symmetry shows it."""
    if move == PASS:
        return move
    return np.int64(place(words[BIT + np.uint64(move) * _STRIDE + symmetry]))


@inline_kernel
def inverse(words, symmetry):
    """Return the symmetry that undoes one."""
    return words[INVERSE + symmetry]


@inline_kernel
def best_symmetry(words, numbers, ply, side):
    """Return the symmetry that shows the board at a ply as the smallest word."""
    if numbers[FLAGS] & USE_SYMMETRY == 0:
        return ZERO
    start = PATH + np.uint64(ply) * _STRIDE
    best, smallest = ZERO, turned(words[start], side)
    for symmetry in range(ONE, words[SYMMETRY_COUNT]):
        image = turned(words[start + np.uint64(symmetry)], side)
        if image < smallest:
            best, smallest = np.uint64(symmetry), image
    return best


@inline_kernel
def key_of(words, numbers, ply, frame, symmetry):
    """Return the key: the board of the side to move, the pass, who has to prove something."""
    side = numbers[frame + MOVER]
    key = turned(words[PATH + np.uint64(ply) * _STRIDE + symmetry], side)
    if numbers[frame + PASSES] > 0:
        key |= _PASSED
    horizon = numbers[HORIZON]
    if horizon != EVALUATE:
        key |= _PROVING
        if (horizon == BLACK_PROVES) != (side == 0):
            key |= _DEFENDS
    return key


@inline_kernel
def evaluated_key(key):
    """Return the key of the same position's entry in a search that evaluates."""
    return key & ~(_PROVING | _DEFENDS)


@inline_kernel
def place_of(numbers, key):
    """Return the index in the table of the first of the entries where a key may lie."""
    mixed = (key ^ (key >> _FOLD)) * _MIX
    mixed ^= mixed >> HALF
    mixed *= _MIX
    return (mixed >> (_WORD - np.uint64(numbers[TABLE_BITS]))) & ~ONE


@kernel
def find(numbers, table, key):
    """Return the index of a key's entry among the words, or -1."""
    first = place_of(numbers, key) * ENTRY_WORDS
    for way in range(2):
        entry = first + np.uint64(way) * ENTRY_WORDS
        if table[entry + KEY] == key and table[entry + DATA] != ZERO:
            return np.int64(entry)
    return np.int64(-1)


@kernel
def slot_for(numbers, table, key, work):
    """Return where to write a key's entry: its own, a free one, or the one with less work.

    The first entry of a place falls only to more work, the second to anything.
    """
    first = place_of(numbers, key) * ENTRY_WORDS
    second = first + ENTRY_WORDS
    if table[first + KEY] == key or table[first + DATA] == ZERO:
        return first
    if table[second + KEY] == key or table[second + DATA] == ZERO:
        return second
    if work >= stored_work(table[first + DATA]):
        for word in range(ENTRY_WORDS):
            table[second + np.uint64(word)] = table[first + np.uint64(word)]
        return first
    return second


@kernel
def history_allows(words, ply, symmetry, shared):
    """Tell whether no earlier board, as the symmetry shows it, contains the shared stones."""
    now = words[PATH + np.uint64(ply) * _STRIDE + symmetry]
    for earlier in range(np.uint64(ply)):
        board = words[PATH + np.uint64(earlier) * _STRIDE + symmetry]
        if board & shared == shared and board != now:
            return False
    return True


@kernel
def keep_proved(entries, limit):
    """Drop from entries what is not proved: a bound, or the whole entry (its data become 0)."""
    for entry in range(ZERO, np.uint64(len(entries)), ENTRY_WORDS):
        data = entries[entry + DATA]
        low, up, low_at, up_at = -limit, limit, 0, 0
        if low_depth(data) == PROVED:
            low, low_at = low_value(data), PROVED
        else:
            entries[entry + ENTRY_LOW_SET] = EVERYTHING
        if up_depth(data) == PROVED:
            up, up_at = up_value(data), PROVED
        else:
            entries[entry + ENTRY_UP_SET] = EVERYTHING
        if low_at == 0 and up_at == 0:
            entries[entry + DATA] = ZERO
        else:
            entries[entry + DATA] = pack(
                low, up, low_at, up_at, stored_move(data), stored_work(data)
            )


@kernel
def take_proved(entries, others):
    """Take each proved bound of others, of the same positions, where the entry's is not proved."""
    for entry in range(ZERO, np.uint64(len(entries)), ENTRY_WORDS):
        data, other = entries[entry + DATA], others[entry + DATA]
        low, up, low_at, up_at = low_value(data), up_value(data), low_depth(data), up_depth(data)
        if low_at != PROVED and low_depth(other) == PROVED:
            low, low_at = low_value(other), PROVED
            entries[entry + ENTRY_LOW_SET] = others[entry + ENTRY_LOW_SET]
        if up_at != PROVED and up_depth(other) == PROVED:
            up, up_at = up_value(other), PROVED
            entries[entry + ENTRY_UP_SET] = others[entry + ENTRY_UP_SET]
        entries[entry + DATA] = pack(low, up, low_at, up_at, stored_move(data), stored_work(data))


@kernel
def put_entries(numbers, table, entries):
    """Put entries into a table, which may have another size than the one they are from."""
    for entry in range(ZERO, np.uint64(len(entries)), ENTRY_WORDS):
        work = stored_work(entries[entry + DATA])
        slot = slot_for(numbers, table, entries[entry + KEY], work)
        for word in range(ENTRY_WORDS):
            table[slot + np.uint64(word)] = entries[entry + np.uint64(word)]
