"""`tengen gtp-check`: check an engine for GTP conformance."""

import argparse
from collections import Counter
from contextlib import closing

from rich.markup import escape

from tengen.engine import parse_duration
from tengen.match import split_command
from tengen.protocols import CheckOutcome, check_engine
from tengen.util import Console

MARKS = {
    CheckOutcome.PASSED: "[green]ok  [/]",
    CheckOutcome.FAILED: "[red]FAIL[/]",
    CheckOutcome.UNSUPPORTED: "[dim]-   [/]",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("engine", metavar="COMMAND", help="command line of the engine, quoted")
    parser.add_argument("--timeout", default="60s", metavar="TIME", help="time limit per command")


def run(arguments: argparse.Namespace) -> int:
    """Run all checks; return 0 if they pass, else 1."""
    timeout_s = parse_duration(arguments.timeout)
    console = Console(highlight=False, soft_wrap=True)
    counts: Counter[CheckOutcome] = Counter()
    with closing(check_engine(split_command(arguments.engine), timeout_s)) as results:
        for result in results:
            detail = f" [dim]{escape(result.detail)}[/]" if result.detail else ""
            console.print(f"{MARKS[result.outcome]} {escape(result.requirement)}{detail}")
            counts[result.outcome] += 1
    passed, failed = counts[CheckOutcome.PASSED], counts[CheckOutcome.FAILED]
    unsupported = counts[CheckOutcome.UNSUPPORTED]
    console.print(f"{passed} of {passed + failed} checks passed, {unsupported} not supported")
    return 1 if failed else 0
