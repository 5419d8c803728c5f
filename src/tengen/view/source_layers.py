"""Layers of sources: big move, potential and filters, metric, shape, built-in and user sources."""

from functools import partial

import numpy as np

from tengen.board import BLACK, Position, column_of, point_at, row_of
from tengen.engine import parse_source
from tengen.sources import (
    ALL_EVALUATIONS,
    EDGE_SYMBOL,
    EMPTY_SYMBOL,
    ENEMY_SYMBOL,
    FILTERS,
    OWN_SYMBOL,
    SIZES,
    THESIS_VARIANTS,
    BigMove,
    CompiledSource,
    Metric,
    Potential,
    PythonSource,
    Shape,
    SizeRate,
    abstract_colors,
    changes,
    compiled_source,
    evaluate,
    survey,
)
from tengen.util import TengenError
from tengen.view.layer import Grid, Labels, Scale
from tengen.view.layer_info import (
    MIN_LABELED,
    LayerInfo,
    LayerValues,
    ViewContext,
    best_points,
    empty_grid,
    label_grid,
    legal_only,
    percent,
    set_value,
)

VARIANT_MEANINGS = {
    "p1": "without additional springs",
    "p2": "with springs on the seventh line",
    "p3": "with springs on the sixth and seventh line",
}
MEASURES = {
    "e0": "E0, the number of groups",
    "e1": "E1, the area",
    "e2": "E2, the squared sizes of groups",
    "ed4": "Ed4, the distances by 4 neighbors",
    "ed8": "Ed8, the distances by 8 neighbors",
}
BUILT_IN = ("tactics", "patterns", "distance", "lines")
PATTERN_SIDE = 5
"""Side of the square around a point in its note."""
CENTER_SIGN = "_"

PatternRates = dict[int, list[SizeRate]]
"""Rates of the patterns of all sizes, by point."""


# Big move (paper 000)


def _bigmove(variants: str, position: Position, context: ViewContext) -> LayerValues:
    source = BigMove(variants=variants)
    biggest = source.biggest_of_variants(position)
    return LayerValues(source.values(position), tuple(biggest), high=1.0)


def bigmove_layers() -> list[LayerInfo]:
    """Return the layers of the fundamental mode of the board."""
    meaning = (
        "The board as a membrane fixed at the edge and at every stone: the amplitude of each point "
        "in the fundamental mode, 1 the largest. The biggest move has the largest amplitude"
    )
    mean = (
        f"{meaning}; mean of p2 and p3, the best variant of the thesis. "
        "Marks: the biggest moves of both."
    )
    layers = [LayerInfo("bigmove", "Big move", mean, "big move", partial(_bigmove, "p2+p3"))]
    for name in THESIS_VARIANTS:
        text = f"{meaning}; {VARIANT_MEANINGS[name]}."
        make = partial(_bigmove, name)
        layers.append(LayerInfo(f"bigmove.{name}", f"Big move {name}", text, "big move", make))
    return layers


# Potential filters (paper 002)


def _black_sign(position: Position) -> int:
    return 1 if position.to_play == BLACK else -1


def _potential(position: Position, context: ViewContext) -> LayerValues:
    return LayerValues(_black_sign(position) * survey(position, Potential(filter="pf1")).potential)


def _gradient(position: Position, context: ViewContext) -> LayerValues:
    slope = survey(position, Potential(filter="pf9")).slope
    return LayerValues(slope, best_points(position, legal_only(position, slope)))


def _filter(name: str, position: Position, context: ViewContext) -> LayerValues:
    found = survey(position, Potential(filter=name, switch=0.0))
    kept, legal = int(found.kept.sum()), int((found.rank > 0).sum())
    values = legal_only(position, np.where(found.rank > 0, found.kept, np.nan))
    return LayerValues(values, note=f"{kept} of {legal} moves kept")


def _filter_meaning(name: str) -> str:
    parts = FILTERS[name]
    order = {"random": "randomly", "potential": "by potential", "slope": "by slope"}[parts.ranking]
    ends = [
        f"{share:.0%} at the {end}"
        for share, end in ((parts.top, "top"), (parts.bottom, "bottom"))
        if share
    ]
    strength = "" if parts.ranking == "random" else f" with 1 / {parts.m:g}^distance per stone"
    sign = ", both colors with the same sign" if parts.own == parts.other else ""
    return (
        f"1 where the filter keeps a move, 0 where it prunes it: ranks the legal moves {order}"
        f"{strength}{sign}, and prunes {' and '.join(ends)}. The layer always applies the filter; "
        "a search applies it only while most points are legal moves."
    )


def potential_layers() -> list[LayerInfo]:
    """Return the layers of the potential, its slope, and the ten filters."""
    group = "potential"
    potential = (
        "The sum of 1 / 2^distance over all stones, positive for Black and negative for White: "
        "hills around black stones, valleys around white ones."
    )
    gradient = (
        "The slope of the potential with 1 / 1.15^distance per stone (filter pf9): steep between "
        "stones of different colors, flat far from all stones."
    )
    layers = [
        LayerInfo("potential", "Potential", potential, group, _potential, Scale.DIVERGING),
        LayerInfo("gradient", "Gradient of the potential", gradient, group, _gradient),
    ]
    for name in FILTERS:
        make, meaning = partial(_filter, name), _filter_meaning(name)
        title = f"Filter {name}"
        layers.append(LayerInfo(f"filter.{name}", title, meaning, "filters", make, Scale.MASK))
    return layers


# Metric evaluations (paper 003)


