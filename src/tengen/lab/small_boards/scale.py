"""What the paper proposes next: Ed4 and Ed8 on larger boards, by depth-one search and as priors.

Each question is a sequential test: is the first player at least so much stronger?
"""

from dataclasses import asdict
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TaskID

from tengen.board.colour import BLACK
from tengen.board.points import PASS, point_at
from tengen.board.position import Position
from tengen.knowledge.metric import Metric
from tengen.knowledge.metric_board import changes
from tengen.lab.small_boards.contest import COLUMNS, Contest, Entry, Standing
from tengen.lab.small_boards.game import Chooser
from tengen.lab.small_boards.settings import ScaleSettings
from tengen.lab.study import Study
from tengen.match.config import MatchConfig, parse_sprt
from tengen.match.runner import Watcher, run_match
from tengen.match.store import Store
from tengen.match.tally import pair_counts
from tengen.match.workers import open_workers
from tengen.playout.judge import judge

BASELINE = "E1"
DEPTH_ONE = {
    "E1": Metric.only(a1=1),
    "E2": Metric.only(a2=1),
    "Ed4": Metric.only(b4=1),
    "Ed8": Metric.only(b8=1),
    "mix": Metric(),
}


def depth_one(mix: Metric) -> Chooser:
    """Return a player that makes the best change it sees, and passes where none is good."""

    def choose(position: Position) -> int:
        sign = 1 if position.to_play is BLACK else -1
        gains = sign * changes(position, mix).mix
        best, most = PASS, 0.0
        for row in range(position.rows):
            for column in range(position.columns):
                if gains[row, column] > most:
                    best, most = point_at(row, column), gains[row, column]
        return best

    return choose


def run(folder: Path, settings: ScaleSettings) -> Path:
    """Run all tests, from where they were; return the report's path."""
    study = Study(folder, "Metric evaluations on larger boards", asdict(settings))
    with Progress(console=Console(stderr=True)) as progress:
        searched = try_depth_one(study, settings, progress)
        priors = try_priors(study, settings, progress) if settings.prior else []
    study.text("Depth one", f"Each evaluation against {BASELINE}, both by depth-one search.")
    study.show([standing.row() for standing in searched], f"Is it stronger than {BASELINE}?")
    study.text("Priors", f"{settings.playouts} playouts a move, with {settings.prior} and without.")
    study.show([standing.row() for standing in priors], "Is the engine stronger with the prior?")
    return study.write_report()


def try_depth_one(study: Study, settings: ScaleSettings, progress: Progress) -> list[Standing]:
    """Test each evaluation by depth-one search on each board."""
    players = {name: depth_one(mix) for name, mix in DEPTH_ONE.items()}
    table = study.table("depth_one", COLUMNS)
    contest = Contest(
        table, players, lambda end: judge(end).score, settings.openings, settings.seed
    )
    entries = [
        Entry(name, BASELINE, size)
        for size in settings.boards
        for name in players
        if name != BASELINE
    ]
    sprt = parse_sprt(settings.sprt)
    found = []
    for entry in entries:
        task = progress.add_task(f"{entry.one} {entry.size}x{entry.size}", total=settings.pairs)
        found.append(contest.play(entry, settings.pairs, sprt, partial(progress.advance, task)))
        progress.update(task, completed=settings.pairs)
    return found


def try_priors(study: Study, settings: ScaleSettings, progress: Progress) -> list[Standing]:
    """Test the engine with the prior against the engine without on each board."""
    plain = f"tengen playouts={settings.playouts}"
    found = []
    for size in settings.boards:
        task = progress.add_task(f"prior {size}x{size}", total=2 * settings.pairs)
        config = MatchConfig(
            players=(f"{plain} prior={settings.prior}", plain),
            names=("with the prior", "without"),
            games=2 * settings.pairs,
            size=str(size),
            openings=settings.openings,
            sprt=settings.sprt,
            seed=settings.seed,
        )
        found.append(_play_match(study, config, settings.workers, _watch(progress, task)))
    return found


def _watch(progress: Progress, task: TaskID) -> Watcher:
    return lambda status: progress.update(task, completed=len(status.rows))


def _play_match(study: Study, config: MatchConfig, workers: int, watch: Watcher) -> Standing:
    store = Store(study.folder / f"priors_{config.size}.sqlite")
    try:
        status = run_match(
            config.plan(), store, config.limits(), open_workers(workers, None), watch
        )
    finally:
        store.close()
    entry = Entry("with the prior", "without", int(config.size))
    return Standing(entry, pair_counts(status.rows, 0), status.decision)
