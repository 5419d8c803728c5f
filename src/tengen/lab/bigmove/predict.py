"""How often is the experts' move among the k biggest? And would a simple distance do as well?

The thesis asks both (sections 3.4 and 6). A move's rank among the legal moves is counted with ties
shared: of two moves that are equally big, each is first half of the time.
"""

import argparse
import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from tengen.board.points import PASS, STRIDE, column_of, row_of
from tengen.core.errors import TengenError
from tengen.lab.bigmove.scorers import PLOTTED, SCORERS, Grid, all_scores
from tengen.lab.progress import track
from tengen.lab.study import Study, Table
from tengen.records.game import GameRecord, lenient
from tengen.records.reader import read_games

TOPS = (1, 3, 5, 10, 20, 40)
CHUNK = 20
"""Games whose counts are stored together."""
BUCKET = 10
"""Moves that are counted together."""
TIE = 1e-4
"""Numbers that differ by a smaller share are equal."""
COLUMNS = ("chunk", "scorer", "from_move", "positions", *(f"top{k}" for k in TOPS), "rank")


def run(arguments: argparse.Namespace) -> int:
    """Go through the games, chunk by chunk, and write the report."""
    study = Study(
        arguments.output,
        "The big move: what experts played",
        {"games": str(arguments.records), "moves": arguments.moves},
    )
    counts = study.table("counts", COLUMNS)
    chunks = study.table("chunks", ("chunk", "games"))
    games = list(itertools.islice(even_games(arguments.records), arguments.games))
    if not games:
        raise TengenError(f"no game on 19x19 without handicap in {arguments.records}")
    for chunk in track(range(-(-len(games) // CHUNK)), "chunks of games"):
        listed = games[chunk * CHUNK : (chunk + 1) * CHUNK]
        if games_by_chunk(chunks).get(str(chunk), 0) < len(listed):
            _count(counts, chunk, listed, arguments.moves)
            chunks.add(chunk=chunk, games=len(listed))
    _report(study, counts, chunks)
    print(study.folder / "report.html")
    return 0


def games_by_chunk(chunks: Table) -> dict[str, int]:
    """Return the games of each chunk; one that has grown since, with --games, counts once."""
    return {row["chunk"]: int(row["games"]) for row in chunks.rows}


def even_games(path: Path) -> Iterator[GameRecord]:
    """Yield the games on 19x19 that begin with an empty board."""
    for game in read_games(path, lambda _: None):
        if (game.rows, game.columns) == (19, 19) and not game.setup and not game.changes:
            yield game


class _Count:
    """Hits of one scorer in one bucket of moves."""

    def __init__(self) -> None:
        self.positions = 0
        self.tops = np.zeros(len(TOPS))
        self.rank = 0.0

    def add(self, better: int, equal: int, legal: int) -> None:
        """Count a move with so many better and so many equally good ones, itself among them."""
        self.positions += 1
        self.tops += np.clip((np.array(TOPS) - better) / equal, 0, 1)
        self.rank += (better + (equal - 1) / 2) / max(legal - 1, 1)

    def columns(self) -> dict[str, object]:
        """Return the sums as they stand in the table."""
        tops = {f"top{k}": f"{hits:.3f}" for k, hits in zip(TOPS, self.tops, strict=True)}
        return {"positions": self.positions, **tops, "rank": f"{self.rank:.4f}"}


def _count(table: Table, chunk: int, games: Sequence[GameRecord], moves: int) -> None:
    counts: defaultdict[tuple[str, int], _Count] = defaultdict(_Count)
    for game in games:
        position = game.start(lenient(game.rules))
        for number, move in enumerate(game.moves[:moves]):
            if move.move != PASS:
                bucket = number // BUCKET * BUCKET
                legal = np.array(position.legal_moves())
                for name, grid in all_scores(position).items():
                    counts[name, bucket].add(*rank(legal, grid, move.move))
            position.play(move.move, move.colour)
    table.add_all(
        {"chunk": chunk, "scorer": name, "from_move": bucket, **count.columns()}
        for (name, bucket), count in counts.items()
    )


def rank(legal: npt.NDArray[np.int64], grid: Grid, move: int) -> tuple[int, int, int]:
    """Return how many legal moves are bigger than a move, how many as big, and how many in all."""
    sizes = grid[legal // STRIDE - 1, legal % STRIDE - 1]
    own = grid[row_of(move), column_of(move)]
    margin = TIE * abs(own)
    better = int((sizes > own + margin).sum())
    return better, max(int((np.abs(sizes - own) <= margin).sum()), 1), len(legal)


def totals(
    counts: Table, chunks: Table, buckets: Sequence[int] | None = None
) -> dict[str, dict[str, float]]:
    """Add up the finished chunks, of some buckets or all: rates by scorer."""
    done = games_by_chunk(chunks)
    # A chunk that was broken off, or has grown, may stand there twice: the last rows are whole.
    latest = {(row["chunk"], row["scorer"], row["from_move"]): row for row in counts.rows}
    sums: dict[str, dict[str, float]] = {name: defaultdict(float) for name in SCORERS}
    for (chunk, name, bucket), row in latest.items():
        if chunk in done and (buckets is None or int(bucket) in buckets):
            for column in ("positions", *(f"top{k}" for k in TOPS), "rank"):
                sums[name][column] += float(row[column])
    return {
        name: {
            column: value if column == "positions" else value / found["positions"]
            for column, value in found.items()
        }
        for name, found in sums.items()
        if found.get("positions")
    }


def _report(study: Study, counts: Table, chunks: Table) -> None:
    games = sum(games_by_chunk(chunks).values())
    overall = totals(counts, chunks)
    study.text("Result", f"{games} games. Shares of moves among the k biggest, ties shared.")
    study.show(_rows(overall), "all moves; rank: 0 the biggest, 1 the smallest legal move")
    buckets = sorted({int(row["from_move"]) for row in counts.rows})
    by_move = {bucket: totals(counts, chunks, [bucket]) for bucket in buckets}
    for bucket, found in by_move.items():
        study.show(_rows(found), f"moves {bucket + 1} to {bucket + BUCKET}")
    with study.figure("by-move", "Experts' moves among the ten biggest, by move.") as figure:
        _plot_by_move(figure, by_move)
    with study.figure("by-k", "Experts' moves among the k biggest, all moves.") as figure:
        _plot_by_k(figure, overall)
    study.write_report()


def _rows(found: dict[str, dict[str, float]]) -> list[dict[str, object]]:
    return [
        {
            "scorer": name,
            "positions": int(rates["positions"]),
            **{f"top {k}": f"{rates[f'top{k}']:.1%}" for k in TOPS},
            "mean rank": f"{rates['rank']:.3f}",
        }
        for name, rates in found.items()
    ]


def _plot_by_move(figure: Figure, by_move: dict[int, dict[str, dict[str, float]]]) -> None:
    axes = figure.add_subplot()
    for name in PLOTTED:
        rates = [100 * found[name]["top10"] for found in by_move.values() if name in found]
        middles = [bucket + BUCKET / 2 for bucket, found in by_move.items() if name in found]
        axes.plot(middles, rates, marker=".", label=name)
    axes.set_xlabel("move")
    axes.set_ylabel("% among the ten biggest")
    axes.legend(fontsize="small")


def _plot_by_k(figure: Figure, overall: dict[str, dict[str, float]]) -> None:
    axes = figure.add_subplot()
    for name in PLOTTED:
        rates = overall[name]
        axes.plot(TOPS, [100 * rates[f"top{k}"] for k in TOPS], marker=".", label=name)
    axes.set_xlabel("k")
    axes.set_ylabel("% among the k biggest")
    axes.legend(fontsize="small")
