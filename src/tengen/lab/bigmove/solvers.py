"""Comparison of eigenvector methods by CPU time (paper 000, chapter 4).

`THESIS_TIMES` are user seconds on an i7 L640 at 2.13 GHz from the appendices of the thesis; where
text and appendix differ (gsl, EigenSolver) the appendix is used.
"""

import argparse
import statistics
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import NamedTuple

from matplotlib.figure import Figure

from tengen.lab.bigmove.eigen_methods import METHODS, method_named
from tengen.lab.bigmove.timing import first_calls, thesis_boards, time_on_board
from tengen.lab.study import CsvTable, Study, progress
from tengen.util import TengenError, single_thread_process


class ThesisTimes(NamedTuple):
    """Seconds of a single call in its own process, and per call of a thousand, on boards A, B and
    C.
    """

    name: str
    single: tuple[float, float, float]
    of_thousand: tuple[float, float, float]


THESIS_TIMES = {
    "numpy.linalg.eig": ThesisTimes(
        "numpy.linalg.eig", (0.62, 0.68, 0.92), (0.24075, 0.25077, 0.25912)
    ),
    "numpy.linalg.eigh": ThesisTimes(
        "numpy.linalg.eigh", (0.48, 0.50, 0.632), (0.06238, 0.05959, 0.09112)
    ),
    "scipy.linalg.eig": ThesisTimes(
        "scipy.linalg.eig", (0.70, 0.70, 0.73), (0.2398, 0.25092, 0.26042)
    ),
    "scipy.linalg.eigh": ThesisTimes(
        "scipy.linalg.eigh", (0.56, 0.50, 0.684), (0.11722, 0.05959, 0.063232)
    ),
    "scipy.linalg.eigh(driver='evr')": ThesisTimes(
        "eigen() of R", (0.52, 0.56, 0.536), (0.13234, 0.07038, 0.092832)
    ),
    "scipy.sparse.linalg.eigs": ThesisTimes(
        "scipy.sparse.linalg.eigs", (0.496, 0.500, 0.496), (0.005004, 0.005884, 0.008976)
    ),
    "scipy.sparse.linalg.eigsh": ThesisTimes(
        "scipy.sparse.linalg.eigsh", (0.496, 0.480, 0.468), (0.004812, 0.006324, 0.010204)
    ),
    "power, naive": ThesisTimes(
        "naive self implementation (C)", (0.272, 22.44, 1.184), (0.131092, 11.273832, 0.577404)
    ),
    "power, vectorized": ThesisTimes(
        "spectral shift using Eigen (C++)", (0.032, 0.576, 0.076), (0.008276, 0.384872, 0.038552)
    ),
    "inverse power, LU": ThesisTimes(
        "SparseLU (C++)", (0.044, 0.052, 0.056), (0.017704, 0.018224, 0.021792)
    ),
    "inverse power, Cholesky (banded)": ThesisTimes(
        "SimplicialLDLT (C++)", (0.040, 0.040, 0.052), (0.009708, 0.010512, 0.014072)
    ),
    "inverse power, conjugate gradient": ThesisTimes(
        "ConjugateGradient (C++)", (0.392, 0.432, 0.208), (0.291596, 0.331712, 0.137468)
    ),
    "inverse power, BiCGSTAB": ThesisTimes(
        "BiCGSTAB (C++)", (0.196, 0.156, 0.124), (0.117448, 0.093468, 0.042380)
    ),
}
"""Times by the name of the most similar method here."""

NOT_REPEATED = {
    "EigenSolver (C++)": (0.40679, 0.50678, 0.40812),
    "gsl_eigen_symmv (C)": (0.258824, 0.306116, 0.280736),
}


BOARDS = tuple(thesis_boards())
CLOCK = "CPU time of one thread, in a separate process"


def run(arguments: argparse.Namespace) -> int:
    """Measure what is missing and write the report."""
    methods = arguments.methods.split(";") if arguments.methods else list(METHODS)
    for name in methods:
        method_named(name)
    parse_iterations(arguments.iterations)
    settings = {"tolerance": arguments.tolerance, "clock": CLOCK}
    study = Study(arguments.output, "The big move: eigenvector methods", settings)
    times = study.table("times", ("method", "board", "iterations", "factor_s", "iterate_s"))
    first = study.table("first-calls", ("method", *BOARDS))
    with progress() as shown, single_thread_process() as process:
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
    """Parse positive integers such as `1,10,100`; raise TengenError."""
    try:
        numbers = sorted({int(word) for word in text.split(",")})
    except ValueError:
        numbers = [0]
    if numbers[0] < 1:
        raise TengenError(f"iterations must be comma-separated positive integers, got {text!r}")
    return numbers


def _measure(name: str, times: CsvTable, process: Executor, arguments: argparse.Namespace) -> None:
    """Measure a method on all boards, for each number of iterations within the time limit."""
    for board in BOARDS:
        for iterations in parse_iterations(arguments.iterations):
            known = longest(times, name).get(board)
            if known and _seconds(known) * iterations > arguments.most:
                break
            if not times.has(method=name, board=board, iterations=iterations):
                words = name, board, iterations, arguments.tolerance
                found = process.submit(time_on_board, *words).result()
                times.add(method=name, board=board, iterations=iterations, **found._asdict())


def longest(times: CsvTable, name: str) -> dict[str, dict[str, str]]:
    """Return the measurement with the most iterations of a method, by board."""
    rows = [row for row in times.rows if row["method"] == name]
    return {row["board"]: row for row in sorted(rows, key=lambda row: int(row["iterations"]))}


def _seconds(row: dict[str, str]) -> float:
    """Return the seconds per iteration of a row."""
    return (float(row["factor_s"]) + float(row["iterate_s"])) / int(row["iterations"])


def summary(name: str, times: CsvTable, first: CsvTable) -> dict[str, float] | None:
    """Return the statistics of the thesis for a method, or None if measurements are missing.

    The statistics are the mean over boards, standard deviation, coefficient of variation, and
    overhead of a process with a single call.
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
        "factorization ms": 1000 * statistics.fmean(factor),
        "deviation ms": 1000 * deviation,
        "cv": deviation / mean,
        "overhead s": single - mean,
        "iterations": min(int(rows[board]["iterations"]) for board in BOARDS),
    }


def thesis_summary(times: Sequence[float]) -> tuple[float, float]:
    """Return mean (ms) and coefficient of variation over the three boards of the thesis."""
    return 1000 * statistics.fmean(times), statistics.pstdev(times) / statistics.fmean(times)


def ranking(times: CsvTable, first: CsvTable) -> list[dict[str, object]]:
    """Return the methods from fastest to slowest with the results of the thesis."""
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


def _report(study: Study, times: CsvTable, first: CsvTable) -> None:
    rows = ranking(times, first)
    study.add_section(
        "Ranking",
        "CPU time per solution at the largest number of iterations within the time limit. The "
        "overhead is the time of a process with a single call, start and imports included, minus "
        "that. "
        "Thesis ranks are among the methods measured here.",
    )
    study.add_table(rows, "Fastest first.", name="solvers")
    missing = ", ".join(f"{name} {thesis_summary(t)[0]:.0f} ms" for name, t in NOT_REPEATED.items())
    study.add_section(
        "Not measured", f"C and C++ libraries measured only in the thesis: {missing}."
    )
    if rows:
        with study.figure("ranking", "Mean time per solution.", (8, 6)) as figure:
            _plot(figure, rows)
    study.add_table(times, "All measurements, total seconds.")
    study.add_table(first, "Seconds of a process with a single call.")
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
