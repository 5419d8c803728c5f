"""Text drawing of a layer for terminals: digits on the colors of the heat map."""

import math
import re

from rich.text import Text

from tengen.board import LETTERS, column_of, row_of
from tengen.view.layer import (
    Layer,
    Paint,
    Scale,
    heat_color,
    legend_texts,
    scaled_value,
    text_color,
)

WOOD_RGB = (227, 184, 120)
_STONES = {1: "#000000", 2: "#ffffff"}
CELL_WIDTH = 3
"""Characters per point."""
_COUNT = re.compile(r"([0-9.]+)([kM])")
_DIGITS = {
    Scale.SEQUENTIAL: "0 1 2 3 4 5 6 7 8 9",
    Scale.DIVERGING: "-9 ... 0 ... +9",
    Scale.MASK: "x +",
}


def text_map(layer: Layer) -> Text:
    """Return title, board, legend and meaning; readable without colors too."""
    rows, columns = layer.values.shape
    letters = " " * CELL_WIDTH + "".join(f"{letter:^{CELL_WIDTH}}" for letter in LETTERS[:columns])
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
    """Return one point: a stone, a digit or label, or a dot without a value."""
    value = float(layer.values[row, column])
    stone = 0 if layer.board is None else int(layer.board[row, column])
    if stone:
        return Text(" ● " if stone == 1 else " ○ ", f"bold {_STONES[stone]} on {_hex(WOOD_RGB)}")
    has_value = math.isfinite(value)
    scaled = scaled_value(layer, value) if has_value else 0.0
    paint = heat_color(layer.scale, scaled) if has_value else Paint(WOOD_RGB, 0.0)
    content = _content(layer, row, column, value) if has_value else "."
    is_marked = (row, column) in {(row_of(p), column_of(p)) for p in layer.marks}
    cell = f"[{content}]" if is_marked and len(content) == 1 else f"{content:^{CELL_WIDTH}}"
    cell = f"{content:>{CELL_WIDTH}}" if len(content) == 2 else cell
    weight = "bold " if is_marked else ""
    return Text(cell, f"{weight}{text_color(paint)} on {_hex(_over_wood(paint))}")


def _content(layer: Layer, row: int, column: int, value: float) -> str:
    label = None if layer.labels is None else layer.labels[row][column]
    if label is not None and len(short := _short(label)) <= CELL_WIDTH:
        return short
    scaled = scaled_value(layer, value)
    if layer.scale is Scale.MASK:
        return "+" if scaled > 0.5 else "x"
    level = round(9 * scaled)
    if layer.scale is Scale.DIVERGING:
        return f"{level:+d}" if level else "0"
    return "." if layer.labels is not None else str(level)


def _short(label: str) -> str:
    """Shorten a count to the width of a point: `1k` for `1.2k`, `.3M` for `340k`."""
    count = _COUNT.fullmatch(label)
    if count is None or len(label) <= CELL_WIDTH:
        return label
    number, letter = float(count[1]), count[2]
    if number < 99.5:
        return f"{number:.0f}{letter}"
    larger = {"k": "M", "M": "G"}[letter]
    return f"{round(number / 1000, 1):g}{larger}".removeprefix("0")


def _hex(color: tuple[int, ...]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _over_wood(paint: Paint) -> tuple[int, ...]:
    return tuple(
        round(color * paint.opacity + wood * (1 - paint.opacity))
        for color, wood in zip(paint.rgb, WOOD_RGB, strict=True)
    )
