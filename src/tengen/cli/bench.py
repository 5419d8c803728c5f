"""`tengen bench`: measure the speed of a part."""

import argparse
import json
from collections.abc import Mapping

from tengen.board.points import parse_size
from tengen.cli.arguments import positive_float, positive_int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parts = parser.add_subparsers(metavar="PART", dest="part", required=True)
    playouts = parts.add_parser("playouts", help="light playouts from the empty board")
    playouts.add_argument("--size", default="9", help="board size: 9 or 7x9 (default 9)")
    playouts.add_argument(
        "--seconds", type=positive_float, default=2.0, help="how long (default 2)"
    )
    playouts.add_argument("--threads", type=positive_int, default=1, help="default 1")
    playouts.add_argument(
        "--peer",
        action="store_true",
        help="measure a yardstick in the same run: C for one thread, processes for several",
    )
    playouts.add_argument("--json", action="store_true", help="print one JSON object")
    playouts.set_defaults(measure=_playouts)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    figures: Mapping[str, object] = arguments.measure(arguments)
    if arguments.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:20} {value:,.3f}" if isinstance(value, float) else f"{name:20} {value}")
    return 0


def _playouts(arguments: argparse.Namespace) -> dict[str, object]:
    from tengen.bench import playouts

    rows, columns = parse_size(arguments.size)
    if not arguments.peer:
        figures = playouts.measure(rows, columns, arguments.seconds, arguments.threads)
    elif arguments.threads == 1:
        figures = playouts.measure_beside_c(rows, columns, arguments.seconds)
    else:
        figures = playouts.measure_beside_processes(
            rows, columns, arguments.seconds, arguments.threads
        )
    return figures.as_json()
