"""`tengen games`: summarize, import, search and export game records."""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli import games_export
from tengen.cli.options import (
    RecordPosition,
    add_database,
    add_json,
    add_paths,
    add_position_arguments,
    add_progress,
    add_workers,
    check_workers,
    read_position,
    reading_bar,
)
from tengen.cli.parser import INTERRUPTED, add_action, run_action
from tengen.records import GameCounts, WarningKind, count_games, new_stop
from tengen.util import StopFlag, TengenError, positive_int, raw_stream, stop_on_interrupt

if TYPE_CHECKING:
    from tengen.records.database import (
        GameHeaders,
        GameStore,
        ImportCounts,
        Pattern,
        PatternStatistics,
    )


_MAX_ROWS = 8
"""Rows of a table; the rest is summed up."""
_DEFAULT_TOP = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_stat(actions)
    _add_import(actions)
    _add_collect(actions)
    _add_search(actions)
    games_export.add_export(actions)


run = run_action


# stat


def _add_stat(actions: Any) -> None:
    summary = "count games, board sizes, results, lengths and problems"
    stat = add_action(actions, "stat", summary, run_stat)
    add_paths(stat)
    add_json(stat)
    add_workers(stat)
    stat.add_argument(
        "--problems",
        type=int,
        default=1,
        metavar="N",
        help="examples to print of each kind of problem",
    )


def run_stat(arguments: argparse.Namespace) -> int:
    """Print the counts; after Ctrl-C, the partial counts."""
    check_workers(arguments.workers)
    stop = new_stop()
    began_s = time.perf_counter()
    with stop_on_interrupt(stop):
        counts = _count(arguments.paths, arguments.workers, stop)
    elapsed_s = time.perf_counter() - began_s
    is_partial = stop.is_set()
    if arguments.json:
        print(json.dumps(as_json(counts, elapsed_s, is_partial), ensure_ascii=False))
    else:
        _print_tables(counts, elapsed_s, is_partial, arguments.problems)
    return INTERRUPTED if is_partial else 0


def _count(paths: list[str], workers: int, stop: StopFlag) -> GameCounts:
    """Count with a progress bar."""
    total = GameCounts()
    with reading_bar(paths) as (advance, show_games):
        for counts in count_games(paths, workers, stop, advance):
            total += counts
            show_games(total.games)
    return total


def as_json(counts: GameCounts, elapsed_s: float, is_partial: bool) -> dict[str, Any]:
    """Return the counts as printed by `--json`."""
    return {
        "partial": is_partial,
        "files": counts.files,
        "games": counts.games,
        "moves": counts.moves,
        "sizes": _ranked(counts.sizes),
        "winners": _ranked(counts.winners),
        "endings": _ranked(counts.endings),
        "lengths": _lengths(counts),
        "handicaps": _ranked(counts.handicaps),
        "komi": _ranked(counts.komi),
        "rules": _ranked(counts.rules),
        "problems": {kind.name.lower(): n for kind, n in counts.problems.most_common()},
        "games_with_problems": counts.games_with_problems,
        "elapsed_s": round(elapsed_s, 3),
        "games_per_s": round(counts.games / max(elapsed_s, 1e-9), 1),
    }


def _ranked(counter: Counter[Any]) -> dict[str, int]:
    return {str(key): count for key, count in counter.most_common()}


def _lengths(counts: GameCounts) -> dict[str, float]:
    """Return quantiles of the game lengths, in moves."""
    return {
        "shortest": min(counts.lengths, default=0),
        "tenth": counts.length_quantile(0.1),
        "median": counts.length_quantile(0.5),
        "mean": round(counts.moves / max(counts.games, 1), 1),
        "nine_tenths": counts.length_quantile(0.9),
        "longest": max(counts.lengths, default=0),
    }


def _print_tables(counts: GameCounts, elapsed_s: float, is_partial: bool, examples: int) -> None:
    """Print the counts as tables."""
    from tengen.util import Console

    console = Console(highlight=False)
    if is_partial:
        console.print("[bold red]Interrupted: the counts are partial.[/]")
    rate = counts.games / max(elapsed_s, 1e-9)
    console.print(
        f"{counts.games:,} games, {counts.moves:,} moves in {counts.files:,} files"
        f" ({elapsed_s:.1f} s, {rate:,.0f} games/s)"
    )
    if counts.games:
        _print_counters(console, counts)
    _print_problems(console, counts, examples)


