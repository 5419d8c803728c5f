"""How the search asks compiled sources: through one kernel that knows none of them.

Every source is a kernel of the same signature,

    add_something(block, numbers, tables, memory, wins, visits)

that adds `value * n` to `wins` and `n` to `visits` at each point it has an opinion of, for the
side to move, or sets `visits` to PRUNED where no move shall be tried. `numbers[0]` is the
equivalent visits it was given, the rest its own parameters; `tables` are read only and shared;
`memory` is a thread's own, zero at first, and kept from call to call. The search calls it by its
address, so that a new source compiles alone, and only when it is used.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import MOVES
from tengen.core.compiler import address_of, array_of, call_kernel, kernel

PRUNED = np.float32(-1e9)
"""Equivalent visits that say: no move here. What other sources add does not outweigh it."""

NUMBERS = 32
"""How many numbers a source may have, its equivalent visits among them."""
EQUIVALENT_VISITS = np.uintp(0)
"""The place of the equivalent visits among the numbers of a source."""

BEFORE_MOVE, TO_DEPTH = np.uintp(0), np.uintp(1)
"""The columns of `limits`."""


class Sources(NamedTuple):
    """The compiled sources of a search, one row each."""

    address: np.ndarray  # uint64 [sources]
    limits: np.ndarray  # float64 [sources, 2]: asked before this move and down to this depth
    numbers: np.ndarray  # float64 [sources, NUMBERS]
    tables: np.ndarray  # float32: of all sources, one after the other
    table_starts: np.ndarray  # uint64 [sources + 1]: where they begin
    memory_starts: np.ndarray  # uint64 [sources + 1]: where their parts of a memory begin


_SIGNATURE = tuple(
    array_of(kind)
    for kind in (np.uint32, np.float64, np.float32, np.float64, np.float32, np.float32)
)


def source_address(source) -> int:
    """Compile a source's kernel, or load it from the cache, and return where its code lies."""
    return address_of(source, _SIGNATURE)


@kernel
def is_pruned(visits):
    """Tell whether equivalent visits say that a move shall not be tried."""
    return visits < PRUNED / np.float32(2)


@kernel
def add_priors(block, depth, sources, memory, wins, visits):
    """Set `wins` and `visits` over the points to what all sources say for the side to move."""
    wins[:] = 0.0
    visits[:] = 0.0
    for index in range(np.uintp(len(sources.address))):
        limits = sources.limits[index]
        if block[MOVES] < limits[BEFORE_MOVE] and depth <= limits[TO_DEPTH]:
            following = index + np.uintp(1)
            tables = sources.tables[sources.table_starts[index] : sources.table_starts[following]]
            own = memory[sources.memory_starts[index] : sources.memory_starts[following]]
            numbers = sources.numbers[index]
            call_kernel(sources.address[index], block, numbers, tables, own, wins, visits)
