"""`tengen selfcheck`: check this installation."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.util import (
    Console,
    TengenError,
    current_command,
    did_you_mean,
    positive_float,
    positive_int,
    write_results,
)

if TYPE_CHECKING:
    from tengen.bench.selfcheck import Check, Outcome

DEFAULT_MINUTES = 3.0
PEER_SHARE = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description = (
        "Check this installation: rules against a slow reference, damaged records, random protocol"
        " lines, killed matches, hostile engines and attacks on the page server. Prints one line"
        " per check; the exit code is 1 if a check failed."
    )
    parser.add_argument(
        "--minutes",
        type=positive_float,
        default=DEFAULT_MINUTES,
        metavar="N",
        help="time for all checks together; each tries at least one batch",
    )
    parser.add_argument("--only", metavar="A,B", help="run these checks only")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed")
    parser.add_argument(
        "--katago", metavar="COMMAND", help="also compare the rules with KataGo, move by move"
    )
    parser.add_argument(
        "--gnugo", metavar="COMMAND", help="also compare the rules with GNU Go, move by move"
    )
    parser.add_argument(
        "--soak",
        type=positive_int,
        metavar="GAMES",
        help="instead, play games and use the page, and measure memory, open files and threads",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the table to this CSV file"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the checks or the soak test; return the exit code."""
    if arguments.soak is not None:
        return _soak(arguments)
    from rich.table import Table

    from tengen.bench.selfcheck import run_checks

    checks = _chosen_checks(arguments)
    table = Table("check", "unit", "tried", "failed", "seconds", "what holds")
    outcomes = []
    show = _Progress()
    for outcome in run_checks(checks, arguments.minutes, arguments.seed, show):
        show.end()
        outcomes.append(outcome)
        failed = str(outcome.failed) if not outcome.failed else f"[red]{outcome.failed}[/]"
        row = (outcome.name, outcome.unit, f"{outcome.tried:,}", failed)
        table.add_row(*row, f"{outcome.elapsed_s:.0f}", outcome.promise)
        for problem in outcome.problems:
            print(f"{outcome.name}: {problem}", file=sys.stderr)
    Console(highlight=False).print(table)
    if arguments.output is not None:
        _write(outcomes, arguments)
    return 1 if any(outcome.failed for outcome in outcomes) else 0


def _chosen_checks(arguments: argparse.Namespace) -> "list[Check]":
    from tengen.bench.selfcheck import CHECKS, Check, compare_rules
    from tengen.match import split_command

    checks = list(CHECKS)
    peers = {"katago": "KataGo", "gnugo": "GNU Go"}
    for kind, title in peers.items():
        command = getattr(arguments, kind)
        if command is not None:
            promise = f"{title} has the same legal moves"
            cases = compare_rules(split_command(command), kind)
            checks.append(Check(kind, "positions", promise, cases, PEER_SHARE))
    if arguments.only is None:
        return checks
    known = {check.name: check for check in checks}
    for name in arguments.only.split(","):
        if name in peers and name not in known:
            raise TengenError(f"check {name!r} needs a program: add --{name} COMMAND")
        if name not in known:
            hint = did_you_mean(name, known)
            raise TengenError(f"unknown check {name!r}: use {', '.join(known)}{hint}")
    return [known[name] for name in arguments.only.split(",")]


class _Progress:
    """Shows the running check on stderr, if that is a terminal."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()

    def __call__(self, outcome: "Outcome") -> None:
        """Show how much a check has tried."""
        if self._is_shown:
            text = f"{outcome.name}: {outcome.tried:,} {outcome.unit}, {outcome.failed} failed"
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Clear the line."""
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _write(outcomes: "list[Outcome]", arguments: argparse.Namespace) -> None:
    """Write the table as a results file."""
    rows = [
        {
            "check": outcome.name,
            "what holds": outcome.promise,
            "tried": f"{outcome.tried:,}",
            "unit": outcome.unit,
            "failed": outcome.failed,
            "seconds": round(outcome.elapsed_s),
        }
        for outcome in outcomes
    ]
    write_results(arguments.output, rows, current_command())


def _soak(arguments: argparse.Namespace) -> int:
    """Run the soak test; print or write its samples."""
    from tengen.bench.selfcheck import soak

    rows = []
    for sample in soak(arguments.soak):
        rows.append(sample._asdict())
        print(
            f"{sample.process} after {sample.games}: {sample.memory_mb:.1f} MB,"
            f" {sample.handles} handles, {sample.threads} threads",
            flush=True,
        )
        if arguments.output is not None:
            # After each game, so that an interrupted run leaves its curve.
            write_results(arguments.output, rows, current_command())
    return 0
