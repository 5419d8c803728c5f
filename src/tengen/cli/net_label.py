"""`tengen net label`: positions labelled by a search, for a net that shall inform one."""

import argparse
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.arguments import INTERRUPTED
from tengen.cli.engine_options import (
    add_engine_options,
    engine_settings,
    made_by,
    sort_words,
    usual_playouts,
)
from tengen.cli.reading import work_bar
from tengen.core.counts import positive_int
from tengen.core.errors import TengenError
from tengen.core.interrupt import stopping_at_interrupt

if TYPE_CHECKING:
    from tengen.network.training.distill import LabelFolder, Teacher

PLAYOUTS = 400
SUMMARY = "label positions of games by a search, for a net that shall inform one"
DESCRIPTION = f"""\
Label positions of games by a search, for a net that shall inform one (paper 001, section 2.2.4).
What such a net learns as its policy is not the move that was played but the share of the visits
that each move got; as its value the win rate, the lead and the ownership that the search found.
FOLDER is then what `tengen net train` learns from. Stopped or killed, it goes on where it was when
it is run again. Without --playouts or --seconds it is {PLAYOUTS} playouts a position.

  tengen net label games.zip -o labels --playouts 400 --positions 20000
  tengen net train labels -o mynet --hours 1
  tengen play net=mynet/net.onnx"""


def add_action(actions: Any) -> None:
    """Add the sub-command; it sets `action`, which takes the arguments."""
    parser = actions.add_parser("label", help=SUMMARY)
    parser.add_argument(
        "paths", metavar="GAMES", nargs="+", help="records: file, folder, .zip or .tar.*"
    )
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=Path, required=True, help="for the labels"
    )
    parser.add_argument(
        "--positions", type=positive_int, default=20_000, help="to be labelled (default 20000)"
    )
    add_engine_options(parser, f"simulations a position (default {PLAYOUTS})")
    parser.description = DESCRIPTION
    parser.set_defaults(action=run_label)


def run_label(arguments: argparse.Namespace) -> int:
    """Let a search label positions; return the exit code."""
    from tengen.engine.teacher import SearchTeacher
    from tengen.network.training.distill import LabelFolder
    from tengen.records.source import documents

    sort_words(arguments)
    settings = engine_settings(arguments, usual_playouts(arguments, PLAYOUTS))
    for path in arguments.paths:
        documents(path)  # what is not there is told at once, before anything is begun
    teacher = SearchTeacher(settings, settings.play.limit)
    folder = LabelFolder(arguments.output, made_by(settings, arguments))
    is_done = label(teacher, arguments.paths, folder, arguments.positions)
    print(f"{len(folder)} labelled positions in {arguments.output}")
    return 0 if is_done else INTERRUPTED


def label(teacher: "Teacher", paths: Sequence[str], folder: "LabelFolder", positions: int) -> bool:
    """Let a teacher label positions, with a bar; tell whether Ctrl-C left it to its end.

    Raise TengenError if there was nothing to label.
    """
    from tengen.network.training.distill import label_games

    stop = threading.Event()
    with work_bar() as bar, stopping_at_interrupt(stop):
        task = bar.add_task("labelling", total=positions)
        label_games(
            teacher,
            paths,
            folder,
            positions,
            watch=lambda done: bar.update(task, completed=done),
            stop=stop.is_set,
        )
    if not (len(folder) or stop.is_set()):
        raise TengenError(
            f"no game to label in {', '.join(paths)}: it wants games without handicap on square"
            " boards from 7x7 on"
        )
    return not stop.is_set()
