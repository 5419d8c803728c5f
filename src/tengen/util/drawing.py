"""Vector drawings made of simple shapes, and their SVG output.

A `Drawing` is a list of shapes in painting order; coordinates are pixels, y pointing down.
`tengen.view.picture` renders the same shapes as PNG.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

FONT = "system-ui, 'Helvetica Neue', 'DejaVu Sans', sans-serif"


class Gradient(NamedTuple):
    """A radial gradient with the bright spot at the upper left, for stones."""

    bright: str
    dim: str


Fill = str | Gradient
"""A color as `#rrggbb`, a gradient, or `none`."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle, optionally with round corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    opacity: float = 1.0
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Ellipse:
    """An ellipse; `flat` is the ratio of height to width."""

    x: float
    y: float
    radius: float
    fill: Fill
    opacity: float = 1.0
    stroke: str = "none"
    stroke_width: float = 0.0
    flat: float = 1.0


@dataclass(frozen=True, slots=True)
class Polyline:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    color: str
    width: float
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon with a thin outline of the same color, which hides gaps between polygons."""

    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Label:
    """A line of text; `y` is the baseline, `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: str = "start"
    bold: bool = False


Shape = Rectangle | Ellipse | Polyline | Polygon | Label


@dataclass(frozen=True)
class Drawing:
    """Shapes on a canvas."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""
    """Alternative text for screen readers."""

    def svg(self) -> str:
        """Return the drawing as an SVG document."""
        gradients = dict.fromkeys(_gradients(self.shapes))
        body = "\n".join(map(_element, self.shapes))
        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        view = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img" '
            f"aria-label={quoteattr(self.title)} font-family={quoteattr(FONT)}>\n"
            f"<defs>{''.join(map(_gradient, gradients))}</defs>\n"
            f"{body}\n</svg>\n"
        )


def _gradients(shapes: Iterable[Shape]) -> Iterator[Gradient]:
    for shape in shapes:
        if isinstance(shape, Ellipse) and isinstance(shape.fill, Gradient):
            yield shape.fill


def _gradient_id(gradient: Gradient) -> str:
    """Return an id that depends only on the colors, so that pictures can share a page."""
    return f"gradient-{gradient.bright}-{gradient.dim}".replace("#", "")


def _gradient(gradient: Gradient) -> str:
    return (
        f'<radialGradient id="{_gradient_id(gradient)}" cx="0.36" cy="0.32" r="0.72">'
        f'<stop offset="0" stop-color="{gradient.bright}"/>'
        f'<stop offset="1" stop-color="{gradient.dim}"/></radialGradient>'
    )


def _number(value: float) -> str:
    """Format a coordinate, rounded to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _opacity(opacity: float) -> str:
    return "" if opacity >= 1 else f' opacity="{opacity:.2g}"'


def _radius(radius: float) -> str:
    return f' rx="{_number(radius)}"' if radius else ""


def _element(shape: Shape) -> str:
    """Return the SVG element of a shape."""
    match shape:
        case Rectangle():
            return (
                f'<rect x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'width="{_number(shape.width)}" height="{_number(shape.height)}" '
                f'fill="{shape.fill}"{_radius(shape.radius)}{_opacity(shape.opacity)}/>'
            )
        case Ellipse():
            return _ellipse(shape)
        case Polyline():
            return (
                f'<polyline points="{_points(shape.points)}" fill="none" stroke="{shape.color}" '
                f'stroke-width="{_number(shape.width)}"{_opacity(shape.opacity)}/>'
            )
        case Polygon():
            return (
                f'<polygon points="{_points(shape.points)}" fill="{shape.fill}" '
                f'stroke="{shape.fill}" stroke-width="0.6"/>'
            )
        case Label():
            bold = ' font-weight="600"' if shape.bold else ""
            return (
                f'<text x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'font-size="{_number(shape.size)}" fill="{shape.fill}" '
                f'text-anchor="{shape.anchor}"{bold}>{escape(shape.text)}</text>'
            )


def _ellipse(shape: Ellipse) -> str:
    fill = shape.fill
    color = f"url(#{_gradient_id(fill)})" if isinstance(fill, Gradient) else fill
    outline = f' stroke="{shape.stroke}" stroke-width="{_number(shape.stroke_width)}"'
    return (
        f'<ellipse cx="{_number(shape.x)}" cy="{_number(shape.y)}" rx="{_number(shape.radius)}" '
        f'ry="{_number(shape.radius * shape.flat)}" fill="{color}"{_opacity(shape.opacity)}'
        f"{outline if shape.stroke_width else ''}/>"
    )
