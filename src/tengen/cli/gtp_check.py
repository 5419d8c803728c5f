"""`tengen gtp-check`: find out whether an engine keeps the Go Text Protocol."""

import argparse
from collections import Counter
from contextlib import closing

from rich.console import Console
from rich.markup import escape

from tengen.match.clock import parse_duration
from tengen.match.gtp_check import Verdict, check_engine
from tengen.match.player import split_command

WORDS = {
    Verdict.KEPT: "[green]ok  [/]",
    Verdict.BROKEN: "[red]FAIL[/]",
    Verdict.NOT_OFFERED: "[dim]-   [/]",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Tell argparse what the command takes."""
    parser.add_argument("engine", metavar="COMMAND", help="the engine's command line, in quotes")
    parser.add_argument(
        "--timeout", default="60s", metavar="TIME", help="for each command (default 60s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return 0 if every promise is kept, else 1."""
    timeout_s = parse_duration(arguments.timeout)
    console = Console(highlight=False, soft_wrap=True)
    counts: Counter[Verdict] = Counter()
    with closing(check_engine(split_command(arguments.engine), timeout_s)) as findings:
        for finding in findings:
            detail = f" [dim]{escape(finding.detail)}[/]" if finding.detail else ""
            console.print(f"{WORDS[finding.verdict]} {escape(finding.promise)}{detail}")
            counts[finding.verdict] += 1
    kept, broken = counts[Verdict.KEPT], counts[Verdict.BROKEN]
    not_offered = counts[Verdict.NOT_OFFERED]
    console.print(f"{kept} of {kept + broken} checks passed, {not_offered} not offered")
    return 1 if broken else 0
