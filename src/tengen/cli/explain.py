"""`tengen explain`: show the engine's analysis of one position."""

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tengen.board import PASS
from tengen.cli.engine_options import add_engine_options, engine_settings
from tengen.cli.options import add_position_arguments, read_position
from tengen.util import positive_int

if TYPE_CHECKING:
    from tengen.review import Explanation
    from tengen.search import Candidate

DEFAULT_TOP = 10
MAX_LINE_LENGTH = 8
"""Moves of a principal variation in the table; JSON has all of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_position_arguments(parser)
    add_engine_options(parser)
    parser.add_argument(
        "--top", type=positive_int, default=DEFAULT_TOP, help="number of candidates to print"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object with all candidates"
    )


def run(arguments: argparse.Namespace) -> int:
    """Search the position and print the analysis."""
    from tengen.engine import create_engine
    from tengen.review import explain

    settings = engine_settings(arguments)
    position, before, played = read_position(arguments)
    found = explain(create_engine(settings), position, settings.play.limit())
    if arguments.json:
        print(json.dumps(as_json(found, before, played)))
    else:
        _print(found, before, played, arguments.top)
    return 0


def as_json(found: "Explanation", number: int, played: int | None) -> dict[str, Any]:
    """Return an explanation as printed by `--json`."""
    position, report = found.position, found.report
    return {
        "move": number,
        "to_play": position.to_play.name.lower(),
        "played": None if played is None else position.vertex(played),
        "simulations": report.simulations,
        "value": report.value,
        "nodes": report.nodes,
        "depth": report.depth,
        "candidates": [_candidate_json(found, candidate) for candidate in report.candidates],
        "rules": {rule.name.lower(): count for rule, count in found.rules.items()},
        "problems": found.problems,
    }


def _candidate_json(found: "Explanation", candidate: "Candidate") -> dict[str, Any]:
    opinions = found.scores.get(candidate.move, [])
    return {
        "move": found.position.vertex(candidate.move),
        "visits": candidate.visits,
        "value": candidate.value,
        "lcb": candidate.lcb,
        "prior_value": candidate.prior_value,
        "prior_visits": candidate.prior_visits,
        "rave_value": candidate.rave_value,
        "rave_visits": candidate.rave_visits,
        "policy": candidate.policy,
        "line": [found.position.vertex(move) for move in candidate.line],
        "sources": {o.source: {"value": o.value, "visits": o.visits} for o in opinions},
    }


def _print(found: "Explanation", number: int, played: int | None, top: int) -> None:
    """Print the board, the candidates, the source scores and the playout rules."""
    from rich.markup import escape

    from tengen.util import Console

    console = Console(highlight=False)
    position, report = found.position, found.report
    console.print(str(position), markup=False)
    scores = "" if played is None else f"; played: {position.vertex(played)}"
    console.print(
        f"Move {number}, {position.to_play.name.capitalize()} to play{scores}. "
        f"{report.visits:,} visits, {_value_text(found)}, "
        f"{report.nodes:,} nodes, mean depth {report.depth:.1f}"
    )
    shown = _shown(report.candidates, played, top)
    console.print(_candidate_table(found, shown, played))
    if found.uses_sources:
        console.print(_source_table(found, shown, played))
    else:
        console.print(
            "Sources have no effect: the network's policy has full weight (net_weight=1)."
        )
    total = sum(found.rules.values()) or 1
    shares = [f"{rule.name.lower()} {count / total:.1%}" for rule, count in found.rules.items()]
    if shares:
        console.print("Playout moves by rule: " + ", ".join(shares))
    for problem in found.problems:
        console.print(escape(f"problem: {problem}"), soft_wrap=True)


def _value_text(found: "Explanation") -> str:
    """Return the win rate, and with a network the lead, of the side to move."""
    report, name = found.report, found.position.to_play.name.capitalize()
    text = f"{name}'s win rate {report.value:.1%}"
    if report.estimate is None:
        return text
    lead, error = report.estimate.lead, report.estimate.lead_error
    return f"{text}, {name}'s lead {lead:+.1f} ± {error:.1f} points"


def _shown(candidates: "list[Candidate]", played: int | None, top: int) -> "list[Candidate]":
    """Return the best candidates and the move played in the game."""
    return candidates[:top] + [c for c in candidates[top:] if c.move == played]


def _name(found: "Explanation", move: int, played: int | None) -> str:
    return found.position.vertex(move) + ("*" if move == played else "")


def _weighted(value: float, visits: float) -> str:
    """Return a value and its weight in visits as `0.75 x 20`."""
    return f"{value:.2f} x {visits:g}" if visits else "-"


def _columns(found: "Explanation") -> "dict[str, Callable[[Candidate], str]]":
    """Return the titles and contents of the columns that apply to this search."""
    candidates = found.report.candidates
    columns: dict[str, Callable[[Candidate], str]] = {
        "visits": lambda c: f"{c.visits:,}",
        "win rate": lambda c: f"{c.value:.1%}" if c.visits else "-",
    }
    if any(c.estimate for c in candidates):
        columns["lead"] = lambda c: f"{c.estimate.lead:+.1f}" if c.estimate else "-"
    if found.has_net:
        columns["LCB"] = lambda c: f"{c.lcb:.1%}" if c.visits else "-"
        columns["policy"] = lambda c: f"{c.policy:.1%}"
    if any(c.prior_visits for c in candidates if c.move != PASS):
        columns["prior"] = lambda c: _weighted(c.prior_value, round(c.prior_visits, 1))
    if any(c.rave_visits for c in candidates):
        columns["RAVE"] = lambda c: _weighted(c.rave_value, c.rave_visits)
    return columns


def _candidate_table(found: "Explanation", shown: "list[Candidate]", played: int | None) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, caption="* played in the game" if played else None)
    columns = _columns(found)
    table.add_column("move")
    for title in columns:
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("line", overflow="fold")
    for c in shown:
        line = " ".join(found.position.vertex(move) for move in c.line[:MAX_LINE_LENGTH])
        cells = [show(c) for show in columns.values()]
        table.add_row(_name(found, c.move, played), *cells, line)
    return table


def _source_table(found: "Explanation", shown: "list[Candidate]", played: int | None) -> Any:
    """Return the score of each candidate by each source: value x equivalent visits."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("move", no_wrap=True)
    for name in found.sources:
        table.add_column(name, justify="right", no_wrap=True)
    for candidate in shown:
        scores = {o.source: o for o in found.scores.get(candidate.move, [])}
        cells = [
            _weighted(scores[name].value, round(scores[name].visits, 1)) if name in scores else "-"
            for name in found.sources
        ]
        table.add_row(_name(found, candidate.move, played), *cells)
    return table
