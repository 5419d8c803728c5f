"""`tengen review`: find the mistakes in whole games."""

import argparse
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.engine_options import (
    PLAYER_PRESET,
    add_engine_options,
    engine_description,
    engine_settings,
    player_defaults,
    split_paths_and_settings,
)
from tengen.cli.options import add_json, add_paths
from tengen.cli.parser import BAD_INPUT, INTERRUPTED
from tengen.util import plural, positive_float, stop_on_interrupt

if TYPE_CHECKING:
    from tengen.records import GameRecord
    from tengen.review import ReviewBatch

SIDES = ("Black", "White")
DESCRIPTION = """\
Review whole games: win rate and score by move, and the mistakes of each player. Writes to OUT, for
every game, a page (NAME.html), the game with comments and variations (NAME.sgf) and the data
(NAME.json), and a page that lists all games (index.html). Invalid games are skipped and counted;
the exit status is 2 if no game was valid. Run the same command again to resume an interrupted
review. --playouts counts all visits of a position, including those of a reused subtree.

  tengen review game.sgf -o review --playouts 500
  tengen review GAMES -o review --seconds 2"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_paths(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, required=True, help="output folder"
    )
    parser.add_argument(
        "--mistake",
        metavar="POINTS",
        type=positive_float,
        help="minimum loss of a mistake, in points (default: 2)",
    )
    add_json(parser)
    add_engine_options(parser, default_preset=PLAYER_PRESET)
    parser.description = DESCRIPTION


def run(arguments: argparse.Namespace) -> int:
    """Review the games; after Ctrl-C, finished reviews are kept."""
    split_paths_and_settings(arguments)
    stop = threading.Event()
    batch = _batch(arguments, stop)
    with stop_on_interrupt(stop), _progress(quiet=arguments.json) as observer:
        batch.run(observer)
        index = batch.folder.write_index(batch.counts.skipped)
    figures = _as_json(batch, index, stop.is_set())
    print(json.dumps(figures, ensure_ascii=False)) if arguments.json else _print(figures)
    if stop.is_set():
        return INTERRUPTED
    has_reviews = figures["done"] or figures["done_before"]
    return BAD_INPUT if figures["skipped"] and not has_reviews else 0


def _batch(arguments: argparse.Namespace, stop: threading.Event) -> "ReviewBatch":
    from tengen.engine import create_engine
    from tengen.review import MISTAKE_POINTS, GameFiles, ReviewBatch, ReviewFolder

    settings = engine_settings(arguments, player_defaults(arguments))
    files = GameFiles(arguments.paths)  # reports missing files before starting
    points = arguments.mistake or MISTAKE_POINTS
    made_by = engine_description(settings, arguments)
    if points != MISTAKE_POINTS:
        made_by += f", mistakes from {points:g} points"
    folder = ReviewFolder(arguments.output, made_by)
    return ReviewBatch(files, folder, create_engine(settings), settings.play.limit, stop, points)


class _Terminal:
    """Shows a progress bar and prints a line for each game."""

    def __init__(self, progress: Any, quiet: bool):
        self._progress = progress
        self._quiet = quiet
        self._task = progress.add_task("reading", total=None)

    def position_done(self, game: "GameRecord", done: int, total: int) -> None:
        """Advance the bar."""
        name = Path(game.source).name or "game"
        self._progress.update(self._task, description=name, completed=done, total=total)

    def game_done(self, summary: dict[str, Any], was_done: bool) -> None:
        """Print the result of a game."""
        if self._quiet:
            return
        players = summary["players"]
        mistakes = ", ".join(f"{side} {players[side.lower()]['mistakes']}" for side in SIDES)
        there = ", reviewed before" if was_done else ""
        self._progress.console.print(
            f"{summary['name']}: {summary['move_count']} moves, mistakes: {mistakes}{there}",
            markup=False,
            soft_wrap=True,
        )


@contextmanager
def _progress(quiet: bool) -> Iterator[_Terminal]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn as Remaining,
    )

    from tengen.util import Console

    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, Remaining(), console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        yield _Terminal(progress, quiet)


def _as_json(batch: "ReviewBatch", index: Path, is_partial: bool) -> dict[str, Any]:
    counts = batch.counts
    return {
        "partial": is_partial,
        "done": counts.done,
        "done_before": counts.done_before,
        "skipped": counts.skipped,
        "truncated": counts.truncated,
        "problems": batch.problems,
        "index": str(index),
        "games": batch.folder.summaries,
    }


def _print(figures: dict[str, Any]) -> None:
    if figures["partial"]:
        print("Interrupted: run the same command again to resume.")
    print(
        f"{plural(figures['done'], 'game')} reviewed, {figures['done_before']} reviewed before",
        end="",
    )
    print(f", {len(figures['skipped'])} skipped" if figures["skipped"] else "")
    for line in figures["skipped"]:
        print(f"  skipped: {line}")
    for line in figures["truncated"]:
        print(f"  truncated: {line}")
    for line in figures["problems"]:
        print(f"  {line}; continued without it")
    print(f"{figures['index']}: {plural(len(figures['games']), 'game')}")
