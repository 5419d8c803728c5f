"""Matches and tuning runs as parts of an experiment."""

import argparse
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes

from tengen.board import BLACK, WHITE
from tengen.lab.study import Study, progress
from tengen.match import (
    GameRow,
    MatchConfig,
    Sprt,
    SprtDecision,
    Store,
    check_workers,
    duplicates,
    elo_interval,
    elo_text,
    is_in_process,
    live_table,
    load_openings,
    make_player,
    open_workers,
    pair_counts,
    pair_interval,
    parse_sprt,
    percent,
    play_match,
    score_of_player,
    split_command,
    sprt_decision,
    time_use,
)
from tengen.match.tuning import Objective, Observer, Spsa, tune_in_folder
from tengen.util import Console, TengenError


@dataclass(frozen=True)
class MatchOptions:
    """Options shared by all matches of an experiment."""

    games: int
    size: str
    komi: float
    openings: str
    sprt: str
    seed: int
    workers: int
    cluster: str | None

    @property
    def identity(self) -> dict[str, object]:
        """Options that cannot change when a study is resumed."""
        return {name: getattr(self, name) for name in ("size", "komi", "openings", "sprt", "seed")}

    def match(self, players: Mapping[str, str], size: str = "") -> MatchConfig:
        """Return a match between named players; `size` overrides the board size."""
        return MatchConfig(
            players=tuple(players.values()),
            names=tuple(players),
            games=self.games,
            size=size or self.size,
            komi=self.komi,
            openings=self.openings,
            sprt=self.sprt,
            seed=self.seed,
        )


def match_options_of(arguments: argparse.Namespace, sizes: Sequence[int] = ()) -> MatchOptions:
    """Return the match options of a command line; raise TengenError if they are invalid.

    `sizes` replaces the board size where an experiment accepts several.
    """
    check_workers(arguments.workers, arguments.cluster)
    options = MatchOptions(
        **{name: getattr(arguments, name) for name in MatchOptions.__dataclass_fields__}
    )
    for size in [str(size) for size in sizes] or [options.size]:
        match = options.match({"one": "", "other": ""}, size)
        load_openings(match.openings, match.settings(), match.seed)
        match.limits()
    return options


