"""Options and progress bars shared by several commands."""

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tengen.board import NAMED_RULES
from tengen.records import ProgressHandler, disk_size
from tengen.util import TengenError, describe, plural, positive_int, value_text, with_values

if TYPE_CHECKING:
    from rich.progress import Progress

    from tengen.board import Position
    from tengen.records import GameRecord

PATHS_HELP = "game records: a file, folder, .zip or .tar.*"
NET_HELP = "name (see `tengen net list`) or file of a network"
JSON_HELP = "print one JSON object"
RULES_HELP = ", ".join(NAMED_RULES)
SIZE_HELP = "board size: 9, or COLUMNSxROWS such as 7x9"

Parameters = TypeVar("Parameters")
"""A dataclass whose fields are made with `parameter`."""
ShowGames = Callable[[int], None]
"""Takes the number of games read so far."""


# Parameters


def add_parameters(
    parser: argparse.ArgumentParser, kind: type, metavars: Mapping[str, str] | None = None
) -> None:
    """Add an option for each parameter of a dataclass; values are text, or None by default.

    `metavars` contains the placeholders of parameters that are not numbers.
    """
    for name, default, meaning in describe(kind):
        text = f"{meaning} (default: {value_text(default) or 'none'})".replace("%", "%%")
        option = f"--{name.replace('_', '-')}"
        if isinstance(default, bool):
            parser.add_argument(option, action=argparse.BooleanOptionalAction, help=text)
        else:
            metavar = (metavars or {}).get(name, "X" if isinstance(default, float) else "N")
            parser.add_argument(option, metavar=metavar, help=text)


def read_parameters(arguments: argparse.Namespace, settings: Parameters) -> Parameters:
    """Return the settings changed by the options of `add_parameters`; raise TengenError."""
    given = {name: getattr(arguments, name) for name, _, _ in describe(type(settings))}
    texts = {name: value_text(value) for name, value in given.items() if value is not None}
    return with_values(settings, texts)


# Reading game records


def add_paths(parser: argparse.ArgumentParser) -> None:
    """Add the positional argument for game records."""
    parser.add_argument("paths", metavar="GAMES", nargs="+", help=PATHS_HELP)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option `--json`."""
    parser.add_argument("--json", action="store_true", help=JSON_HELP)


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the option for the number of processes."""
    cores = os.cpu_count() or 1
    parser.add_argument(
        "--workers", type=int, default=cores, help="processes (default: number of cores)"
    )


def check_workers(workers: int) -> None:
    """Raise TengenError for an invalid number of processes."""
    if not 1 <= workers <= 1024:
        raise TengenError(f"--workers must be from 1 to 1024, got {workers}")


def add_database(parser: argparse.ArgumentParser) -> None:
    """Add the option for the game database."""
    from tengen.records.database import default_database_path

    path = default_database_path()
    parser.add_argument(
        "--database",
        metavar="FILE",
        default=str(path),
        help=f"game database (default: $TENGEN_GAMES, or {path})".replace("%", "%%"),
    )


def add_progress(parser: argparse.ArgumentParser) -> None:
    """Add the option `--progress`."""
    parser.add_argument(
        "--progress", action="store_true", help="print the progress as JSON lines on stdout"
    )


class ProgressLines:
    """Prints the progress of reading as JSON lines, a few per second."""

    PAUSE_S = 0.2

    def __init__(self, paths: Sequence[str]):
        self._total = sum(map(disk_size, paths)) or 1
        self._read = self._games = 0
        self._printed_s = 0.0

    def advance(self, count: int) -> None:
        """Count bytes read."""
        self._read += count
        self._print()

    def show_games(self, games: int) -> None:
        """Set the number of games read so far."""
        self._games = games
        self._print()

    def _print(self) -> None:
        if time.monotonic() < self._printed_s + self.PAUSE_S:
            return
        self._printed_s = time.monotonic()
        share = round(min(self._read / self._total, 1.0), 3)
        print(json.dumps({"share": share, "games": self._games}), flush=True)


@contextmanager
def reading_bar(
    paths: Sequence[str], as_lines: bool = False
) -> Iterator[tuple[ProgressHandler, ShowGames]]:
    """Show a progress bar for reading the paths, if stderr is a terminal, or print lines."""
    if as_lines:
        lines = ProgressLines(paths)
        yield lines.advance, lines.show_games
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    from tengen.util import Console

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
    """Return a progress bar on stderr for long computations."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from tengen.util import Console

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True))


@contextlib.contextmanager
def resume_hint(output: Path) -> Iterator[None]:
    """On Ctrl-C, print how to resume and raise again."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"tengen: interrupted; run the same command to resume {output}", file=sys.stderr)
        raise


# Positions in game records


class RecordPosition(NamedTuple):
    """A position of a game record."""

    position: "Position"
    number: int
    """Number of the next move, from 1."""
    played: int | None
    """The next move, None at the end of the game."""


def add_position_arguments(parser: argparse.ArgumentParser, is_required: bool = True) -> None:
    """Add FILE and --move to a command."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs=None if is_required else "?",
        help="game record; the first game if there are several",
    )
    parser.add_argument(
        "--move",
        type=positive_int,
        metavar="N",
        help="use the position before move N (default: the last position)",
    )


def read_position(arguments: argparse.Namespace) -> RecordPosition:
    """Return the position named by FILE and --move; raise TengenError."""
    record = first_game(arguments.file)
    count = moves_before(arguments.move, record)
    played = record.moves[count].move if count < len(record.moves) else None
    return RecordPosition(record.position(count), count + 1, played)


def first_game(path: str) -> "GameRecord":
    """Return the first game of a file; raise TengenError if there is none."""
    from tengen.records import read_games

    record = next(iter(read_games(Path(path))), None)
    if record is None:
        raise TengenError(f"no game in {path}")
    return record


def moves_before(number: int | None, record: "GameRecord") -> int:
    """Return the number of moves before move `number`, all for None; raise TengenError."""
    count = len(record.moves) if number is None else number - 1
    if count > len(record.moves):
        raise TengenError(f"no move {number}: the game has {plural(len(record.moves), 'move')}")
    return count
