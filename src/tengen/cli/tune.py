"""`tengen tune`: find good values for parameters by games, or by a stronger engine's word."""

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tengen.cli.going_on import telling_how_to_go_on
from tengen.core.errors import TengenError
from tengen.match.workers import check_workers, open_workers
from tengen.tune.config import read_tune_config
from tengen.tune.duel import Tuner
from tengen.tune.population import Population
from tengen.tune.report import write_tune_report
from tengen.tune.runner import Watcher, tune_in_folder

REPORT_EVERY_S = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Tell argparse what the command takes."""
    parser.add_argument(
        "config", metavar="FILE", type=Path, help="a TOML file: see docs/matches.md"
    )
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=Path, required=True, help="where to write"
    )
    parser.add_argument("--workers", type=int, default=1, help="duels at a time (default 1)")
    parser.add_argument(
        "--end-era",
        action="store_true",
        help="go on, but end the population's present era after the tournament under way",
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help="of a Dask scheduler: tcp://...")


class Screen:
    """Shows how far the tuner is, and keeps the report up to date."""

    def __init__(self, progress: Progress, folder: Path):
        """Take where to show and where to write."""
        self._progress = progress
        self._folder = folder
        self._task = progress.add_task("", total=None)
        self._written_s = time.monotonic()

    def watch(self, tuner: Tuner) -> None:
        """Show the state after a result."""
        done, planned = tuner.progress
        now = "  ".join(f"{name} {value:.4g}" for name, value in tuner.recommend().items())
        self._progress.update(self._task, completed=done, total=planned, description=now)
        if time.monotonic() - self._written_s > REPORT_EVERY_S:
            write_tune_report(tuner, self._folder)
            self._written_s = time.monotonic()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    check_workers(arguments.workers, arguments.cluster)
    config = read_tune_config(arguments.config)
    tuner, objective = config.tuner(), config.objective()
    if arguments.end_era and not isinstance(tuner, Population):
        raise TengenError("only a population has eras to end")
    with telling_how_to_go_on(arguments.output):
        tune_in_folder(
            arguments.output,
            tuner,
            objective,
            config.identity,
            open_workers(arguments.workers, arguments.cluster),
            _screen(arguments.output),
            arguments.end_era,
            tell=print,
        )
    return 0


@contextmanager
def _screen(folder: Path) -> Iterator[Watcher]:
    """Yield the watcher of a bar on stderr."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield Screen(progress, folder).watch
