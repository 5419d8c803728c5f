"""What a search found at the root, as layers; its report is in the context."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.search.report import Candidate, SearchReport
from tengen.view.context import ViewContext
from tengen.view.info import LayerInfo, Need, Said, empty_grid, label_grid, percent, put
from tengen.view.layer import Scale


class _Kind(NamedTuple):
    """A number that the search knows of every candidate."""

    title: str
    meaning: str
    unit: str
    weight: Callable[[Candidate], float]
    """Nothing is said of a candidate for which it is 0."""
    value: Callable[[Candidate], float]
    text: Callable[[float], str]
    missing: str = "no move was tried yet"
    """What to say where it is known of no candidate."""


def count_text(value: float) -> str:
    """Return a number of visits in few letters: `950`, `1.2k`, `34k`, `2.1M`."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            share = value / size
            return f"{share:.1f}{letter}" if share < 9.95 else f"{share:.0f}{letter}"
    return f"{value:.0f}"


_KINDS = {
    "visits": _Kind(
        "Search, visits",
        "How often the search tried the move: without a net the most visited is played.",
        "visits",
        lambda one: one.visits,
        lambda one: one.visits,
        count_text,
    ),
    "winrate": _Kind(
        "Search, win rates",
        "The share of simulations through the move that its player won; labels are percent.",
        "win rate",
        lambda one: one.visits,
        lambda one: one.value,
        percent,
    ),
    "prior": _Kind(
        "Search, prior",
        "The value that the sources together gave the move before it was tried.",
        "value",
        lambda one: one.prior_visits,
        lambda one: one.prior_value,
        percent,
        "the sources had no say in this search, a net's policy stood in their place",
    ),
    "policy": _Kind(
        "Search, policy",
        "The probability that the search was given for the move by a net.",
        "probability",
        lambda one: one.policy,
        lambda one: one.policy,
        percent,
    ),
    "rave": _Kind(
        "Search, RAVE",
        "The win rate of all simulations in which the move came at any time (all moves as first).",
        "win rate",
        lambda one: one.rave_visits,
        lambda one: one.rave_value,
        percent,
        "this search played no playouts that count",
    ),
}


def _candidates(kind: _Kind, position: Position, context: ViewContext) -> Said:
    report = _report(position, context)
    values = empty_grid(position)
    for candidate in report.candidates:
        if kind.weight(candidate) > 0:
            put(values, candidate.move, kind.value(candidate))
    if not np.isfinite(values).any():
        raise TengenError(f"{kind.title}: {kind.missing}")
    least = float(np.nanmin(values))
    labels = label_grid(values, kind.text, least)
    low = 0.0 if kind.unit == "visits" else least
    best = tuple(c.move for c in report.candidates[:1] if c.move != PASS)
    return Said(values, best, labels, _note(position, report), low)


def _ownership(position: Position, context: ViewContext) -> Said:
    report = _report(position, context)
    return Said(report.ownership.copy(), note=_note(position, report), high=1.0)


def _report(position: Position, context: ViewContext) -> SearchReport:
    """Return the report; raise TengenError if it is none of this board."""
    report = context.search_report()
    if report.ownership.shape != (position.rows, position.columns):
        raise TengenError("the search was of another board")
    return report


def _note(position: Position, report: SearchReport) -> str:
    side = position.to_play.name.capitalize()
    return f"{report.visits:,} visits, {side} wins {report.value:.0%}"


def search_layers() -> list[LayerInfo]:
    """Return what is known of the candidates, and the ownership."""
    layers = [
        LayerInfo(
            f"search.{name}",
            kind.title,
            kind.meaning,
            "search",
            partial(_candidates, kind),
            unit=kind.unit,
            needs=Need.SEARCH,
        )
        for name, kind in _KINDS.items()
    ]
    ownership = "Whose the point was at the end of the playouts: 1 Black's, -1 White's."
    layers.append(
        LayerInfo(
            "search.ownership",
            "Search, ownership",
            ownership,
            "search",
            _ownership,
            Scale.DIVERGING,
            unit="owner",
            needs=Need.SEARCH,
        )
    )
    return layers
