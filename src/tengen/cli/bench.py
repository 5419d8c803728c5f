"""`tengen bench`: measure the speed of a part."""

import argparse
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tengen.board.points import parse_size
from tengen.cli.games_import import add_database
from tengen.core.counts import positive_float, positive_int
from tengen.core.errors import TengenError
from tengen.core.words import sentence


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parts = parser.add_subparsers(metavar="PART", dest="part", required=True)
    _add_part(
        parts,
        "playouts",
        "light playouts from the empty board",
        "measure a yardstick in the same run: C for one thread, processes for several",
        _playouts,
    )
    at_once = "light playouts on 64 boards at once, beside one after the other"
    _add_part(parts, "simultaneous", at_once, "", _simultaneous)
    searching = _add_part(
        parts,
        "search",
        "simulations of the tree search from the empty board, with playouts or a net",
        "measure as many processes as threads in the same run",
        _search,
    )
    _add_settings(searching)
    _add_part(parts, "metric", "the evaluations of paper 003, and a heat map of them", "", _metric)
    games = _add_part(parts, "games", "questions to the game database", "", _games, "19")
    add_database(games)
    _add_part(parts, "shape", "the pattern tables of paper 004", "", _shape, "19")
    _add_part(parts, "potential", "the potential filters of paper 002", "", _potential, "19")
    _add_bigmove(parts)
    _add_page(parts)
    _add_net(parts)
    _add_interrupt(parts)


def _add_page(parts: Any) -> None:
    summary = "answers of the page with 50 open games, 8 of them thinking"
    part = parts.add_parser("page", help=summary, description=sentence(summary))
    part.add_argument("--seconds", type=positive_float, default=20.0, help="how long (default 20)")
    part.add_argument("--json", action="store_true", help="print one JSON object")
    part.set_defaults(measure=_page)


def _page(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.web import load

    return load.measure(arguments.seconds)


def _add_net(parts: Any) -> None:
    part = _add_part(parts, "net", "positions that a neural net evaluates in a second", "", _net)
    part.add_argument("--net", required=True, help="its name (see `tengen net list`) or a file")
    part.add_argument("--batch", type=positive_int, default=8, help="positions at once (default 8)")
    part.add_argument("--threads", type=positive_int, default=1, help="default 1")


def _add_interrupt(parts: Any) -> None:
    summary = "milliseconds until a running search gives way, over real pipes"
    part = parts.add_parser("interrupt", help=summary, description=sentence(summary))
    _add_settings(part)
    part.add_argument("--size", default="19", help="9, or 7x9, columns first (default 19)")
    part.add_argument("--rounds", type=positive_int, default=20, help="for each (default 20)")
    part.add_argument("--json", action="store_true", help="print one JSON object")
    part.set_defaults(measure=_interrupt)


def _add_settings(part: argparse.ArgumentParser) -> None:
    words = "settings of the engine: net=default"
    part.add_argument("settings", nargs="*", metavar="NAME=VALUE", help=words)


def _add_bigmove(parts: Any) -> None:
    summary = "the fundamental mode of a 19x19 board by every method, in microseconds"
    part = parts.add_parser("bigmove", help=summary, description=sentence(summary))
    part.add_argument("--seconds", type=positive_float, default=20.0, help="in all (default 20)")
    part.add_argument("--methods", help="only these, with ; between (default all)")
    part.add_argument(
        "--tolerance", type=positive_float, default=1e-6, help="residual (default 1e-6)"
    )
    part.add_argument("--json", action="store_true", help="print one JSON object")
    part.set_defaults(measure=_bigmove)


def _add_part(
    parts: Any,
    name: str,
    summary: str,
    peer: str,
    measure: Callable[[argparse.Namespace], dict[str, object]],
    size: str = "9",
) -> argparse.ArgumentParser:
    """Add a part with the options that all parts have; one without a peer has one thread."""
    part: argparse.ArgumentParser
    part = parts.add_parser(name, help=summary, description=sentence(summary))
    part.add_argument("--size", default=size, help=f"9, or 7x9, columns first (default {size})")
    part.add_argument("--seconds", type=positive_float, default=2.0, help="how long (default 2)")
    if peer:
        part.add_argument("--threads", type=positive_int, default=1, help="default 1")
        part.add_argument("--peer", action="store_true", help=peer)
    part.add_argument("--json", action="store_true", help="print one JSON object")
    part.set_defaults(measure=measure)
    return part


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    figures: Mapping[str, object] = arguments.measure(arguments)
    if arguments.json:
        print(json.dumps(figures))
    else:
        _print(figures)
    return 0


def _print(figures: Mapping[str, object], indent: str = "") -> None:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            print(f"{indent}{name}")
            _print(value, indent + "  ")
        else:
            shown = f"{value:,.3f}" if isinstance(value, float) else value
            print(f"{indent}{name:20} {shown}")


def _playouts(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import playouts
    from tengen.bench.figures import beside_processes

    asked = (*parse_size(arguments.size), arguments.seconds)
    if not arguments.peer:
        return playouts.measure(*asked, arguments.threads).as_json()
    if arguments.threads == 1:
        return playouts.measure_beside_c(*asked).as_json()
    return beside_processes(playouts.measure, *asked, arguments.threads).as_json()


def _simultaneous(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import simultaneous

    return simultaneous.measure_beside_one(*parse_size(arguments.size), arguments.seconds)


def _search(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import search
    from tengen.bench.figures import beside_processes

    asked = (*parse_size(arguments.size), arguments.seconds, arguments.threads)
    measure = partial(search.measure, settings=arguments.settings)
    if not arguments.peer:
        return measure(*asked).as_json()
    if arguments.threads == 1:
        raise TengenError("--peer compares threads with processes: add --threads 2 or more")
    return beside_processes(measure, *asked).as_json()


def _metric(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import metric

    return metric.measure(*parse_size(arguments.size), arguments.seconds).as_json()


def _games(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import games

    return games.measure(arguments.database, *parse_size(arguments.size), arguments.seconds)


def _shape(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import shape

    return shape.measure(*parse_size(arguments.size), arguments.seconds).as_json()


def _potential(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import potential

    return potential.measure(*parse_size(arguments.size), arguments.seconds).as_json()


def _bigmove(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import bigmove
    from tengen.knowledge.eigen import METHODS

    asked = [name.strip() for name in arguments.methods.split(";")] if arguments.methods else []
    return bigmove.measure(arguments.seconds, asked or list(METHODS), arguments.tolerance)


def _net(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import net
    from tengen.network.folder import find_net
    from tengen.network.net import NetSettings
    from tengen.network.onnx import load_net

    settings = NetSettings(batch=arguments.batch, threads=arguments.threads)
    loaded = load_net(find_net(arguments.net), settings)
    return net.measure(loaded, *parse_size(arguments.size), arguments.seconds).as_json()


def _interrupt(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import interrupt

    return interrupt.measure(*parse_size(arguments.size), arguments.rounds, arguments.settings)
