"""`tengen tune`: tune parameters by games or by a reference engine."""

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tengen.cli.options import resume_hint
from tengen.match import check_workers, open_workers
from tengen.match.tuning import (
    Observer,
    Population,
    Tuner,
    read_tune_config,
    tune_in_folder,
    write_tune_report,
)
from tengen.util import Console, TengenError

REPORT_INTERVAL_S = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("config", metavar="FILE", type=Path, help="TOML file, see docs/matches.md")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=Path,
        required=True,
        help="folder of log and report; an existing log is resumed",
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="parallel duels")
    parser.add_argument(
        "--end-era",
        action="store_true",
        help="resume, and end the current era of a population after its tournament",
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="address of a Dask scheduler (tcp://HOST:PORT)"
    )


class ProgressDisplay:
    """Shows the progress of a tuner and updates its report."""

    def __init__(self, progress: Progress, folder: Path):
        """Show progress in a bar and write reports to a folder."""
        self._progress = progress
        self._folder = folder
        self._task = progress.add_task("", total=None)
        self._updated_s = time.monotonic()

    def observe(self, tuner: Tuner) -> None:
        """Show the state after a result."""
        done, planned = tuner.progress
        now = "  ".join(f"{name} {value:.4g}" for name, value in tuner.recommend().items())
        self._progress.update(self._task, completed=done, total=planned, description=now)
        if time.monotonic() - self._updated_s > REPORT_INTERVAL_S:
            write_tune_report(tuner, self._folder)
            self._updated_s = time.monotonic()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    check_workers(arguments.workers, arguments.cluster)
    config = read_tune_config(arguments.config)
    tuner, objective = config.tuner(), config.objective()
    if arguments.end_era and not isinstance(tuner, Population):
        raise TengenError("--end-era needs method population")
    with resume_hint(arguments.output):
        tune_in_folder(
            arguments.output,
            tuner,
            objective,
            config.identity,
            open_workers(arguments.workers, arguments.cluster),
            _display(arguments.output),
            arguments.end_era,
            on_file=print,
        )
    return 0


@contextmanager
def _display(folder: Path) -> Iterator[Observer]:
    """Yield an observer with a progress bar on stderr."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield ProgressDisplay(progress, folder).observe
