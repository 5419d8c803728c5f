"""The sloppy hash array (A. Terenin et al., SHAPE): pattern rates without keys.

For each pattern size there are a few tables. A pattern has one slot in each of them, found by
independent hashes; what collides there is conflated. Two patterns that share a slot in one table
hardly ever share one in another, so the mean over the tables is near the truth.

A table set is described by a short vector of numbers, the same for learning and for looking up.
"""

import numpy as np

from tengen.core.compiler import inline_kernel, kernel, prefetch
from tengen.knowledge.kernels.shape_keys import RINGS

# Where things stand in `numbers`; 0 is left to the equivalent visits of a source.
MARKS, TABLES = np.uintp(1), np.uintp(2)
BITS = np.uintp(3)
"""BITS + ring: the slots of each table of that size, as a power of two; 0 for no tables."""
LOADS = BITS + RINGS
"""LOADS + ring: how many patterns a slot of that size holds by chance: the median slot's total."""
TABLE_NUMBERS = LOADS + RINGS

PAIR = np.uintp(2)
"""A slot is two cells: wins and losses where it is learned, rate and total where it is used."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
ONE = np.uintp(1)


@inline_kernel
def slot_of(key, table, bits):
    """Return a pattern's slot in a table: a mix of the key that is another one for each table.

    The mixing is that of SplitMix64 (G. Steele et al., 2014): every bit depends on every bit.
    """
    mixed = np.uint64(key) + (np.uint64(table) + np.uint64(1)) * _STEP
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return np.uintp((mixed ^ (mixed >> np.uint64(31))) >> (np.uint64(64) - np.uint64(bits)))


@kernel
def count_patterns(keys, outcomes, numbers, counts):
    """Add patterns to the counts: `keys` has a row for each, `outcomes` 0 for wins, 1 for losses.

    The tables lie in `counts` one after the other, by size and then by number.
    """
    first = np.uintp(0)
    tables = np.uintp(numbers[TABLES])
    for ring in range(RINGS):
        bits = np.uintp(numbers[BITS + ring])
        if bits == 0:
            continue
        for index in range(np.uintp(len(outcomes))):
            for table in range(tables):
                slot = first + (table << bits) + slot_of(keys[index, ring], table, bits)
                counts[slot * PAIR + np.uintp(outcomes[index])] += ONE
        first += tables << bits


@inline_kernel
def look_up(key, first, tables, bits, slots):
    """Return (rate, least) of a pattern: the mean of its rates, the least total of its slots."""
    rate = np.float32(0.0)
    least = np.float32(np.inf)
    for table in range(tables):
        slot = (first + (table << bits) + slot_of(key, table, bits)) * PAIR
        rate += slots[slot]
        least = min(least, slots[slot + ONE])
    return rate / np.float32(tables), least


@inline_kernel
def fetch_slots(keys, numbers, slots):
    """Begin to read the slots of the patterns around a point."""
    first = np.uintp(0)
    tables = np.uintp(numbers[TABLES])
    for ring in range(RINGS):
        bits = np.uintp(numbers[BITS + ring])
        if bits != 0:
            for table in range(tables):
                slot = first + (table << bits) + slot_of(keys[ring], table, bits)
                prefetch(slots, slot * PAIR)
            first += tables << bits


@kernel
def look_up_sizes(keys, numbers, slots, rates, leasts):
    """Write rate and least total of each size into `rates` and `leasts`; 0 where no tables are."""
    first = np.uintp(0)
    tables = np.uintp(numbers[TABLES])
    for ring in range(RINGS):
        bits = np.uintp(numbers[BITS + ring])
        rates[ring] = leasts[ring] = np.float32(0.0)
        if bits != 0:
            rates[ring], leasts[ring] = look_up(keys[ring], first, tables, bits, slots)
            first += tables << bits
