"""`tengen games export`: positions with features, for one's own training."""

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.reading import INTERRUPTED, add_workers, check_workers, reading_bar
from tengen.core.counts import positive_int
from tengen.core.interrupt import Stop, stopping_at_interrupt
from tengen.core.words import sentence
from tengen.records.parallel import new_stop

if TYPE_CHECKING:
    from tengen.export.exporter import Sampling
    from tengen.export.sample_file import SampleFile


def add_action(actions: Any) -> None:
    """Add the sub-command."""
    summary = "write positions with the features of Tengen's nets, for your own training"
    parser = actions.add_parser(
        "export",
        help=summary,
        description=f"{sentence(summary)} With each: the board, the planes, the move played, "
        "the result, game and turn. Broken games are skipped and counted. After Ctrl-C the file "
        "has what was read so far.",
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="file, folder, .zip or .tar.*")
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help=".npz, or .parquet (needs pyarrow)"
    )
    parser.add_argument(
        "--each", type=positive_int, metavar="N", help="N positions of each game (default: all)"
    )
    parser.add_argument(
        "--positions",
        type=positive_int,
        metavar="N",
        help="stop after N positions (default: never)",
    )
    parser.add_argument("--seed", type=positive_int, default=1, help="of the drawing (default 1)")
    add_workers(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    """Export and tell what was done; return the exit code."""
    from tengen.export.exporter import Sampling
    from tengen.export.sample_file import create

    check_workers(arguments.workers)
    sampling = Sampling(arguments.each or 0, arguments.positions or 0, arguments.seed)
    stop = new_stop()
    began_s = time.perf_counter()
    file = create(Path(arguments.output))
    try:
        with stopping_at_interrupt(stop):
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
    file: "SampleFile", arguments: argparse.Namespace, sampling: "Sampling", stop: Stop
) -> dict[str, Any]:
    """Write all positions with a progress bar; return what was counted."""
    from tengen.export.exporter import export_games

    games, sizes, skipped = 0, Counter[str](), Counter[str]()
    with reading_bar(arguments.paths) as (advance, show_games):
        pieces = export_games(arguments.paths, sampling, arguments.workers, stop, advance)
        for piece in pieces:
            file.add(piece.parts, piece.games)
            games += len(piece.games)
            sizes.update({f"{part.columns}x{part.rows}": len(part) for part in piece.parts})
            skipped.update({kind.name.lower(): n for kind, n in piece.skipped.items()})
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
        print("Stopped before the end: the file has what was read so far.")
    rate = figures["positions"] / max(figures["elapsed_s"], 1e-9)
    print(
        f"{figures['output']}: {figures['positions']:,} positions of {figures['games']:,} games "
        f"({figures['elapsed_s']:.1f} s, {rate:,.0f} positions/s)"
    )
    for size, count in figures["sizes"].items():
        print(f"  {size}: {count:,}")
    for reason, count in figures["skipped"].items():
        print(f"  games skipped, {reason.replace('_', ' ')}: {count:,}")
