"""Layers as pictures: one or several side by side, flat or in space, as SVG or PNG."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tengen.core.drawing import Box, Disc, Drawing, Polygon, Shape, Stroke, Words
from tengen.core.errors import TengenError
from tengen.view.heat import PAPER, heat_map
from tengen.view.layer import Layer
from tengen.view.surface import surface

FORMATS = (".svg", ".png")
USUAL_ZOOM = 1.5
"""Pixels of a PNG for a unit of a drawing."""
WIDEST = 10_000


def draw_layers(layers: Sequence[Layer], in_space: bool = False) -> Drawing:
    """Return a picture of some layers, side by side."""
    return side_by_side([surface(layer) if in_space else heat_map(layer) for layer in layers])


def side_by_side(drawings: Sequence[Drawing]) -> Drawing:
    """Return one drawing of several, from left to right."""
    width, height = sum(one.width for one in drawings), max(one.height for one in drawings)
    shapes: list[Shape] = [Box(0, 0, width, height, PAPER)]
    left = 0.0
    for drawing in drawings:
        shapes += [_moved(shape, left) for shape in drawing.shapes]
        left += drawing.width
    return Drawing(width, height, tuple(shapes), "; ".join(one.title for one in drawings))


def _moved(shape: Shape, right: float) -> Shape:
    match shape:
        case Box() | Disc() | Words():
            return replace(shape, x=shape.x + right)
        case Stroke() | Polygon():
            return replace(shape, points=tuple((x + right, y) for x, y in shape.points))


def check_format(path: Path) -> None:
    """Raise TengenError unless the file's name tells one of the formats."""
    if path.suffix.lower() not in FORMATS:
        raise TengenError(f"a picture is written as {' or '.join(FORMATS)}, not {path.name!r}")


def save(drawing: Drawing, path: Path, width: int | None = None) -> None:
    """Write a drawing as the file's name says, `.svg` or `.png`; raise TengenError.

    `width` is that of a PNG, in pixels.
    """
    check_format(path)
    if width is not None and not 16 <= width <= WIDEST:
        raise TengenError(f"a picture is from 16 to {WIDEST:,} pixels wide, not {width}")
    if path.suffix.lower() == ".svg":
        path.write_text(drawing.svg(), encoding="utf-8")
    else:
        from tengen.view.raster import save_png

        save_png(drawing, path, USUAL_ZOOM if width is None else width / drawing.width)
