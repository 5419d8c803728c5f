"""A layer as a surface in space: the vibrating board, the landscape of potentials.

The same picture as the page's `surface.js` draws, standing still.
"""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.interpolate import RectBivariateSpline

from tengen.board.picture import BLACK_STONE, SHADOW, WHITE_STONE
from tengen.board.points import column_of, row_of
from tengen.core.drawing import Disc, Drawing, Polygon, Shape, Stroke
from tengen.view.colours import SEQUENTIAL, Paint, Rgb, ramp
from tengen.view.heat import GAP, MARK, TITLE_SIZE, caption, headline, on_paper
from tengen.view.layer import Grid, Layer, Scale

AZIMUTH, ELEVATION = -0.62, 0.86
RELIEF = {Scale.SEQUENTIAL: 0.26, Scale.DIVERGING: 0.26, Scale.MASK: 0.12}
"""The height of the highest point, in board widths."""
FINE = 2
"""Parts that a step between two points is divided into."""
DIVERGING: tuple[Rgb, ...] = (
    (201, 84, 26),
    (240, 178, 122),
    (244, 240, 228),
    (130, 160, 214),
    (30, 58, 138),
)
"""The page's, too: White's to Black's."""
SIDE = 620.0
ZOOM = 0.66 * SIDE
"""The width of the board, edge and all, were it seen from straight above."""
HEAD = GAP + 2.4 * TITLE_SIZE
"""Where the picture begins, below its title."""

Places = npt.NDArray[np.float64]


def surface(layer: Layer) -> Drawing:
    """Return a layer as a surface; it is held at zero around the board, and where nothing is."""
    picture = _Surface(layer)
    shapes: list[Shape] = [*headline([layer.title], GAP + TITLE_SIZE)]
    shapes += [*picture.skin(), *picture.things()]
    below, height = caption(layer, SIDE, float(picture.y.max()) + GAP, skin_paint)
    return on_paper(SIDE, height, [*shapes, *below], layer.title)


def skin_paint(scale: Scale, share: float) -> Paint:
    """Return the colour of a height; nothing shines through a skin."""
    if scale is Scale.DIVERGING:
        return Paint(ramp(DIVERGING, (share + 1) / 2), 1.0)
    return Paint(ramp(SEQUENTIAL, share), 1.0)


class _Surface:
    """The heights of a layer, and where they are in the picture."""

    def __init__(self, layer: Layer):
        self.layer = layer
        self.rows, self.columns = layer.values.shape
        self.heights = _fine(np.pad(_heights(layer), 1))
        grid = np.indices(self.heights.shape) / FINE - 1
        self.x, self.y = self._places(grid[0], grid[1])
        self.y += HEAD - self.y.min()

    def _places(self, row: Places, column: Places) -> tuple[Places, Places]:
        """Return x and y of the skin, seen from above with a little perspective."""
        span = max(self.rows, self.columns) + 1
        across, down = (column - (self.columns - 1) / 2) / span, (row - (self.rows - 1) / 2) / span
        right = across * math.cos(AZIMUTH) - down * math.sin(AZIMUTH)
        near = across * math.sin(AZIMUTH) + down * math.cos(AZIMUTH)
        zoom = ZOOM / (1 - 0.22 * near * math.cos(ELEVATION))
        lift = self.heights * RELIEF[self.layer.scale] * math.cos(ELEVATION)
        return SIDE / 2 + zoom * right, zoom * (near * math.sin(ELEVATION) - lift)

    def skin(self) -> Iterator[Shape]:
        """Yield the cells with the board's lines on them, the farthest first."""
        rows, columns = self.heights.shape
        for row in range(rows - 1):
            for column in range(columns - 2, -1, -1):
                corners = [(row, column), (row, column + 1), (row + 1, column + 1)]
                corners.append((row + 1, column))
                yield Polygon(self._points(corners), self._colour(row, column))
                yield from self._lines(row, column)

    def _points(self, places: list[tuple[int, int]]) -> tuple[tuple[float, float], ...]:
        return tuple((float(self.x[place]), float(self.y[place])) for place in places)

    def _colour(self, row: int, column: int) -> str:
        """Return the colour of a cell by its height, lit from the side."""
        square = self.heights[row : row + 2, column : column + 2]
        rgb = skin_paint(self.layer.scale, float(square.mean())).rgb
        slope = 0.9 * (square[0, 0] - square[0, 1]) + 0.7 * (square[0, 0] - square[1, 0])
        light = 1 + max(-0.35, min(0.3, float(slope) * FINE * 0.5))
        return "#{:02x}{:02x}{:02x}".format(*(min(255, round(part * light)) for part in rgb))

    def _lines(self, row: int, column: int) -> Iterator[Shape]:
        """Yield the board's lines along the sides of a cell whose neighbours are drawn already."""
        is_row = FINE <= column < FINE * self.columns and row in self._lines_of(self.rows)
        is_column = FINE <= row < FINE * self.rows and column + 1 in self._lines_of(self.columns)
        corner = row, column + 1
        for is_there, other in ((is_row, (row, column)), (is_column, (row + 1, column + 1))):
            if is_there:
                yield Stroke(self._points([corner, other]), "#000000", 0.7, 0.25)

    def _lines_of(self, count: int) -> range:
        """Return where the lines of the board are on the fine grid."""
        return range(FINE, FINE * count + 1, FINE)

    def things(self) -> Iterator[Shape]:
        """Yield stones and marks, the farthest first; the skin never hides them."""
        things = [(row_of(p), column_of(p), 3) for p in self.layer.marks]
        if self.layer.board is not None:
            places = np.argwhere(self.layer.board).tolist()
            things += [(row, column, int(self.layer.board[row, column])) for row, column in places]
        for row, column, kind in sorted(things, key=lambda one: one[0] - one[1]):
            yield from self._thing(row, column, kind)

    def _thing(self, row: int, column: int, kind: int) -> Iterator[Shape]:
        place = (row + 1) * FINE, (column + 1) * FINE
        x, y = float(self.x[place]), float(self.y[place])
        size, flat = ZOOM / (max(self.rows, self.columns) + 1), math.sin(ELEVATION)
        if kind == 3:
            yield Disc(x, y, 0.32 * size, "none", 1.0, MARK, 0.1 * size, flat)
            return
        yield Disc(x + 1, y + 0.12 * size, 0.44 * size, SHADOW, 0.35, flat=flat)
        stone = BLACK_STONE if kind == 1 else WHITE_STONE
        yield Disc(x, y - 0.05 * size, 0.44 * size, stone, flat=flat)


def _heights(layer: Layer) -> Grid:
    """Return heights from 0 to 1, or from -1 to 1 on a diverging scale; 0 where nothing is."""
    low, high = layer.limits()
    if layer.scale is Scale.DIVERGING:
        return np.nan_to_num(layer.values / high)
    return np.nan_to_num((layer.values - low) / (high - low))


def _fine(grid: Grid) -> Grid:
    """Return the grid with more points between, smooth."""
    rows, columns = grid.shape
    smooth = RectBivariateSpline(
        range(rows), range(columns), grid, kx=min(3, rows - 1), ky=min(3, columns - 1)
    )
    across = [np.linspace(0, length - 1, (length - 1) * FINE + 1) for length in grid.shape]
    fine: Grid = smooth(*across)
    return fine
