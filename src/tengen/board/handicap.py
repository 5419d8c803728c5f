"""Where handicap stones go."""

from tengen.board.points import point_at
from tengen.core.errors import TengenError

KOMI = 0.5
"""Of a handicap game, where nobody says otherwise: only so much that there is no draw."""
SMALLEST = 7
WIDE = 13
"""From this size on, stones lie on the fourth line instead of the third."""


def most_fixed(rows: int, columns: int) -> int:
    """Return how many fixed handicap stones a board takes."""
    if min(rows, columns) < SMALLEST:
        return 0
    has_middle = rows % 2 == 1 and columns % 2 == 1
    return 9 if has_middle and min(rows, columns) > SMALLEST else 4


def fixed_handicap_points(rows: int, columns: int, count: int) -> list[int]:
    """Return the points of `count` stones in the order of the GTP standard; raise TengenError."""
    most = most_fixed(rows, columns)
    if not 2 <= count <= most:
        allowed = f"use 2 to {most} on this board" if most else "there is none on so small a board"
        raise TengenError(f"invalid number of stones: {count}, of a handicap; {allowed}")
    line = 3 if min(rows, columns) >= WIDE else 2
    top, bottom, middle = line, rows - 1 - line, rows // 2
    left, right, centre = line, columns - 1 - line, columns // 2
    corners = [(bottom, left), (top, right), (top, left), (bottom, right)]
    sides = [(middle, left), (middle, right), (bottom, centre), (top, centre)]
    places = (corners + sides)[: count - count % 2] if count > 4 else corners[:count]
    if count > 4 and count % 2:
        places.append((middle, centre))
    return [point_at(row, column) for row, column in places]


def free_handicap_points(rows: int, columns: int, count: int) -> list[int]:
    """Return points for a free handicap: the fixed ones, as many as there are."""
    most = most_fixed(rows, columns)
    if most < 2:
        raise TengenError("invalid number of stones")
    return fixed_handicap_points(rows, columns, min(count, most))
