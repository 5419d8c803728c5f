"""Evolving population of evaluation weights (paper 003, sections 5.3 and 6.2, tables 9 to 11).

Eight programs play eras of 400, 200 and 200 tournaments of 56 games. The third era fixes the values
that the paper fixed, so that it is comparable whatever the first two eras give. Afterward named
programs play round robins on many openings, which show whether metric evaluations win and which
opening depth is best: programs of the population are deterministic and play only two games against
each other.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tengen.lab.metric import games
from tengen.lab.metric.games import (
    COLUMNS,
    Entry,
    MetricSearcher,
    PairedMatch,
    Phases,
    Program,
    Standing,
    margin_of,
    play_out,
)
from tengen.lab.metric.settings import EvolveSettings, identity_of
from tengen.lab.study import Study
from tengen.match.tuning import (
    Duel,
    DuelResult,
    IntervalChange,
    ParameterInterval,
    Population,
    Values,
)
from tengen.sources import Metric
from tengen.util import Console

OPENINGS = "random:2"
DEPTHS = range(1, 7)
OPENING_NODES = 100_000
"""Enough for depth six, so that only the depth matters in the opening."""
OPENING_ENDS = 6
"""Four moves after the random ones."""


def evaluations(ours: Values) -> dict[str, Phases]:
    """Return each evaluation alone, the paper's mixtures, and the mixture of this second era."""
    alone = {
        "E1": Metric.only(a1=1),
        "E2": Metric.only(a2=1),
        "Ed4": Metric.only(b4=1, infinity=512),
        "Ed8": Metric.only(b8=1, infinity=512),
    }
    return {
        **{name: Phases.same(mix) for name, mix in alone.items()},
        "paper, era 2": Phases.same(Metric()),
        "paper, era 3": Phases(),
        "ours, era 2": games.early_phases(ours),
    }


def by_evaluation(nodes: int, ours: Values) -> dict[str, Program]:
    """Return the programs that compare evaluations."""
    return {name: Program(phases, nodes) for name, phases in evaluations(ours).items()}


def by_depth(nodes: int) -> dict[str, Program]:
    """Return the programs that compare opening depths."""
    return {
        f"depth {depth}": Program(
            replace(Phases(), end_opening=OPENING_ENDS, depth_opening=depth), nodes, OPENING_NODES
        )
        for depth in DEPTHS
    }


def play_round_robins(
    study: Study, settings: EvolveSettings, ours: Values, progress: Progress
) -> dict[str, list[Standing]]:
    """Play all pairings of each group; return the standings by group."""
    searcher = MetricSearcher()
    groups = {
        "evaluations": by_evaluation(settings.nodes, ours),
        "depths": by_depth(settings.nodes),
    }
    found = {}
    for group, programs in groups.items():
        table = study.table(f"round_robin_{group}", COLUMNS)
        contest = PairedMatch(
            table,
            {name: program.chooser(searcher) for name, program in programs.items()},
            lambda end: margin_of(end, searcher, settings.referee),
            OPENINGS,
            settings.seed,
        )
        pairings = list(itertools.combinations(programs, 2))
        total = settings.pairs * len(pairings)
        task = progress.add_task(group, total=total, completed=len(table.rows))
        found[group] = [
            contest.play(Entry(*pairing, 4), settings.pairs, None, partial(progress.advance, task))
            for pairing in pairings
        ]
    return found


def ranking(standings: list[Standing]) -> list[dict[str, object]]:
    """Return the share of points of each program, best first."""
    points: dict[str, float] = {}
    games: dict[str, int] = {}
    for standing in standings:
        number = 2 * sum(standing.counts)
        share = sum(n * place / 2 for place, n in enumerate(standing.counts))
        for name, won in ((standing.entry.one, share), (standing.entry.other, number - share)):
            points[name] = points.get(name, 0.0) + won
            games[name] = games.get(name, 0) + number
    order = sorted(points, key=lambda name: -points[name] / games[name])
    return [
        {"program": name, "games": games[name], "score": f"{points[name] / games[name]:.3f}"}
        for name in order
    ]


FEWEST = 4
"""Minimum duels per weight for a regression."""


class DuelRecord(NamedTuple):
    """A duel and the score of its first program, 0 to 1."""

    first: Values
    second: Values
    score: float


