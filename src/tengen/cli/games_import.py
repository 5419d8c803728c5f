"""`tengen games import`: take collections of records into a database."""

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from tengen.cli.reading import INTERRUPTED, add_workers, check_workers, reading_bar
from tengen.core.interrupt import Stop, stopping_at_interrupt
from tengen.core.words import sentence
from tengen.records.parallel import new_stop

if TYPE_CHECKING:
    from tengen.database.importer import ImportCounts
    from tengen.database.store import GameStore


def add_action(actions: Any) -> None:
    """Add the sub-command."""
    summary = "take records into a database, to be searched"
    parser = actions.add_parser(
        "import",
        help=summary,
        description=f"{sentence(summary)} Games that are there already are not taken twice, "
        "broken ones are skipped and counted. An import that was stopped or killed goes on when "
        "it is run again.",
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="file, folder, .zip or .tar.*")
    add_database(parser)
    add_workers(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(action=run)


def add_database(parser: argparse.ArgumentParser) -> None:
    """Add the option for the database file."""
    from tengen.database.place import usual_place

    place = usual_place()
    parser.add_argument(
        "--database",
        metavar="FILE",
        default=str(place),
        help=f"the database (default: {place}, or what TENGEN_GAMES names)".replace("%", "%%"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Import and tell what was done; after Ctrl-C what was read is kept."""
    from tengen.database.store import GameStore

    check_workers(arguments.workers)
    stop = new_stop()
    began_s = time.perf_counter()
    store = GameStore(arguments.database, create=True)
    with stopping_at_interrupt(stop):
        counts = _import(store, arguments.paths, arguments.workers, stop)
    figures = as_json(store, counts, time.perf_counter() - began_s, stop.is_set())
    store.close()
    if arguments.json:
        print(json.dumps(figures, ensure_ascii=False))
    else:
        _print(figures, counts)
    return INTERRUPTED if stop.is_set() else 0


def _import(store: "GameStore", paths: list[str], workers: int, stop: Stop) -> "ImportCounts":
    from tengen.database.importer import ImportCounts, import_games

    counts = ImportCounts()
    with reading_bar(paths) as (advance, show_games):
        for counts in import_games(store, paths, workers, stop, advance):
            show_games(counts.read)
    return counts


def as_json(
    store: "GameStore", counts: "ImportCounts", elapsed_s: float, is_partial: bool
) -> dict[str, Any]:
    """Return what `--json` prints."""
    return {
        "database": store.path,
        "partial": is_partial,
        "read": counts.read,
        "added": counts.added,
        "skipped": {kind.name.lower(): n for kind, n in sorted(counts.skipped.items()) if n},
        "files_done_before": counts.files_done_before,
        "unreadable": [str(warning) for warning in counts.unreadable],
        "games": store.count(),
        "sizes": {f"{columns}x{rows}": n for (rows, columns), n in store.sizes().items()},
        "elapsed_s": round(elapsed_s, 3),
    }


def _print(figures: dict[str, Any], counts: "ImportCounts") -> None:
    rate = figures["read"] / max(figures["elapsed_s"], 1e-9)
    if figures["partial"]:
        print("Stopped before the end: run it again to go on.")
    print(
        f"{figures['read']:,} games read, {figures['added']:,} added "
        f"({figures['elapsed_s']:.1f} s, {rate:,.0f} games/s)"
    )
    for reason, number in figures["skipped"].items():
        print(f"  skipped, {reason.replace('_', ' ')}: {number:,}")
    if counts.files_done_before:
        print(f"  files that were there already: {counts.files_done_before:,}")
    for line in figures["unreadable"]:
        print(f"  {line}")
    boards = ", ".join(f"{number:,} on {size}" for size, number in figures["sizes"].items())
    print(f"{figures['database']}: {figures['games']:,} games{', ' if boards else ''}{boards}")