def _change(measure: str, mix: Metric, position: Position, context: ViewContext) -> LayerValues:
    """Return the gain of each move for its player; the color scale begins at the smallest gain.

    Almost every move gains something, so only differences are of interest.
    """
    values: Grid = _black_sign(position) * getattr(changes(position, mix), measure)
    lowest = float(np.nanmin(values)) if np.isfinite(values).any() else None
    now = "" if measure == "mix" else f"now {getattr(evaluate(position), measure):g} for Black"
    return LayerValues(values, best_points(position, values), note=now, low=lowest)


def _colors(position: Position, context: ViewContext) -> LayerValues:
    owner = np.array([0.0, 1.0, -1.0])
    values = owner[abstract_colors(position)]
    return LayerValues(values, note=f"E1 = {values.sum():g} for Black", high=1.0)


def metric_layers() -> list[LayerInfo]:
    """Return the layers of the change of each evaluation by a move, and of the owners."""
    layers = []
    for name, text in MEASURES.items():
        meaning = f"The change of {text}, by a move here, in favor of its player."
        make = partial(_change, name, ALL_EVALUATIONS)
        title = f"Metric {text}"
        layers.append(LayerInfo(f"metric.{name}", title, meaning, "metric", make))
    meaning = "The change of the mixed evaluation (table 9) by a move here, in favor of its player."
    make = partial(_change, "mix", Metric())
    layers.append(LayerInfo("metric", "Metric, mixed", meaning, "metric", make))
    meaning = "The owner of each point in the metric evaluations: 1 Black, -1 White, 0 neutral."
    layers.append(
        LayerInfo("metric.color", "Metric colors", meaning, "metric", _colors, Scale.DIVERGING)
    )
    return layers


# Shape (paper 004)


def _shape(position: Position, context: ViewContext) -> LayerValues:
    values = legal_only(position, Shape().values(position))
    labels = label_grid(values, percent, MIN_LABELED)
    notes = _notes(position, _pattern_rates(position))
    return LayerValues(values, best_points(position, values)[:1], labels, notes=notes)


def _shape_rate(size: int, position: Position, context: ViewContext) -> LayerValues:
    found, values = _pattern_rates(position), empty_grid(position)
    for point, rates in found.items():
        for rate in rates:
            if rate.size == size and rate.seen >= 1:
                set_value(values, point, rate.rate)
    best = best_points(position, values)[:1]
    return LayerValues(values, best, low=0.0, high=1.0, notes=_notes(position, found))


def _pattern_rates(position: Position) -> PatternRates:
    shape = Shape()
    return {point: shape.rates(position, point) for point in position.legal_moves()}


def _notes(position: Position, found: PatternRates) -> Labels:
    """Return the pattern around each legal move and its rates by size."""
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
    """Return the pattern around a point: X side to move, O opponent, # off the board."""
    reach = range(-(PATTERN_SIDE // 2), PATTERN_SIDE // 2 + 1)
    lines = [[_sign(position, point, down, right) for right in reach] for down in reach]
    return "\n".join(" ".join(line) for line in lines)


def _sign(position: Position, point: int, down: int, right: int) -> str:
    row, column = row_of(point) + down, column_of(point) + right
    if not (0 <= row < position.rows and 0 <= column < position.columns):
        return EDGE_SYMBOL
    if not down and not right:
        return CENTER_SIGN
    here = position.color(point_at(row, column))
    return (OWN_SYMBOL if here == position.to_play else ENEMY_SYMBOL) if here else EMPTY_SYMBOL


def shape_layers() -> list[LayerInfo]:
    """Return the layers of the move probabilities and of the rates of each pattern size."""
    meaning = "The probability that a strong player plays here, by patterns of 3x3 to 9x9 points."
    layers = [LayerInfo("shape", "Shape", meaning, "shape", _shape, unit="probability")]
    for size in SIZES:
        text = (
            f"How often the {size}x{size} pattern around a point was played when compared with "
            "another legal move; 0.5 is chance. No value for patterns that are not in the games."
        )
        make, title = partial(_shape_rate, size), f"Shape, {size}x{size} patterns"
        layers.append(LayerInfo(f"shape.{size}", title, text, "shape", make, unit="rate"))
    return layers


# Built-in and user sources


def _source_values(
    source: CompiledSource | PythonSource, position: Position, context: ViewContext
) -> LayerValues:
    values = legal_only(position, source.values(position).astype(np.float64))
    low, high = (0.0, 1.0) if _is_in_unit_interval(values) else (None, None)
    return LayerValues(values, best_points(position, values), low=low, high=high)


def _is_in_unit_interval(values: Grid) -> bool:
    finite = values[np.isfinite(values)]
    return bool(finite.size) and finite.min() >= 0 and finite.max() <= 1


def builtin_layers() -> list[LayerInfo]:
    """Return the layers of the sources that are active by default."""
    layers = []
    for name in BUILT_IN:
        source = compiled_source(name, 20.0)
        meaning = f"Prior value from 0 (bad) to 1 (good): {source.meaning}."
        make = partial(_source_values, source)
        layers.append(LayerInfo(name, name.capitalize(), meaning, "built-in", make, unit="value"))
    return layers


def named_layer(text: str) -> LayerInfo:
    """Return the layer of a source in the syntax of the engine settings; raise TengenError."""
    try:
        source = parse_source(text)
    except TengenError as error:
        raise TengenError(f"layer {text}: {error}") from None
    return source_layer(text, source)


def source_layer(name: str, source: CompiledSource | PythonSource) -> LayerInfo:
    """Return the layer of a source under any name."""
    meaning = f"Values from 0 (bad) to 1 (good) for the side to move: {source.meaning}"
    return LayerInfo(
        name, source.name, meaning, "own", partial(_source_values, source), unit="value"
    )
