"""Rates in the SHAPE tables compared with exact rates (paper 004, figure 2).

Rates are compared by pattern frequency for 3x3 to 9x9, for the paper's four tables of 65,536 slots
and other sizes, and with a count-min sketch of equal memory.

A second experiment measures how often patterns are played when they occur (paper 000, figure 37).
The paper took the shares from Pachi's pattern files, where 41% of the patterns were never played.
This experiment counts every legal move of some positions.
"""

import argparse
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from tengen.lab.shape.kernels.ranking import new_ranking, occurrences
from tengen.lab.shape.predict import first_games
from tengen.lab.study import Study, track
from tengen.records import MoveSequences
from tengen.sources import SIZES, ShapeSettings, sample_batches
from tengen.sources.kernels.shape_keys import RINGS
from tengen.sources.kernels.shape_tables import LOSS, WIN, is_sound, new_scratch, slot_of

Floats = npt.NDArray[np.float64]


class Exact(NamedTuple):
    """All distinct patterns of one size with their wins and losses."""

    size: int
    keys: npt.NDArray[np.uint64]
    wins: npt.NDArray[np.int64]
    losses: npt.NDArray[np.int64]

    @property
    def seen(self) -> npt.NDArray[np.int64]:
        """Number of samples of each pattern."""
        return self.wins + self.losses

    @property
    def rates(self) -> Floats:
        """Exact rate of each pattern."""
        rates: Floats = self.wins / self.seen
        return rates


def exact_counts(paths: Sequence[str], games: int, marks: int) -> list[Exact]:
    """Sample games and count every pattern for 3x3, 5x5, 7x7 and 9x9."""
    scratch = new_scratch()
    batches = [
        batch
        for some in first_games(paths, games)
        for batch in sample_batches(some, np.uintp(marks), scratch)
    ]
    outcomes = np.concatenate([batch[1] for batch in batches])
    found = []
    for ring in range(int(RINGS)):
        column = np.concatenate([batch[0][:, ring] for batch in batches])
        keys, places = np.unique(column, return_inverse=True)
        wins = np.bincount(places[outcomes == WIN], minlength=len(keys))
        losses = np.bincount(places[outcomes == LOSS], minlength=len(keys))
        found.append(Exact(SIZES[ring], keys, wins, losses))
    return found


class Sloppy(NamedTuple):
    """Rates of patterns read from the same tables in three ways."""

    mean: Floats
    """Mean of the slot rates, as in the paper."""
    count_min: Floats
    """Count-min sketch: minimum wins divided by minimum wins plus losses (Cormode 2005)."""
    unmixed: Floats
    """Mean corrected for the content of an average slot (see `refine`)."""


def sloppy_rates(exact: Exact, tables: int, bits: int) -> Sloppy:
    """Store patterns in tables of 2^bits slots and read them back."""
    width = 1 << bits
    slots = np.array([_slots(exact.keys, table, bits) for table in range(tables)])
    wins = np.array([np.bincount(row, weights=exact.wins, minlength=width) for row in slots])
    losses = np.array([np.bincount(row, weights=exact.losses, minlength=width) for row in slots])
    own_wins = np.take_along_axis(wins, slots, axis=1)
    own_losses = np.take_along_axis(losses, slots, axis=1)
    totals = own_wins + own_losses
    mean = (own_wins / totals).mean(axis=0)
    least_wins, least_losses = own_wins.min(axis=0), own_losses.min(axis=0)
    with np.errstate(invalid="ignore"):
        smallest = np.nan_to_num(least_wins / (least_wins + least_losses), nan=0.5)
    load = float(np.median(wins + losses))
    return Sloppy(mean, smallest, _unmixed(mean, totals.min(axis=0), load))


def _slots(keys: npt.NDArray[np.uint64], table: int, bits: int) -> npt.NDArray[np.int64]:
    """Return the slots of many patterns, as the kernels compute them."""
    with np.errstate(over="ignore"):  # the hash wraps around intentionally
        found: npt.NDArray[np.uint64] = slot_of.py_func(keys, np.uint64(table), np.uint64(bits))
    return found.astype(np.int64)


