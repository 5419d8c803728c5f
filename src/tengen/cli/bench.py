"""`tengen bench`: measure the speed of a part of Tengen."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tengen.board import parse_size
from tengen.cli.options import add_database
from tengen.util import TengenError, positive_float, positive_int

Row = Mapping[str, object]
Measure = Callable[..., Row | Sequence[Row]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands and their options."""
    parts = parser.add_subparsers(metavar="PART", dest="part", required=True)
    part = _add(parts, "playouts", "light playouts per second from the empty board", _playouts)
    part.add_argument("--threads", type=positive_int, default=1, help="threads")
    text = "compare with C (one thread) or with processes (several threads)"
    part.add_argument("--peer", action="store_true", help=text)
    _add(parts, "batched", "batched light playouts, compared with single ones", _batched)
    part = _add(
        parts, "search", "simulations of the tree search per second from the empty board", _search
    )
    part.add_argument("--threads", type=positive_int, default=1, help="threads")
    text = "compare threads with as many processes"
    part.add_argument("--processes", action="store_true", help=text)
    text = (
        "compare one thread with a GTP engine; {simulations} in its command stands for the "
        "simulations per move, for example 'pachi -t ={simulations} threads=1'"
    )
    part.add_argument("--peer", metavar="COMMAND", help=text)
    _add_settings(part)
    _add(parts, "solver", "time to solve small boards", _solver, "3", seconds=None)
    part = _add(parts, "net", "evaluations of a neural network per second", _net)
    part.add_argument("--net", required=True, help="name (see `tengen net list`) or file")
    part.add_argument("--batch", type=positive_int, default=8, help="positions per batch")
    part.add_argument("--threads", type=positive_int, default=1, help="threads")
    part.add_argument(
        "--peer",
        metavar="COMMAND",
        help="compare with a GTP engine that has kata-raw-nn, for example 'katago gtp -model M'",
    )
    _add(parts, "metric", "times of metric evaluations and their heat map (paper 003)", _metric)
    _add(parts, "potential", "times of potential filters (paper 002)", _potential, "19")
    _add(parts, "shape", "times of pattern tables (paper 004)", _shape, "19")
    summary = "CPU times of all methods for the fundamental mode of a 19x19 board (paper 000)"
    part = _add(parts, "bigmove", summary, _bigmove, size=None, seconds=20.0)
    part.add_argument("--methods", help="methods separated by ; (default: all)")
    part.add_argument(
        "--tolerance", type=positive_float, default=1e-6, help="residual (default: 1e-6)"
    )
    part = _add(parts, "games", "query times of the game database", _games, "19")
    add_database(part)
    summary = "response times of the page with 50 open games, 8 of them analyzed"
    _add(parts, "page", summary, _page, size=None, seconds=20.0)
    summary = "stability of reviews: alternation of values, mistakes with twice the visits"
    part = _add(parts, "review", summary, _review, size=None, seconds=None)
    part.add_argument(
        "--record",
        type=Path,
        action="append",
        required=True,
        metavar="PATH",
        help="games to review: a file, folder or archive (repeatable)",
    )
    part.add_argument(
        "--games", type=positive_int, default=5, help="number of games, the first ones (default: 5)"
    )
    part.add_argument(
        "--visits", type=positive_int, default=100, help="visits per position (default: 100)"
    )
    _add_settings(part)
    summary = "time from the start of a process to its first output"
    part = _add(parts, "start", summary, _start, size=None, seconds=None)
    _add_rounds(part, 5)
    summary = "latency of interrupting a running search"
    part = _add(parts, "interrupt", summary, _interrupt, "19", seconds=None)
    _add_rounds(part, 20)
    _add_settings(part)


def _add(
    parts: Any,
    name: str,
    summary: str,
    measure: Measure,
    size: str | None = "9",
    seconds: float | None = 2.0,
) -> argparse.ArgumentParser:
    """Add a part with the common options; None omits the option."""
    part: argparse.ArgumentParser
    part = parts.add_parser(name, help=summary, description=f"Measure {summary}.")
    if size is not None:
        text = f"board sizes, for example 9 or 9,13x9,19 (default: {size})"
        part.add_argument("--size", default=size, help=text)
    if seconds is not None:
        text = f"duration (default: {seconds:g})"
        part.add_argument("--seconds", type=positive_float, default=seconds, help=text)
    part.add_argument("--json", action="store_true", help="print JSON, one object per line")
    part.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a CSV file")
    part.set_defaults(measure=measure)
    return part


def _add_rounds(part: argparse.ArgumentParser, rounds: int) -> None:
    text = f"repetitions of each measurement (default: {rounds})"
    part.add_argument("--rounds", type=positive_int, default=rounds, help=text)


