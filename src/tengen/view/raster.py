"""Drawings painted as PNG, by Pillow: twice as large, and then made smaller, for smooth edges."""

import functools
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

from tengen.core.drawing import Box, Disc, Drawing, Polygon, Shape, Shine, Stroke, Words

FINER = 2
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}

Rgba = tuple[int, int, int, int]


def save_png(drawing: Drawing, path: Path, zoom: float) -> None:
    """Paint a drawing into a file, `zoom` pixels a unit."""
    about = PngImagePlugin.PngInfo()
    about.add_text("Title", drawing.title)
    paint(drawing, zoom).save(path, "PNG", optimize=True, pnginfo=about)


def paint(drawing: Drawing, zoom: float) -> Image.Image:
    """Return a drawing as an image, `zoom` pixels a unit."""
    canvas = _Canvas(drawing, zoom * FINER)
    for shape in drawing.shapes:
        canvas.add(shape)
    size = round(drawing.width * zoom), round(drawing.height * zoom)
    return canvas.image.resize(size, Image.Resampling.BOX)


class _Canvas:
    """An image that takes shapes, `zoom` pixels a unit."""

    def __init__(self, drawing: Drawing, zoom: float):
        self.zoom = zoom
        size = round(drawing.width * zoom), round(drawing.height * zoom)
        self.image = Image.new("RGB", size, "white")
        self.pen = ImageDraw.Draw(self.image, "RGBA")

    def add(self, shape: Shape) -> None:
        """Paint one shape over all before it."""
        match shape:
            case Box():
                self._box(shape)
            case Disc():
                self._disc(shape)
            case Stroke():
                colour = _rgba(shape.colour, shape.opacity)
                width = max(1, round(shape.width * self.zoom))
                self.pen.line(self._points(shape.points), colour, width)
            case Polygon():
                self.pen.polygon(self._points(shape.points), _rgba(shape.fill), _rgba(shape.fill))
            case Words():
                place = shape.x * self.zoom, shape.y * self.zoom
                font = _font(shape.bold, round(shape.size * self.zoom))
                self.pen.text(place, shape.text, _rgba(shape.fill), font, ANCHORS[shape.anchor])

    def _points(self, points: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
        return [(x * self.zoom, y * self.zoom) for x, y in points]

    def _box(self, box: Box) -> None:
        left, top = round(box.x * self.zoom), round(box.y * self.zoom)
        right = round((box.x + box.width) * self.zoom) - 1
        bottom = round((box.y + box.height) * self.zoom) - 1
        colour = _rgba(box.fill, box.opacity)
        corners = (left, top, max(left, right), max(top, bottom))
        if box.radius:
            self.pen.rounded_rectangle(corners, box.radius * self.zoom, colour)
        else:
            self.pen.rectangle(corners, colour)

    def _disc(self, disc: Disc) -> None:
        x, y = disc.x * self.zoom, disc.y * self.zoom
        across, down = disc.radius * self.zoom, disc.radius * disc.flat * self.zoom
        if isinstance(disc.fill, Shine):
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


def _rgba(colour: str, opacity: float = 1.0) -> Rgba:
    red, green, blue = _rgb(colour)
    return red, green, blue, round(255 * opacity)


def _rgb(colour: str) -> tuple[int, int, int]:
    """Read `#rrggbb`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@functools.lru_cache(maxsize=32)
def _stone(shine: Shine, across: int, down: int) -> Image.Image:
    """Return an ellipse with a shine, as SVG's gradient has it (see `core.drawing`)."""
    rows, columns = np.mgrid[-down : down + 1, -across : across + 1]
    inside = (columns / (across + 0.5)) ** 2 + (rows / (down + 0.5)) ** 2 <= 1
    x, y = 0.5 + columns / (2 * across), 0.5 + rows / (2 * down)
    share = np.clip(np.hypot(x - 0.36, y - 0.32) / 0.72, 0, 1)[..., None]
    colour = np.array(_rgb(shine.bright)) * (1 - share) + np.array(_rgb(shine.dim)) * share
    pixels = np.concatenate([colour, np.where(inside, 255.0, 0.0)[..., None]], axis=2)
    return Image.fromarray(pixels.round().astype(np.uint8), "RGBA")


@functools.lru_cache(maxsize=32)
def _font(bold: bool, size: int) -> ImageFont.FreeTypeFont:
    """Return the font that comes with matplotlib: the same everywhere."""
    from matplotlib import get_data_path

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / name), max(1, size))
