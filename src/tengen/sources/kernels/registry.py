"""Dispatch from the search to compiled sources.

Every compiled source is a kernel with the signature

    add_something(block, parameters, tables, memory, wins, visits)

For the side to move it adds `value * n` to `wins` and `n` to `visits` at each point it scores, or
sets `visits` to PRUNED at points that must not be searched. All arrays are one-dimensional:
`parameters` (float64) starts with the equivalent visits, followed by the source's own parameters;
`tables` (float32) is read-only and shared; `memory` (float64) belongs to one thread, starts zeroed
and persists between calls; `wins` and `visits` (float32) are indexed by padded point.

Kernels are called by address, so a new source is compiled alone and only when it is used.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import MOVES
from tengen.util.compiler import address_of, array_of, call_kernel, kernel

PRUNED = np.float32(-1e9)
"""Equivalent visits of a pruned move; large enough that other sources cannot outweigh it."""

MAX_PARAMETERS = 32
"""Parameters per source, including the equivalent visits."""
EQUIVALENT_VISITS = np.uintp(0)
"""Index of the equivalent visits in `parameters`."""

BEFORE_MOVE, TO_DEPTH = np.uintp(0), np.uintp(1)
"""Columns of `Sources.limits`."""


class Sources(NamedTuple):
    """The compiled sources of a search, one row each."""

    address: np.ndarray  # uint64 [sources]
    limits: np.ndarray  # float64 [sources, 2]: active before this move and down to this depth
    parameters: np.ndarray  # float64 [sources, MAX_PARAMETERS]
    tables: np.ndarray  # float32: the tables of all sources, concatenated
    table_starts: np.ndarray  # uint64 [sources + 1]: offsets into `tables`
    memory_starts: np.ndarray  # uint64 [sources + 1]: offsets into a thread's memory


_SIGNATURE = tuple(
    array_of(kind)
    for kind in (np.uint32, np.float64, np.float32, np.float64, np.float32, np.float32)
)


def source_address(source) -> int:
    """Compile a source kernel, or load it from the cache, and return its address."""
    return address_of(source, _SIGNATURE)


@kernel
def is_pruned(visits):
    """Return whether these equivalent visits mark a pruned move."""
    return visits < PRUNED / np.float32(2)


@kernel
def add_priors(block, depth, sources, memory, wins, visits):
    """Set `wins` and `visits` to the sum over all sources active at this move and depth."""
    wins[:] = 0.0
    visits[:] = 0.0
    for index in range(np.uintp(len(sources.address))):
        limits = sources.limits[index]
        if block[MOVES] < limits[BEFORE_MOVE] and depth <= limits[TO_DEPTH]:
            following = index + np.uintp(1)
            tables = sources.tables[sources.table_starts[index] : sources.table_starts[following]]
            own = memory[sources.memory_starts[index] : sources.memory_starts[following]]
            parameters = sources.parameters[index]
            call_kernel(sources.address[index], block, parameters, tables, own, wins, visits)
