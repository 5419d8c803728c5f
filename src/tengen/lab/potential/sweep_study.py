"""The sweep as a study: its folder, its progress, its report."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tengen.core.errors import TengenError
from tengen.knowledge.potential import FILTERS, STENCILS
from tengen.lab.potential.paper import PLAIN
from tengen.lab.potential.sweep import COLUMNS, SHARES, Effort, Sweep, SweepRules, run_sweep
from tengen.lab.potential.sweep_report import write_sweep_report
from tengen.lab.study import Study
from tengen.match.workers import open_workers


def filters_named(text: str) -> tuple[str, ...]:
    """Read filters with commas between, or `all`; raise TengenError."""
    if text == "all":
        return tuple(FILTERS)
    names = tuple(text.split(","))
    for name in names:
        if name not in FILTERS:
            raise TengenError(f"unknown filter {name!r}: there are {', '.join(FILTERS)}")
    return names


def shares_named(text: str | None) -> tuple[float, ...]:
    """Read shares with commas between, those of SHARES for None; raise TengenError."""
    if text is None:
        return SHARES
    try:
        shares = tuple(float(word) for word in text.split(","))
    except ValueError:
        shares = ()
    if not shares or not all(0 < share < 1 for share in shares):
        raise TengenError(f"shares are numbers between 0 and 1, not {text!r}")
    return shares


def run(folder: Path, rules: SweepRules, effort: Effort, workers: int, cluster: str | None) -> Path:
    """Begin or go on with a study; return its report, which is written after Ctrl-C too."""
    if rules.stencil not in STENCILS:
        raise TengenError(f"unknown stencil {rules.stencil!r}: there are {', '.join(STENCILS)}")
    settings = asdict(rules) | {"colour": rules.colour.name.lower()}
    study = Study(folder, "Potential filters: sweep", settings)
    sweep = Sweep(study.table("games", COLUMNS), rules, effort)
    try:
        with _progress(sweep) as watch:
            run_sweep(sweep, open_workers(workers, cluster), watch)
    finally:
        page = write_sweep_report(study, sweep)
    return page


@contextmanager
def _progress(sweep: Sweep) -> Iterator[Callable[[Sweep], None]]:
    """Yield what shows the games so far, and what is still open."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[note]}"))
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, *times, console=Console(stderr=True)) as progress:
        task = progress.add_task("games", note="")

        def watch(state: Sweep) -> None:
            curves = [curve for curve in state.curves.values() if curve.filter != PLAIN]
            still_open = sum(len(state.wanted(curve)) for curve in curves)
            played, left = len(state.rows), state.games_left()
            note = f"{played:,} of {played + left:,}; {still_open} switching points open"
            progress.update(task, total=played + left, completed=played, note=note)

        watch(sweep)
        yield watch
