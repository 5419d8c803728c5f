"""Chapter 5 of the thesis: does the prior win games?"""

import argparse
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from tengen.core.errors import TengenError
from tengen.lab.bigmove.contests import Contest, chosen_contests
from tengen.lab.study import Study
from tengen.match.config import MatchConfig
from tengen.match.runner import run_match
from tengen.match.stats import elo_interval, pair_interval
from tengen.match.store import GameRow, Store
from tengen.match.table import elo_text, live_table, percent
from tengen.match.tally import duplicates, pair_counts, score_of_player, time_use
from tengen.match.workers import open_workers

CANDIDATE = 0
FULL_SIZE = (
    "tengen lab bigmove match -o big-full --contests tests,x,y,proposals,beyond --games 1000 "
    "--seconds 2 --workers 0 --cluster tcp://HOST:8786"
)
"""What a cluster should run: the thesis's hundred games a setting leave 10 points of doubt."""


def players(arguments: argparse.Namespace, contest: Contest) -> tuple[str, str]:
    """Return the two players of a contest."""
    pace = (
        f"seconds={arguments.seconds:g}" if arguments.seconds else f"playouts={arguments.playouts}"
    )
    prior = contest.prior.format(visits=f"{arguments.visits:g}")
    candidate = f"tengen {pace} {arguments.engine} prior={prior}"
    if arguments.opponent != "tengen":
        return candidate, arguments.opponent
    wanted = contest.phantom if arguments.phantom == "thesis" else arguments.phantom == "yes"
    phantom = f" prior={prior},phantom=yes" if wanted and arguments.seconds else ""
    return candidate, f"tengen {pace} {arguments.engine}{phantom}"


def run(arguments: argparse.Namespace) -> int:
    """Play the contests, one after the other, and write the report after each."""
    contests = chosen_contests(arguments.contests)
    if arguments.workers < (0 if arguments.cluster else 1):
        raise TengenError(f"{arguments.workers} workers: at least one is needed")
    study = Study(arguments.output, "The big move: matches", _identity(arguments))
    for name, contest in contests.items():
        _play(arguments, name, contest)
        write_report(study, arguments.output)
    print(study.folder / "report.html")
    return 0


def _identity(arguments: argparse.Namespace) -> dict[str, object]:
    """Return what all contests of a folder share; more games and contests may be added."""
    names = ("playouts", "seconds", "phantom", "visits", "opponent", "engine")
    shared = ("size", "komi", "openings", "seed")
    return {name: getattr(arguments, name) for name in (*names, *shared)}


def _play(arguments: argparse.Namespace, name: str, contest: Contest) -> None:
    config = MatchConfig(
        players=players(arguments, contest),
        names=(name, "opponent"),
        games=arguments.games,
        size=arguments.size,
        komi=arguments.komi,
        openings=arguments.openings,
        sprt=arguments.sprt,
        seed=arguments.seed,
    )
    store = Store(arguments.output / f"{name}.sqlite")
    try:
        workers = open_workers(arguments.workers, arguments.cluster)
        with live_table(Console()) as watch:
            run_match(config.plan(), store, config.limits(), workers, watch)
    finally:
        store.close()


def results(folder: Path) -> dict[str, list[GameRow]]:
    """Return the games of every contest that was played in a folder."""
    played = {}
    for name in chosen_contests("tests,x,y,proposals,beyond"):
        path = folder / f"{name}.sqlite"
        if path.exists():
            store = Store(path)
            played[name] = store.results()
            store.close()
    return {name: rows for name, rows in played.items() if rows}


def summary(name: str, rows: list[GameRow]) -> dict[str, object]:
    """Return a row of the report: our result beside the thesis's."""
    contest = chosen_contests(name)[name]
    score = score_of_player(rows, CANDIDATE)
    rate = pair_interval(pair_counts(rows, CANDIDATE))
    ours, theirs = (time_use(rows, player) for player in (0, 1))
    return {
        "contest": name,
        "what": contest.about,
        "games": score.games,
        "wins": score.wins,
        "score": percent(rate),
        "Elo": elo_text(elo_interval(rate)),
        "thesis": "" if contest.thesis is None else f"{contest.thesis:g} %",
        "time ratio": f"{ours.time_s / ours.moves / max(theirs.time_s / theirs.moves, 1e-9):.2f}",
        "repeated": duplicates(rows),
    }


def write_report(study: Study, folder: Path) -> None:
    """Write table, plot and page from what was played so far."""
    fresh = Study(folder, study.title, study.settings)
    played = results(folder)
    fresh.text("Results", "Scores by pairs of games, colours swapped; intervals of 95 %.")
    fresh.show([summary(name, rows) for name, rows in played.items()], "candidate's results")
    with fresh.figure("scores", "Win rate of the candidate; crosses are the thesis's.") as figure:
        _plot(figure.add_subplot(), played)
    fresh.text("The full size", f"On a cluster: {FULL_SIZE}")
    fresh.write_report()


def _plot(axes: object, played: Mapping[str, list[GameRow]]) -> None:
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)
    for place, (name, rows) in enumerate(played.items()):
        rate = pair_interval(pair_counts(rows, CANDIDATE))
        axes.plot([place, place], [100 * rate.low, 100 * rate.high], color="tab:blue")
        axes.plot([place], [100 * rate.value], "o", color="tab:blue")
        thesis = chosen_contests(name)[name].thesis
        if thesis is not None:
            axes.plot([place], [thesis], "x", color="tab:red")
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set_xticks(range(len(played)), list(played), rotation=60)
    axes.set_ylabel("% won")
    axes.set_ylim(0, 100)
