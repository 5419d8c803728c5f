"""Metric evaluations on larger boards, with depth-one search and as priors.

The paper proposes both. Each pairing is a sequential test.
"""

from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np
from rich.progress import Progress, TaskID

from tengen.board import BLACK, PASS, Position, point_at
from tengen.lab.matches import check_player
from tengen.lab.metric.games import COLUMNS, Chooser, Entry, PairedMatch, Standing
from tengen.lab.metric.settings import ScaleSettings, identity_of
from tengen.lab.study import Study, progress
from tengen.match import MatchConfig, Observer, pair_counts, parse_sprt, play_match
from tengen.playout import score_position
from tengen.sources import Metric, changes

MEETINGS = [
    ("E2", "E1"),
    ("Ed4", "E1"),
    ("Ed8", "E1"),
    ("mix", "E1"),
    ("Ed4", "E2"),
    ("Ed8", "E2"),
    ("mix", "E2"),
]
"""Pairings of depth-one players: metric against dimensional evaluations."""
DEPTH_ONE = {
    "E1": Metric.only(a1=1),
    "E2": Metric.only(a2=1),
    "Ed4": Metric.only(b4=1),
    "Ed8": Metric.only(b8=1),
    "mix": Metric(),
}


def depth_one(mix: Metric) -> Chooser:
    """Return a player that maximizes the change of an evaluation, and passes if none is positive.

    Ties are broken in favor of the move nearest to the center, as in the paper.
    """

    def choose(position: Position) -> int:
        sign = 1 if position.to_play is BLACK else -1
        gains = sign * changes(position, mix).mix
        most = np.nanmax(gains, initial=0.0)
        best = np.argwhere(gains == most)
        if most <= 0 or not len(best):
            return PASS
        middle = (np.array(gains.shape) - 1) / 2
        row, column = best[np.argmin(((best - middle) ** 2).sum(axis=1))].tolist()
        return point_at(row, column)

    return choose


def run(folder: Path, settings: ScaleSettings) -> Path:
    """Run all tests, resuming where possible; return the path of the report."""
    if settings.prior:
        check_player("the prior", with_prior(settings))
    study = Study(folder, "Metric evaluations on larger boards", identity_of(settings))
    with progress() as shown:
        searched = try_depth_one(study, settings, shown)
        priors = try_priors(study, settings, shown) if settings.prior else []
    study.add_section("Depth one", "Depth-one search with two evaluations.")
    study.add_table(
        [standing.row() for standing in searched],
        "SPRT: whether the first player is stronger.",
        name="depth-one",
    )
    if priors:
        about = f"{settings.playouts} playouts per move, with and without {settings.prior}."
        study.add_section("Priors", about)
        study.add_table(
            [standing.row() for standing in priors],
            "SPRT: whether the prior makes the engine stronger.",
            name="priors",
        )
    return study.write_report()


def try_depth_one(study: Study, settings: ScaleSettings, progress: Progress) -> list[Standing]:
    """Test each evaluation with depth-one search on each board."""
    players = {name: depth_one(mix) for name, mix in DEPTH_ONE.items()}
    table = study.table("depth_one", COLUMNS)
    contest = PairedMatch(
        table, players, lambda end: score_position(end).score, settings.openings, settings.seed
    )
    entries = [Entry(*names, size) for size in settings.boards for names in MEETINGS]
    sprt = parse_sprt(settings.sprt)
    found = []
    for entry in entries:
        what = f"{entry.one} against {entry.other}, {entry.size}x{entry.size}"
        task = progress.add_task(what, total=settings.pairs)
        found.append(contest.play(entry, settings.pairs, sprt, partial(progress.advance, task)))
        progress.update(task, completed=settings.pairs)
    return found


def with_prior(settings: ScaleSettings) -> str:
    """Return the player with the prior."""
    return f"tengen playouts={settings.playouts} prior={settings.prior}"


def try_priors(study: Study, settings: ScaleSettings, progress: Progress) -> list[Standing]:
    """Test the engine with the prior against the engine without it on each board."""
    found = []
    for size in settings.boards:
        task = progress.add_task(f"prior {size}x{size}", total=2 * settings.pairs)
        config = MatchConfig(
            players=(with_prior(settings), f"tengen playouts={settings.playouts}"),
            names=("with the prior", "without"),
            games=2 * settings.pairs,
            size=str(size),
            openings=settings.openings,
            sprt=settings.sprt,
            seed=settings.seed,
        )
        found.append(_play_match(study, config, settings.workers, _watch(progress, task)))
    return found


def _watch(progress: Progress, task: TaskID) -> Observer:
    return lambda status: progress.update(task, completed=len(status.rows))


def _play_match(study: Study, config: MatchConfig, workers: int, watch: Observer) -> Standing:
    path = study.folder / f"priors_{config.size}.sqlite"
    status = play_match(config, path, workers, None, nullcontext(watch))
    entry = Entry("with the prior", "without", int(config.size))
    return Standing(entry, pair_counts(status.rows, 0), status.decision)
