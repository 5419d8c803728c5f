"""Round robins of named programs on many openings (paper 003).

They show whether metric evaluations win and which opening depth is best. Programs of the population
are deterministic and play only two games against each other.
"""

import itertools
from dataclasses import replace
from functools import partial

from rich.progress import Progress

from tengen.lab.metric import eras
from tengen.lab.metric.eras import Phases
from tengen.lab.metric.games import (
    COLUMNS,
    Entry,
    MetricSearcher,
    PairedMatch,
    Program,
    Standing,
    margin_of,
)
from tengen.lab.metric.settings import EvolveSettings
from tengen.lab.study import Study
from tengen.match.tuning import Values
from tengen.sources import Metric

OPENINGS = "random:2"
DEPTHS = range(1, 7)
OPENING_NODES = 100_000
"""Enough for depth six, so that only the depth matters in the opening."""
OPENING_ENDS = 6
"""Four moves after the random ones."""


def evaluations(ours: Values) -> dict[str, Phases]:
    """Return each evaluation alone, the paper's mixtures, and the mixture of our second era."""
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
        "ours, era 2": eras.early_phases(ours),
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
