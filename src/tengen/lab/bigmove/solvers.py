"""Chapter 4 of the thesis: which eigenvector method is fastest, and how steady is it?"""

import argparse
import statistics
from collections.abc import Sequence
from concurrent.futures import Executor

from matplotlib.figure import Figure

from tengen.core.errors import TengenError
from tengen.core.one_thread import one_thread
from tengen.knowledge.eigen import METHODS, method_named
from tengen.knowledge.thesis_boards import thesis_boards
from tengen.lab.bigmove.thesis import NOT_REPEATED, THESIS_TIMES
from tengen.lab.bigmove.timing import first_calls, time_on_board
from tengen.lab.progress import progress
from tengen.lab.study import Study, Table

BOARDS = tuple(thesis_boards())
CLOCK = "CPU time of one thread, in a process of its own"


def run(arguments: argparse.Namespace) -> int:
    """Measure what is not measured yet, and write the report."""
    methods = arguments.methods.split(";") if arguments.methods else list(METHODS)
    for name in methods:
        method_named(name)
    parse_iterations(arguments.iterations)
    settings = {"tolerance": arguments.tolerance, "clock": CLOCK}
    study = Study(arguments.output, "The big move: eigenvector methods", settings)
    times = study.table("times", ("method", "board", "iterations", "factor_s", "iterate_s"))
    first = study.table("first-calls", ("method", *BOARDS))
    with progress() as shown, one_thread() as process:
        task = shown.add_task("methods", total=len(methods))
        for name in methods:
            shown.update(task, description=name)
            _measure(name, times, process, arguments)
            if not first.has(method=name):
                first.add(method=name, **first_calls(name, arguments.tolerance))
            shown.advance(task)
    _report(study, times, first)
    print(study.folder / "report.html")
    return 0


def parse_iterations(text: str) -> list[int]:
    """Read `1,10,100`; raise TengenError."""
    try:
        numbers = sorted({int(word) for word in text.split(",")})
    except ValueError:
        numbers = [0]
    if numbers[0] < 1:
        raise TengenError(f"iterations are numbers from 1 up, with commas, not {text!r}")
    return numbers


def _measure(name: str, times: Table, process: Executor, arguments: argparse.Namespace) -> None:
    """Measure a method on all boards, each number of iterations that fits into the time."""
    for board in BOARDS:
        for iterations in parse_iterations(arguments.iterations):
            known = longest(times, name).get(board)
            if known and _seconds(known) * iterations > arguments.most:
                break
            if not times.has(method=name, board=board, iterations=iterations):
                words = name, board, iterations, arguments.tolerance
                found = process.submit(time_on_board, *words).result()
                times.add(method=name, board=board, iterations=iterations, **found._asdict())


def longest(times: Table, name: str) -> dict[str, dict[str, str]]:
    """Return the measurement of a method with the most iterations, by board."""
    rows = [row for row in times.rows if row["method"] == name]
    return {row["board"]: row for row in sorted(rows, key=lambda row: int(row["iterations"]))}


def _seconds(row: dict[str, str]) -> float:
    """Return the seconds of one iteration of a row."""
    return (float(row["factor_s"]) + float(row["iterate_s"])) / int(row["iterations"])


def summary(name: str, times: Table, first: Table) -> dict[str, float] | None:
    """Return the thesis's figures of a method, from the most iterations; None if some is missing.

    Mean of the boards' means, standard deviation, coefficient of variation, and what a program
    with one call takes more than one of many calls.
    """
    rows = longest(times, name)
    singles = [row for row in first.rows if row["method"] == name]
    if len(rows) < len(BOARDS) or not singles:
        return None
    means = [_seconds(rows[board]) for board in BOARDS]
    factor = [float(rows[board]["factor_s"]) / int(rows[board]["iterations"]) for board in BOARDS]
    mean, deviation = statistics.fmean(means), statistics.pstdev(means)
    single = statistics.fmean(float(singles[0][board]) for board in BOARDS)
    return {
        **{f"{board} ms": 1000 * value for board, value in zip(BOARDS, means, strict=True)},
        "mean ms": 1000 * mean,
        "factorisation ms": 1000 * statistics.fmean(factor),
        "deviation ms": 1000 * deviation,
        "cv": deviation / mean,
        "overhead s": single - mean,
        "iterations": min(int(rows[board]["iterations"]) for board in BOARDS),
    }


def thesis_summary(times: Sequence[float]) -> tuple[float, float]:
    """Return mean (ms) and coefficient of variation of the thesis's three boards."""
    return 1000 * statistics.fmean(times), statistics.pstdev(times) / statistics.fmean(times)


def ranking(times: Table, first: Table) -> list[dict[str, object]]:
    """Return the methods from the fastest to the slowest, the thesis's figures beside ours."""
    found = {name: summary(name, times, first) for name in METHODS}
    known = {name: figures for name, figures in found.items() if figures is not None}
    theirs = {name: thesis_summary(times.of_thousand) for name, times in THESIS_TIMES.items()}
    rows: list[dict[str, object]] = []
    for place, (name, figures) in enumerate(
        sorted(known.items(), key=lambda item: item[1]["mean ms"]), start=1
    ):
        mean, variation = theirs.get(name, (None, None))
        rank = 1 + sum(other[0] < mean for other in theirs.values()) if mean else ""
        rows.append(
            {
                "rank": place,
                "method": name,
                **figures,
                "thesis": THESIS_TIMES[name].name if name in THESIS_TIMES else "",
                "thesis mean ms": "" if mean is None else mean,
                "thesis cv": "" if variation is None else variation,
                "thesis rank": rank,
            }
        )
    return rows


def _report(study: Study, times: Table, first: Table) -> None:
    rows = ranking(times, first)
    study.text(
        "Ranking",
        "CPU time of one solution, from the largest number of iterations that fitted into the "
        "time; the overhead is a program of one call, start and imports included, less that. "
        "Thesis ranks are among the methods that are repeated here.",
    )
    study.show(rows, "fastest first")
    missing = ", ".join(f"{name} {thesis_summary(t)[0]:.0f} ms" for name, t in NOT_REPEATED.items())
    study.text("Not repeated", f"Libraries of C and C++ that the thesis measured too: {missing}.")
    if rows:
        with study.figure("ranking", "Mean time of a solution.", (8, 6)) as figure:
            _plot(figure, rows)
    study.show(times, "all measurements, seconds in all")
    study.show(first, "seconds of a program with one call")
    study.write_report()


def _plot(figure: Figure, rows: Sequence[dict[str, object]]) -> None:
    axes = figure.add_subplot()
    places = range(len(rows))
    axes.barh(places, [float(str(row["mean ms"])) for row in rows], color="tab:blue", label="here")
    theirs = [(p, row["thesis mean ms"]) for p, row in zip(places, rows, strict=True)]
    shown = [(place, float(str(mean))) for place, mean in theirs if mean != ""]
    axes.plot([mean for _, mean in shown], [p for p, _ in shown], "rx", label="thesis")
    axes.set_yticks(places, [str(row["method"]) for row in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("ms")
    axes.legend()
