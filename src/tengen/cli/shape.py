"""`tengen shape`: learn and inspect pattern tables."""

import argparse
import dataclasses
import json
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.options import (
    PATHS_HELP,
    add_json,
    add_parameters,
    add_position_arguments,
    add_workers,
    check_workers,
    read_parameters,
    read_position,
    reading_bar,
)
from tengen.cli.parser import INTERRUPTED, add_action, run_action
from tengen.util import TengenError, positive_int, stop_on_interrupt, value_text

if TYPE_CHECKING:
    from tengen.board import Position
    from tengen.sources import ShapePattern, ShapeTables, SizeRate, Values

DEFAULT_TOP = 10

SAVE_EVERY_S = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_learn(actions)
    _add_info(actions)
    _add_show(actions)
    _add_rate(actions)


run = run_action


def _add_tables(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tables", metavar="FILE", default="", help="pattern tables (default: the bundled ones)"
    )


# learn


def _add_learn(actions: Any) -> None:
    from tengen.sources import ShapeSettings

    learn = add_action(
        actions,
        "learn",
        "learn patterns from game records",
        run_learn,
        "An existing file is extended: records it was learned from are skipped, so the same "
        "command resumes an interrupted run. The settings of a file cannot be changed.",
    )
    learn.add_argument("games", metavar="GAMES", nargs="+", help=PATHS_HELP)
    learn.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="pattern tables to write"
    )
    add_workers(learn)
    learn.add_argument(
        "--without",
        metavar="TEXT",
        action="append",
        default=[],
        help="exclude files with this text in their name, to hold them out; repeatable",
    )
    add_parameters(learn, ShapeSettings, {"bits": "BITS"})


def run_learn(arguments: argparse.Namespace) -> int:
    """Learn patterns; save every minute, at the end and after Ctrl-C."""
    from tengen.sources import save_tables

    check_workers(arguments.workers)
    tables = _tables_to_fill(arguments)
    stop = threading.Event()
    began_s = time.monotonic()
    with stop_on_interrupt(stop):
        _learn(arguments, tables, stop)
        save_tables(tables, arguments.output)
    print(f"{_summary(tables)}; {time.monotonic() - began_s:.1f} s")
    if stop.is_set():
        print("Interrupted: run the same command again to resume.")
    return INTERRUPTED if stop.is_set() else 0


def _tables_to_fill(arguments: argparse.Namespace) -> "ShapeTables":
    """Return the tables of the output file, or new ones; raise TengenError if settings differ."""
    from tengen.sources import ShapeSettings, ShapeTables, load_tables

    if not Path(arguments.output).exists():
        return ShapeTables(read_parameters(arguments, ShapeSettings()))
    tables = load_tables(arguments.output)
    wanted = dataclasses.asdict(read_parameters(arguments, tables.settings))
    for name, kept in dataclasses.asdict(tables.settings).items():
        if kept != wanted[name]:
            found = f"{name}={value_text(kept)}, not {value_text(wanted[name])}"
            raise TengenError(f"{arguments.output} has {found}: choose another file")
    return tables


def _learn(arguments: argparse.Namespace, tables: "ShapeTables", stop: threading.Event) -> None:
    from tengen.sources import learn, save_tables

    saved_s = time.monotonic()
    with reading_bar(arguments.games) as (advance, show_games):

        def learned(whole: "ShapeTables") -> None:
            nonlocal saved_s
            show_games(whole.games)
            if time.monotonic() - saved_s > SAVE_EVERY_S:
                save_tables(whole, arguments.output)
                saved_s = time.monotonic()

        paths, workers = arguments.games, arguments.workers
        learn(tables, paths, workers, stop, advance, learned, arguments.without)


def _summary(tables: "ShapeTables") -> str:
    return (
        f"{tables.games:,} games from {len(tables.documents):,} files "
        f"({tables.broken:,} invalid ones skipped), {tables.moves:,} moves"
    )


# info


def _add_info(actions: Any) -> None:
    info = add_action(actions, "info", "print settings and statistics of pattern tables", run_info)
    _add_tables(info)
    add_json(info)


def run_info(arguments: argparse.Namespace) -> int:
    """Print settings and statistics."""
    from tengen.sources import BUNDLED_TABLES, load_tables

    path = arguments.tables or BUNDLED_TABLES
    tables = load_tables(path)
    if arguments.json:
        print(json.dumps(tables.about(), ensure_ascii=False))
        return 0
    print(f"{path}: {os.path.getsize(path):,} bytes")
    print(_summary(tables))
    settings = dataclasses.asdict(tables.settings)
    print(", ".join(f"{name} {value}" for name, value in settings.items()))
    return 0


