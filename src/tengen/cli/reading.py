"""Long work at the command line: workers that read records, progress bars, and Ctrl-C."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tengen.cli.arguments import INTERRUPTED as INTERRUPTED
from tengen.core.errors import TengenError
from tengen.records.source import Advance, disk_size

if TYPE_CHECKING:
    from rich.progress import Progress

ShowGames = Callable[[int], None]
"""Is told how many games were read so far."""


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the option for how many processes read."""
    cores = os.cpu_count() or 1
    parser.add_argument(
        "--workers", type=int, default=cores, help="processes to use (default: all cores)"
    )


def check_workers(workers: int) -> None:
    """Raise TengenError for a number of processes that makes no sense."""
    if not 1 <= workers <= 1024:
        raise TengenError(f"invalid number of workers {workers}: use 1 to 1024")


@contextmanager
def reading_bar(paths: Sequence[str]) -> Iterator[tuple[Advance, ShowGames]]:
    """Show a progress bar on stderr, if that is a terminal, while the paths are read."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    progress = Progress(
        TextColumn("reading"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[games]:,} games"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = progress.add_task("", total=sum(map(disk_size, paths)) or None, games=0)
    with progress:
        yield (
            lambda count: progress.advance(task, count),
            lambda games: progress.update(task, games=games),
        )


def work_bar() -> "Progress":
    """Return a bar on stderr for work that takes minutes or hours."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True))