def _add_settings(part: argparse.ArgumentParser) -> None:
    text = "engine settings, for example net=default"
    part.add_argument("settings", nargs="*", metavar="NAME=VALUE", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print or write the rows."""
    sizes = map(parse_size, arguments.size.split(",")) if "size" in arguments else [()]
    rows: list[Row] = []
    for size in sizes:
        found = arguments.measure(arguments, *size)
        rows += [found] if isinstance(found, Mapping) else found
    if arguments.output is not None:
        _write(arguments.output, rows)
    for number, row in enumerate(rows):
        if arguments.json:
            print(json.dumps(row))
        else:
            _print(row, is_first=number == 0)
    return 0


def _print(row: Row, is_first: bool) -> None:
    if not is_first:
        print()
    for name, value in row.items():
        print(f"{name:24} {f'{value:,.3f}' if isinstance(value, float) else value}")


def _write(path: Path, rows: Sequence[Row]) -> None:
    """Write a results file with four significant digits."""
    from tengen.util import current_command, write_results

    rounded = [{name: _rounded(value) for name, value in row.items()} for row in rows]
    write_results(path, rounded, current_command())


def _rounded(value: object) -> object:
    return f"{float(f'{value:.4g}'):.12g}" if isinstance(value, float) else value


def _playouts(arguments: argparse.Namespace, rows: int, columns: int) -> Row:
    from tengen.bench import playouts
    from tengen.bench.measurement import compare_with_processes

    task = (rows, columns, arguments.seconds)
    if not arguments.peer:
        return playouts.measure(*task, arguments.threads).as_json()
    if arguments.threads == 1:
        return playouts.compare_with_c(*task).as_json()
    return compare_with_processes(playouts.measure, *task, arguments.threads).as_json()


def _batched(arguments: argparse.Namespace, rows: int, columns: int) -> Row:
    from tengen.bench.playouts import compare_with_single

    return compare_with_single(rows, columns, arguments.seconds)


def _search(arguments: argparse.Namespace, rows: int, columns: int) -> Row:
    from tengen.bench.measurement import compare_with_processes
    from tengen.bench.search import compare_with_peer, measure_search

    task = (rows, columns, arguments.seconds, arguments.threads)
    if arguments.peer is not None:
        if arguments.processes or arguments.threads > 1:
            raise TengenError("--peer compares one thread: omit --threads and --processes")
        return compare_with_peer(*task[:3], arguments.peer, arguments.settings).as_json()
    measure = partial(measure_search, settings=arguments.settings)
    if not arguments.processes:
        return measure(*task).as_json()
    if arguments.threads == 1:
        raise TengenError("--processes compares threads with processes: add --threads 2 or more")
    return compare_with_processes(measure, *task).as_json()


def _solver(_: argparse.Namespace, rows: int, columns: int) -> Row:
    from tengen.bench.search import measure_solver

    return measure_solver(rows, columns)


def _net(arguments: argparse.Namespace, rows: int, columns: int) -> Row:
    from tengen.bench.nets import compare_net_with_peer, measure_net
    from tengen.nets import NetSettings, load_net_named

    settings = NetSettings(batch=arguments.batch, threads=arguments.threads)
    loaded = load_net_named(arguments.net, settings)
    task = (loaded, rows, columns, arguments.seconds)
    if arguments.peer is None:
        return measure_net(*task).as_json()
    return compare_net_with_peer(*task, arguments.peer).as_json()


def _metric(arguments: argparse.Namespace, rows: int, columns: int) -> Row:
    from tengen.bench.sources import measure_metric

    return measure_metric(rows, columns, arguments.seconds).as_json()


def _potential(arguments: argparse.Namespace, rows: int, columns: int) -> Row:
    from tengen.bench.sources import measure_potential

    return measure_potential(rows, columns, arguments.seconds).as_json()


def _shape(arguments: argparse.Namespace, rows: int, columns: int) -> Row:
    from tengen.bench.sources import measure_shape

    return measure_shape(rows, columns, arguments.seconds).as_json()


def _bigmove(arguments: argparse.Namespace) -> Sequence[Row]:
    from tengen.bench import bigmove
    from tengen.lab.bigmove.eigen_methods import METHODS

    methods = [name.strip() for name in arguments.methods.split(";")] if arguments.methods else []
    return bigmove.measure(arguments.seconds, methods or list(METHODS), arguments.tolerance)


def _games(arguments: argparse.Namespace, rows: int, columns: int) -> Row:
    from tengen.bench.latency import measure_queries

    return measure_queries(arguments.database, rows, columns, arguments.seconds)


def _page(arguments: argparse.Namespace) -> Row:
    from tengen.bench.latency import measure_page

    return measure_page(arguments.seconds)


def _review(arguments: argparse.Namespace) -> Sequence[Row]:
    import sys
    import threading

    from tengen.bench.review import measure_reviews
    from tengen.util import stop_on_interrupt

    def report(row: Row) -> None:
        counts = f"{row['mistakes']} mistakes, {row['mistakes_twice']} with twice the visits"
        lags = f"lag-1 autocorrelation {row['lag1_winrate']:.2f} (win rate)"
        lags += f" and {row['lag1_lead']:.2f} (lead)"
        print(f"{row['game']}: {row['moves']} moves, {lags}, {counts}", file=sys.stderr)

    options = (arguments.games, arguments.visits, arguments.settings)
    stop = threading.Event()
    with stop_on_interrupt(stop):
        return measure_reviews(arguments.record, *options, report, stop)


def _start(arguments: argparse.Namespace) -> Sequence[Row]:
    from tengen.bench.latency import measure_start

    return measure_start(arguments.rounds)


def _interrupt(arguments: argparse.Namespace, rows: int, columns: int) -> Sequence[Row]:
    from tengen.bench.latency import measure_interrupt

    return measure_interrupt(rows, columns, arguments.rounds, arguments.settings)
