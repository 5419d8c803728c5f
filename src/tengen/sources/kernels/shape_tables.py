"""The sloppy hash array (A. Terenin et al., SHAPE, paper 004): pattern rates without stored keys.

Each pattern size has a few tables. A pattern has one slot in each of them, found by independent
hashes; patterns that collide in a slot are added up. Two patterns that share a slot in one table
rarely share one in another, so the mean over the tables is close to the true rate.
"""

import numpy as np

from tengen.sources.kernels.shape_keys import RINGS
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
