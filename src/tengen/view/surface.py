"""Perspective drawing of a layer as a surface, as `surface.js` of the page draws it."""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.interpolate import RectBivariateSpline

from tengen.board import BLACK_STONE, SHADOW, WHITE_STONE, column_of, row_of
from tengen.util import Drawing, Ellipse, Polygon, Polyline, Shape
from tengen.view.layer import (
    GAP,
    MARK,
    SEQUENTIAL,
    TITLE_SIZE,
    Grid,
    Layer,
    Paint,
    Rgb,
    Scale,
    draw_caption,
    draw_title,
    interpolate_color,
    make_drawing,
)

AZIMUTH, ELEVATION = -0.62, 0.86
RELIEF = {Scale.SEQUENTIAL: 0.26, Scale.DIVERGING: 0.26, Scale.MASK: 0.12}
"""Height of the highest point, in board widths."""
SUBDIVISIONS = 2
"""Grid cells between two neighboring points."""
DIVERGING: tuple[Rgb, ...] = (
    (201, 84, 26),
    (240, 178, 122),
    (244, 240, 228),
    (130, 160, 214),
    (30, 58, 138),
)
"""The color map of the page, from White to Black."""
SIDE = 620.0
ZOOM = 0.66 * SIDE
"""Width of the board, with its margin, seen from above."""
HEAD = GAP + 2.4 * TITLE_SIZE
"""Top of the surface, below the title."""

_MARK_KIND = 3
"""Besides the colors of stones, 1 and 2."""

Coordinates = npt.NDArray[np.float64]


def surface(layer: Layer) -> Drawing:
    """Draw a layer as a surface; it is 0 around the board and at points without a value."""
    picture = _Surface(layer)
    shapes: list[Shape] = [*draw_title([layer.title], GAP + TITLE_SIZE)]
    shapes += [*picture.cells(), *picture.stones_and_marks()]
    below, height = draw_caption(layer, SIDE, float(picture.y.max()) + GAP, surface_color)
    return make_drawing(SIDE, height, [*shapes, *below], layer.title)


def surface_color(scale: Scale, scaled: float) -> Paint:
    """Return the opaque color of a scaled value."""
    if scale is Scale.DIVERGING:
        return Paint(interpolate_color(DIVERGING, (scaled + 1) / 2), 1.0)
    return Paint(interpolate_color(SEQUENTIAL, scaled), 1.0)


