"""`tengen games`: look into collections of game records, and into a database of them."""

import argparse
import json
import time
from collections import Counter
from typing import Any

from tengen.cli import games_export, games_import, games_search
from tengen.cli.arguments import INTERRUPTED, run_action
from tengen.cli.reading import add_workers, check_workers, reading_bar
from tengen.core.interrupt import Stop, stopping_at_interrupt
from tengen.core.words import sentence
from tengen.records.parallel import new_stop
from tengen.records.stat import GameCounts, count_games
from tengen.records.warning import WarningKind

_TOP = 8
"""Rows of a table before the rest is summed up."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands; each sets `action`, which takes the arguments."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_stat(actions)
    games_import.add_action(actions)
    games_search.add_actions(actions)
    games_export.add_action(actions)


run = run_action


def _add_stat(actions: Any) -> None:
    summary = "count games, sizes, results, lengths and problems"
    stat = actions.add_parser("stat", help=summary, description=sentence(summary))
    stat.add_argument("paths", metavar="PATH", nargs="+", help="file, folder, .zip or .tar.*")
    stat.add_argument("--json", action="store_true", help="print one JSON object")
    add_workers(stat)
    stat.add_argument(
        "--problems", type=int, default=1, metavar="N", help="examples of each problem (default 1)"
    )
    stat.set_defaults(action=run_stat)


def run_stat(arguments: argparse.Namespace) -> int:
    """Count and print. After Ctrl-C print what was counted so far, and say so."""
    check_workers(arguments.workers)
    stop = new_stop()
    began_s = time.perf_counter()
    with stopping_at_interrupt(stop):
        counts = _count(arguments.paths, arguments.workers, stop)
    elapsed_s = time.perf_counter() - began_s
    is_partial = stop.is_set()
    if arguments.json:
        print(json.dumps(as_json(counts, elapsed_s, is_partial), ensure_ascii=False))
    else:
        _print_tables(counts, elapsed_s, is_partial, arguments.problems)
    return INTERRUPTED if is_partial else 0


def _count(paths: list[str], workers: int, stop: Stop) -> GameCounts:
    """Count with a progress bar."""
    total = GameCounts()
    with reading_bar(paths) as (advance, show_games):
        for counts in count_games(paths, workers, stop, advance):
            total += counts
            show_games(total.games)
    return total


def as_json(counts: GameCounts, elapsed_s: float, is_partial: bool) -> dict[str, Any]:
    """Return the counts as what `--json` prints; keys of counters are texts."""
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
    """Return the spread of the lengths, in moves."""
    return {
        "shortest": min(counts.lengths, default=0),
        "tenth": counts.length_at(0.1),
        "median": counts.length_at(0.5),
        "mean": round(counts.moves / max(counts.games, 1), 1),
        "nine_tenths": counts.length_at(0.9),
        "longest": max(counts.lengths, default=0),
    }


def _print_tables(counts: GameCounts, elapsed_s: float, is_partial: bool, examples: int) -> None:
    """Print tables for people, on stdout."""
    from rich.console import Console

    console = Console(highlight=False)
    if is_partial:
        console.print("[bold red]Partial: interrupted before the end.[/]")
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
    console.print("Moves a game: " + ", ".join(f"{name} {n}" for name, n in lengths.items()))


def _top(counter: Counter[Any]) -> list[tuple[str, int]]:
    """Return the most frequent entries, and the sum of the others."""
    rows = [(str(key), count) for key, count in counter.most_common(_TOP)]
    rest = counter.total() - sum(count for _, count in rows)
    return [*rows, (f"{len(counter) - _TOP} others", rest)] if rest else rows


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
    """Print what was wrong, the frequent first; files that are no records are no problem."""
    from rich.markup import escape

    problems = Counter(counts.problems)
    others = problems.pop(WarningKind.OTHER_FILE, 0)
    if others:
        console.print(f"Other files left alone: {others:,}")
    if not problems:
        console.print("No problems.")
        return
    console.print(f"Problems: {problems.total():,}, in {counts.games_with_problems:,} games")
    for kind, count in problems.most_common():
        console.print(f"  {kind.name.lower().replace('_', ' ')}: {count:,}")
        for warning in counts.examples[kind][: max(examples, 0)]:
            console.print(escape(f"    {warning}"), soft_wrap=True)
