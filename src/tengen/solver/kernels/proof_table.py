"""Table of the proof-number search: buckets of four entries of two words.

An entry stores a state exactly, with its proof number, its disproof number and the logarithm of the
nodes searched for it. A new state replaces the entry with the least work.
"""

import numpy as np

from tengen.solver.kernels.bitboard import index_of, lowest
from tengen.solver.kernels.memory import HALF, ONE, ZERO
from tengen.solver.kernels.proof_memory import INFINITE
from tengen.util.compiler import inline_kernel, kernel

WAYS = 4
_MIX = np.uint64(0x9E3779B97F4A7C15)
_FOLD, _WORD = np.uint64(29), np.uint64(64)
_IN_BUCKET = np.uint64(WAYS - 1)
_OPPONENT_MOVES, _PASSED = np.uint64(31), np.uint64(63)

# Layout of the data word: proof number, disproof number, logarithm of the nodes searched.
_NUMBER_MASK = np.uint64(INFINITE)
_DISPROOF, _WORK = np.uint64(24), np.uint64(48)


@inline_kernel
def proof_number(data):
    """Return the proof number of an entry."""
    return np.int64(data & _NUMBER_MASK)


@inline_kernel
def disproof_number(data):
    """Return the disproof number of an entry."""
    return np.int64((data >> _DISPROOF) & _NUMBER_MASK)


@inline_kernel
def _work_of(data):
    return np.int64(data >> _WORK)


@inline_kernel
def state_key(state, ply, board, ko, side, passes):
    """Return the key of a state one move after the board of a ply: its smallest orientation."""
    geometry = state.geometry[0]
    here = state.images[np.uintp(ply)]
    word = board | ko | (ko << HALF)
    changed = here[ZERO] ^ word
    smallest = word
    if state.question[0].use_symmetry:
        for symmetry in range(ONE, geometry.symmetry_count):
            image, left = here[np.uint64(symmetry)], changed
            while left != ZERO:
                bit = lowest(left)
                left ^= bit
                image ^= geometry.images[index_of(bit), np.uint64(symmetry)]
            smallest = min(smallest, image)
    return smallest | (np.uint64(side) << _OPPONENT_MOVES) | (np.uint64(passes) << _PASSED)


@inline_kernel
def _bucket_of(table_bits, key):
    mixed = (key ^ (key >> _FOLD)) * _MIX
    mixed ^= mixed >> HALF
    mixed *= _MIX
    return (mixed >> (_WORD - np.uint64(table_bits))) & ~_IN_BUCKET


@inline_kernel
def find_state(table, table_bits, key):
    """Return the data of a key's entry, or 0."""
    first = _bucket_of(table_bits, key)
    for way in range(WAYS):
        entry = table[first + np.uint64(way)]
        if entry.key == key:
            return entry.data
    return ZERO


@kernel
def store_state(table, table_bits, key, pn, dn, work, use_replacement):
    """Store the numbers of a state in its own entry, an empty one, or the one with least work."""
    first = _bucket_of(table_bits, key)
    chosen, least = first, np.int64(1 << 30)
    for way in range(WAYS):
        index = first + np.uint64(way)
        entry = table[index]
        if entry.key == key or entry.data == ZERO:
            if entry.data != ZERO:
                work = max(work, _work_of(entry.data))
            chosen = index
            break
        cost = _work_of(entry.data)
        if use_replacement and cost < least:
            chosen, least = index, cost
    entry = table[chosen]
    entry.key = key
    entry.data = np.uint64(pn) | (np.uint64(dn) << _DISPROOF) | (np.uint64(work) << _WORK)


@kernel
def insert_states(table, table_bits, entries):
    """Insert entries of another table."""
    for index in range(np.uint64(len(entries))):
        entry = entries[np.uintp(index)]
        pn, dn = proof_number(entry.data), disproof_number(entry.data)
        store_state(table, table_bits, entry.key, pn, dn, _work_of(entry.data), 1)