def parse_opponents(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the opponents named on the command line; raise TengenError if one cannot start."""
    found = parse_named(arguments.opponent, "NAME:COMMAND")
    for name, command in found.items():
        check_player(name, command)
    return found


def check_player(name: str, command: str) -> None:
    """Raise TengenError if a player, given as for `tengen match`, cannot start."""
    program = split_command(command)[0]
    if is_in_process(command):
        _make(name, command)
    elif program != "tengen" and shutil.which(program) is None:
        raise TengenError(f"{name}: program not found: {program!r}")


def _make(name: str, command: str) -> None:
    try:
        make_player(command).close()
    except TengenError as error:
        raise TengenError(f"{name}: {error}") from None


def parse_named(texts: Sequence[str], form: str) -> dict[str, str]:
    """Parse texts of the form `NAME:REST` with unique names; raise TengenError."""
    found: dict[str, str] = {}
    for text in texts:
        name, colon, rest = text.partition(":")
        if not (name and colon and rest.strip()):
            raise TengenError(f"expected {form}, got {text!r}")
        if name in found:
            raise TengenError(f"duplicate name {name!r}")
        found[name] = rest
    return found


Note = tuple[str, str]
"""Heading and paragraph."""

DECISIONS = {SprtDecision.OPEN: "open", SprtDecision.H0: "no gain", SprtDecision.H1: "helps"}
CANDIDATE = 0
"""Index of the first player, from whose point of view results are reported."""


@dataclass(frozen=True)
class Comparison:
    """A match between a candidate and an opponent."""

    name: str
    players: tuple[str, str]
    about: str = ""
    paper: float | None = None
    """Percentage of games won by the candidate in the paper, if it is reported."""


@dataclass(frozen=True)
class ComparisonGames:
    """The games of a comparison so far, with the decision of its sequential test."""

    comparison: Comparison
    rows: list[GameRow]
    sprt: Sprt | None
    decision: SprtDecision


def run_comparisons(
    study: Study, comparisons: Sequence[Comparison], options: MatchOptions, note: Note = ("", "")
) -> Path:
    """Play the missing games of each comparison; return the path of the report.

    The report is updated after each comparison and after an interruption, and ends with the note.
    Raise TengenError before the first game if a player cannot start.
    """
    for player, name in {
        p: comparison.name for comparison in comparisons for p in comparison.players
    }.items():
        check_player(name, player)
    try:
        for comparison in comparisons:
            play_comparison(study.folder, comparison, options)
            write_comparisons(study, comparisons, note)
    finally:
        page = write_comparisons(study, comparisons, note)
    return page


def play_comparison(folder: Path, comparison: Comparison, options: MatchOptions) -> None:
    """Play the missing games of a comparison."""
    candidate, opponent = comparison.players
    config = options.match({comparison.name: candidate, "opponent": opponent})
    path, show = _path(folder, comparison), live_table(Console(stderr=True))
    play_match(config, path, options.workers, options.cluster, show)


def _path(folder: Path, comparison: Comparison) -> Path:
    return folder / f"{comparison.name}.sqlite"


def played_comparisons(
    folder: Path, comparisons: Sequence[Comparison], sprt: Sprt | None
) -> list[ComparisonGames]:
    """Return the comparisons that have games."""
    found = [_read(_path(folder, comparison), comparison, sprt) for comparison in comparisons]
    return [played for played in found if played.rows]


def _read(path: Path, comparison: Comparison, sprt: Sprt | None) -> ComparisonGames:
    if not path.exists():
        return ComparisonGames(comparison, [], sprt, SprtDecision.OPEN)
    store = Store(path)
    rows = store.results()
    decision = sprt_decision(store, rows, sprt) if sprt else SprtDecision.OPEN
    store.close()
    return ComparisonGames(comparison, rows, sprt, decision)


def comparison_row(played: ComparisonGames) -> dict[str, object]:
    """Return a report row: the candidate's result and the paper's."""
    comparison, rows, sprt = played.comparison, played.rows, played.sprt
    score = score_of_player(rows, CANDIDATE)
    colors = [score_of_player(rows, CANDIDATE, color) for color in (BLACK, WHITE)]
    counts = pair_counts(rows, CANDIDATE)
    rate = pair_interval(counts)
    ours, theirs = (time_use(rows, player) for player in (0, 1))
    times = [use.time_s / max(use.moves, 1) for use in (ours, theirs)]
    return {
        "match": comparison.name,
        "description": comparison.about,
        "games": score.games,
        "wins": score.wins,
        "as Black": f"{colors[0].wins}/{colors[0].games}",
        "as White": f"{colors[1].wins}/{colors[1].games}",
        "score": percent(rate),
        "Elo": elo_text(elo_interval(rate)),
        "SPRT": f"{sprt.llr(counts):+.2f} {DECISIONS[played.decision]}" if sprt else "",
        "paper": "" if comparison.paper is None else f"{comparison.paper:.3g} %",
        "moves per game": f"{sum(row.length for row in rows) / len(rows):.0f}",
        "time ratio": f"{times[0] / max(times[1], 1e-9):.2f}",
        "duplicates": duplicates(rows),
    }


def write_comparisons(
    study: Study, comparisons: Sequence[Comparison], note: Note = ("", "")
) -> Path:
    """Write table, plot and report of the games so far; return the path of the report."""
    study.clear_report()
    played = played_comparisons(study.folder, comparisons, sprt_of(study))
    study.add_section(
        "Results", "Scores by pairs of games with colors swapped; 95% confidence intervals."
    )
    study.add_table(
        [*map(comparison_row, played)], "From the candidate's point of view.", name="matches"
    )
    with study.figure(
        "scores", "Win rate of the candidate; crosses show the paper's results."
    ) as figure:
        plot_comparisons(figure.add_subplot(), played)
    if note[0]:
        study.add_section(*note)
    return study.write_report()


def sprt_of(study: Study) -> Sprt | None:
    """Return the sequential test in the settings of a study."""
    return parse_sprt(str(study.settings.get("sprt") or ""))


def plot_comparisons(axes: Axes, played: Sequence[ComparisonGames]) -> None:
    """Plot the win rate of each comparison with its interval, and the paper's."""
    for place, one in enumerate(played):
        rate = pair_interval(pair_counts(one.rows, CANDIDATE))
        axes.plot([place, place], [100 * rate.low, 100 * rate.high], color="tab:blue")
        axes.plot([place], [100 * rate.value], "o", color="tab:blue")
        if one.comparison.paper is not None:
            axes.plot([place], [one.comparison.paper], "x", color="tab:red")
    axes.axhline(50, color="gray", linewidth=0.8)
    axes.set_xticks(range(len(played)), [one.comparison.name for one in played], rotation=60)
    axes.set_ylabel("% won")
    axes.set_ylim(0, 100)


def run_tuner(
    tuner: Spsa,
    objective: Objective,
    identity: Mapping[str, object],
    folder: Path,
    workers: int,
    cluster: str | None,
) -> None:
    """Run a tuner to the end, resuming from its log; write its report even if interrupted.

    `identity` contains the settings that must match to resume.
    """
    opened, show = open_workers(workers, cluster), _bar(f"tuning {folder.name}", tuner.progress[1])
    tune_in_folder(folder, tuner, objective, identity, opened, show)


@contextmanager
def _bar(description: str, duels: int) -> Iterator[Observer]:
    """Yield an observer that shows the number of finished duels."""
    with progress() as shown:
        task = shown.add_task(description, total=duels)
        yield lambda now: shown.update(task, completed=now.progress[0])