class Influence(NamedTuple):
    """Score gained per unit of a weight, with its standard error."""

    slope: float
    error: float


def influences(duels: Iterable[DuelRecord]) -> dict[str, Influence]:
    """Return the influence of each weight by least squares; empty if there are too few duels.

    Programs are deterministic, so repeated duels of two programs count once.
    """
    distinct = {(tuple(d.first.items()), tuple(d.second.items())): d for d in duels}
    different = [duel for duel in distinct.values() if dict(duel.first) != dict(duel.second)]
    if not different:
        return {}
    varied = [
        name
        for name in different[-1].first
        if any(d.first[name] != d.second[name] for d in different)
    ]
    if len(different) < FEWEST * len(varied):
        return {}
    steps = np.array([[d.first[n] - d.second[n] for n in varied] for d in different])
    scores = np.array([duel.score - 0.5 for duel in different])
    inverse = np.linalg.pinv(steps.T @ steps)
    slopes = inverse @ steps.T @ scores
    rest = scores - steps @ slopes
    variance = float(rest @ rest) / max(len(different) - len(varied), 1)
    errors = np.sqrt(variance * np.diagonal(inverse))
    return {
        name: Influence(float(slope), float(error))
        for name, slope, error in zip(varied, slopes, errors, strict=True)
    }


CHANGES = {
    IntervalChange.NARROWED: "narrowed",
    IntervalChange.DOUBLED: "doubled",
    IntervalChange.NOISY: "noisy",
}


def write_report(
    study: Study,
    runs: Sequence[tuple[Population, Mapping[int, list[DuelRecord]]]],
    standings: Mapping[str, list[Standing]],
) -> Path:
    """Write tables, plots and report; return the path of the report."""
    number = 0
    for population, duels_by_era in runs:
        tournament = 0
        for era in population.eras:
            number += 1
            tournament += era.tournaments
            title = f"{era.tournaments} tournaments, {era.periods} periods."
            mean = mean_of(population, tournament, era.tournaments)
            _show_era(study, number, title, era.intervals, mean)
        if population.tournaments > tournament:
            title = f"Running: {population.tournaments - tournament} tournaments so far."
            _show_era(study, number + 1, title, population.intervals, population.means[-1])
        if population.means:
            _plot(study, population)
        for era_number, duels in duels_by_era.items():
            _show_influences(study, era_number + 1, duels)
    for group, rows in standings.items():
        study.add_section(f"Round robin: {group}", "All pairings on the same random openings.")
        study.add_table(
            ranking(rows), "Share of points over all games.", name=f"round-robin-{group}"
        )
        study.add_table([standing.row() for standing in rows], "Results by pairing.")
    return study.write_report()


