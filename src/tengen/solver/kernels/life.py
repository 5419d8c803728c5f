"""What a side keeps even if it only answers: unconditional life, and the territory it encloses.

Benson's algorithm (1976) with a stricter vital region: *every* point of it, the opponent's stones
too, touches the chain. Then the owner can also fill such a region until the opponent's stones in
it are captured, and stays alive; see docs/solver.md for the proof, repetition included.
"""

import numpy as np

from tengen.core.compiler import inline_kernel, kernel
from tengen.solver.kernels.bits import beside, flood, lowest
from tengen.solver.kernels.memory import EVERYTHING, FULL, LIFE, ONE, ZERO

CHAINS, REACHES, REGIONS = LIFE, LIFE + np.uintp(32), LIFE + np.uintp(64)


@inline_kernel
def _list_parts(words, points, target):
    """Write the connected parts of a set from words[target] on; return how many there are."""
    parts = ZERO
    while points != ZERO:
        part = flood(words, lowest(points), points)
        points &= ~part
        words[target + parts] = part
        parts += ONE
    return parts


@inline_kernel
def _vital_regions(words, chain_reach, regions):
    """Return how many regions lie wholly within reach of a chain."""
    vital = 0
    for region in range(regions):
        points = words[REGIONS + np.uint64(region)]
        if points != ZERO and points & ~chain_reach == ZERO:
            vital += 1
    return vital


@inline_kernel
def _strike_regions(words, chain, regions):
    """Strike out the regions next to a chain."""
    near = beside(words, chain)
    for region in range(regions):
        if words[REGIONS + np.uint64(region)] & near != ZERO:
            words[REGIONS + np.uint64(region)] = ZERO


@kernel
def alive_chains(words, own):
    """Return the stones of the chains that live; the regions left are those only they enclose."""
    regions = _list_parts(words, words[FULL] & ~own, REGIONS)
    if regions < np.uint64(2):
        return ZERO
    chains = _list_parts(words, own, CHAINS)
    for chain in range(chains):
        words[REACHES + np.uint64(chain)] = beside(words, words[CHAINS + np.uint64(chain)])
    alive = own
    changed = True
    while changed and alive != ZERO:
        changed = False
        for chain in range(chains):
            stones = words[CHAINS + np.uint64(chain)]
            if stones & alive == ZERO:
                continue
            if _vital_regions(words, words[REACHES + np.uint64(chain)], regions) < 2:
                alive &= ~stones
                _strike_regions(words, stones, regions)
                changed = True
    if alive != ZERO:
        words[REGIONS + regions] = EVERYTHING  # the mark behind the last region
    return alive


@kernel
def safe_points(words, alive):
    """Return the living chains with the regions they alone enclose and reach everywhere.

    To be called right after `alive_chains` found some.
    """
    safe = alive
    near = beside(words, alive)
    region = REGIONS
    while words[region] != EVERYTHING:
        if words[region] & ~near == ZERO:
            safe |= words[region]
        region += np.uintp(1)
    return safe
