"""`tengen analyse`: look over whole games."""

import argparse
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.engine_options import (
    FOR_PLAYERS,
    add_engine_options,
    engine_settings,
    made_by,
    sort_words,
    words_for_players,
)
from tengen.cli.reading import INTERRUPTED
from tengen.core.interrupt import stopping_at_interrupt
from tengen.core.words import counted

if TYPE_CHECKING:
    from tengen.records.game import GameRecord
    from tengen.review.batch import Batch

SIDES = ("Black", "White")
DESCRIPTION = """\
Look over whole games: win rate and score over the moves, and each player's largest mistakes.
For every game OUT gets a page (NAME.html), the game with comments and better lines (NAME.sgf)
and the figures (NAME.json); OUT/index.html lists them all. Stopped or killed, it goes on where
it was when it is run again. Broken games are skipped and counted.

  tengen analyse game.sgf -o review --playouts 500
  tengen analyse my_games/ old.zip -o review --seconds 2"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("paths", metavar="FILES", nargs="+", help="files, folders, .zip or .tar.*")
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, required=True, help="the folder to write to"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    add_engine_options(parser, begins_with=FOR_PLAYERS)
    parser.description = DESCRIPTION


def run(arguments: argparse.Namespace) -> int:
    """Look over the games; after Ctrl-C what is done is kept."""
    sort_words(arguments)
    stop = threading.Event()
    batch = _batch(arguments, stop)
    with stopping_at_interrupt(stop), _shown(quiet=arguments.json) as watch:
        batch.run(arguments.paths, watch)
        index = batch.folder.write_index(batch.counts.skipped)
    figures = _as_json(batch, index, stop.is_set())
    print(json.dumps(figures, ensure_ascii=False)) if arguments.json else _print(figures)
    return INTERRUPTED if stop.is_set() else 0


def _batch(arguments: argparse.Namespace, stop: threading.Event) -> "Batch":
    from tengen.engine.engine import Engine
    from tengen.records.source import documents
    from tengen.review.batch import Batch
    from tengen.review.folder import ReviewFolder

    settings = engine_settings(arguments, words_for_players(arguments))
    for path in arguments.paths:
        documents(path)  # what is not there is told at once, before anything is begun
    folder = ReviewFolder(arguments.output, made_by(settings, arguments))
    return Batch(folder, Engine(settings), settings.play.limit, stop)


class _Terminal:
    """Shows what goes on: a bar on a terminal, and a line for each game."""

    def __init__(self, progress: Any, quiet: bool):
        self._progress = progress
        self._quiet = quiet
        self._task = progress.add_task("reading", total=None)

    def position_done(self, game: "GameRecord", done: int, total: int) -> None:
        """Move the bar."""
        name = Path(game.source).name or "game"
        self._progress.update(self._task, description=name, completed=done, total=total)

    def game_done(self, summary: dict[str, Any], was_there: bool) -> None:
        """Print a line."""
        if self._quiet:
            return
        players = summary["players"]
        mistakes = ", ".join(f"{side} {players[side.lower()]['mistakes']}" for side in SIDES)
        there = ", done before" if was_there else ""
        self._progress.console.print(
            f"{summary['name']}: {summary['move_count']} moves, mistakes: {mistakes}{there}",
            markup=False,
            soft_wrap=True,
        )


@contextmanager
def _shown(quiet: bool) -> Iterator[_Terminal]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, Remaining(), console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        yield _Terminal(progress, quiet)


def _as_json(batch: "Batch", index: Path, is_partial: bool) -> dict[str, Any]:
    counts = batch.counts
    return {
        "partial": is_partial,
        "done": counts.done,
        "done_before": counts.done_before,
        "skipped": counts.skipped,
        "broken_off": counts.broken_off,
        "problems": batch.problems,
        "index": str(index),
        "games": batch.folder.summaries,
    }


def _print(figures: dict[str, Any]) -> None:
    if figures["partial"]:
        print("Stopped before the end: run it again to go on.")
    print(
        f"{counted(figures['done'], 'game')} looked over, {figures['done_before']} done before",
        end="",
    )
    print(f", {len(figures['skipped'])} skipped" if figures["skipped"] else "")
    for line in figures["skipped"]:
        print(f"  skipped: {line}")
    for line in figures["broken_off"]:
        print(f"  not whole: {line}")
    for line in figures["problems"]:
        print(f"  {line}; went on without it")
    print(f"{figures['index']}: {counted(len(figures['games']), 'game')}")
