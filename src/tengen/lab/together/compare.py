"""The whole comparison: games, ratings and costs, in one report."""

import argparse
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.lab.opponents import opponents_of
from tengen.lab.options import board_sizes
from tengen.lab.study import Study
from tengen.lab.terms import terms_of
from tengen.lab.together.costs import COLUMNS, measure_costs
from tengen.lab.together.ideas import ideas, players
from tengen.lab.together.ratings import (
    games_of,
    play_round_robin,
    plot_ratings,
    rating_rows,
)
from tengen.match.factory import is_in_process
from tengen.match.named_files import named_files

COMMON = "threads=1 memory_mib=64"
"""Settings of all players: one core each, and not too much memory for many at once."""
TITLE = "Together: which ideas make a stronger engine?"


def run(arguments: argparse.Namespace) -> int:
    """Measure the costs and play the round robins, from where they were; write the report."""
    sizes = board_sizes(arguments.size)
    terms = terms_of(arguments, sizes)
    entrants = all_players(arguments)
    study = Study(arguments.output, TITLE, terms.identity | identity_of(entrants))
    own = {name: text for name, text in entrants.items() if is_in_process(text)}
    try:
        for size in sizes:
            measure_costs(study.table("costs", COLUMNS), size, own, arguments.cost_seconds)
            write_report(study, list(entrants), sizes, arguments.net)
            play_round_robin(_store(study.folder, size), entrants, terms, size)
    finally:
        page = write_report(study, list(entrants), sizes, arguments.net)
    print(page)
    return 0


def all_players(arguments: argparse.Namespace) -> dict[str, str]:
    """Return Tengen's players and the other programs that were named; raise TengenError."""
    pace = f"playouts={arguments.playouts}"
    if arguments.seconds:
        pace = f"seconds={arguments.seconds:g} stop_early=no"
    found, others = own_players(arguments, pace), opponents_of(arguments)
    if taken := [name for name in others if name in found]:
        raise TengenError(f"{taken[0]!r} is one of Tengen's own players: give it another name")
    return found | others


def identity_of(entrants: dict[str, str]) -> dict[str, object]:
    """Return what must be the same of the players of a folder: their files too."""
    return {"players": entrants, **named_files(entrants.values())}


def own_players(arguments: argparse.Namespace, pace: str) -> dict[str, str]:
    """Return Tengen's players, without the ideas that are not wanted."""
    without = tuple(name for name in arguments.without.split(",") if name)
    return players(f"{pace} {COMMON}", arguments.net, without)


def _store(folder: Path, size: int) -> Path:
    return folder / f"games-{size}.sqlite"


def write_report(study: Study, names: list[str], sizes: list[int], net: str) -> Path:
    """Write the page from what there is so far; return its path."""
    fresh = Study(study.folder, study.title, study.settings)
    about = [{"idea": name, "what": idea.about} for name, idea in ideas(net).items()]
    fresh.show(about, "Alone, together (all), and all but one (-name).")
    for size in sizes:
        rows = games_of(_store(study.folder, size)) if _store(study.folder, size).exists() else []
        if rows:
            fresh.text(f"{size}x{size}")
            fresh.show(rating_rows(names, rows), "Maximum likelihood, intervals of 95 %.")
            with fresh.figure(f"elo-{size}", f"{size}x{size}") as figure:
                plot_ratings(figure.add_subplot(), names, rows)
    fresh.text("Costs", "A second of the processor, one thread, by phase of the game.")
    fresh.show(fresh.table("costs", COLUMNS), "Simulations and nodes.")
    return fresh.write_report()
