"""Layers of the search, of the network and of the game database."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from tengen.board import BLACK, PASS, Position
from tengen.nets import Evaluation
from tengen.records.database import Continuation, Pattern
from tengen.search import Candidate, SearchReport
from tengen.util import TengenError
from tengen.view.layer import Scale
from tengen.view.layer_info import (
    MIN_LABELED,
    LayerInfo,
    LayerValues,
    Need,
    ViewContext,
    best_points,
    empty_grid,
    label_grid,
    legal_only,
    percent,
    set_value,
)


class _CandidateLayer(NamedTuple):
    """A layer of one quantity of the candidates of a search."""

    title: str
    meaning: str
    unit: str
    weight: Callable[[Candidate], float]
    """Candidates of weight 0 have no value."""
    value: Callable[[Candidate], float]
    text: Callable[[float], str]
    missing: str = "no move was searched yet"
    """Error message if no candidate has a value."""


def count_text(value: float) -> str:
    """Format a count in few characters: `950`, `1.2k`, `34k`, `2.1M`."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            scaled = value / size
            return f"{scaled:.1f}{letter}" if scaled < 9.95 else f"{scaled:.0f}{letter}"
    return f"{value:.0f}"


_CANDIDATE_LAYERS = {
    "visits": _CandidateLayer(
        "Search, visits",
        "Visits of each move; without a network the most visited move is played.",
        "visits",
        lambda candidate: candidate.visits,
        lambda candidate: candidate.visits,
        count_text,
    ),
    "winrate": _CandidateLayer(
        "Search, win rates",
        "Mean win rate of the simulations through each move, for its player, in percent.",
        "win rate",
        lambda candidate: candidate.visits,
        lambda candidate: candidate.value,
        percent,
    ),
    "prior": _CandidateLayer(
        "Search, prior",
        "Combined prior value of all sources.",
        "value",
        lambda candidate: candidate.prior_visits,
        lambda candidate: candidate.prior_value,
        percent,
        "this search used the network policy instead of the sources",
    ),
    "policy": _CandidateLayer(
        "Search, policy",
        "Policy of the network in the search, in percent.",
        "probability",
        lambda candidate: candidate.policy,
        lambda candidate: candidate.policy,
        percent,
    ),
    "rave": _CandidateLayer(
        "Search, RAVE",
        "Mean win rate of all simulations that contain the move at any time (all moves as first).",
        "win rate",
        lambda candidate: candidate.rave_visits,
        lambda candidate: candidate.rave_value,
        percent,
        "this search has no weighted playouts",
    ),
}


# Search


def _candidate_values(
    layer: _CandidateLayer, position: Position, context: ViewContext
) -> LayerValues:
    report = _report(position, context)
    values = empty_grid(position)
    for candidate in report.candidates:
        if layer.weight(candidate) > 0:
            set_value(values, candidate.move, layer.value(candidate))
    if not np.isfinite(values).any():
        raise TengenError(f"{layer.title}: {layer.missing}")
    lowest = float(np.nanmin(values))
    labels = label_grid(values, layer.text, lowest)
    low = 0.0 if layer.unit == "visits" else lowest
    best = tuple(c.move for c in report.candidates[:1] if c.move != PASS)
    return LayerValues(values, best, labels, _note(position, report), low)


def _search_ownership(position: Position, context: ViewContext) -> LayerValues:
    report = _report(position, context)
    return LayerValues(report.ownership.copy(), note=_note(position, report), high=1.0)


def _report(position: Position, context: ViewContext) -> SearchReport:
    """Return the search report; raise TengenError if it is of another board size."""
    report = context.search_report()
    if report.ownership.shape != (position.rows, position.columns):
        raise TengenError("the search report is of another board size")
    return report


def _note(position: Position, report: SearchReport) -> str:
    side = position.to_play.name.capitalize()
    return f"{report.visits:,} visits, {side} wins {report.value:.0%}"


