"""Evaluation of boards and unconditional life.

The evaluation is Bouzy's E_power (paper 003, formula 10): the sum of size^power over Black's groups
minus White's. A side owns its stones and the empty regions that touch only its stones; a group is a
connected set of owned points. E1 is area scoring.

Life is Benson's algorithm (1976) with a stricter condition: *every* point of a vital region touches
the chain, including opponent stones. The owner can then also capture opponent stones inside and
stays alive; docs/research/solver.md has the proof, repetition included.
"""

import numpy as np

from tengen.solver.kernels.bitboard import count, flood, lowest, neighbors, stones_of
from tengen.solver.kernels.memory import ALL_STONES, ONE, ZERO
from tengen.util.compiler import inline_kernel, kernel


@inline_kernel
def _touching(geometry, stones, empty):
    """Return the empty points whose region touches the stones."""
    return flood(geometry, neighbors(geometry, stones) & empty, empty)


@inline_kernel
def to_power(size, power):
    """Return size^power for a small positive integer power."""
    result = 1
    for _ in range(power):
        result *= size
    return result


@kernel
def groups_power(geometry, points, power):
    """Return the sum of size^power over the connected parts of a set."""
    if power == 1:
        return count(points)
    total = 0
    while points != ZERO:
        group = flood(geometry, lowest(points), points)
        points &= ~group
        total += to_power(count(group), power)
    return total


@kernel
def evaluate(geometry, board, power):
    """Return E_power of a board from Black's point of view."""
    black, white = stones_of(board, 0), stones_of(board, 1)
    empty = geometry.full & ~(black | white)
    near_black = _touching(geometry, black, empty)
    near_white = _touching(geometry, white, empty)
    black_sum = groups_power(geometry, black | (near_black & ~near_white), power)
    return black_sum - groups_power(geometry, white | (near_white & ~near_black), power)


@inline_kernel
def value_to_play(geometry, power, board, side):
    """Return the evaluation for the side to move."""
    value = evaluate(geometry, board, power)
    return value if side == 0 else -value


@inline_kernel
def _list_parts(geometry, points, parts):
    """Write the connected parts of a set to `parts`; return their number."""
    number = ZERO
    while points != ZERO:
        part = flood(geometry, lowest(points), points)
        points &= ~part
        parts[number] = part
        number += ONE
    return number


@inline_kernel
def _count_vital(regions, number, reach):
    """Count the regions that lie entirely within reach of a chain."""
    vital = 0
    for region in range(number):
        points = regions[np.uintp(region)]
        if points != ZERO and points & ~reach == ZERO:
            vital += 1
    return vital


@inline_kernel
def _remove_regions(regions, number, reach):
    """Remove the regions that touch a chain."""
    for region in range(number):
        if regions[np.uintp(region)] & reach != ZERO:
            regions[np.uintp(region)] = ZERO


@kernel
def alive_chains(geometry, own):
    """Return the stones of the living chains; `geometry.regions` keeps the regions they enclose."""
    chains, reaches, regions = geometry.chains, geometry.reaches, geometry.regions
    region_count = _list_parts(geometry, geometry.full & ~own, regions)
    if region_count < np.uint64(2):
        return ZERO
    chain_count = _list_parts(geometry, own, chains)
    for chain in range(chain_count):
        reaches[np.uintp(chain)] = neighbors(geometry, chains[np.uintp(chain)])
    alive = own
    changed = True
    while changed and alive != ZERO:
        changed = False
        for chain in range(chain_count):
            stones, reach = chains[np.uintp(chain)], reaches[np.uintp(chain)]
            if stones & alive == ZERO:
                continue
            if _count_vital(regions, region_count, reach) < 2:
                alive &= ~stones
                _remove_regions(regions, region_count, reach)
                changed = True
    if alive != ZERO:
        regions[region_count] = ALL_STONES  # terminates the list
    return alive


@kernel
def safe_points(geometry, alive):
    """Return the living chains and the regions that only they enclose and reach everywhere.

    Call it directly after `alive_chains` has returned a non-empty set.
    """
    safe = alive
    near = neighbors(geometry, alive)
    regions, region = geometry.regions, ZERO
    while regions[region] != ALL_STONES:
        if regions[region] & ~near == ZERO:
            safe |= regions[region]
        region += ONE
    return safe
