"""Area counting (Tromp-Taylor, and a faster count for finished playouts) and pass-alive chains.

Pass-alive chains cannot be captured even if their owner always passes: D. B. Benson, Life in the
Game of Go (1976). A region enclosed by a color is *vital* to a chain if all its empty points are
liberties of the chain. Chains with fewer than two vital regions are removed, then regions that
touch a removed chain, until nothing changes. The rest is alive.

Where suicide is legal, the opponent can fill a region and then remove its own stones, which leaves
empty points that are no liberties of the chain. There a region is vital only if *all* its points
are adjacent to the chain: whatever the opponent removes, the chain regains a liberty.
"""

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    COLOR,
    DOWN,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    HEAD,
    LEFT,
    POINTS,
    RIGHT,
    UP,
    WALL,
    WHITE,
)
from tengen.board.kernels.tactics import is_eye_like, touched_before
from tengen.util.compiler import allocating_kernel, kernel

ONE = np.uintp(1)
BOTH_COLORS = np.uintp(3)


@kernel
def _flood_region(block, start, marks, mark, stack):
    """Mark the empty region around `start`; return the bitwise or of the colors it touches."""
    touched = np.uintp(0)
    height = ONE
    stack[0] = start
    marks[start] = mark
    while height > np.uintp(0):
        height -= ONE
        point = np.uintp(stack[height])
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = point + offset
            occupant = np.uintp(block[COLOR + neighbor])
            if occupant == EMPTY:
                if marks[neighbor] != mark:
                    marks[neighbor] = mark
                    stack[height] = neighbor
                    height += ONE
            elif occupant != WALL:
                touched |= occupant
    return touched


@allocating_kernel
def area_owners(block, owners):
    """Write the Tromp-Taylor owner of each point: 0 neutral, 1 Black, 2 White.

    `owners` is uint8 [POINTS]. Return Black's area minus White's.
    """
    stack = np.empty(POINTS, dtype=np.uint32)
    marks = np.zeros(POINTS, dtype=np.uint32)
    area = np.int64(0)
    region = ONE
    owner_of = np.zeros(POINTS, dtype=np.uint8)
    for point in range(POINTS):
        color = np.uintp(block[COLOR + point])
        owners[point] = 0
        if color == WALL:
            continue
        if color == EMPTY:
            if marks[point] == 0:
                touched = _flood_region(block, point, marks, region, stack)
                owner_of[region] = touched if touched != BOTH_COLORS else 0
                region += ONE
            color = np.uintp(owner_of[marks[point]])
        owners[point] = color
        area += np.int64(color == BLACK) - np.int64(color == WHITE)
    return area


@allocating_kernel
def area_balance(block):
    """Return Black's Tromp-Taylor area minus White's."""
    return area_owners(block, np.zeros(POINTS, dtype=np.uint8))


@kernel
def stone_balance(block):
    """Return the number of black stones minus the number of white ones."""
    balance = np.int64(0)
    for point in range(POINTS):
        color = block[COLOR + point]
        balance += np.int64(color == BLACK) - np.int64(color == WHITE)
    return balance


@kernel
def finished_area(block):
    """Return Black's area minus White's for a board where all empty points are one-point eyes."""
    area = stone_balance(block)
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        area += np.int64(is_eye_like(block, point, BLACK))
        area -= np.int64(is_eye_like(block, point, WHITE))
    return area


@kernel
def _mark_region(block, color, start, region, regions, stack):
    """Write the region number to all points connected to `start` that are not of `color`."""
    height = ONE
    stack[0] = start
    regions[start] = region
    while height > np.uintp(0):
        height -= ONE
        point = np.uintp(stack[height])
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = point + offset
            occupant = block[COLOR + neighbor]
            if occupant != WALL and occupant != color and regions[neighbor] == 0:
                regions[neighbor] = region
                stack[height] = neighbor
                height += ONE


