"""Distance along the stones: a chain is one step, however long it is.

Known as common fate graph distance (T. Graepel et al., Learning on Graphs in the Game of Go,
2001): stones that live and die together are one place.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    DOWN,
    EMPTY,
    LEFT,
    NEXT,
    POINTS,
    RIGHT,
    UP,
    WALL,
)
from tengen.core.compiler import kernel

ONE = np.uintp(1)
FAR = np.uintp(255)


@kernel
def _reach(block, point, step, distances, queue, count):
    """Give a point, or all stones of its chain, the distance `step`; return the queue's length."""
    current = point
    while distances[current] == FAR:
        distances[current] = step
        queue[count] = current
        count += ONE
        if block[COLOUR + current] != EMPTY:
            current = np.uintp(block[NEXT + current])
    return count


@kernel
def stone_distances(block, start, farthest, distances, queue):
    """Write each point's distance from `start` along the stones into `distances`.

    Points beyond `farthest` steps get FAR. `queue` is scratch memory of POINTS cells.
    """
    for point in range(POINTS):
        distances[point] = FAR
    count = _reach(block, start, np.uintp(0), distances, queue, np.uintp(0))
    done = np.uintp(0)
    while done < count:
        point = np.uintp(queue[done])
        done += ONE
        step = np.uintp(distances[point])
        if step == farthest:
            break
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbour = point + offset
            if block[COLOUR + neighbour] == WALL or distances[neighbour] != FAR:
                continue
            # Stones of one chain share a distance: going along them costs nothing.
            count = _reach(block, neighbour, step + ONE, distances, queue, count)
    return count
