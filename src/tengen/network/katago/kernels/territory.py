"""Who owns what if the game ended now, as KataGo sees it under area scoring."""

import numpy as np

from tengen.board.kernels.area import area_owners
from tengen.board.kernels.layout import BLACK, COLOUR, DOWN, LEFT, POINTS, RIGHT, UP, WALL, WHITE
from tengen.board.kernels.life import unconditional_life
from tengen.core.compiler import allocating_kernel, kernel

ONE = np.uintp(1)


@kernel
def _walk_region(block, colour, alive, start, seen, stack):
    """Walk the region around `start` that `colour` encloses, and write its points into `stack`.

    Return how many there are, and whether the region is the colour's for good: all chains around
    it live, and at most one point of it touches none of them, so that nothing can live inside.
    """
    safe, inner = True, np.uintp(0)
    done, count = np.uintp(0), ONE
    stack[0] = start
    seen[start] = 1
    while done < count:
        point = np.uintp(stack[done])
        done += ONE
        touches = False
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbour = point + offset
            beside = block[COLOUR + neighbour]
            if beside == colour:
                touches = True
                safe &= alive[neighbour] != 0
            elif beside != WALL and not seen[neighbour]:
                seen[neighbour] = 1
                stack[count] = neighbour
                count += ONE
        inner += np.uintp(not touches)
    return count, safe and inner <= ONE


@allocating_kernel
def final_owners(block, owners):
    """Write who owns each point: 0 nobody, 1 Black, 2 White; one byte a padded point.

    Tromp-Taylor area, except that stones inside a region that is the opponent's for good (all
    around it lives unconditionally) are dead.
    """
    area_owners(block, owners)
    alive = np.zeros(POINTS, dtype=np.uint8)
    stack = np.empty(POINTS, dtype=np.uint32)
    for colour in (BLACK, WHITE):
        if unconditional_life(block, colour, alive) == 0:
            continue
        seen = np.zeros(POINTS, dtype=np.uint8)
        for point in range(POINTS):
            beside = block[COLOUR + point]
            if beside == colour or beside == WALL or seen[point]:
                continue
            count, held = _walk_region(block, colour, alive, point, seen, stack)
            if held:
                for place in range(count):
                    owners[stack[place]] = colour
