"""`tengen book`: build and inspect opening books."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from tengen.cli.options import (
    PATHS_HELP,
    SIZE_HELP,
    RecordPosition,
    add_database,
    add_json,
    add_parameters,
    add_position_arguments,
    add_workers,
    check_workers,
    read_parameters,
    read_position,
    reading_bar,
)
from tengen.cli.parser import add_action, run_action
from tengen.engine.book import BookSettings, BuildSettings
from tengen.util import TengenError

if TYPE_CHECKING:
    from tengen.engine.book import Book, Probabilities, WeightedMove
    from tengen.records.database import GameIndex, GameStore

MAX_MOVES = 15
"""Moves of a position to print; JSON has all of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_build(actions)
    _add_show(actions)


run = run_action


# build


def _add_build(actions: Any) -> None:
    build = add_action(actions, "build", "build a book from games and pattern tables", run_build)
    build.add_argument(
        "paths",
        metavar="GAMES",
        nargs="*",
        help=f"{PATHS_HELP} (default: all games of the database)",
    )
    build.add_argument("-o", "--output", required=True, metavar="FILE", help="book to write")
    build.add_argument(
        "--size", action="append", default=[], help=f"{SIZE_HELP}; repeatable (default: all sizes)"
    )
    add_parameters(build, BuildSettings)
    build.add_argument(
        "--no-shape", action="store_true", help="use the games only, without pattern tables"
    )
    add_database(build)
    add_workers(build)


def run_build(arguments: argparse.Namespace) -> int:
    """Build a book and print a summary."""
    from tengen.engine.book import write_book

    settings = read_parameters(arguments, BuildSettings())
    check_workers(arguments.workers)
    indexes = _game_indexes(_store(arguments), arguments.size)
    book = _build(indexes, settings, None if arguments.no_shape else _shape())
    size = write_book(book, arguments.output)
    _print_about(book)
    print(f"{arguments.output}: {len(book.moves):,} moves, {size:,} bytes")
    return 0


def _store(arguments: argparse.Namespace) -> "GameStore":
    """Return the games to build from: the database, or the given records in memory."""
    from tengen.records import log_warning, new_stop
    from tengen.records.database import GameStore, import_games

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


def _game_indexes(store: "GameStore", sizes: list[str]) -> "list[GameIndex]":
    from tengen.board import parse_size
    from tengen.records.database import GameIndex

    wanted = [parse_size(text) for text in sizes] or list(store.sizes())
    indexes = [GameIndex(*size, store.chunks(*size)) for size in dict.fromkeys(wanted)]
    if not any(len(index) for index in indexes):
        raise TengenError("no games to build a book from: import some with `tengen games import`")
    return indexes


def _shape() -> "Probabilities":
    from tengen.sources import Shape

    return Shape().probabilities


def _build(
    indexes: "list[GameIndex]", settings: BuildSettings, probabilities: "Probabilities | None"
) -> "Book":
    from rich.progress import Progress

    from tengen.engine.book import build_book
    from tengen.util import Console

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("evaluating patterns", total=None, visible=probabilities is not None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return build_book(indexes, settings, probabilities, show)


# show


def _add_show(actions: Any) -> None:
    show = add_action(actions, "show", "show the moves of a book in a position", run_show)
    show.add_argument("book", metavar="BOOK", help="book file, or `default`")
    add_position_arguments(show, is_required=False)
    show.add_argument("--size", default="", help=f"without FILE: {SIZE_HELP}")
    add_json(show)


def run_show(arguments: argparse.Namespace) -> int:
    """Print how the book was built and its moves in the position."""
    from tengen.engine.book import read_book, weigh_moves

    book = read_book(arguments.book)
    record = _record(arguments, book)
    found = book.look_up(record.position)
    weighted = [] if found is None else weigh_moves(found, BookSettings())
    if arguments.json:
        print(json.dumps(as_json(book, record, weighted)))
        return 0
    _print_about(book)
    print(record.position)
    to_play = record.position.to_play.name.capitalize()
    if found is None:
        print(f"Before move {record.number}, {to_play} to play: not in the book")
        return 0
    rate = _rate(found.wins, found.losses)
    print(f"Before move {record.number}, {to_play} to play: {found.games:,} games, won {rate}")
    _print_moves(record, weighted)
    fewest = BookSettings().book_min_games
    if found.games < fewest:
        print(f"Too few games: the engine does not use the book here (book_min_games={fewest})")
    return 0


def _record(arguments: argparse.Namespace, book: "Book") -> RecordPosition:
    from tengen.board import Position, parse_size

    if arguments.file is not None:
        return read_position(arguments)
    if arguments.move is not None:
        raise TengenError("--move requires a game record, FILE")
    size = arguments.size or next(iter(book.about.get("sizes", {})), "19")
    return RecordPosition(Position(*parse_size(size)), 1, None)


def as_json(book: "Book", record: RecordPosition, weighted: "list[WeightedMove]") -> dict[str, Any]:
    """Return the result as printed by `--json`."""
    vertex = record.position.vertex
    return {
        "about": dict(book.about),
        "move": record.number,
        "to_play": record.position.to_play.name.lower(),
        "moves": [
            {
                "move": vertex(one.move.move),
                "equals": [vertex(point) for point in one.move.equivalents],
                "games": one.move.games,
                "wins": one.move.wins,
                "losses": one.move.losses,
                "shape": one.move.shape,
                "value": one.value,
                "weight": one.weight,
            }
            for one in weighted
        ],
    }


def _print_about(book: "Book") -> None:
    about = book.about
    for size, counts in about.get("sizes", {}).items():
        print(f"{size}: {counts['positions']:,} positions from {counts['games']:,} games")
    shape = "with pattern tables" if about.get("shape") else "games only"
    print(
        f"{shape}; first {about.get('depth')} moves, positions with at least "
        f"{about.get('min_games', about.get('fewest'))} games ({about.get('made_by')})"
    )


def _print_moves(record: RecordPosition, weighted: "list[WeightedMove]") -> None:
    from rich.table import Table

    from tengen.util import Console

    best = weighted[0].weight if weighted else 1.0
    least = BookSettings().book_min_weight
    table = Table(
        box=None, pad_edge=False, caption=f"played: relative weight of at least {least:g}"
    )
    table.add_column("move")
    for title in ("games", "won", "smoothed", "SHAPE", "weight"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("played")
    for one in weighted[:MAX_MOVES]:
        move = one.move
        table.add_row(
            record.position.vertex(move.move),
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
