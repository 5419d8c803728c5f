"""Pictures as plain shapes, and those written as SVG.

A `Drawing` is a list of shapes in the order in which they are painted, in units of a pixel, y
downwards. Whoever draws knows nothing of the format; `view.raster` paints the same shapes as PNG.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

FONT = "system-ui, 'Helvetica Neue', 'DejaVu Sans', sans-serif"


class Shine(NamedTuple):
    """A fill that is brighter towards the upper left, as a stone is."""

    bright: str
    dim: str


Fill = str | Shine
"""A colour as `#rrggbb`, or a shine; `none` for no fill."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    opacity: float = 1.0
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Disc:
    """An ellipse, a circle if `flat` is 1."""

    x: float
    y: float
    radius: float
    fill: Fill
    opacity: float = 1.0
    stroke: str = "none"
    stroke_width: float = 0.0
    flat: float = 1.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through some points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon; a thin line in its own colour closes the gaps to its neighbours."""

    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; `y` is its baseline, `anchor` start, middle or end."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: str = "start"
    bold: bool = False


Shape = Box | Disc | Stroke | Polygon | Words


@dataclass(frozen=True)
class Drawing:
    """Shapes on a sheet of some size."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""
    """What a screen reader says of it."""

    def svg(self) -> str:
        """Return the drawing as an SVG document."""
        shines = dict.fromkeys(_shines(self.shapes))
        body = "\n".join(map(_element, self.shapes))
        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        view = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img" '
            f"aria-label={quoteattr(self.title)} font-family={quoteattr(FONT)}>\n"
            f"<defs>{''.join(map(_gradient, shines))}</defs>\n"
            f"{body}\n</svg>\n"
        )


def _shines(shapes: Iterable[Shape]) -> Iterator[Shine]:
    for shape in shapes:
        if isinstance(shape, Disc) and isinstance(shape.fill, Shine):
            yield shape.fill


def _name(shine: Shine) -> str:
    """Return the same name for the same shine: several pictures may stand on one page."""
    return f"shine-{shine.bright}-{shine.dim}".replace("#", "")


def _gradient(shine: Shine) -> str:
    return (
        f'<radialGradient id="{_name(shine)}" cx="0.36" cy="0.32" r="0.72">'
        f'<stop offset="0" stop-color="{shine.bright}"/>'
        f'<stop offset="1" stop-color="{shine.dim}"/></radialGradient>'
    )


def _number(value: float) -> str:
    """Return a number in few letters: a tenth of a pixel is enough."""
    return f"{value:.1f}".removesuffix(".0")


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _opacity(opacity: float) -> str:
    return "" if opacity >= 1 else f' opacity="{opacity:.2g}"'


def _radius(radius: float) -> str:
    return f' rx="{_number(radius)}"' if radius else ""


def _element(shape: Shape) -> str:
    """Return one SVG element."""
    match shape:
        case Box():
            return (
                f'<rect x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'width="{_number(shape.width)}" height="{_number(shape.height)}" '
                f'fill="{shape.fill}"{_radius(shape.radius)}{_opacity(shape.opacity)}/>'
            )
        case Disc():
            return _disc(shape)
        case Stroke():
            return (
                f'<polyline points="{_points(shape.points)}" fill="none" stroke="{shape.colour}" '
                f'stroke-width="{_number(shape.width)}"{_opacity(shape.opacity)}/>'
            )
        case Polygon():
            return (
                f'<polygon points="{_points(shape.points)}" fill="{shape.fill}" '
                f'stroke="{shape.fill}" stroke-width="0.6"/>'
            )
        case Words():
            bold = ' font-weight="600"' if shape.bold else ""
            return (
                f'<text x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'font-size="{_number(shape.size)}" fill="{shape.fill}" '
                f'text-anchor="{shape.anchor}"{bold}>{escape(shape.text)}</text>'
            )


def _disc(shape: Disc) -> str:
    fill = shape.fill
    colour = f"url(#{_name(fill)})" if isinstance(fill, Shine) else fill
    line = f' stroke="{shape.stroke}" stroke-width="{_number(shape.stroke_width)}"'
    return (
        f'<ellipse cx="{_number(shape.x)}" cy="{_number(shape.y)}" rx="{_number(shape.radius)}" '
        f'ry="{_number(shape.radius * shape.flat)}" fill="{colour}"{_opacity(shape.opacity)}'
        f"{line if shape.stroke_width else ''}/>"
    )
