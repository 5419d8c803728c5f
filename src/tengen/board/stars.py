"""Star points, for pictures of the board."""


def star_points(rows: int, columns: int) -> set[tuple[int, int]]:
    """Return the star points as (row, column) from 0: corners, tengen, and sides from 15 lines on.

    `page/points.js` has the same for the page.
    """
    has_sides = min(rows, columns) >= 15
    return {
        (row, column)
        for row in _lines(rows)
        for column in _lines(columns)
        if has_sides or (2 * row + 1 == rows) == (2 * column + 1 == columns)
    }


def _lines(length: int) -> list[int]:
    """Return the lines with star points: the middle, if it is one line, and near the edges."""
    middle = [length // 2] if length % 2 and length != 7 else []
    if length < 7:
        return middle
    edge = 3 if length >= 13 else 2
    return [edge, *middle, length - 1 - edge]
