"""A layer as text for the terminal: digits by size, on the colours of the heat map."""

import math
import re

from rich.text import Text

from tengen.board.points import LETTERS, column_of, row_of
from tengen.view.colours import Paint, ink_on, paint_of, share_of
from tengen.view.heat import legend_texts
from tengen.view.layer import Layer, Scale

WOOD_RGB = (227, 184, 120)
_STONES = {1: "#000000", 2: "#ffffff"}
WIDTH = 3
"""Letters a point."""
_COUNT = re.compile(r"([0-9.]+)([kM])")
_DIGITS = {
    Scale.SEQUENTIAL: "0 1 2 3 4 5 6 7 8 9",
    Scale.DIVERGING: "-9 ... 0 ... +9",
    Scale.MASK: "x +",
}


def text_map(layer: Layer) -> Text:
    """Return title, board, legend and meaning; it can be read without colours, too."""
    rows, columns = layer.values.shape
    letters = " " * WIDTH + "".join(f"{letter:^{WIDTH}}" for letter in LETTERS[:columns])
    text = Text(f"{layer.title}\n{letters}\n")
    for row in range(rows):
        text.append(f"{rows - row:>2} ")
        for column in range(columns):
            text.append_text(_cell(layer, row, column))
        text.append(f" {rows - row}\n")
    low, unit, high = legend_texts(layer)
    steps = "to" if layer.labels is not None else f"= {_DIGITS[layer.scale]} ="
    text.append(f"{letters}\n{low} {steps} {high} {unit}".rstrip())
    return text.append(f"\n{layer.meaning}")


def _cell(layer: Layer, row: int, column: int) -> Text:
    """Return one point: a stone, a digit or label, or a dot where nothing is said."""
    value = float(layer.values[row, column])
    stone = 0 if layer.board is None else int(layer.board[row, column])
    if stone:
        return Text(" ● " if stone == 1 else " ○ ", f"bold {_STONES[stone]} on {_hex(WOOD_RGB)}")
    is_said = math.isfinite(value)
    paint = paint_of(layer.scale, share_of(layer, value)) if is_said else Paint(WOOD_RGB, 0.0)
    sign = _sign(layer, row, column, value) if is_said else "."
    is_marked = (row, column) in {(row_of(p), column_of(p)) for p in layer.marks}
    cell = f"[{sign}]" if is_marked and len(sign) == 1 else f"{sign:^{WIDTH}}"
    cell = f"{sign:>{WIDTH}}" if len(sign) == 2 else cell
    weight = "bold " if is_marked else ""
    return Text(cell, f"{weight}{ink_on(paint)} on {_hex(_over_wood(paint))}")


def _sign(layer: Layer, row: int, column: int, value: float) -> str:
    label = None if layer.labels is None else layer.labels[row][column]
    if label is not None and len(short := _short(label)) <= WIDTH:
        return short
    share = share_of(layer, value)
    if layer.scale is Scale.MASK:
        return "+" if share > 0.5 else "x"
    level = round(9 * share)
    if layer.scale is Scale.DIVERGING:
        return f"{level:+d}" if level else "0"
    return "." if layer.labels is not None else str(level)


def _short(label: str) -> str:
    """Return a count so that it fits a point: `1k` for `1.2k`, `.3M` for `340k`."""
    count = _COUNT.fullmatch(label)
    if count is None or len(label) <= WIDTH:
        return label
    number, letter = float(count[1]), count[2]
    if number < 99.5:
        return f"{number:.0f}{letter}"
    larger = {"k": "M", "M": "G"}[letter]
    return f"{round(number / 1000, 1):g}{larger}".removeprefix("0")


def _hex(colour: tuple[int, ...]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _over_wood(paint: Paint) -> tuple[int, ...]:
    return tuple(
        round(colour * paint.opacity + wood * (1 - paint.opacity))
        for colour, wood in zip(paint.rgb, WOOD_RGB, strict=True)
    )
