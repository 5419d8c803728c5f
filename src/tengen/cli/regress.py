"""`tengen regress`: run a regression suite of positions with known answers."""

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.engine_options import add_engine_options, default_playouts, engine_settings
from tengen.cli.parser import INTERRUPTED
from tengen.util import TengenError

if TYPE_CHECKING:
    from tengen.engine import EngineSettings
    from tengen.match import Script, SuiteResult

PLAYOUTS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "suite",
        type=Path,
        metavar="SUITE",
        help="folder of .tst files, a .tst file or a tar archive",
    )
    add_engine_options(parser, f"visits per case (default: {PLAYOUTS})", "case")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="FILE",
        help="run only this file of the suite; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Run the suite and print results by file; after Ctrl-C, those obtained so far."""
    from tengen.match import SuiteResult, open_suite

    # No case expects a resignation.
    settings = engine_settings(arguments, ["resign=0", *default_playouts(arguments, PLAYOUTS)])
    found = SuiteResult()
    began_s = time.monotonic()
    with open_suite(arguments.suite) as scripts:
        is_partial = _run_all(_chosen(scripts, arguments.only), settings, found)
    elapsed_s = round(time.monotonic() - began_s, 1)
    if arguments.json:
        print(json.dumps({"partial": is_partial, "elapsed_s": elapsed_s, **found.as_json()}))
    else:
        _print_table(found, elapsed_s, is_partial)
    return INTERRUPTED if is_partial else 0


class InProcessSession:
    """Executes the GTP commands of a script in this process."""

    def __init__(self, settings: "EngineSettings"):
        import tengen.protocols.gtp.loop  # noqa: F401  (registers all commands)
        from tengen.protocols.gtp import Session

        self._session = Session(settings)

    def execute(self, name: str, arguments: list[str]) -> str:
        """Return the reply to a command; raise TengenError if it fails."""
        from tengen.protocols.gtp import Command

        return self._session.execute(Command("", name, arguments))

    def reset_engine(self) -> None:
        """Replace the engine by a new one, keeping the position."""
        self._session.holder.discard()


def _chosen(scripts: "list[Script]", only: list[str]) -> "list[Script]":
    """Return the requested scripts; raise TengenError for an unknown name."""
    if not only:
        return scripts
    names = {Path(name).with_suffix(".tst").name for name in only}
    unknown = names - {script.name for script in scripts}
    if unknown:
        raise TengenError(f"no such file with cases in the suite: {', '.join(sorted(unknown))}")
    return [script for script in scripts if script.name in names]


def _run_all(scripts: "list[Script]", settings: "EngineSettings", found: "SuiteResult") -> bool:
    """Run all cases with a progress bar; return whether the run was interrupted."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from tengen.match import run_script
    from tengen.util import Console

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[passed]} passed"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=sum(script.cases for script in scripts), passed=0)
        try:
            for script in scripts:
                progress.update(task, description=script.name)
                for result in run_script(script, InProcessSession(settings)):
                    found.add(result)
                    progress.update(task, advance=1, passed=found.total.passed)
        except KeyboardInterrupt:
            return True
    return False


def _print_table(found: "SuiteResult", elapsed_s: float, is_partial: bool) -> None:
    """Print a row per file, the total, and why cases were not run."""
    from rich.markup import escape
    from rich.table import Table

    from tengen.util import Console

    console = Console(highlight=False)
    if is_partial:
        console.print("[bold red]Partial results: interrupted.[/]")
    table = Table(box=None, pad_edge=False)
    table.add_column("file")
    for title in ("cases", "passed", "share", "GNU Go passes", "both pass", "not run"):
        table.add_column(title, justify="right")
    for name, tally in [*found.files.items(), ("all", found.total)]:
        share = f"{tally.passed / tally.cases:.0%}" if tally.cases else "-"
        counts = (tally.gnugo_passed, tally.both_passed, tally.not_run or "")
        table.add_row(name, str(tally.cases), str(tally.passed), share, *map(str, counts))
    console.print(table)
    console.print(f"{elapsed_s:.0f} s")
    for problem in found.problems:
        console.print(escape(f"not run: {problem}"), soft_wrap=True)
