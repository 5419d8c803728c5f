"""Pictures of layers, one or several side by side, saved as SVG or PNG."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

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
from tengen.view.layer import PAPER, Layer, heat_map
from tengen.view.surface import surface

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
    """Return the font bundled with matplotlib, the same on all systems."""
    from matplotlib import get_data_path

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / name), max(1, size))