# show


def _add_show(actions: Any) -> None:
    summary = "show the probability of each move in a position, and the patterns behind one"
    show = add_action(actions, "show", summary, run_show)
    add_position_arguments(show)
    show.add_argument(
        "--point", metavar="VERTEX", help="explain this move (default: the most probable)"
    )
    show.add_argument(
        "--top", type=positive_int, default=DEFAULT_TOP, help="number of moves to print"
    )
    _add_tables(show)
    add_json(show)


def run_show(arguments: argparse.Namespace) -> int:
    """Print the heat map of a position and the patterns of one move."""
    from tengen.sources import FARTHEST, Shape, ShapePattern

    position = read_position(arguments).position
    shape = Shape(arguments.tables)
    probabilities = shape.probabilities(position)
    ranked = _ranked(position, probabilities)
    point = _move_to_explain(arguments.point, position, ranked)
    pattern, rates = ShapePattern.around(position, point, FARTHEST), shape.rates(position, point)
    moves = [(position.vertex(move), p) for move, p in ranked[: arguments.top]]
    if arguments.json:
        found = {
            "moves": [{"move": name, "probability": p} for name, p in moves],
            "probabilities": probabilities.tolist(),
            "point": position.vertex(point),
            "pattern": str(pattern),
            "rates": [rate._asdict() for rate in rates],
        }
        print(json.dumps(found))
        return 0
    _print_heat(position, probabilities)
    print("  ".join(f"{name} {p:.1%}" for name, p in moves))
    print(f"\n{position.vertex(point)}, X to play, in Pachi's notation:")
    _print_pattern(pattern, rates)
    return 0


def _ranked(position: "Position", probabilities: "Values") -> list[tuple[int, float]]:
    """Return the legal moves with their probabilities, the most probable first."""
    pairs = zip(position.points(), probabilities.ravel().tolist(), strict=True)
    return sorted(((m, p) for m, p in pairs if p > 0), key=lambda pair: -pair[1])


def _move_to_explain(
    name: str | None, position: "Position", ranked: list[tuple[int, float]]
) -> int:
    """Return the move to explain; raise TengenError if it is illegal."""
    from tengen.board import parse_vertex

    if name is None:
        if not ranked:
            raise TengenError("there is no legal move")
        return ranked[0][0]
    point = parse_vertex(name, position.rows, position.columns)
    if point not in dict(ranked):
        raise TengenError(f"{name} is not a legal move")
    return point


def _print_heat(position: "Position", probabilities: "Values") -> None:
    """Draw the board; empty points show their probability relative to the best, 1 to 9."""
    from tengen.board import column_of, draw_diagram, row_of

    most = float(probabilities.max()) or 1.0

    def sign(point: int) -> str:
        if position.color(point):
            return ".XO"[position.color(point)]
        share = float(probabilities[row_of(point), column_of(point)]) / most
        # Square roots, as in the prior, make small probabilities visible.
        level = round(9 * share**0.5)
        return str(level) if level else "."

    print(draw_diagram(position.rows, position.columns, sign))


def _print_pattern(pattern: "ShapePattern", rates: "list[SizeRate]") -> None:
    print(pattern)
    print(pattern.diagram())
    print("size   rate  combined  occurrences")
    for size, rate, seen, combined in rates:
        print(f"{size}x{size}  {rate:6.1%}  {combined:8.1%}  {seen:11,.0f}")


# rate


def _add_rate(actions: Any) -> None:
    summary = "print the rates of a pattern in Pachi's notation, for example '3 .XO..O...'"
    rate = add_action(actions, "rate", summary, run_rate)
    rate.add_argument(
        "pattern", metavar="PATTERN", help="distance and points of the pattern, X to play"
    )
    _add_tables(rate)


def run_rate(arguments: argparse.Namespace) -> int:
    """Print the rates of the squares that a pattern covers."""
    from tengen.sources import Shape, ShapePattern

    pattern = ShapePattern.parse(arguments.pattern)
    position, point = pattern.on_board()
    rates = Shape(arguments.tables).rates(position, point)
    covered = [rate for rate in rates if rate.size <= pattern.largest_square]
    if not covered:
        raise TengenError("the pattern is too small: 3x3 needs distance 3, 5x5 distance 6")
    _print_pattern(pattern, covered)
    return 0
