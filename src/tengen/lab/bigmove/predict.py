"""How often experts play one of the k biggest moves, and whether a distance predicts as well.

The thesis raises both questions (sections 3.4 and 6). The rank of a move among the legal moves
shares ties: each of two equally big moves is first half of the time.

A second experiment: in a tree, the mode of a child can start from its parent's mode. It counts the
iterations of Tengen's solver over the first moves of real games and how often the biggest move
equals that of the exact mode.
"""

import argparse
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from scipy import ndimage

from tengen.board import PASS, STRIDE, Position, column_of, row_of
from tengen.lab.bigmove.eigen_methods import Dirichlet, OwnMatrix, own_matrix
from tengen.lab.study import CsvTable, Study, track
from tengen.records import GameRecord, lenient_rules, read_games
from tengen.sources import BigMove, biggest_points
from tengen.sources.kernels.mode import empty_board_mode, find_mode
from tengen.util import TengenError

Grid = npt.NDArray[np.float64]
Scorer = Callable[[Position], Grid]


def size_of(source: BigMove) -> Scorer:
    """Return a scorer that uses the mode of a source's first variant."""
    return lambda position: source.sizes(position)


def distance_of(lines: Sequence[int] = ()) -> Scorer:
    """Return a scorer that uses the distance to the nearest stone, edge or given line."""

    def score(position: Position) -> Grid:
        free = np.zeros((position.rows + 2, position.columns + 2), dtype=bool)
        free[1:-1, 1:-1] = (position.board() == 0) & ~np.isin(_lines(position), lines)
        apart: Grid = ndimage.distance_transform_edt(free)
        return apart[1:-1, 1:-1]

    return score


def _lines(position: Position) -> npt.NDArray[np.int64]:
    """Return the line of each point, counted from the nearest edge."""
    rows, columns = (
        np.minimum(np.arange(1, length + 1), np.arange(length, 0, -1))
        for length in (position.rows, position.columns)
    )
    lines: npt.NDArray[np.int64] = np.minimum(rows[:, None], columns[None, :])
    return lines


def same_everywhere(position: Position) -> Grid:
    """Return a constant score: a random legal move."""
    return np.zeros((position.rows, position.columns))


WHOLE = "whole board (p2 + p3)"
SINGLE: dict[str, Scorer] = {
    "p1": size_of(BigMove(variants="p1")),
    "p2": size_of(BigMove(variants="p2")),
    "p3": size_of(BigMove(variants="p3")),
    "p3, own stones count twice": size_of(BigMove(variants="p3", own=2)),
    "p3, opponent's stones count twice": size_of(BigMove(variants="p3", other=2)),
    "p3, stones by liberties": size_of(BigMove(variants="p3", stone_weight="liberties")),
    "p3, stones by chain strength": size_of(BigMove(variants="p3", stone_weight="strength")),
    "p3, corners preferred": size_of(BigMove(variants="p3", corner=0.5, side=0.2)),
    "p3, last fight fixed": size_of(BigMove(variants="p3", fight_radius=5)),
    "lines 6 to 10": size_of(BigMove(variants="6:1/7:1/8:1/9:1/10:1")),
    "distance": distance_of(),
    "distance, line 7 occupied": distance_of((7,)),
    "distance, lines 6 and 7 occupied": distance_of((6, 7)),
    "random legal move": same_everywhere,
}
PLOTTED = ("p1", "p2", "p3", "distance", "distance, line 7 occupied", "random legal move")
SCORERS = (*SINGLE, WHOLE)


def all_scores(position: Position) -> dict[str, Grid]:
    """Return the scores of a position by all scorers.

    The whole board (thesis, outlook) is the mean of p2 and p3, each divided by its maximum.
    """
    scores = {name: scorer(position) for name, scorer in SINGLE.items()}
    scores[WHOLE] = (scores["p2"] / scores["p2"].max() + scores["p3"] / scores["p3"].max()) / 2
    return scores


TOPS = (1, 3, 5, 10, 20, 40)
CHUNK = 20
"""Games whose counts are stored together."""
BUCKET = 10
"""Moves whose counts are stored together."""
TIE = 1e-4
"""Scores that differ by a smaller relative amount are ties."""
COLUMNS = ("chunk", "scorer", "from_move", "positions", *(f"top{k}" for k in TOPS), "rank")


