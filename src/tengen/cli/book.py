"""`tengen book`: make an opening book from games, and look into one."""

import argparse
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from tengen.book.settings import BookSettings, BuildSettings
from tengen.cli.arguments import run_action
from tengen.cli.games_import import add_database
from tengen.cli.moment import Moment, add_moment, read_moment
from tengen.cli.reading import add_workers, check_workers, reading_bar
from tengen.core.errors import TengenError
from tengen.core.parameters import describe, with_values
from tengen.core.words import sentence

if TYPE_CHECKING:
    from tengen.book.book import Book
    from tengen.book.build import Probabilities
    from tengen.book.player import Weighed
    from tengen.database.shelf import Shelf
    from tengen.database.store import GameStore

SHOWN = 15
"""Moves of a position to print; JSON has all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands; each sets `action`, which takes the arguments."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_build(actions)
    _add_show(actions)


run = run_action


# Building


def _add_build(actions: Any) -> None:
    summary = "make a book from games and SHAPE's patterns"
    build = actions.add_parser("build", help=summary, description=sentence(summary))
    build.add_argument(
        "paths", metavar="PATH", nargs="*", help="records (default: all games of the database)"
    )
    build.add_argument("-o", "--output", required=True, metavar="FILE", help="the book to write")
    size_help = "only this board: 9, or 7x9 (columns x rows); can be given several times"
    build.add_argument("--size", action="append", default=[], help=size_help)
    for name, default, meaning in describe(BuildSettings):
        option = f"--{name.replace('_', '-')}"
        build.add_argument(option, metavar="N", help=f"{meaning} (default {default})")
    build.add_argument("--no-shape", action="store_true", help="from the games alone")
    add_database(build)
    add_workers(build)
    build.set_defaults(action=run_build)


def run_build(arguments: argparse.Namespace) -> int:
    """Build a book and tell of it."""
    from tengen.book.book_file import write_book

    names = [field.name for field in dataclasses.fields(BuildSettings)]
    given = {name: getattr(arguments, name) for name in names}
    words = {name: text for name, text in given.items() if text is not None}
    settings = with_values(BuildSettings(), words)
    check_workers(arguments.workers)
    shelves = _shelves(_store(arguments), arguments.size)
    book = _build(shelves, settings, None if arguments.no_shape else _shape())
    size = write_book(book, arguments.output)
    _print_about(book)
    print(f"{arguments.output}: {len(book.moves):,} moves, {size:,} bytes")
    return 0


def _store(arguments: argparse.Namespace) -> "GameStore":
    """Return the games to build from: the database, or the records named, in memory."""
    from tengen.database.importer import import_games
    from tengen.database.store import GameStore
    from tengen.records.parallel import new_stop
    from tengen.records.warning import log_warning

    if not arguments.paths:
        return GameStore(arguments.database)
    store = GameStore(":memory:", create=True)
    with reading_bar(arguments.paths) as (advance, show_games):
        pieces = import_games(store, arguments.paths, arguments.workers, new_stop(), advance)
        for counts in pieces:
            show_games(counts.read)
    for warning in counts.unreadable:
        log_warning(warning)
    return store


def _shelves(store: "GameStore", sizes: list[str]) -> "list[Shelf]":
    from tengen.board.points import parse_size
    from tengen.database.shelf import Shelf

    wanted = [parse_size(text) for text in sizes] or list(store.sizes())
    shelves = [Shelf(*size, store.chunks(*size)) for size in dict.fromkeys(wanted)]
    if not any(len(shelf) for shelf in shelves):
        raise TengenError("there is no game to make a book from")
    return shelves


def _shape() -> "Probabilities":
    from tengen.knowledge.shape import Shape

    return Shape().probabilities


def _build(
    shelves: "list[Shelf]", settings: BuildSettings, probabilities: "Probabilities | None"
) -> "Book":
    from rich.console import Console
    from rich.progress import Progress

    from tengen.book.build import build_book

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("asking SHAPE", total=None, visible=probabilities is not None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return build_book(shelves, settings, probabilities, show)


# Showing


def _add_show(actions: Any) -> None:
    summary = "tell what a book says of a position"
    show = actions.add_parser("show", help=summary, description=sentence(summary))
    show.add_argument("book", metavar="BOOK", help="a book, or `shipped`")
    add_moment(show, is_required=False)
    size_help = "the empty board, without FILE: 9, or 7x9 (columns x rows)"
    show.add_argument("--size", default="", help=size_help)
    show.add_argument("--json", action="store_true", help="print one JSON object")
    show.set_defaults(action=run_show)


def run_show(arguments: argparse.Namespace) -> int:
    """Print how the book was made, and what it says."""
    from tengen.book.book_file import read_book
    from tengen.book.player import weigh

    book = read_book(arguments.book)
    moment = _moment(arguments, book)
    found = book.look_up(moment.position)
    weighed = [] if found is None else weigh(found, BookSettings())
    if arguments.json:
        print(json.dumps(as_json(book, moment, weighed)))
        return 0
    _print_about(book)
    print(moment.position)
    to_play = moment.position.to_play.name.capitalize()
    if found is None:
        print(f"Before move {moment.number}, {to_play} to play: not in the book.")
        return 0
    rate = _rate(found.wins, found.losses)
    print(f"Before move {moment.number}, {to_play} to play: {found.games:,} games, won {rate}")
    _print_moves(moment, weighed)
    fewest = BookSettings().book_games
    if found.games < fewest:
        print(f"Too few games: the engine leaves the book here (book_games={fewest}).")
    return 0


def _moment(arguments: argparse.Namespace, book: "Book") -> Moment:
    from tengen.board.points import parse_size
    from tengen.board.position import Position

    if arguments.file is not None:
        return read_moment(arguments)
    if arguments.move is not None:
        raise TengenError("--move wants a game record, FILE, to count in")
    size = arguments.size or next(iter(book.about.get("sizes", {})), "19")
    return Moment(Position(*parse_size(size)), 1, None)


def as_json(book: "Book", moment: Moment, weighed: "list[Weighed]") -> dict[str, Any]:
    """Return what `--json` prints."""
    vertex = moment.position.vertex
    return {
        "about": dict(book.about),
        "move": moment.number,
        "to_play": moment.position.to_play.name.lower(),
        "moves": [
            {
                "move": vertex(one.move.move),
                "equals": [vertex(point) for point in one.move.equals],
                "games": one.move.games,
                "wins": one.move.wins,
                "losses": one.move.losses,
                "shape": one.move.shape,
                "value": one.value,
                "weight": one.weight,
            }
            for one in weighed
        ],
    }


def _print_about(book: "Book") -> None:
    about = book.about
    for size, counts in about.get("sizes", {}).items():
        print(f"{size}: {counts['positions']:,} positions from {counts['games']:,} games")
    shape = "with SHAPE" if about.get("shape") else "from the games alone"
    print(
        f"{shape}; the first {about.get('depth')} moves, positions of at least "
        f"{about.get('fewest')} games ({about.get('made_by')})"
    )


def _print_moves(moment: Moment, weighed: "list[Weighed]") -> None:
    from rich.console import Console
    from rich.table import Table

    best = weighed[0].weight if weighed else 1.0
    least = BookSettings().book_least
    table = Table(box=None, pad_edge=False, caption=f"played: weight of at least {least:g}")
    table.add_column("move")
    for title in ("games", "won", "smoothed", "SHAPE", "weight"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("played")
    for one in weighed[:SHOWN]:
        move = one.move
        table.add_row(
            moment.position.vertex(move.move),
            f"{move.games:,}",
            _rate(move.wins, move.losses),
            f"{one.value:.1%}",
            "-" if move.shape is None else f"{move.shape:.1%}",
            f"{one.weight / best:.2f}",
            "yes" if one.weight >= least * best else "",
        )
    Console(highlight=False).print(table)


def _rate(wins: int, losses: int) -> str:
    return f"{wins / (wins + losses):.1%}" if wins + losses else "-"
