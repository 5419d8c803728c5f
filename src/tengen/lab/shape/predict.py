"""Prediction of moves in held-out games by the SHAPE tables.

The rank of the played move among all legal moves is measured by pattern size, for all sizes
combined, by phase of the game and by number of games learned from.
"""

import argparse
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tengen.lab.shape.games import alternating_documents, cut
from tengen.lab.shape.ranking import COMBINED, WAY_NAMES, Prediction, predict
from tengen.lab.study import CsvTable, Study, progress, track
from tengen.records import Document, GameMoves, read_moves
from tengen.sources import (
    BUNDLED_TABLES,
    Learner,
    ShapeSettings,
    ShapeTables,
    digest_of,
    load_tables,
)
from tengen.util import TengenError

COLUMNS = ["tables", "step", "games", "board", "phase", "way", "moves", "top_1", "top_5", "top_10"]
COLUMNS += ["mean_log_rank", "log_probability"]
"""`games` is the number of games learned from, at least `step` because files are not split."""
PHASES = {"all": (0.0, 9.9), "opening": (0.0, 0.1), "middle": (0.1, 0.45), "end": (0.45, 9.9)}
"""Ranges of moves as shares of the board's points."""
PAPER = "paper"
"""The paper's settings: four tables of 65,536 slots per size, stones and edges only."""
BUNDLED = "bundled"
SAME_SETTINGS = "bundled settings"


def run(arguments: argparse.Namespace) -> int:
    """Learn from increasing numbers of games and predict the held-out games after each step."""
    study = Study(
        arguments.output,
        "SHAPE: move prediction",
        {"paths": arguments.games, "held": arguments.held, "test": arguments.test},
    )
    table = study.table("prediction", COLUMNS)
    kept = _held_out(arguments)
    played = _by_board(kept, arguments.test)
    bundled = _bundled(kept)
    _add(table, BUNDLED, bundled.games, bundled, played)
    for name, settings in ((PAPER, ShapeSettings()), (SAME_SETTINGS, bundled.settings)):
        steps = [step for step in arguments.steps if missing_boards(table, name, step, played)]
        for step, tables in learned(_to_learn(arguments, kept), settings, steps):
            _add(table, name, step, tables, played)
    _report(study, table.rows)
    print(study.folder / "report.html")
    return 0


def _held_out(arguments: argparse.Namespace) -> list[Document]:
    """Return the held-out files."""
    documents = alternating_documents(arguments.games)
    kept = [d for d in documents if any(text in d.name for text in arguments.held)]
    if not kept:
        names = " or ".join(arguments.held)
        raise TengenError(f"no file name contains {names}: select held-out files with --held")
    return kept


def _bundled(kept: list[Document]) -> ShapeTables:
    """Return the bundled tables; raise TengenError if they were learned from held-out files."""
    tables = load_tables(BUNDLED_TABLES)
    seen = [d.name for d in kept if digest_of(d.data) in tables.documents]
    if seen:
        raise TengenError(f"the bundled tables were learned from {seen[0]}: hold out other files")
    return tables


def _to_learn(arguments: argparse.Namespace, kept: list[Document]) -> Iterator[Document]:
    """Yield the files that are not held out."""
    held_out = {digest_of(document.data) for document in kept}
    return (d for d in alternating_documents(arguments.games) if digest_of(d.data) not in held_out)


def learned(
    documents: Iterator[Document], settings: ShapeSettings, steps: Sequence[int]
) -> Iterator[tuple[int, ShapeTables]]:
    """Yield each step, ascending, with tables learned from at least that many games.

    Steps beyond the number of games are reported and skipped.
    """
    tables = ShapeTables(settings)
    for step in sorted(steps):
        if tables.games < step:
            _learn_to(step, tables, documents)
        if tables.games >= step:
            yield step, tables
        else:
            print(f"skipping step {step:,}: only {tables.games:,} games", file=sys.stderr)


def _learn_to(step: int, tables: ShapeTables, documents: Iterator[Document]) -> None:
    """Learn file by file on one thread, so that the result depends only on the files."""
    stop = threading.Event()
    with progress() as shown:
        task = shown.add_task(f"learning from {step:,} games", total=step)

        def enough(now: ShapeTables) -> None:
            shown.update(task, completed=now.games)
            if now.games >= step:
                stop.set()

        Learner(tables, documents, stop, enough).run(1)


def missing_boards(
    table: CsvTable, name: str, step: int, played: Mapping[int, list[GameMoves]]
) -> list[int]:
    """Return the board sizes without results for a step."""
    return [b for b in played if not table.has(tables=name, step=step, board=f"{b}x{b}")]


def _add(
    table: CsvTable,
    name: str,
    step: int,
    tables: ShapeTables,
    played: Mapping[int, list[GameMoves]],
) -> None:
    """Predict the held-out games and store the results by board size."""
    for board in track(missing_boards(table, name, step, played), f"{name}, {step:,} games"):
        found = [predict(tables, some) for some in played[board]]
        joined = Prediction(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
        shared = {"tables": name, "step": step, "games": tables.games, "board": f"{board}x{board}"}
        table.add_all({**shared, **row} for row in _rows(joined, board))


def _by_board(kept: list[Document], test: int) -> dict[int, list[GameMoves]]:
    """Return some games of each file by board size; files with mixed sizes are skipped."""
    found: dict[int, list[GameMoves]] = {}
    for document in kept:
        games = cut(read_moves(document), test)
        if len(games) and np.all(games.sizes == games.sizes[0, 0]):
            found.setdefault(int(games.sizes[0, 0]), []).append(games)
    return found


def _rows(found: Prediction, board: int) -> Iterator[dict[str, object]]:
    share = found.move_numbers / board**2
    for phase, (low, high) in PHASES.items():
        chosen = found.of((share > low) & (share <= high))
        if not len(chosen.ranks):
            continue
        for way, name in enumerate(WAY_NAMES):
            yield {
                "phase": phase,
                "way": name,
                "moves": len(chosen.ranks),
                **{f"top_{n}": round(chosen.top(n, way), 4) for n in (1, 5, 10)},
                "mean_log_rank": round(chosen.mean_log_rank(way), 4),
                "log_probability": round(chosen.log_probability(way), 4),
            }


def _report(study: Study, rows: list[dict[str, str]]) -> None:
    bundled = [row for row in rows if row["tables"] == BUNDLED]
    combined = WAY_NAMES[COMBINED]
    study.add_section("Bundled tables", "On held-out games.")
    study.add_table(
        [row for row in bundled if row["phase"] == "all"],
        "By pattern size and combined.",
        name="prediction",
    )
    study.add_table(
        [row for row in bundled if row["way"] == combined],
        "By phase of the game.",
        name="prediction-phase",
    )
    study.add_section("Learning curve", "Combined prediction by number of games.")
    curve = [row for row in rows if row["way"] == combined and row["phase"] == "all"]
    with study.figure("curve", "Moves predicted by the first choice, in %.") as figure:
        axes = figure.add_subplot()
        for name, board in sorted({(row["tables"], row["board"]) for row in curve}):
            line = sorted(
                (int(row["games"]), 100 * float(row["top_1"]))
                for row in curve
                if (row["tables"], row["board"]) == (name, board)
            )
            axes.plot(*zip(*line, strict=True), "-o", markersize=3, label=f"{name}, {board}")
        axes.set_xscale("log")
        axes.set_xlabel("games")
        axes.set_ylabel("%")
        axes.legend(fontsize=7)
    study.add_table(curve, "Learning curve.", name="learning-curve")
    study.write_report()
