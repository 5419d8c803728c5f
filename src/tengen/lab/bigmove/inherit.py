"""Savings of starting a mode from the previous position's mode, and the accuracy needed.

In a tree, the mode of a child can start from its parent's mode. The experiment counts the
iterations of Tengen's solver over the first moves of real games and how often the biggest move
equals that of the exact mode.
"""

import argparse
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.lab.bigmove.eigen_methods import Dirichlet, OwnMatrix, own_matrix
from tengen.lab.bigmove.predict import even_games
from tengen.lab.study import CsvTable, Study, track
from tengen.records import GameRecord, lenient_rules
from tengen.sources import BigMove, biggest_points
from tengen.sources.kernels.mode import empty_board_mode, find_mode
from tengen.util import TengenError

VARIANTS = ("p1", "p2", "p3")
EXACT = 1e-9
RESIDUALS = (1e-6, 1e-4, 1e-3)
EMPTY, PARENT = "empty board", "previous position"
SUMS = ("positions", "steps", "same_move")
COLUMNS = ("game", "variant", "start", "residual", *SUMS)

Mode = npt.NDArray[np.float64]


def run(arguments: argparse.Namespace) -> int:
    """Process the games and write the report."""
    settings = {"games": str(arguments.records), "moves": arguments.moves}
    study = Study(arguments.output, "The big move: starting from the previous mode", settings)
    table = study.table("steps", COLUMNS)
    games = list(itertools.islice(even_games(arguments.records), arguments.games))
    if not games:
        raise TengenError(f"no 19x19 games without handicap in {arguments.records}")
    residuals = arguments.residual or RESIDUALS
    for number, game in enumerate(track(games, "games")):
        positions = list(_positions(game, arguments.moves))
        for variant, residual in itertools.product(VARIANTS, residuals):
            _count(table, number, positions, variant, residual)
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


def _count(
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