@allocating_kernel
def _enclosed_regions(block, color, regions):
    """Number the regions enclosed by `color` from 1; return the number of regions plus 1."""
    stack = np.empty(POINTS, dtype=np.uint32)
    region = ONE
    for point in range(POINTS):
        occupant = block[COLOR + point]
        if occupant != WALL and occupant != color and regions[point] == 0:
            _mark_region(block, color, point, region, regions, stack)
            region += ONE
    return region


@kernel
def _count_contacts(block, color, suicide, regions, sizes, contacts, borders):
    """Count the relevant points of each region, those adjacent to each chain, and its chains.

    Relevant are the empty points and, with suicide, all points. `contacts` and `borders` are
    indexed by region and chain head.
    """
    for point in range(POINTS):
        region = np.uintp(regions[point])
        if region == np.uintp(0):
            continue
        is_relevant = suicide or block[COLOR + point] == EMPTY
        sizes[region] += np.uint16(is_relevant)
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = point + offset
            if block[COLOR + neighbor] != color:
                continue
            head = np.uintp(block[HEAD + neighbor])
            borders[region, head] = True
            if not is_relevant or touched_before(block, point, offset, head):
                continue
            contacts[region, head] += np.uint16(1)


@kernel
def _remove_chains(sizes, contacts, healthy, alive):
    """Remove chains without two healthy vital regions; return whether any was removed."""
    changed = False
    for head in range(POINTS):
        if not alive[head]:
            continue
        vital = np.uintp(0)
        for region in range(ONE, np.uintp(len(healthy))):
            if healthy[region] and contacts[region, head] == sizes[region]:
                vital += ONE
        if vital < np.uintp(2):
            alive[head] = False
            changed = True
    return changed


@kernel
def _remove_regions(borders, healthy, alive):
    """Remove the regions that touch a removed chain."""
    for region in range(ONE, np.uintp(len(healthy))):
        for head in range(POINTS):
            if borders[region, head] and not alive[head]:
                healthy[region] = False


@allocating_kernel
def unconditional_life_under(block, color, suicide, owned):
    """Mark the pass-alive chains of `color` and the regions vital to them.

    `owned` is uint8 [POINTS]: 1 for marked points, 0 elsewhere. Enemy stones in these regions are
    dead. Return the number of marked points.
    """
    regions = np.zeros(POINTS, dtype=np.uint32)
    number = _enclosed_regions(block, color, regions)
    sizes = np.zeros(number, dtype=np.uint16)
    contacts = np.zeros((number, POINTS), dtype=np.uint16)
    borders = np.zeros((number, POINTS), dtype=np.bool_)
    _count_contacts(block, color, suicide, regions, sizes, contacts, borders)
    healthy = np.ones(number, dtype=np.bool_)
    alive = np.zeros(POINTS, dtype=np.bool_)
    for point in range(POINTS):
        alive[point] = block[COLOR + point] == color and block[HEAD + point] == point
    while _remove_chains(sizes, contacts, healthy, alive):
        _remove_regions(borders, healthy, alive)
    return _mark_owned(block, color, regions, sizes, contacts, healthy, alive, owned)


@kernel
def _mark_owned(block, color, regions, sizes, contacts, healthy, alive, owned):
    """Mark living chains and their vital regions in `owned`."""
    count = np.uintp(0)
    for point in range(POINTS):
        region = np.uintp(regions[point])
        held = False
        if region > np.uintp(0):
            if healthy[region]:
                for head in range(POINTS):
                    held |= alive[head] and contacts[region, head] == sizes[region]
        elif block[COLOR + point] == color:
            held = alive[block[HEAD + point]]
        owned[point] = held
        count += np.uintp(held)
    return count


@allocating_kernel
def unconditional_life(block, color, owned):
    """Mark as `unconditional_life_under`, where suicide is illegal."""
    return unconditional_life_under(block, color, False, owned)
