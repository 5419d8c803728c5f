"""Colours for the numbers of a layer, on wood."""

from typing import NamedTuple

from tengen.view.layer import Layer, Scale

Rgb = tuple[int, int, int]

SEQUENTIAL: tuple[Rgb, ...] = (
    (243, 240, 226),
    (168, 216, 185),
    (63, 167, 163),
    (44, 110, 155),
    (59, 47, 124),
)
"""The page's (`web/page/heat.js`): from light to dark, so that it tells in grey, too."""
WHITES, BLACKS = (255, 252, 244), (22, 22, 52)
PRUNED, KEPT = (104, 24, 44), (128, 214, 120)
"""Dark and light: they differ for those who see no red and green, too."""


class Paint(NamedTuple):
    """A colour and how much it covers."""

    rgb: Rgb
    opacity: float

    @property
    def hex(self) -> str:
        """The colour as `#rrggbb`."""
        return "#{:02x}{:02x}{:02x}".format(*self.rgb)


def share_of(layer: Layer, value: float) -> float:
    """Return where a value lies: 0 to 1, or -1 (White's) to 1 (Black's) on a diverging scale."""
    low, high = layer.limits()
    if layer.scale is Scale.DIVERGING:
        return max(-1.0, min(1.0, value / high))
    return max(0.0, min(1.0, (value - low) / (high - low)))


def paint_of(scale: Scale, share: float) -> Paint:
    """Return the paint of a share; what is next to nothing lets the wood shine through."""
    if scale is Scale.MASK:
        return Paint(KEPT if share > 0.5 else PRUNED, 0.55)
    if scale is Scale.DIVERGING:
        return Paint(BLACKS if share > 0 else WHITES, 0.85 * abs(share) ** 0.7)
    return Paint(ramp(SEQUENTIAL, share), 0.9 * share**0.4)


def ramp(colours: tuple[Rgb, ...], share: float) -> Rgb:
    """Return the colour at a share of the way through some colours."""
    place = max(0.0, min(1.0, share)) * (len(colours) - 1)
    below = min(int(place), len(colours) - 2)
    red, green, blue = (
        round(one + (other - one) * (place - below))
        for one, other in zip(colours[below], colours[below + 1], strict=True)
    )
    return red, green, blue


def ink_on(paint: Paint) -> str:
    """Return black or white, whichever can be read on a paint over wood."""
    red, green, blue = paint.rgb
    bright = (0.3 * red + 0.59 * green + 0.11 * blue) / 255
    return "#ffffff" if bright * paint.opacity + 0.74 * (1 - paint.opacity) < 0.5 else "#1a1208"