def _unmixed(mean: Floats, least: Floats, load: float) -> Floats:
    own = np.maximum(least - load, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.clip(0.5 + (mean - 0.5) * least / own, 0.0, 1.0)
    return np.where(own > 0, rate, 0.5)


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
"""Classes of pattern frequency."""
OFTEN = 16
CLOSE = 0.05
BYTES_A_SLOT = 8
PAPER = (4, 16)
SHOWN_POINTS = 4000


def run(arguments: argparse.Namespace) -> int:
    """Count patterns, fill tables of all sizes, compare, and write the report."""
    marks = ShapeSettings(symmetry=arguments.symmetry).marks
    study = Study(
        arguments.output,
        "SHAPE: accuracy of the table rates",
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
    """Return the accuracy of each way to read the tables, by pattern frequency."""
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
    """Compare rates with exact ones, weighted by pattern frequency."""
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
    study.add_section(
        "Figure 2",
        "Four tables of 65,536 slots. Blue: patterns seen at least 16 times; gray: others. "
        "According to the paper, most rates are within 5% of the actual ones.",
    )
    with study.figure("figure-2", "Table rate against exact rate.", (9, 9)) as figure:
        axes = figure.subplots(2, 2)
        for one, place in zip(exact, axes.ravel(), strict=True):
            _scatter(place, one, np.random.default_rng(seed))
    paper = [row for row in rows if (int(row["tables"]), int(row["bits"])) == PAPER]
    study.add_table(
        [row for row in paper if row["seen"] == ALL],
        "All data, by way of reading the tables.",
        name="accuracy",
    )
    study.add_table(
        [row for row in paper if row["reading"] == "mean"],
        "By pattern frequency.",
        name="accuracy-frequency",
    )
    study.add_section(
        "Patterns seen once",
        "Their exact rate is 0 or 1; in the tables they are close to 0.5 from 5x5 on.",
    )
    study.add_table([row for row in paper if row["seen"] == ONCE], "Patterns seen once.")
    study.add_section("Memory", "Share of data within 5% by number and size of tables.")
    with study.figure(
        "memory", "Share of data within 5% by memory; one line per number of tables."
    ) as figure:
        _memory(figure.subplots(1, len(exact), sharey=True), rows, [one.size for one in exact])
    study.add_table([row for row in rows if row["seen"] == ALL], "All table sizes.")
    study.write_report()


def _scatter(axes: Axes, exact: Exact, random: np.random.Generator) -> None:
    rates = sloppy_rates(exact, *PAPER).mean
    often = exact.seen >= OFTEN
    for chosen, color in ((~often, "0.75"), (often, "tab:blue")):
        places = np.flatnonzero(chosen)
        places = random.permutation(places)[:SHOWN_POINTS]
        axes.plot(exact.rates[places], rates[places], ".", color=color, markersize=2)
    axes.plot([0, 1], [0, 1], color="black", linewidth=0.6)
    axes.set_title(f"{exact.size}x{exact.size}")
    axes.set_xlabel("exact rate")
    axes.set_ylabel("table rate")


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
                color = f"C{int(np.log2(tables))}"
                x, y = zip(*line, strict=True)
                place.plot(x, y, style, markersize=3, color=color, label=label)
        place.set_xscale("log", base=2)
        place.set_title(f"{size}x{size}")
        place.set_xlabel("KiB")
    axes[0].set_ylabel("% of data within 5%")
    axes[-1].legend(fontsize=6)


PLAYED_COLUMNS = ["size", "least", "share", "patterns", "of_all"]
EDGES = (0.0, 1e-9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0 + 1e-9)
"""Bins of the share of play."""
LEAST = (1, 10)
"""Minimum occurrences of a pattern."""
POINTS = 361


def run_played(arguments: argparse.Namespace) -> int:
    """Process the games and write the report."""
    settings = ShapeSettings(symmetry=arguments.symmetry)
    study = Study(
        arguments.output,
        "SHAPE: how often patterns are played",
        {
            "games": arguments.number,
            "every": arguments.every,
            "paths": arguments.games,
            "symmetry": arguments.symmetry,
        },
    )
    table = study.table("played", PLAYED_COLUMNS)
    missing = [ring for ring in range(int(RINGS)) if not table.has(size=SIZES[ring])]
    if missing:
        keys, played = _all_occurrences(arguments, settings.marks)
        for ring in missing:
            table.add_all(_played_rows(SIZES[ring], keys[:, ring], played))
    _played_report(study, table.rows)
    print(study.folder / "report.html")
    return 0


def _all_occurrences(
    arguments: argparse.Namespace, marks: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    found_keys, found_played = [], []
    for games in track(list(first_games(arguments.games, arguments.number)), "replaying"):
        keys, played = _of_games(games, marks, arguments.every)
        found_keys.append(keys)
        found_played.append(played)
    return np.concatenate(found_keys), np.concatenate(found_played)


def _of_games(
    games: MoveSequences, marks: int, every: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    ranking = new_ranking()
    room = (len(games.codes) // every + 2 * len(games)) * POINTS
    keys = np.empty((room, int(RINGS)), dtype=np.uint64)
    played = np.zeros(room, dtype=np.uint8)
    done = 0
    for number, size in enumerate(games.sizes):
        words = games.codes[games.starts[number] : games.starts[number + 1]]
        board = np.uintp(size[0]), np.uintp(size[1])
        if is_sound(words, *board, ranking.scratch):
            rest = keys[done:], played[done:]
            done += int(
                occurrences(words, *board, np.uintp(marks), np.uintp(every), ranking, *rest)
            )
    return keys[:done].copy(), played[:done].copy()


def _played_rows(
    size: int, keys: npt.NDArray[np.uint64], played: npt.NDArray[np.uint8]
) -> list[dict[str, object]]:
    """Return the number of patterns by share of play."""
    _, places = np.unique(keys, return_inverse=True)
    occurred = np.bincount(places)
    shares = np.bincount(places, weights=played) / occurred
    rows: list[dict[str, object]] = []
    for least in LEAST:
        counts, _ = np.histogram(shares[occurred >= least], bins=EDGES)
        for (low, high), count in zip(pairwise(EDGES), counts.tolist(), strict=True):
            rows.append(
                {
                    "size": size,
                    "least": least,
                    "share": "never" if low == 0.0 else f"{low:.1f}-{high:.1f}",
                    "patterns": count,
                    "of_all": round(count / max(1, int(counts.sum())), 5),
                }
            )
    return rows


def _played_report(study: Study, rows: Sequence[dict[str, str]]) -> None:
    study.add_section(
        "Share of play",
        "Paper 000, figure 37: 41% of the patterns in Pachi's library were never played.",
    )
    with study.figure("played", "Patterns by share of play, in %.", (9, 5)) as figure:
        for place, least in zip(figure.subplots(1, len(LEAST)), LEAST, strict=True):
            for size in SIZES:
                line = [r for r in rows if int(r["size"]) == size and int(r["least"]) == least]
                y = [100 * float(row["of_all"]) for row in line]
                place.plot(range(len(line)), y, "-o", markersize=3, label=f"{size}x{size}")
            place.set_xticks(range(len(line)), [row["share"] for row in line], rotation=60)
            place.set_title(f"at least {least} occurrences")
            place.set_yscale("log")
            place.legend()
    study.add_table(list(rows), "All shares.", name="played")
    study.write_report()
