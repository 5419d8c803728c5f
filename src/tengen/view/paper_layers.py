"""The ideas of the papers as layers: big move, potential, filters, metric."""

from functools import partial

import numpy as np

from tengen.board.colour import BLACK
from tengen.board.position import Position
from tengen.knowledge.bigmove import THESIS_VARIANTS, BigMove, biggest_points
from tengen.knowledge.metric import EVERY, Metric
from tengen.knowledge.metric_board import abstract_colours, changes, evaluate
from tengen.knowledge.potential import FILTERS, Potential, survey
from tengen.view.context import ViewContext
from tengen.view.info import (
    LayerInfo,
    Said,
    best_points,
    legal_only,
)
from tengen.view.layer import Grid, Scale

VARIANT_MEANINGS = {
    "p1": "no line of the board is held",
    "p2": "the seventh line held a little",
    "p3": "the sixth and seventh line held a little",
}


# Big move (paper 000)


def _bigmove(variants: str, position: Position, context: ViewContext) -> Said:
    source = BigMove(variants=variants)
    values = source.values(position)
    biggest = biggest_points(position, np.nan_to_num(values), source.tie)
    return Said(values, tuple(biggest), high=1.0)


def bigmove_layers() -> list[LayerInfo]:
    """Return the modes of the vibrating board."""
    meaning = (
        "The board as a skin held still at the edge and at every stone: how far each point swings "
        "in its slowest tone, 1 the farthest. The biggest move is where it swings most"
    )
    mean = f"{meaning}; the mean of p2 and p3, the thesis's best."
    layers = [LayerInfo("bigmove", "Big move", mean, "big move", partial(_bigmove, "p2+p3"))]
    for name in THESIS_VARIANTS:
        text = f"{meaning}; {VARIANT_MEANINGS[name]}."
        make = partial(_bigmove, name)
        layers.append(LayerInfo(f"bigmove.{name}", f"Big move {name}", text, "big move", make))
    return layers


# Potential filters (paper 002)


def _for_black(position: Position) -> int:
    return 1 if position.to_play == BLACK else -1


def _potential(position: Position, context: ViewContext) -> Said:
    return Said(_for_black(position) * survey(position, Potential(filter="pf1")).potential)


def _gradient(position: Position, context: ViewContext) -> Said:
    slope = survey(position, Potential(filter="pf9")).slope
    return Said(slope, best_points(position, legal_only(position, slope)))


def _filter(name: str, position: Position, context: ViewContext) -> Said:
    found = survey(position, Potential(filter=name, switch=0.0))
    kept, legal = int(found.kept.sum()), int((found.rank > 0).sum())
    values = legal_only(position, np.where(found.rank > 0, found.kept, np.nan))
    return Said(values, note=f"{kept} of {legal} moves kept")


def _filter_meaning(name: str) -> str:
    parts = FILTERS[name]
    what = {"chance": "by lot", "potential": "by potential", "slope": "by the slope"}[parts.ranking]
    ends = [
        f"{share:.0%} at the {end}"
        for share, end in ((parts.top, "top"), (parts.bottom, "bottom"))
        if share
    ]
    strength = "" if parts.ranking == "chance" else f", a stone giving 1 / {parts.m:g}^distance"
    sign = ", both colours alike" if parts.own == parts.other else ""
    return (
        f"1 where the filter keeps a move, 0 where it prunes it: ranks the legal moves {what}"
        f"{strength}{sign}, and prunes {' and '.join(ends)}. Here it is always on; in a search it "
        "is while most points are legal moves."
    )


def potential_layers() -> list[LayerInfo]:
    """Return the potential, its slope, and the ten filters."""
    group = "potential"
    potential = (
        "Each stone gives 1 / 2^distance to every point, Black's plus, White's minus: a landscape "
        "with hills around Black and valleys around White."
    )
    gradient = (
        "How steep the landscape of potentials is, a stone giving 1 / 1.15^distance (filter pf9): "
        "steep between stones of different colours, flat where nothing is near."
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

MEASURES = {
    "e0": "E0, the number of groups",
    "e1": "E1, the area",
    "e2": "E2, the squared sizes of groups",
    "ed4": "Ed4, the distances by 4 neighbours",
    "ed8": "Ed8, the distances by 8 neighbours",
}


def _change(measure: str, mix: Metric, position: Position, context: ViewContext) -> Said:
    """Return what moves bring their player; the colours begin at the worst of them.

    Almost any move brings something, a stone more, points connected: only differences count.
    """
    values: Grid = _for_black(position) * getattr(changes(position, mix), measure)
    least = float(np.nanmin(values)) if np.isfinite(values).any() else None
    now = "" if measure == "mix" else f"now {getattr(evaluate(position), measure):g} for Black"
    return Said(values, best_points(position, values), note=now, low=least)


def _colours(position: Position, context: ViewContext) -> Said:
    owner = np.array([0.0, 1.0, -1.0])
    values = owner[abstract_colours(position)]
    return Said(values, note=f"E1 = {values.sum():g} for Black", high=1.0)


def metric_layers() -> list[LayerInfo]:
    """Return what each move changes in each evaluation, and the colours behind them."""
    layers = []
    for name, text in MEASURES.items():
        meaning = f"By how much a move there changes {text}, in favour of its player."
        make = partial(_change, name, EVERY)
        title = f"Metric {text}"
        layers.append(LayerInfo(f"metric.{name}", title, meaning, "metric", make))
    meaning = "By how much a move there changes the mix of table 9, in favour of its player."
    make = partial(_change, "mix", Metric())
    layers.append(LayerInfo("metric", "Metric, the mix", meaning, "metric", make))
    meaning = "To whom the metric evaluations count a point: 1 Black, -1 White, 0 nobody."
    layers.append(
        LayerInfo("metric.colour", "Metric colours", meaning, "metric", _colours, Scale.DIVERGING)
    )
    return layers
