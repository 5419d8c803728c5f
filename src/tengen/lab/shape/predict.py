"""Prediction of moves in held-out games by the SHAPE tables.

The rank of the played move among all legal moves is measured by pattern size, for all sizes
combined, by phase of the game and by number of games learned from.
"""

import argparse
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.lab.shape.kernels.ranking import WAYS, new_ranking, rank_games
from tengen.lab.study import CsvTable, Study, progress, track
from tengen.records import (
    Document,
    MoveSequences,
    RecordWarning,
    find_documents,
    log_unreadable,
    read_moves,
)
from tengen.sources import (
    BUNDLED_TABLES,
    SIZES,
    Learner,
    Shape,
    ShapeSettings,
    ShapeTables,
    digest_of,
    load_tables,
)
from tengen.sources.kernels.shape_keys import RINGS
from tengen.util import TengenError


def alternating_documents(paths: Sequence[str]) -> Iterator[Document]:
    """Yield the files at the paths, alternating between paths."""
    found = [find_documents(path, log_unreadable) for path in paths]
    for row in zip_longest(*found):
        yield from (document for document in row if document is not None)


def first_games(paths: Sequence[str], count: int) -> Iterator[MoveSequences]:
    """Yield at most `count` games, file by file; raise TengenError if there are none."""
    left = count
    for document in alternating_documents(paths):
        games = cut(read_moves(document, _ignore), left)
        left -= len(games)
        yield games
        if left <= 0:
            return
    if left == count:
        raise TengenError(f"no games in {', '.join(paths)}")


def cut(games: MoveSequences, count: int) -> MoveSequences:
    """Return the first `count` games."""
    kept = min(count, len(games))
    starts = games.starts[: kept + 1]
    return MoveSequences(games.codes[: starts[-1]], starts, games.sizes[:kept], games.skipped)


def _ignore(warning: RecordWarning) -> None:
    """Ignore warnings; damaged games are skipped."""


COMBINED = int(RINGS)
"""Index of the ranking by all sizes combined; smaller indices rank by one size."""
WAY_NAMES = (*(f"{size}x{size}" for size in SIZES), "combined")


class Prediction(NamedTuple):
    """Ranks of played moves: one row per move, one column per ranking."""

    ranks: npt.NDArray[np.float32]
    probabilities: npt.NDArray[np.float32]
    move_numbers: npt.NDArray[np.int64]
    legal_moves: npt.NDArray[np.int64]

    def of(self, chosen: npt.NDArray[np.bool_]) -> "Prediction":
        """Return some of the rows."""
        return Prediction(
            self.ranks[chosen],
            self.probabilities[chosen],
            self.move_numbers[chosen],
            self.legal_moves[chosen],
        )

    def top(self, count: int, way: int = COMBINED) -> float:
        """Return the share of moves among the first `count`."""
        return float(np.mean(self.ranks[:, way] <= count))

    def mean_log_rank(self, way: int = COMBINED) -> float:
        """Return the mean of the natural logarithm of the rank."""
        return float(np.mean(np.log(self.ranks[:, way])))

    def log_probability(self, way: int = COMBINED) -> float:
        """Return the mean of the natural logarithm of the probability of the move."""
        return float(np.mean(np.log(self.probabilities[:, way])))


def predict(tables: ShapeTables, games: MoveSequences) -> Prediction:
    """Rank every move of the games by the tables."""
    parameters = tables.parameters(Shape.backoff)
    room = len(games.codes)
    ranks = np.zeros((room, int(WAYS)), dtype=np.float32)
    probabilities = np.zeros((room, int(WAYS)), dtype=np.float32)
    about = np.zeros((room, 2), dtype=np.int64)
    done = int(
        rank_games(
            games.codes,
            games.starts,
            games.sizes,
            parameters,
            tables.slots(),
            new_ranking(),
            ranks,
            probabilities,
            about,
        )
    )
    return Prediction(ranks[:done], probabilities[:done], about[:done, 0], about[:done, 1])


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
        {"paths": arguments.games, "held": arguments.held_out, "test": arguments.test},
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
    kept = [d for d in documents if any(text in d.name for text in arguments.held_out)]
    if not kept:
        names = " or ".join(arguments.held_out)
        raise TengenError(f"no file name contains {names}: select held-out files with --held-out")
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
    table: CsvTable, name: str, step: int, played: Mapping[int, list[MoveSequences]]
) -> list[int]:
    """Return the board sizes without results for a step."""
    return [b for b in played if not table.has(tables=name, step=step, board=f"{b}x{b}")]


def _add(
    table: CsvTable,
    name: str,
    step: int,
    tables: ShapeTables,
    played: Mapping[int, list[MoveSequences]],
) -> None:
    """Predict the held-out games and store the results by board size."""
    for board in track(missing_boards(table, name, step, played), f"{name}, {step:,} games"):
        found = [predict(tables, some) for some in played[board]]
        joined = Prediction(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
        shared = {"tables": name, "step": step, "games": tables.games, "board": f"{board}x{board}"}
        table.add_all({**shared, **row} for row in _rows(joined, board))


def _by_board(kept: list[Document], test: int) -> dict[int, list[MoveSequences]]:
    """Return some games of each file by board size; files with mixed sizes are skipped."""
    found: dict[int, list[MoveSequences]] = {}
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
