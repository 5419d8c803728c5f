"""Matches of two players as the parts of an experiment: played, gone on with, shown together."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from rich.console import Console

from tengen.board.colour import BLACK, WHITE
from tengen.lab.opponents import check_program
from tengen.lab.study import Study
from tengen.lab.terms import Terms
from tengen.match.config import parse_sprt
from tengen.match.decision import decision_of
from tengen.match.play import play_match
from tengen.match.stats import Decision, Sprt, elo_interval, pair_interval
from tengen.match.store import GameRow, Store
from tengen.match.table import elo_text, live_table, percent
from tengen.match.tally import duplicates, pair_counts, score_of_player, time_use

Note = tuple[str, str]
"""A heading and a paragraph."""

DECISIONS = {Decision.OPEN: "open", Decision.H0: "does not help", Decision.H1: "helps"}
CANDIDATE = 0
"""The first player of a contest, from whose side results are told."""


@dataclass(frozen=True)
class Contest:
    """A candidate against an opponent."""

    name: str
    players: tuple[str, str]
    about: str = ""
    paper: float | None = None
    """Percent won by the candidate in the paper, if it tells it."""


@dataclass(frozen=True)
class Played:
    """The games of a contest so far, and what its sequential test says of them, if it has one."""

    contest: Contest
    rows: list[GameRow]
    sprt: Sprt | None
    decision: Decision


def run_contests(
    study: Study, contests: Sequence[Contest], terms: Terms, note: Note = ("", "")
) -> Path:
    """Play what is left of each contest and write the report after each; return its path.

    The report ends with the note, and is written after Ctrl-C too. Raise TengenError before the
    first game if some player cannot be started.
    """
    for player, name in {p: contest.name for contest in contests for p in contest.players}.items():
        check_program(name, player)
    try:
        for contest in contests:
            play_contest(study.folder, contest, terms)
            write_contests(study, contests, note)
    finally:
        page = write_contests(study, contests, note)
    return page


def play_contest(folder: Path, contest: Contest, terms: Terms) -> None:
    """Play the games that are missing in the contest's store."""
    candidate, opponent = contest.players
    config = terms.match({contest.name: candidate, "opponent": opponent})
    path, show = _path(folder, contest), live_table(Console(stderr=True))
    play_match(config, path, terms.workers, terms.cluster, show)


def _path(folder: Path, contest: Contest) -> Path:
    return folder / f"{contest.name}.sqlite"


def played_contests(folder: Path, contests: Sequence[Contest], sprt: Sprt | None) -> list[Played]:
    """Return the contests that have games."""
    found = [_read(_path(folder, contest), contest, sprt) for contest in contests]
    return [played for played in found if played.rows]


def _read(path: Path, contest: Contest, sprt: Sprt | None) -> Played:
    if not path.exists():
        return Played(contest, [], sprt, Decision.OPEN)
    store = Store(path)
    rows = store.results()
    decision = decision_of(store, rows, sprt) if sprt else Decision.OPEN
    store.close()
    return Played(contest, rows, sprt, decision)


def contest_row(played: Played) -> dict[str, object]:
    """Return a line of the report: the candidate's result beside the paper's."""
    contest, rows, sprt = played.contest, played.rows, played.sprt
    score = score_of_player(rows, CANDIDATE)
    colours = [score_of_player(rows, CANDIDATE, colour) for colour in (BLACK, WHITE)]
    counts = pair_counts(rows, CANDIDATE)
    rate = pair_interval(counts)
    ours, theirs = (time_use(rows, player) for player in (0, 1))
    times = [use.time_s / max(use.moves, 1) for use in (ours, theirs)]
    return {
        "contest": contest.name,
        "what": contest.about,
        "games": score.games,
        "wins": score.wins,
        "as Black": f"{colours[0].wins}/{colours[0].games}",
        "as White": f"{colours[1].wins}/{colours[1].games}",
        "score": percent(rate),
        "Elo": elo_text(elo_interval(rate)),
        "test": f"{sprt.llr(counts):+.2f} {DECISIONS[played.decision]}" if sprt else "",
        "paper": "" if contest.paper is None else f"{contest.paper:.3g} %",
        "moves a game": f"{sum(row.length for row in rows) / len(rows):.0f}",
        "time ratio": f"{times[0] / max(times[1], 1e-9):.2f}",
        "repeated": duplicates(rows),
    }


def write_contests(study: Study, contests: Sequence[Contest], note: Note = ("", "")) -> Path:
    """Write table, plot and page from what was played so far; return the page's path."""
    fresh = Study(study.folder, study.title, study.settings)
    played = played_contests(study.folder, contests, sprt_of(study))
    fresh.text("Results", "Scores by pairs of games, colours swapped; intervals of 95 %.")
    fresh.show(
        [*map(contest_row, played)],
        "From the candidate's side; the test is of the settings' Elo differences.",
    )
    with fresh.figure("scores", "Win rate of the candidate; crosses are the paper's.") as figure:
        plot_contests(figure.add_subplot(), played)
    if note[0]:
        fresh.text(*note)
    return fresh.write_report()


def sprt_of(study: Study) -> Sprt | None:
    """Return the sequential test that a study's settings name."""
    return parse_sprt(str(study.settings.get("sprt") or ""))


def plot_contests(axes: Axes, played: Sequence[Played]) -> None:
    """Draw the win rate of each contest with its interval, and the paper's."""
    for place, one in enumerate(played):
        rate = pair_interval(pair_counts(one.rows, CANDIDATE))
        axes.plot([place, place], [100 * rate.low, 100 * rate.high], color="tab:blue")
        axes.plot([place], [100 * rate.value], "o", color="tab:blue")
        if one.contest.paper is not None:
            axes.plot([place], [one.contest.paper], "x", color="tab:red")
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set_xticks(range(len(played)), [one.contest.name for one in played], rotation=60)
    axes.set_ylabel("% won")
    axes.set_ylim(0, 100)
