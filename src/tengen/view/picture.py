"""Pictures of layers, one or several side by side, as heat maps or surfaces, saved as SVG or PNG.

A surface is drawn as `surface.js` of the page draws it.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import resources
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

from tengen.board import BLACK_STONE, SHADOW, WHITE_STONE, column_of, row_of
from tengen.util import (
    Drawing,
    Ellipse,
    Gradient,
    Label,
    Polygon,
    Polyline,
    Rectangle,
    Shape,
    TengenError,
)
from tengen.view.layer import (
    GAP,
    MARK,
    PAPER,
    SEQUENTIAL,
    TITLE_SIZE,
    Grid,
    Layer,
    Paint,
    Rgb,
    Scale,
    draw_caption,
    draw_title,
    heat_map,
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
"""Kind of a mark, in addition to the colors of stones, 1 and 2."""

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
    from scipy.interpolate import RectBivariateSpline

    rows, columns = grid.shape
    spline = RectBivariateSpline(
        range(rows), range(columns), grid, kx=min(3, rows - 1), ky=min(3, columns - 1)
    )
    across = [np.linspace(0, length - 1, (length - 1) * SUBDIVISIONS + 1) for length in grid.shape]
    subdivided: Grid = spline(*across)
    return subdivided


FORMATS = (".svg", ".png")
DEFAULT_ZOOM = 1.5
"""Pixels of a PNG per unit of a drawing."""
MIN_WIDTH_PIXELS, MAX_WIDTH_PIXELS = 16, 10_000
SUPERSAMPLING = 2
"""Pictures are painted larger and reduced, for smooth edges."""
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}

Rgba = tuple[int, int, int, int]


def draw_layers(layers: Sequence[Layer], as_surface: bool = False) -> Drawing:
    """Draw layers side by side, as heat maps or as surfaces."""
    return side_by_side([surface(layer) if as_surface else heat_map(layer) for layer in layers])


def side_by_side(drawings: Sequence[Drawing]) -> Drawing:
    """Join drawings from left to right."""
    width = sum(drawing.width for drawing in drawings)
    height = max(drawing.height for drawing in drawings)
    shapes: list[Shape] = [Rectangle(0, 0, width, height, PAPER)]
    left = 0.0
    for drawing in drawings:
        shapes += [_shift(shape, left) for shape in drawing.shapes]
        left += drawing.width
    return Drawing(width, height, tuple(shapes), "; ".join(drawing.title for drawing in drawings))


def _shift(shape: Shape, distance: float) -> Shape:
    match shape:
        case Rectangle() | Ellipse() | Label():
            return replace(shape, x=shape.x + distance)
        case Polyline() | Polygon():
            return replace(shape, points=tuple((x + distance, y) for x, y in shape.points))


def check_format(path: Path) -> None:
    """Raise TengenError unless the suffix of the file is one of the formats."""
    if path.suffix.lower() not in FORMATS:
        raise TengenError(f"pictures are written as {' or '.join(FORMATS)}, not {path.name!r}")


def save(drawing: Drawing, path: Path, width: int | None = None) -> None:
    """Write a drawing as SVG or PNG, by the suffix of the file; raise TengenError for others.

    `width` is the width of a PNG in pixels.
    """
    check_format(path)
    if width is not None and not MIN_WIDTH_PIXELS <= width <= MAX_WIDTH_PIXELS:
        limits = f"{MIN_WIDTH_PIXELS} to {MAX_WIDTH_PIXELS:,}"
        raise TengenError(f"the width must be {limits} pixels, got {width}")
    if path.suffix.lower() == ".svg":
        path.write_text(drawing.svg(), encoding="utf-8")
    else:
        save_png(drawing, path, DEFAULT_ZOOM if width is None else width / drawing.width)


# PNG


def save_png(drawing: Drawing, path: Path, zoom: float) -> None:
    """Write a drawing as PNG, with `zoom` pixels per unit."""
    metadata = PngImagePlugin.PngInfo()
    metadata.add_text("Title", drawing.title)
    paint(drawing, zoom).save(path, "PNG", optimize=True, pnginfo=metadata)


def paint(drawing: Drawing, zoom: float) -> Image.Image:
    """Paint a drawing, with `zoom` pixels per unit."""
    canvas = _Canvas(drawing, zoom * SUPERSAMPLING)
    for shape in drawing.shapes:
        canvas.add(shape)
    size = round(drawing.width * zoom), round(drawing.height * zoom)
    return canvas.image.resize(size, Image.Resampling.BOX)


class _Canvas:
    """An image to paint shapes on, with `zoom` pixels per unit."""

    def __init__(self, drawing: Drawing, zoom: float):
        self.zoom = zoom
        size = round(drawing.width * zoom), round(drawing.height * zoom)
        self.image = Image.new("RGB", size, "white")
        self.pen = ImageDraw.Draw(self.image, "RGBA")

    def add(self, shape: Shape) -> None:
        """Paint a shape over the previous ones."""
        match shape:
            case Rectangle():
                self._box(shape)
            case Ellipse():
                self._disc(shape)
            case Polyline():
                color = _rgba(shape.color, shape.opacity)
                width = max(1, round(shape.width * self.zoom))
                self.pen.line(self._points(shape.points), color, width)
            case Polygon():
                self.pen.polygon(self._points(shape.points), _rgba(shape.fill), _rgba(shape.fill))
            case Label():
                place = shape.x * self.zoom, shape.y * self.zoom
                font = _font(shape.bold, round(shape.size * self.zoom))
                self.pen.text(place, shape.text, _rgba(shape.fill), font, ANCHORS[shape.anchor])

    def _points(self, points: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
        return [(x * self.zoom, y * self.zoom) for x, y in points]

    def _box(self, box: Rectangle) -> None:
        left, top = round(box.x * self.zoom), round(box.y * self.zoom)
        right = round((box.x + box.width) * self.zoom) - 1
        bottom = round((box.y + box.height) * self.zoom) - 1
        color = _rgba(box.fill, box.opacity)
        corners = (left, top, max(left, right), max(top, bottom))
        if box.radius:
            self.pen.rounded_rectangle(corners, box.radius * self.zoom, color)
        else:
            self.pen.rectangle(corners, color)

    def _disc(self, disc: Ellipse) -> None:
        x, y = disc.x * self.zoom, disc.y * self.zoom
        across, down = disc.radius * self.zoom, disc.radius * disc.flat * self.zoom
        if isinstance(disc.fill, Gradient):
            stone = _stone(disc.fill, max(1, round(across)), max(1, round(down)))
            place = round(x - stone.width / 2), round(y - stone.height / 2)
            self.image.paste(stone, place, stone)
            return
        self.pen.ellipse(
            (x - across, y - down, x + across, y + down),
            None if disc.fill == "none" else _rgba(disc.fill, disc.opacity),
            None if disc.stroke == "none" else _rgba(disc.stroke),
            round(disc.stroke_width * self.zoom),
        )


def _rgba(color: str, opacity: float = 1.0) -> Rgba:
    red, green, blue = _rgb(color)
    return red, green, blue, round(255 * opacity)


def _rgb(color: str) -> tuple[int, int, int]:
    """Parse `#rrggbb`."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


@functools.lru_cache(maxsize=32)
def _stone(shine: Gradient, across: int, down: int) -> Image.Image:
    """Return an ellipse with a shine, as SVG's gradient has it (see `util.drawing`)."""
    rows, columns = np.mgrid[-down : down + 1, -across : across + 1]
    inside = (columns / (across + 0.5)) ** 2 + (rows / (down + 0.5)) ** 2 <= 1
    x, y = 0.5 + columns / (2 * across), 0.5 + rows / (2 * down)
    share = np.clip(np.hypot(x - 0.36, y - 0.32) / 0.72, 0, 1)[..., None]
    color = np.array(_rgb(shine.bright)) * (1 - share) + np.array(_rgb(shine.dim)) * share
    pixels = np.concatenate([color, np.where(inside, 255.0, 0.0)[..., None]], axis=2)
    return Image.fromarray(pixels.round().astype(np.uint8), "RGBA")


@functools.lru_cache(maxsize=32)
def _font(bold: bool, size: int) -> ImageFont.FreeTypeFont:
    """Return the bundled font, the same on all systems."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    file = resources.files("tengen.view") / "fonts" / name
    return ImageFont.truetype(BytesIO(file.read_bytes()), max(1, size))