def _print_counters(console: Any, counts: GameCounts) -> None:
    for title, counter in (
        ("Board", counts.sizes),
        ("Winner", counts.winners),
        ("Ending", counts.endings),
        ("Handicap", counts.handicaps),
        ("Komi", counts.komi),
        ("Rules", counts.rules),
    ):
        console.print(_table(title, _top(counter), counts.games))
    lengths = {name.replace("_", " "): f"{n:,g}" for name, n in _lengths(counts).items()}
    console.print("Moves per game: " + ", ".join(f"{name} {n}" for name, n in lengths.items()))


def _top(counter: Counter[Any]) -> list[tuple[str, int]]:
    """Return the most frequent entries and the sum of the rest."""
    rows = [(str(key), count) for key, count in counter.most_common(_MAX_ROWS)]
    rest = counter.total() - sum(count for _, count in rows)
    return [*rows, (f"{len(counter) - _MAX_ROWS} others", rest)] if rest else rows


def _table(title: str, rows: list[tuple[str, int]], total: int) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, min_width=44)
    table.add_column(title, min_width=20, overflow="fold", max_width=40)
    table.add_column("games", justify="right", min_width=10)
    table.add_column("share", justify="right", min_width=8)
    for name, count in rows:
        table.add_row(escape(name), f"{count:,}", f"{count / max(total, 1):.1%}")
    return table


def _print_problems(console: Any, counts: GameCounts, examples: int) -> None:
    """Print the problems, the most frequent first; other kinds of files are not problems."""
    from rich.markup import escape

    problems = Counter(counts.problems)
    others = problems.pop(WarningKind.OTHER_FILE, 0)
    if others:
        console.print(f"Other files ignored: {others:,}")
    if not problems:
        console.print("No problems.")
        return
    console.print(f"Problems: {problems.total():,}, in {counts.games_with_problems:,} games")
    for kind, count in problems.most_common():
        console.print(f"  {kind.name.lower().replace('_', ' ')}: {count:,}")
        for warning in counts.examples[kind][: max(examples, 0)]:
            console.print(escape(f"    {warning}"), soft_wrap=True)


# import


def _add_import(actions: Any) -> None:
    parser = add_action(
        actions,
        "import",
        "import game records into a database",
        run_import,
        "Duplicate games are imported once; invalid games are skipped and counted. Run the same "
        "command again to resume an interrupted import.",
    )
    add_paths(parser)
    add_database(parser)
    add_workers(parser)
    add_json(parser)
    add_progress(parser)


def run_import(arguments: argparse.Namespace) -> int:
    """Import games and print a summary; after Ctrl-C, imported games are kept."""
    from tengen.records.database import GameStore

    check_workers(arguments.workers)
    stop = new_stop()
    began_s = time.perf_counter()
    store = GameStore(arguments.database, create=True)
    with stop_on_interrupt(stop):
        counts = _import(store, arguments, stop)
    figures = import_json(store, counts, time.perf_counter() - began_s, stop.is_set())
    store.close()
    if arguments.json:
        print(json.dumps(figures, ensure_ascii=False))
    else:
        _print_import(figures, counts)
    return INTERRUPTED if stop.is_set() else 0


def _import(store: "GameStore", arguments: argparse.Namespace, stop: StopFlag) -> "ImportCounts":
    from tengen.records.database import ImportCounts, import_games

    counts, paths = ImportCounts(), arguments.paths
    with reading_bar(paths, arguments.progress) as (advance, show_games):
        for counts in import_games(store, paths, arguments.workers, stop, advance):
            show_games(counts.read)
    return counts


def import_json(
    store: "GameStore", counts: "ImportCounts", elapsed_s: float, is_partial: bool
) -> dict[str, Any]:
    """Return the result as printed by `--json`."""
    return {
        "database": store.path,
        "partial": is_partial,
        "read": counts.read,
        "added": counts.added,
        "skipped": {kind.name.lower(): n for kind, n in sorted(counts.skipped.items()) if n},
        "files_done_before": counts.known_documents,
        "unreadable": [str(warning) for warning in counts.unreadable],
        "games": store.count(),
        "sizes": {f"{columns}x{rows}": n for (rows, columns), n in store.sizes().items()},
        "elapsed_s": round(elapsed_s, 3),
    }