def search_layers() -> list[LayerInfo]:
    """Return the layers of the candidates and of the ownership."""
    layers = [
        LayerInfo(
            f"search.{name}",
            layer.title,
            layer.meaning,
            "search",
            partial(_candidate_values, layer),
            unit=layer.unit,
            needs=Need.SEARCH,
        )
        for name, layer in _CANDIDATE_LAYERS.items()
    ]
    ownership = "Expected owner of each point: 1 Black, -1 White."
    layers.append(
        LayerInfo(
            "search.ownership",
            "Search, ownership",
            ownership,
            "search",
            _search_ownership,
            Scale.DIVERGING,
            unit="owner",
            needs=Need.SEARCH,
        )
    )
    return layers


# Network


def _evaluate(position: Position, context: ViewContext) -> tuple[Evaluation, str]:
    """Return the network output, and a note on its value for Black."""
    evaluation = context.net().evaluate([position])[0]
    is_black = position.to_play == BLACK
    win = evaluation.win_to_play if is_black else 1 - evaluation.win_to_play
    lead = evaluation.lead_to_play if is_black else -evaluation.lead_to_play
    leader = "Black" if lead >= 0 else "White"
    return evaluation, f"Black wins {win:.0%}, {leader} leads by {abs(lead):.1f}"


def _net_policy(position: Position, context: ViewContext) -> LayerValues:
    evaluation, note = _evaluate(position, context)
    values = legal_only(position, evaluation.policy.astype(np.float64))
    labels = label_grid(values, percent, MIN_LABELED)
    pass_probability = evaluation.pass_probability
    pass_note = f", pass {pass_probability:.0%}" if pass_probability >= MIN_LABELED else ""
    return LayerValues(values, best_points(position, values)[:1], labels, note + pass_note)


def _net_ownership(position: Position, context: ViewContext) -> LayerValues:
    evaluation, note = _evaluate(position, context)
    sign = 1 if position.to_play == BLACK else -1
    return LayerValues(sign * evaluation.ownership_to_play.astype(np.float64), note=note, high=1.0)


def net_layers() -> list[LayerInfo]:
    """Return the layers of policy and ownership; the value is in their titles."""
    policy = "Policy of the network, in percent."
    ownership = "Expected owner of each point by the network: 1 Black, -1 White."
    group, need = "net", Need.NET
    return [
        LayerInfo(
            "net.policy",
            "Network policy",
            policy,
            group,
            _net_policy,
            unit="probability",
            needs=need,
        ),
        LayerInfo(
            "net.ownership",
            "Network ownership",
            ownership,
            group,
            _net_ownership,
            Scale.DIVERGING,
            unit="owner",
            needs=need,
        ),
    ]


# Game database


def _expert_values(
    value: Callable[[Continuation], float | None],
    text: Callable[[float], str],
    position: Position,
    context: ViewContext,
) -> LayerValues:
    pattern = Pattern.whole(position)
    found = context.database().search(pattern, examples=0)
    played = {one.move: one for one in found.continuations if one.color == position.to_play}
    canonical, values = pattern.canonical_points(), empty_grid(position)
    for point in position.points():
        continuation = played.get(int(canonical[point]))
        known = None if continuation is None else value(continuation)
        if known is not None:
            set_value(values, point, known)
    most_played = max(played.values(), key=lambda continuation: continuation.games, default=None)
    best = () if most_played is None or most_played.move == PASS else (most_played.move,)
    note = f"in {found.games:,} of {found.searched:,} games"
    return LayerValues(
        values, best or best_points(position, values)[:1], label_grid(values, text, 0), note
    )


def expert_layers() -> list[LayerInfo]:
    """Return the layers of the frequency and of the results of moves in a game database."""
    group, need = "experts", Need.GAMES
    games = (
        "Games of the database that continued here from the same position, under all symmetries "
        "and with colors swapped; equivalent points have the same number."
    )
    rates = "Share of these games that the player of the move won, in percent."
    count = partial(_expert_values, lambda continuation: float(continuation.games), count_text)
    rate = partial(_expert_values, lambda continuation: continuation.win_rate, percent)
    return [
        LayerInfo("experts", "Expert games", games, group, count, unit="games", needs=need),
        LayerInfo(
            "experts.winrate",
            "Expert games, results",
            rates,
            group,
            rate,
            unit="win rate",
            needs=need,
        ),
    ]
