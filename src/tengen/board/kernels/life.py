"""Unconditional life: what cannot be captured even if its owner always passes.

D. B. Benson, Life in the game of Go (1976). A chain lives if it has two *vital* regions: areas
enclosed by its colour all of whose empty points are liberties of the chain. Chains with fewer
are struck out, then the regions that touch a struck chain, and so on until nothing changes.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    DOWN,
    EMPTY,
    HEAD,
    LEFT,
    POINTS,
    RIGHT,
    UP,
    WALL,
)
from tengen.board.kernels.tactics import touched_before
from tengen.core.compiler import allocating_kernel, kernel

ONE = np.uintp(1)


@kernel
def _mark_region(block, colour, start, region, regions, stack):
    """Mark the points connected to `start` that are not of `colour` with the region's number."""
    height = ONE
    stack[0] = start
    regions[start] = region
    while height > np.uintp(0):
        height -= ONE
        point = np.uintp(stack[height])
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbour = point + offset
            beside = block[COLOUR + neighbour]
            if beside != WALL and beside != colour and regions[neighbour] == 0:
                regions[neighbour] = region
                stack[height] = neighbour
                height += ONE


@allocating_kernel
def _enclosed_regions(block, colour, regions):
    """Number the regions enclosed by `colour` from 1; return one more than the last number."""
    stack = np.empty(POINTS, dtype=np.uint32)
    region = ONE
    for point in range(POINTS):
        beside = block[COLOUR + point]
        if beside != WALL and beside != colour and regions[point] == 0:
            _mark_region(block, colour, point, region, regions, stack)
            region += ONE
    return region


@kernel
def _count_contacts(block, colour, regions, empties, contacts, borders):
    """Count each region's empty points, how many of them touch a chain, and which chains border.

    Both tables are by region and chain head.
    """
    for point in range(POINTS):
        region = np.uintp(regions[point])
        if region == np.uintp(0):
            continue
        is_empty = block[COLOUR + point] == EMPTY
        empties[region] += np.uint16(is_empty)
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbour = point + offset
            if block[COLOUR + neighbour] != colour:
                continue
            head = np.uintp(block[HEAD + neighbour])
            borders[region, head] = True
            if not is_empty or touched_before(block, point, offset, head):
                continue
            contacts[region, head] += np.uint16(1)


@kernel
def _strike_chains(empties, contacts, healthy, alive):
    """Strike out the chains without two healthy vital regions; return whether any was."""
    changed = False
    for head in range(POINTS):
        if not alive[head]:
            continue
        vital = np.uintp(0)
        for region in range(ONE, np.uintp(len(healthy))):
            if healthy[region] and contacts[region, head] == empties[region]:
                vital += ONE
        if vital < np.uintp(2):
            alive[head] = False
            changed = True
    return changed


@kernel
def _strike_regions(borders, healthy, alive):
    """Strike out the regions that touch a chain that is struck out."""
    for region in range(ONE, np.uintp(len(healthy))):
        for head in range(POINTS):
            if borders[region, head] and not alive[head]:
                healthy[region] = False


@allocating_kernel
def unconditional_life(block, colour, owned):
    """Mark what `colour` holds for good: its living chains and the regions vital to them.

    `owned` has one byte a padded point and is set to 1 there, to 0 elsewhere. An opponent's stone
    inside such a region is dead. Return how many points are marked.
    """
    regions = np.zeros(POINTS, dtype=np.uint32)
    number = _enclosed_regions(block, colour, regions)
    empties = np.zeros(number, dtype=np.uint16)
    contacts = np.zeros((number, POINTS), dtype=np.uint16)
    borders = np.zeros((number, POINTS), dtype=np.bool_)
    _count_contacts(block, colour, regions, empties, contacts, borders)
    healthy = np.ones(number, dtype=np.bool_)
    alive = np.zeros(POINTS, dtype=np.bool_)
    for point in range(POINTS):
        alive[point] = block[COLOUR + point] == colour and block[HEAD + point] == point
    while _strike_chains(empties, contacts, healthy, alive):
        _strike_regions(borders, healthy, alive)
    return _mark_owned(block, colour, regions, empties, contacts, healthy, alive, owned)


@kernel
def _mark_owned(block, colour, regions, empties, contacts, healthy, alive, owned):
    """Write the living chains and their vital regions into `owned`."""
    count = np.uintp(0)
    for point in range(POINTS):
        region = np.uintp(regions[point])
        held = False
        if region > np.uintp(0):
            if healthy[region]:
                for head in range(POINTS):
                    held |= alive[head] and contacts[region, head] == empties[region]
        elif block[COLOUR + point] == colour:
            held = alive[block[HEAD + point]]
        owned[point] = held
        count += np.uintp(held)
    return count