def _print_import(figures: dict[str, Any], counts: "ImportCounts") -> None:
    rate = figures["read"] / max(figures["elapsed_s"], 1e-9)
    if figures["partial"]:
        print("Interrupted: run the same command again to resume.")
    print(
        f"{figures['read']:,} games read, {figures['added']:,} added "
        f"({figures['elapsed_s']:.1f} s, {rate:,.0f} games/s)"
    )
    for reason, number in figures["skipped"].items():
        print(f"  skipped, {reason.replace('_', ' ')}: {number:,}")
    if counts.known_documents:
        print(f"  files imported before: {counts.known_documents:,}")
    for line in figures["unreadable"]:
        print(f"  {line}")
    boards = ", ".join(f"{number:,} on {size}" for size, number in figures["sizes"].items())
    print(f"{figures['database']}: {figures['games']:,} games{', ' if boards else ''}{boards}")


# collect


def _add_collect(actions: Any) -> None:
    from tengen.records import default_library_path

    parser = add_action(
        actions,
        "collect",
        "add game records to the library of the page as one collection",
        run_collect,
        "Collections are listed, searched and opened on the Library tab of `tengen play`.",
    )
    add_paths(parser)
    parser.add_argument("--name", help="name of the collection (default: that of the first path)")
    path = default_library_path()
    parser.add_argument(
        "--library",
        metavar="FILE",
        default=str(path),
        help=f"library (default: $TENGEN_LIBRARY, or {path})".replace("%", "%%"),
    )
    add_workers(parser)
    add_progress(parser)


def run_collect(arguments: argparse.Namespace) -> int:
    """Add a collection to the library; after Ctrl-C, nothing is added."""
    from tengen.records import Library, ReadCounts, read_collection

    check_workers(arguments.workers)
    paths, stop, counts = arguments.paths, new_stop(), ReadCounts()
    name = arguments.name or Path(paths[0]).resolve().name
    library = Library(arguments.library)
    try:
        with (
            stop_on_interrupt(stop),
            reading_bar(paths, arguments.progress) as (advance, show_games),
        ):
            for counts in read_collection(library, paths, name, arguments.workers, stop, advance):
                show_games(counts.games)
    finally:
        library.close()
    if stop.is_set():
        print("tengen: interrupted: nothing was added", file=sys.stderr)
        return INTERRUPTED
    if not counts.games:
        raise TengenError(f"there are no games of Go in {name}")
    if arguments.progress:
        print(json.dumps({"games": counts.games, "unreadable": counts.unreadable}))
    else:
        unreadable = f" ({counts.unreadable:,} unreadable files)" if counts.unreadable else ""
        print(f"{counts.games:,} games added to {library.path} as {name!r}{unreadable}")
    return 0


# search and show


def _add_search(actions: Any) -> None:
    search = add_action(
        actions,
        "search",
        "find the games that reached a position, and the moves played there",
        run_search,
        "Matches the whole board or a region of it, under all symmetries and with colors swapped.",
    )
    add_position_arguments(search)
    where = search.add_mutually_exclusive_group()
    where.add_argument(
        "--region", metavar="Q10:T19", help="match only the rectangle between two corners"
    )
    where.add_argument(
        "--around",
        type=positive_int,
        metavar="SIDE",
        help="match only the square of this odd side length around the move played",
    )
    search.add_argument("--player", default="", metavar="NAME", help="only games of this player")
    search.add_argument(
        "--top", type=positive_int, default=_DEFAULT_TOP, help="number of moves and games to print"
    )
    search.add_argument("--json", action="store_true", help="print one JSON object with all moves")
    add_database(search)

    show = add_action(actions, "show", "print a game of the database as SGF", run_show)
    show.add_argument(
        "number", type=positive_int, metavar="NUMBER", help="game number, as printed by search"
    )
    add_database(show)


def run_show(arguments: argparse.Namespace) -> int:
    """Print a game as SGF."""
    from tengen.records import sgf_bytes
    from tengen.records.database import GameDatabase

    database = GameDatabase(arguments.database)
    # A file keeps every character; a terminal gets no control characters.
    target = sys.stdout if sys.stdout.isatty() else raw_stream(sys.stdout)
    target.write(sgf_bytes(database.game(arguments.number)).decode())
    return 0