def run(arguments: argparse.Namespace) -> int:
    """Process the games in chunks and write the report."""
    study = Study(
        arguments.output,
        "The big move: moves of experts",
        {"games": str(arguments.records), "moves": arguments.moves},
    )
    counts = study.table("counts", COLUMNS)
    chunks = study.table("chunks", ("chunk", "games"))
    games = list(itertools.islice(even_games(arguments.records), arguments.games))
    if not games:
        raise TengenError(f"no 19x19 games without handicap in {arguments.records}")
    for chunk in track(range(-(-len(games) // CHUNK)), "chunks of games"):
        listed = games[chunk * CHUNK : (chunk + 1) * CHUNK]
        if games_by_chunk(chunks).get(str(chunk), 0) < len(listed):
            _count(counts, chunk, listed, arguments.moves)
            chunks.add(chunk=chunk, games=len(listed))
    _report(study, counts, chunks)
    print(study.folder / "report.html")
    return 0


def games_by_chunk(chunks: CsvTable) -> dict[str, int]:
    """Return the games of each chunk; the last row of a chunk that has grown counts."""
    return {row["chunk"]: int(row["games"]) for row in chunks.rows}


def even_games(path: Path) -> Iterator[GameRecord]:
    """Yield 19x19 games that start from an empty board."""
    for game in read_games(path, lambda _: None):
        if (game.rows, game.columns) == (19, 19) and not game.setup and not game.setup_changes:
            yield game


class _Count:
    """Hits of one scorer in one range of moves."""

    def __init__(self) -> None:
        self.positions = 0
        self.tops = np.zeros(len(TOPS))
        self.rank = 0.0

    def add(self, better: int, equal: int, legal: int) -> None:
        """Count a move with `better` larger scores and `equal` equal ones, itself included."""
        self.positions += 1
        self.tops += np.clip((np.array(TOPS) - better) / equal, 0, 1)
        self.rank += (better + (equal - 1) / 2) / max(legal - 1, 1)

    def columns(self) -> dict[str, object]:
        """Return the sums as table columns."""
        tops = {f"top{k}": f"{hits:.3f}" for k, hits in zip(TOPS, self.tops, strict=True)}
        return {"positions": self.positions, **tops, "rank": f"{self.rank:.4f}"}


def _count(table: CsvTable, chunk: int, games: Sequence[GameRecord], moves: int) -> None:
    counts: defaultdict[tuple[str, int], _Count] = defaultdict(_Count)
    for game in games:
        position = game.initial_position(lenient_rules(game.rules))
        for number, move in enumerate(game.moves[:moves]):
            if move.move != PASS:
                bucket = number // BUCKET * BUCKET
                legal = np.array(position.legal_moves())
                for name, grid in all_scores(position).items():
                    counts[name, bucket].add(*rank(legal, grid, move.move))
            position.play(move.move, move.color)
    table.add_all(
        {"chunk": chunk, "scorer": name, "from_move": bucket, **count.columns()}
        for (name, bucket), count in counts.items()
    )


def rank(legal: npt.NDArray[np.int64], grid: Grid, move: int) -> tuple[int, int, int]:
    """Return the numbers of legal moves with a larger score, an equal score and in total."""
    sizes = grid[legal // STRIDE - 1, legal % STRIDE - 1]
    own = grid[row_of(move), column_of(move)]
    margin = TIE * abs(own)
    better = int((sizes > own + margin).sum())
    return better, max(int((np.abs(sizes - own) <= margin).sum()), 1), len(legal)


def totals(
    counts: CsvTable, chunks: CsvTable, buckets: Sequence[int] | None = None
) -> dict[str, dict[str, float]]:
    """Sum the finished chunks over some or all move ranges; return rates by scorer."""
    done = games_by_chunk(chunks)
    # A chunk that was interrupted or has grown has several rows; the last one is complete.
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


def _report(study: Study, counts: CsvTable, chunks: CsvTable) -> None:
    games = sum(games_by_chunk(chunks).values())
    overall = totals(counts, chunks)
    study.add_section(
        "Result", f"{games} games. Share of moves among the k biggest; ties are shared."
    )
    study.add_table(
        _rows(overall),
        "All moves; mean rank 0 is the biggest legal move, 1 the smallest.",
        name="predict",
    )
    buckets = sorted({int(row["from_move"]) for row in counts.rows})
    by_move = {bucket: totals(counts, chunks, [bucket]) for bucket in buckets}
    for bucket, found in by_move.items():
        study.add_table(_rows(found), f"Moves {bucket + 1} to {bucket + BUCKET}.")
    with study.figure("by-move", "Expert moves among the ten biggest, by move number.") as figure:
        _plot_by_move(figure, by_move)
    with study.figure("by-k", "Expert moves among the k biggest, all moves.") as figure:
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


VARIANTS = ("p1", "p2", "p3")
EXACT = 1e-9
RESIDUALS = (1e-6, 1e-4, 1e-3)
EMPTY, PARENT = "empty board", "previous position"
SUMS = ("positions", "steps", "same_move")
INHERIT_COLUMNS = ("game", "variant", "start", "residual", *SUMS)

Mode = npt.NDArray[np.float64]


def run_inherit(arguments: argparse.Namespace) -> int:
    """Process the games and write the report."""
    settings = {"games": str(arguments.records), "moves": arguments.moves}
    study = Study(arguments.output, "The big move: starting from the previous mode", settings)
    table = study.table("steps", INHERIT_COLUMNS)
    games = list(itertools.islice(even_games(arguments.records), arguments.games))
    if not games:
        raise TengenError(f"no 19x19 games without handicap in {arguments.records}")
    residuals = arguments.residual or RESIDUALS
    for number, game in enumerate(track(games, "games")):
        positions = list(_positions(game, arguments.moves))
        for variant, residual in itertools.product(VARIANTS, residuals):
            _count_steps(table, number, positions, variant, residual)
    study.add_table(
        means(table),
        "Iterations of the solver, and how often the biggest move is the exact one.",
        name="inherit",
    )
    print(study.write_report())
    return 0


def _positions(game: GameRecord, moves: int) -> Iterator[Position]:
    position = game.initial_position(lenient_rules(game.rules))
    for move in game.moves[:moves]:
        position.play(move.move, move.color)
        yield position.copy()


def _count_steps(
    table: CsvTable, game: int, positions: Sequence[Position], variant: str, residual: float
) -> None:
    """Add the sums of one game for both starts, unless they are stored."""
    source = BigMove(variants=variant)
    for start in (EMPTY, PARENT) if positions else ():
        if table.has(game=game, variant=variant, start=start, residual=residual):
            continue
        steps, same, last = 0, 0, None
        for position in positions:
            matrix = own_matrix(Dirichlet(source.diagonal(position)))
            exact = _biggest(position, matrix, None, EXACT)[0]
            found, taken = _biggest(position, matrix, last, residual)
            last = matrix.mode.copy() if start == PARENT else None
            steps, same = steps + taken, same + (found == exact)
        table.add(
            game=game,
            variant=variant,
            start=start,
            residual=residual,
            positions=len(positions),
            steps=steps,
            same_move=same,
        )


def _biggest(
    position: Position, matrix: OwnMatrix, start: Mode | None, residual: float
) -> tuple[int, int]:
    """Solve from a mode or the empty board's; return the first biggest move and the iterations."""
    rows, columns = np.uintp(matrix.rows), np.uintp(matrix.columns)
    if start is None:
        empty_board_mode(rows, columns, matrix.mode)
    else:
        matrix.mode[:] = start
    steps = find_mode(matrix.work, matrix.mode, rows, residual)[2]
    return biggest_points(position, matrix.mode[matrix.points])[0], int(steps)


def means(table: CsvTable) -> list[dict[str, object]]:
    """Return the means over all games by variant, start and residual."""
    keys = dict.fromkeys((row["variant"], row["start"], row["residual"]) for row in table.rows)
    return [_mean(table, key) for key in keys]


def _mean(table: CsvTable, key: tuple[str, str, str]) -> dict[str, object]:
    rows = [row for row in table.rows if (row["variant"], row["start"], row["residual"]) == key]
    sums = {name: sum(int(row[name]) for row in rows) for name in SUMS}
    return {
        "variant": key[0],
        "from": key[1],
        "residual": key[2],
        "positions": sums["positions"],
        "steps": f"{sums['steps'] / sums['positions']:.1f}",
        "same biggest move": f"{sums['same_move'] / sums['positions']:.1%}",
    }