class _Surface:
    """The heights of a layer and their coordinates in the picture."""

    def __init__(self, layer: Layer):
        self.layer = layer
        self.rows, self.columns = layer.values.shape
        self.heights = _subdivide(np.pad(_heights(layer), 1))
        grid = np.indices(self.heights.shape) / SUBDIVISIONS - 1
        self.x, self.y = self._project(grid[0], grid[1])
        self.y += HEAD - self.y.min()

    def _project(self, row: Coordinates, column: Coordinates) -> tuple[Coordinates, Coordinates]:
        """Return x and y of the surface in perspective."""
        span = max(self.rows, self.columns) + 1
        across, down = (column - (self.columns - 1) / 2) / span, (row - (self.rows - 1) / 2) / span
        right = across * math.cos(AZIMUTH) - down * math.sin(AZIMUTH)
        near = across * math.sin(AZIMUTH) + down * math.cos(AZIMUTH)
        zoom = ZOOM / (1 - 0.22 * near * math.cos(ELEVATION))
        lift = self.heights * RELIEF[self.layer.scale] * math.cos(ELEVATION)
        return SIDE / 2 + zoom * right, zoom * (near * math.sin(ELEVATION) - lift)

    def cells(self) -> Iterator[Shape]:
        """Yield the cells and the lines of the board on them, back to front."""
        rows, columns = self.heights.shape
        for row in range(rows - 1):
            for column in range(columns - 2, -1, -1):
                corners = [(row, column), (row, column + 1), (row + 1, column + 1)]
                corners.append((row + 1, column))
                yield Polygon(self._points(corners), self._cell_color(row, column))
                yield from self._lines(row, column)

    def _points(self, places: list[tuple[int, int]]) -> tuple[tuple[float, float], ...]:
        return tuple((float(self.x[place]), float(self.y[place])) for place in places)

    def _cell_color(self, row: int, column: int) -> str:
        """Return the color of a cell by its height, with light from the side."""
        square = self.heights[row : row + 2, column : column + 2]
        rgb = surface_color(self.layer.scale, float(square.mean())).rgb
        slope = 0.9 * (square[0, 0] - square[0, 1]) + 0.7 * (square[0, 0] - square[1, 0])
        light = 1 + max(-0.35, min(0.3, float(slope) * SUBDIVISIONS * 0.5))
        return "#{:02x}{:02x}{:02x}".format(*(min(255, round(part * light)) for part in rgb))

    def _lines(self, row: int, column: int) -> Iterator[Shape]:
        """Yield the lines of the board on the edges of a cell whose neighbors are drawn already."""
        is_row = SUBDIVISIONS <= column < SUBDIVISIONS * self.columns and row in self._line_indices(
            self.rows
        )
        is_column = (
            SUBDIVISIONS <= row < SUBDIVISIONS * self.rows
            and column + 1 in self._line_indices(self.columns)
        )
        corner = row, column + 1
        for is_line, other in ((is_row, (row, column)), (is_column, (row + 1, column + 1))):
            if is_line:
                yield Polyline(self._points([corner, other]), "#000000", 0.7, 0.25)

    def _line_indices(self, count: int) -> range:
        """Return the indices of the lines of the board in the subdivided grid."""
        return range(SUBDIVISIONS, SUBDIVISIONS * count + 1, SUBDIVISIONS)

    def stones_and_marks(self) -> Iterator[Shape]:
        """Yield stones and marks, back to front; the surface never hides them."""
        items = [(row_of(p), column_of(p), _MARK_KIND) for p in self.layer.marks]
        if self.layer.board is not None:
            points = np.argwhere(self.layer.board).tolist()
            items += [(row, column, int(self.layer.board[row, column])) for row, column in points]
        for row, column, kind in sorted(items, key=lambda item: item[0] - item[1]):
            yield from self._stone_or_mark(row, column, kind)

    def _stone_or_mark(self, row: int, column: int, kind: int) -> Iterator[Shape]:
        place = (row + 1) * SUBDIVISIONS, (column + 1) * SUBDIVISIONS
        x, y = float(self.x[place]), float(self.y[place])
        size, flat = ZOOM / (max(self.rows, self.columns) + 1), math.sin(ELEVATION)
        if kind == _MARK_KIND:
            yield Ellipse(x, y, 0.32 * size, "none", 1.0, MARK, 0.1 * size, flat)
            return
        yield Ellipse(x + 1, y + 0.12 * size, 0.44 * size, SHADOW, 0.35, flat=flat)
        stone = BLACK_STONE if kind == 1 else WHITE_STONE
        yield Ellipse(x, y - 0.05 * size, 0.44 * size, stone, flat=flat)


def _heights(layer: Layer) -> Grid:
    """Return heights of 0 to 1, or -1 to 1 on a diverging scale; 0 without a value."""
    low, high = layer.limits()
    if layer.scale is Scale.DIVERGING:
        return np.nan_to_num(layer.values / high)
    return np.nan_to_num((layer.values - low) / (high - low))


def _subdivide(grid: Grid) -> Grid:
    """Return a finer grid, interpolated by splines."""
    rows, columns = grid.shape
    spline = RectBivariateSpline(
        range(rows), range(columns), grid, kx=min(3, rows - 1), ky=min(3, columns - 1)
    )
    across = [np.linspace(0, length - 1, (length - 1) * SUBDIVISIONS + 1) for length in grid.shape]
    subdivided: Grid = spline(*across)
    return subdivided
