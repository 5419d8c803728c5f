"""Figure 2 of the paper: the rate in the tables against the true rate.

By how often a pattern occurs, for 3x3 to 9x9; for the paper's four tables of 65,536 slots and for
others; and beside a count-min sketch of equal memory.
"""

import argparse
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from tengen.knowledge.shape_tables import ShapeSettings
from tengen.lab.progress import track
from tengen.lab.shape.exact import Exact, Floats, exact_counts, sloppy_rates
from tengen.lab.study import Study

COLUMNS = [
    "size",
    "tables",
    "bits",
    "memory_kib",
    "reading",
    "seen",
    "patterns",
    "share_of_data",
    "within_5",
    "mean_error",
    "mean_rate",
    "spread",
]
ALL = "all"
ONCE = "1"
CLASSES = {
    ALL: (1, 10**12),
    ONCE: (1, 1),
    "2-4": (2, 4),
    "5-15": (5, 15),
    "16-63": (16, 63),
    "64-255": (64, 255),
    "256-1023": (256, 1023),
    "1024+": (1024, 10**12),
}
"""How often a pattern was seen, from and to."""
OFTEN = 16
CLOSE = 0.05
BYTES_A_SLOT = 8
PAPER = (4, 16)
SHOWN_POINTS = 4000


def run(arguments: argparse.Namespace) -> int:
    """Count, fill tables of every kind, compare, and write the report."""
    marks = ShapeSettings(symmetry=arguments.symmetry).marks
    study = Study(
        arguments.output,
        "SHAPE: is the rate in the tables the true one?",
        {"games": arguments.number, "paths": arguments.games, "symmetry": arguments.symmetry},
    )
    table = study.table("accuracy", COLUMNS)
    exact = exact_counts(arguments.games, arguments.number, marks)
    grid = [(tables, bits) for tables in arguments.tables for bits in arguments.bits]
    todo = [(one, *cell) for one in exact for cell in dict.fromkeys([PAPER, *grid])]
    for one, tables, bits in track(todo, "filling tables"):
        if not table.has(size=one.size, tables=tables, bits=bits):
            table.add_all(_rows(one, tables, bits))
    _report(study, table.rows, exact, arguments.seed)
    print(study.folder / "report.html")
    return 0


def _rows(exact: Exact, tables: int, bits: int) -> list[dict[str, object]]:
    """Return what each reading of the tables gives, by how often patterns were seen."""
    shared = {
        "size": exact.size,
        "tables": tables,
        "bits": bits,
        "memory_kib": (tables << bits) * BYTES_A_SLOT // 1024,
    }
    return [
        {**shared, "reading": reading, "seen": name, **_summary(exact, rates, chosen)}
        for reading, rates in sloppy_rates(exact, tables, bits)._asdict().items()
        for name, (low, high) in CLASSES.items()
        if np.any(chosen := (exact.seen >= low) & (exact.seen <= high))
    ]


def _summary(exact: Exact, rates: Floats, chosen: npt.NDArray[np.bool_]) -> dict[str, object]:
    """Compare rates with the truth; shares and errors are weighed by how often patterns occur."""
    weight = exact.seen[chosen] / exact.seen[chosen].sum()
    error = np.abs(rates[chosen] - exact.rates[chosen])
    return {
        "patterns": int(chosen.sum()),
        "share_of_data": round(float(exact.seen[chosen].sum() / exact.seen.sum()), 5),
        "within_5": round(float(weight[error <= CLOSE].sum()), 4),
        "mean_error": round(float((weight * error).sum()), 4),
        "mean_rate": round(float(rates[chosen].mean()), 4),
        "spread": round(float(rates[chosen].std()), 4),
    }


def _report(study: Study, rows: list[dict[str, str]], exact: list[Exact], seed: int) -> None:
    study.text(
        "The paper's figure 2",
        "Four tables of 65,536 slots. Blue: patterns seen 16 times and more; grey: others. "
        "The paper: for most of the data the rate is within 5 % of the actual one.",
    )
    with study.figure("figure-2", "Table rate against true rate.", (9, 9)) as figure:
        axes = figure.subplots(2, 2)
        for one, place in zip(exact, axes.ravel(), strict=True):
            _scatter(place, one, np.random.default_rng(seed))
    paper = [row for row in rows if (int(row["tables"]), int(row["bits"])) == PAPER]
    study.show([row for row in paper if row["seen"] == ALL], "All data, by way of reading")
    study.show([row for row in paper if row["reading"] == "mean"], "By how often a pattern occurs")
    study.text(
        "Patterns seen once",
        "Their true rate is 0 or 1; in the tables they gather around one half from 5x5 up.",
    )
    study.show([row for row in paper if row["seen"] == ONCE], "Patterns seen once")
    study.text("Memory", "Share of the data within 5 %, by tables and slots: four by 65,536?")
    with study.figure("memory", "Share of data within 5 % by memory; lines: tables.") as figure:
        _memory(figure.subplots(1, len(exact), sharey=True), rows, [one.size for one in exact])
    study.show([row for row in rows if row["seen"] == ALL], "All settings")
    study.write_report()


def _scatter(axes: Axes, exact: Exact, random: np.random.Generator) -> None:
    rates = sloppy_rates(exact, *PAPER).mean
    often = exact.seen >= OFTEN
    for chosen, colour in ((~often, "0.75"), (often, "tab:blue")):
        places = np.flatnonzero(chosen)
        places = random.permutation(places)[:SHOWN_POINTS]
        axes.plot(exact.rates[places], rates[places], ".", color=colour, markersize=2)
    axes.plot([0, 1], [0, 1], color="black", linewidth=0.6)
    axes.set_title(f"{exact.size}x{exact.size}")
    axes.set_xlabel("true rate")
    axes.set_ylabel("rate in the tables")


def _memory(axes: Sequence[Axes], rows: list[dict[str, str]], sizes: list[int]) -> None:
    for place, size in zip(axes, sizes, strict=True):
        chosen = [row for row in rows if int(row["size"]) == size and row["seen"] == ALL]
        for tables in sorted({int(row["tables"]) for row in chosen}):
            for reading, style in (("mean", "-o"), ("count_min", ":x")):
                line = sorted(
                    (int(row["memory_kib"]), 100 * float(row["within_5"]))
                    for row in chosen
                    if int(row["tables"]) == tables and row["reading"] == reading
                )
                label = f"{tables} {reading.replace('_', '-')}"
                colour = f"C{int(np.log2(tables))}"
                x, y = zip(*line, strict=True)
                place.plot(x, y, style, markersize=3, color=colour, label=label)
        place.set_xscale("log", base=2)
        place.set_title(f"{size}x{size}")
        place.set_xlabel("KiB")
    axes[0].set_ylabel("% of data within 5 %")
    axes[-1].legend(fontsize=6)
