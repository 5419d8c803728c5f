"""`tengen shape`: learn pattern tables from games, and look into them."""

import argparse
import dataclasses
import json
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli import shape_show
from tengen.cli.arguments import INTERRUPTED, run_action
from tengen.cli.reading import add_workers, check_workers, reading_bar
from tengen.core.errors import TengenError
from tengen.core.interrupt import stopping_at_interrupt
from tengen.core.parameters import describe
from tengen.core.words import sentence

if TYPE_CHECKING:
    from tengen.knowledge.shape_tables import ShapeTables

SAVE_EVERY_S = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands; each sets `action`, which takes the arguments."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_learn(actions)
    _add_info(actions)
    shape_show.add_actions(actions)


run = run_action


def _add_learn(actions: Any) -> None:
    summary = "learn the patterns that were played from game records"
    about = (
        "A file that is there already is added to: records that it was learned from are left out, "
        "so an interrupted run goes on where it was. Settings are fixed when a file is made."
    )
    description = f"{sentence(summary)} {about}"
    learn = actions.add_parser("learn", help=summary, description=description)
    learn.add_argument("games", metavar="GAMES", nargs="+", help="file, folder, .zip or .tar.*")
    learn.add_argument("-o", "--output", metavar="FILE", required=True, help="the tables")
    add_workers(learn)
    learn.add_argument(
        "--without",
        metavar="TEXT",
        action="append",
        default=[],
        help="leave out files with this in their name, to test on them; can be given again",
    )
    _add_settings(learn)
    learn.set_defaults(action=run_learn)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    """Add an option for each setting of the tables; None if it is not given."""
    from tengen.knowledge.shape_tables import ShapeSettings

    for name, default, meaning in describe(ShapeSettings):
        kind: dict[str, Any] = {"type": type(default), "metavar": name.upper()}
        if isinstance(default, bool):
            kind = {"action": argparse.BooleanOptionalAction}
        text = f"{meaning} (default {default})"
        parser.add_argument(f"--{name}", default=None, help=text.replace("%", "%%"), **kind)


def run_learn(arguments: argparse.Namespace) -> int:
    """Learn with a progress bar; save every minute, at the end, and after Ctrl-C."""
    from tengen.knowledge.shape_file import save

    check_workers(arguments.workers)
    tables = _tables_to_fill(arguments)
    stop = threading.Event()
    began_s = time.monotonic()
    with stopping_at_interrupt(stop):
        _learn(arguments, tables, stop)
        save(tables, arguments.output)
    print(f"{_summary(tables)}; {time.monotonic() - began_s:.1f} s")
    if stop.is_set():
        print("Interrupted: run it again to go on.")
    return INTERRUPTED if stop.is_set() else 0


def _tables_to_fill(arguments: argparse.Namespace) -> "ShapeTables":
    """Return the tables of the file, or new ones; raise TengenError if settings do not fit."""
    from tengen.knowledge.shape_file import load
    from tengen.knowledge.shape_tables import ShapeSettings, ShapeTables

    names = [field.name for field in dataclasses.fields(ShapeSettings)]
    said = {n: value for n in names if (value := getattr(arguments, n)) is not None}
    if not Path(arguments.output).exists():
        return ShapeTables(ShapeSettings(**said))
    tables = load(arguments.output)
    for name, value in said.items():
        kept = getattr(tables.settings, name)
        if kept != value:
            raise TengenError(f"{arguments.output} was made with {name} {kept}, not {value}")
    return tables


def _learn(arguments: argparse.Namespace, tables: "ShapeTables", stop: threading.Event) -> None:
    from tengen.knowledge.shape_file import save
    from tengen.learn.shape import learn

    saved_s = time.monotonic()
    with reading_bar(arguments.games) as (advance, show_games):

        def learned(whole: "ShapeTables") -> None:
            nonlocal saved_s
            show_games(whole.games)
            if time.monotonic() - saved_s > SAVE_EVERY_S:
                save(whole, arguments.output)
                saved_s = time.monotonic()

        paths, workers = arguments.games, arguments.workers
        learn(tables, paths, workers, stop, advance, learned, arguments.without)


def _summary(tables: "ShapeTables") -> str:
    return (
        f"{tables.games:,} games of {len(tables.documents):,} files "
        f"({tables.broken:,} broken ones skipped), {tables.moves:,} moves"
    )


def _add_info(actions: Any) -> None:
    summary = "tell what a file of tables was learned from"
    info = actions.add_parser("info", help=summary, description=sentence(summary))
    shape_show.add_tables_option(info)
    info.add_argument("--json", action="store_true", help="print one JSON object")
    info.set_defaults(action=run_info)


def run_info(arguments: argparse.Namespace) -> int:
    """Print settings and figures."""
    from tengen.knowledge.shape_file import SHIPPED, load

    path = arguments.tables or SHIPPED
    tables = load(path)
    if arguments.json:
        print(json.dumps(tables.about(), ensure_ascii=False))
        return 0
    print(f"{path}: {os.path.getsize(path):,} bytes")
    print(_summary(tables))
    settings = dataclasses.asdict(tables.settings)
    print(", ".join(f"{name} {value}" for name, value in settings.items()))
    return 0