def mean_of(population: Population, end: int, length: int) -> dict[str, float]:
    """Return the mean of the survivors over the last quarter of an era that ended at `end`."""
    last = population.means[end - max(length // 4, 1) : end]
    return {name: sum(mean[name] for mean in last) / len(last) for name in last[-1]}


def _show_era(
    study: Study,
    number: int,
    title: str,
    intervals: Sequence[ParameterInterval],
    mean: Mapping[str, float],
) -> None:
    study.add_section(f"Era {number}: table {8 + number} of the paper", title)
    rows = [
        {
            "weight": interval.parameter.name,
            "ours": interval.text(),
            "change": CHANGES[interval.change],
            "mean of survivors": mean[interval.parameter.name],
            "paper": games.PRINTED[number].get(interval.parameter.name, ""),
        }
        for interval in intervals
    ]
    study.add_table(
        rows,
        "Final interval of each weight here and in the paper; the mean is over the last quarter "
        "of a finished era.",
        name=f"era-{number}",
    )


def _show_influences(study: Study, number: int, duels: list[DuelRecord]) -> None:
    rows = [
        {"weight": name, "score per unit": f"{value.slope:+.5f} ± {value.error:.5f}"}
        for name, value in influences(duels).items()
    ]
    if rows:
        study.add_table(rows, f"Era {number}: influence of the weights, from all duels.")


def _plot(study: Study, population: Population) -> None:
    """Plot the mean of the six survivors over all tournaments, one panel per weight."""
    means = population.means
    names = [name for name in means[-1] if len({mean.get(name) for mean in means}) > 1]
    if not names:
        return
    title = "early" if "a1" in means[-1] else "late"
    with study.figure(
        f"means_{title}", "Mean of the six survivors after each tournament.", (8, 1.6 * len(names))
    ) as figure:
        panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        for panel, name in zip(panels, names, strict=True):
            panel.plot([mean.get(name, float("nan")) for mean in means], linewidth=0.8)
            panel.set_ylabel(name)
            end = 0
            for era in population.eras:
                end += era.tournaments
                panel.axvline(end, color="gray", linewidth=0.5)
        panels[-1].set_xlabel("tournament")


class DuelPlayer:
    """Plays duels; games between deterministic programs are played once."""

    def __init__(self, settings: EvolveSettings):
        self._settings = settings
        self._searcher = MetricSearcher()
        self._known: dict[tuple[Program, Program], float] = {}
        self.games = 0
        """Number of distinct games played."""

    def play_duel(self, first: Phases, second: Phases) -> DuelResult:
        """Play two games between two programs, with colors swapped."""
        one, other = (Program(phases, self._settings.nodes) for phases in (first, second))
        margins = [self._margin(one, other), -self._margin(other, one)]
        return duel_result(margins)

    def _margin(self, black: Program, white: Program) -> float:
        key = black, white
        if key not in self._known:
            searcher = self._searcher
            end = play_out(black.chooser(searcher), white.chooser(searcher))
            self._known[key] = margin_of(end, searcher, self._settings.referee)
            self.games += 1
        return self._known[key]


def duel_result(margins: list[float]) -> DuelResult:
    """Return the result of games from their margins for the first player."""
    points = [0.5 if margin == 0 else float(margin > 0) for margin in margins]
    return DuelResult(sum(points) / len(points), sum(margins) / len(margins), len(margins))


@dataclass
class PopulationRun:
    """A population and the function that turns its values into programs."""

    name: str
    population: Population
    phases_of: Callable[[Values], Phases]
    duels: dict[int, list[DuelRecord]] = field(default_factory=dict)
    """Duels by era number within this population."""

    def next_duel(self) -> Duel:
        """Return the next duel."""
        duel = self.population.next_duel()
        if duel is None:
            raise AssertionError("the previous duel must be recorded before the next is requested")
        return duel

    def take(self, duel: Duel, result: DuelResult) -> None:
        """Record a result."""
        era = len(self.population.eras)
        self.duels.setdefault(era, []).append(DuelRecord(duel.first, duel.second, result.score))
        self.population.take(duel.number, result)


def population_runs(settings: EvolveSettings) -> list[PopulationRun]:
    """Return the population of the first two eras and that of the third."""
    first, second, third = settings.lengths
    early = Population([games.FIRST, games.SECOND], games.periods((first, second)), settings.seed)
    late = Population([games.THIRD], games.periods((third,)), settings.seed)
    return [
        PopulationRun("early", early, games.early_phases),
        PopulationRun("late", late, games.late_phases),
    ]


def run(folder: Path, settings: EvolveSettings) -> Path:
    """Evolve both populations, resuming where possible; return the path of the report.

    The report is also written after an interruption.
    """
    study = Study(folder, "An evolving population on 4x4", identity_of(settings))
    both = population_runs(settings)
    standings: dict[str, list[Standing]] = {}
    try:
        with _progress() as progress:
            player = DuelPlayer(settings)
            for each in both:
                _evolve(each, player, study, progress)
            standings |= play_round_robins(
                study, settings, both[0].population.recommend(), progress
            )
    finally:
        runs = [(run.population, run.duels) for run in both]
        report = write_report(study, runs, standings)
    return report


def _evolve(run: PopulationRun, player: DuelPlayer, study: Study, progress: Progress) -> None:
    """Evolve a population to its end, starting from its log."""
    log = study.table(f"duels_{run.name}", ["number", "score", "margin"])
    task = progress.add_task(run.name, total=run.population.progress[1])
    for row in log.rows:
        run.take(run.next_duel(), DuelResult(float(row["score"]), float(row["margin"])))
    while not run.population.done:
        duel = run.next_duel()
        result = player.play_duel(run.phases_of(duel.first), run.phases_of(duel.second))
        log.add(number=duel.number, score=result.score, margin=result.margin)
        run.take(duel, result)
        progress.update(task, completed=run.population.progress[0])
    progress.update(task, completed=run.population.progress[0])


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} duels"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