def run_search(arguments: argparse.Namespace) -> int:
    """Search the database and print the result."""
    from tengen.records.database import GameDatabase

    record = read_position(arguments)
    pattern = _pattern(arguments, record)
    database = GameDatabase(arguments.database)
    found = database.search(pattern, arguments.top, arguments.player)
    infos = database.infos([occurrence.game for occurrence in found.occurrences])
    if arguments.json:
        print(json.dumps(search_json(found, infos, record), ensure_ascii=False))
    else:
        _print_search(found, infos, record, arguments.top)
    return 0


def _pattern(arguments: argparse.Namespace, record: RecordPosition) -> "Pattern":
    from tengen.board import PASS
    from tengen.records.database import Pattern, Region

    position = record.position
    size = position.rows, position.columns
    if arguments.region:
        return Pattern.local(position, Region.parse(arguments.region, *size))
    if arguments.around is None:
        return Pattern.whole(position)
    if record.played is None or record.played == PASS:
        raise TengenError("--around requires a move on the board: choose one with --move")
    return Pattern.local(position, Region.around(record.played, arguments.around, *size))


def search_json(
    found: "PatternStatistics", infos: "dict[int, GameHeaders]", record: RecordPosition
) -> dict[str, Any]:
    """Return the result as printed by `--json`."""
    vertex = record.position.vertex
    return {
        "move": record.number,
        "to_play": record.position.to_play.name.lower(),
        "played": None if record.played is None else vertex(record.played),
        "searched": found.searched,
        "games": found.games,
        "swapped": found.swapped,
        "unanswered": found.without_continuation,
        "continuations": [
            {
                "move": vertex(one.move),
                "color": one.color.name.lower(),
                "games": one.games,
                "wins": one.wins,
                "losses": one.losses,
            }
            for one in found.continuations
        ],
        "found_in": [
            {
                "game": one.game,
                "after_move": one.after_move,
                "answer": None if one.continuation is None else vertex(one.continuation),
                **infos[one.game]._asdict(),
            }
            for one in found.occurrences
        ],
        "elapsed_s": found.elapsed_s,
    }


def _print_search(
    found: "PatternStatistics", infos: "dict[int, GameHeaders]", record: RecordPosition, top: int
) -> None:
    from tengen.util import Console

    console = Console(highlight=False)
    position = record.position
    console.print(str(position), markup=False)
    where = "in the region" if found.pattern.region else "on the whole board"
    swapped = f", {found.swapped:,} of them with colors swapped" if found.swapped else ""
    console.print(
        f"Before move {record.number}, {position.to_play.name.capitalize()} to play, {where}: "
        f"found in {found.games:,} of {found.searched:,} games{swapped} "
        f"({1000 * found.elapsed_s:.1f} ms)"
    )
    if found.games:
        console.print(_moves_table(found, record, top))
        console.print(_games_table(found, infos, record))


def _moves_table(found: "PatternStatistics", record: RecordPosition, top: int) -> Any:
    from rich.table import Table

    table = Table(
        box=None, pad_edge=False, caption="* played in this game, or equivalent by symmetry"
    )
    for title in ("move", "by"):
        table.add_column(title)
    for title in ("games", "share", "win rate"):
        table.add_column(title, justify="right")
    for one in found.continuations[:top]:
        played, color = record.played, record.position.to_play
        is_played = played is not None and found.is_move_of(one, played, color)
        table.add_row(
            record.position.vertex(one.move) + ("*" if is_played else ""),
            one.color.name.capitalize(),
            f"{one.games:,}",
            f"{one.games / found.games:.1%}",
            "-" if one.win_rate is None else f"{one.win_rate:.1%}",
        )
    rest = sum(one.games for one in found.continuations[top:])
    if rest:
        table.add_row("others", "", f"{rest:,}", f"{rest / found.games:.1%}", "")
    if found.without_continuation:
        share = f"{found.without_continuation / found.games:.1%}"
        table.add_row("none", "", f"{found.without_continuation:,}", share, "")
    return table


def _games_table(
    found: "PatternStatistics", infos: "dict[int, GameHeaders]", record: RecordPosition
) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("game", "Black", "White", "date", "result", "after move"):
        table.add_column(title, overflow="fold")
    for one in found.occurrences:
        info = infos[one.game]
        names = (
            f"{name} {rank}".strip()
            for name, rank in ((info.black, info.black_rank), (info.white, info.white_rank))
        )
        continued = (
            "" if one.continuation is None else f": {record.position.vertex(one.continuation)}"
        )
        texts = (*names, info.date, info.result)
        table.add_row(str(one.game), *map(escape, texts), f"{one.after_move}{continued}")
    return table
