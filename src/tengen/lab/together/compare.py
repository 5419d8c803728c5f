"""Round robin of all ideas, rated by maximum likelihood, with the cost of each idea."""

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from tengen.board import BLACK, WHITE
from tengen.lab.matches import MatchOptions, match_options_of, parse_opponents
from tengen.lab.options import board_sizes
from tengen.lab.study import Study
from tengen.lab.together.ideas import (
    COLUMNS,
    ideas,
    measure_costs,
    players,
    plot_differences,
    title_of,
)
from tengen.match import (
    PRIOR_DRAWS,
    Z_95,
    GameRow,
    Store,
    black_scores,
    bradley_terry,
    file_identity,
    is_in_process,
    live_table,
    play_match,
    score_of_player,
    time_use,
)
from tengen.util import Console, TengenError


def play_round_robin(
    path: Path, players: Mapping[str, str], options: MatchOptions, size: int
) -> None:
    """Play the missing games: `options.games` for each pairing."""
    config = options.match(players, str(size))
    play_match(config, path, options.workers, options.cluster, live_table(Console(stderr=True)))


def games_of(path: Path) -> list[GameRow]:
    """Return the games of a store."""
    store = Store(path)
    try:
        return store.results()
    finally:
        store.close()


def rating_rows(names: list[str], rows: list[GameRow]) -> list[dict[str, object]]:
    """Return a row per player, strongest first, with Elo relative to the first of `names`."""
    fit = bradley_terry(len(names), black_scores(rows), PRIOR_DRAWS)
    found: list[dict[str, object]] = []
    for player in np.argsort(-fit.elo).tolist():
        score = score_of_player(rows, player)
        colors = [score_of_player(rows, player, color) for color in (BLACK, WHITE)]
        use = time_use(rows, player)
        error = fit.difference_error(player, 0)
        found.append(
            {
                "player": names[player],
                "Elo": f"{fit.elo[player] - fit.elo[0]:+.0f} ± {Z_95 * error:.0f}",
                "games": score.games,
                "won": f"{score.wins}/{score.games}",
                "as Black": f"{colors[0].wins}/{colors[0].games}",
                "as White": f"{colors[1].wins}/{colors[1].games}",
                "seconds per move": f"{use.time_s / max(use.moves, 1):.3f}",
            }
        )
    return found


def plot_ratings(axes: Axes, names: list[str], rows: list[GameRow]) -> None:
    """Plot the Elo of each player relative to the first of `names`, with its interval."""
    fit = bradley_terry(len(names), black_scores(rows), PRIOR_DRAWS)
    differences = {
        name: (float(fit.elo[player] - fit.elo[0]), fit.difference_error(player, 0))
        for player, name in enumerate(names)
    }
    plot_differences(axes, differences, f"Elo relative to {title_of(names[0])}")


COMMON = "threads=1 memory_mib=64"
"""Settings of all players."""
TITLE = "Together: which ideas make a stronger engine?"


def run(arguments: argparse.Namespace) -> int:
    """Measure the costs, play the round robins and write the report."""
    sizes = board_sizes(arguments.size)
    options = match_options_of(arguments, sizes)
    entrants = all_players(arguments)
    study = Study(arguments.output, TITLE, options.identity | identity_of(entrants))
    own = {name: text for name, text in entrants.items() if is_in_process(text)}
    try:
        for size in sizes:
            measure_costs(study.table("costs", COLUMNS), size, own, arguments.cost_seconds)
            write_report(study, list(entrants), sizes, arguments.net)
            play_round_robin(_store(study.folder, size), entrants, options, size)
    finally:
        page = write_report(study, list(entrants), sizes, arguments.net)
    print(page)
    return 0


def all_players(arguments: argparse.Namespace) -> dict[str, str]:
    """Return Tengen's players and the other programs; raise TengenError."""
    pace = f"playouts={arguments.playouts}"
    if arguments.seconds:
        pace = f"seconds={arguments.seconds:g} stop_early=no"
    found, others = own_players(arguments, pace), parse_opponents(arguments)
    if taken := [name for name in others if name in found]:
        raise TengenError(f"{taken[0]!r} is the name of a built-in player: choose another name")
    return found | others


def identity_of(entrants: dict[str, str]) -> dict[str, object]:
    """Return the players and digests of their files, which cannot change when resuming."""
    return {"players": entrants, **file_identity(entrants.values())}


def own_players(arguments: argparse.Namespace, pace: str) -> dict[str, str]:
    """Return Tengen's players without the omitted ideas."""
    without = tuple(name for name in arguments.without.split(",") if name)
    return players(f"{pace} {COMMON}", arguments.net, without)


def _store(folder: Path, size: int) -> Path:
    return folder / f"games-{size}.sqlite"


def write_report(study: Study, names: list[str], sizes: list[int], net: str) -> Path:
    """Write the report of the results so far; return its path."""
    study.clear_report()
    about = [{"idea": name, "what": idea.about} for name, idea in ideas(net).items()]
    study.add_table(about, "Ideas alone, together (all), and all but one (-name).")
    for size in sizes:
        rows = games_of(_store(study.folder, size)) if _store(study.folder, size).exists() else []
        if rows:
            study.add_section(f"{size}x{size}")
            study.add_table(
                rating_rows(names, rows),
                "Maximum likelihood; 95% confidence intervals.",
                name=f"elo-{size}",
            )
            with study.figure(f"elo-{size}", f"{size}x{size}") as figure:
                plot_ratings(figure.add_subplot(), names, rows)
    study.add_section(
        "Costs", "Simulations and nodes per CPU second, one thread, by phase of the game."
    )
    study.add_table(study.table("costs", COLUMNS), "Costs.", name="costs")
    return study.write_report()
