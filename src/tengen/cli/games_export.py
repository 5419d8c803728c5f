"""`tengen games export`: positions with network input features, for training."""

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.options import add_json, add_paths, add_workers, check_workers, reading_bar
from tengen.cli.parser import INTERRUPTED, add_action
from tengen.records import new_stop
from tengen.util import StopFlag, positive_int, stop_on_interrupt

if TYPE_CHECKING:
    from tengen.nets import PositionFile, Sampling


def add_export(actions: Any) -> None:
    """Add the sub-command."""
    parser = add_action(
        actions,
        "export",
        "export positions with network input features",
        run,
        "Each position has its board, feature planes, next move, result, game and turn. Invalid "
        "games are skipped and counted. After Ctrl-C the file holds the positions read so far.",
    )
    add_paths(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="output file: .npz, or .parquet (requires pyarrow)",
    )
    parser.add_argument(
        "--each", type=positive_int, metavar="N", help="positions per game (default: all)"
    )
    parser.add_argument(
        "--positions",
        type=positive_int,
        metavar="N",
        help="stop after N positions (default: never)",
    )
    parser.add_argument("--seed", type=positive_int, default=1, help="random seed of the sampling")
    add_workers(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export positions and print a summary."""
    from tengen.nets import Sampling, create_position_file

    check_workers(arguments.workers)
    sampling = Sampling(arguments.each or 0, arguments.positions or 0, arguments.seed)
    stop = new_stop()
    began_s = time.perf_counter()
    file = create_position_file(Path(arguments.output))
    try:
        with stop_on_interrupt(stop):
            figures = _write(file, arguments, sampling, stop)
            file.close()
    except BaseException:
        file.abandon()
        raise
    is_enough = 0 < sampling.positions <= figures["positions"]
    figures["partial"] = stop.is_set() and not is_enough
    figures["elapsed_s"] = round(time.perf_counter() - began_s, 3)
    if arguments.json:
        print(json.dumps(figures))
    else:
        _print(figures)
    return INTERRUPTED if figures["partial"] else 0


def _write(
    file: "PositionFile", arguments: argparse.Namespace, sampling: "Sampling", stop: StopFlag
) -> dict[str, Any]:
    """Write all positions with a progress bar; return the counts."""
    from tengen.nets import export_games

    games, sizes, skipped = 0, Counter[str](), Counter[str]()
    with reading_bar(arguments.paths) as (advance, show_games):
        batches = export_games(arguments.paths, sampling, arguments.workers, stop, advance)
        for batch in batches:
            file.add(batch.tables, batch.games)
            games += len(batch.games)
            sizes.update({f"{table.columns}x{table.rows}": len(table) for table in batch.tables})
            skipped.update({kind.name.lower(): n for kind, n in batch.skipped.items()})
            show_games(games + skipped.total())
    return {
        "output": arguments.output,
        "positions": sizes.total(),
        "sizes": dict(sizes),
        "games": games,
        "skipped": dict(skipped),
    }


def _print(figures: dict[str, Any]) -> None:
    if figures["partial"]:
        print("Interrupted: the file holds the positions read so far.")
    rate = figures["positions"] / max(figures["elapsed_s"], 1e-9)
    print(
        f"{figures['output']}: {figures['positions']:,} positions from {figures['games']:,} games "
        f"({figures['elapsed_s']:.1f} s, {rate:,.0f} positions/s)"
    )
    for size, count in figures["sizes"].items():
        print(f"  {size}: {count:,}")
    for reason, count in figures["skipped"].items():
        print(f"  games skipped, {reason.replace('_', ' ')}: {count:,}")
