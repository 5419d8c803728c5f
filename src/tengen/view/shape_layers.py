"""The patterns of strong players (paper 004) as layers: rates, and the pattern itself."""

from functools import partial

from tengen.board.points import column_of, point_at, row_of
from tengen.board.position import Position
from tengen.knowledge.pattern import EDGE_SIGN, EMPTY_SIGN, ENEMY_SIGN, OWN_SIGN
from tengen.knowledge.shape import Shape, SizeRate
from tengen.knowledge.shape_tables import SIZES
from tengen.view.context import ViewContext
from tengen.view.info import (
    LEAST_SHOWN,
    LayerInfo,
    Said,
    best_points,
    empty_grid,
    label_grid,
    legal_only,
    percent,
    put,
)
from tengen.view.layer import Labels

SHOWN_SIDE = 5
"""Of the square around a point that its note shows."""
MIDDLE_SIGN = "_"

Rates = dict[int, list[SizeRate]]
"""What the tables say, by point."""


def _shape(position: Position, context: ViewContext) -> Said:
    values = legal_only(position, Shape().values(position))
    labels = label_grid(values, percent, LEAST_SHOWN)
    notes = _notes(position, _rates(position))
    return Said(values, best_points(position, values)[:1], labels, notes=notes)


def _shape_rate(size: int, position: Position, context: ViewContext) -> Said:
    found, values = _rates(position), empty_grid(position)
    for point, rates in found.items():
        for rate in rates:
            if rate.size == size and rate.seen >= 1:
                put(values, point, rate.rate)
    best = best_points(position, values)[:1]
    return Said(values, best, low=0.0, high=1.0, notes=_notes(position, found))


def _rates(position: Position) -> Rates:
    shape = Shape()
    return {point: shape.rates(position, point) for point in position.legal_moves()}


def _notes(position: Position, found: Rates) -> Labels:
    """Return the pattern of each legal move, and how often it was chosen, size by size."""
    return tuple(
        tuple(_note(position, point, found[point]) if point in found else None for point in row)
        for row in _rows(position)
    )


def _rows(position: Position) -> list[list[int]]:
    columns = range(position.columns)
    return [[point_at(row, column) for column in columns] for row in range(position.rows)]


def _note(position: Position, point: int, rates: list[SizeRate]) -> str:
    known = [f"{rate.size}x{rate.size} {rate.rate:.0%}" for rate in rates if rate.seen >= 1]
    return f"{pattern_text(position, point)}\n{', '.join(known) or 'never seen'}"


def pattern_text(position: Position, point: int) -> str:
    """Return the square around a point in lines: X to move, O the opponent, # beyond the edge."""
    reach = range(-(SHOWN_SIDE // 2), SHOWN_SIDE // 2 + 1)
    lines = [[_sign(position, point, down, right) for right in reach] for down in reach]
    return "\n".join(" ".join(line) for line in lines)


def _sign(position: Position, point: int, down: int, right: int) -> str:
    row, column = row_of(point) + down, column_of(point) + right
    if not (0 <= row < position.rows and 0 <= column < position.columns):
        return EDGE_SIGN
    if not down and not right:
        return MIDDLE_SIGN
    here = position.colour(point_at(row, column))
    return (OWN_SIGN if here == position.to_play else ENEMY_SIGN) if here else EMPTY_SIGN


def shape_layers() -> list[LayerInfo]:
    """Return the playing probabilities, and the rates of patterns of each size."""
    meaning = "The probability that a strong player plays here, from the patterns of 3x3 to 9x9."
    layers = [LayerInfo("shape", "Shape", meaning, "shape", _shape, unit="probability")]
    for size in SIZES:
        text = (
            f"How often the {size}x{size} pattern around a point was chosen when it competed with "
            "another: one half is chance. Nothing where the games did not have it."
        )
        make, title = partial(_shape_rate, size), f"Shape, {size}x{size} patterns"
        layers.append(LayerInfo(f"shape.{size}", title, text, "shape", make, unit="rate"))
    return layers
