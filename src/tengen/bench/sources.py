"""Cost of sources: metric evaluations, potential filters and pattern tables."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.bench.kernels import sources as loops
from tengen.bench.measurement import Measurement, random_game, shortest_s
from tengen.board import PASS, Color, Position
from tengen.board.kernels.block import new_block
from tengen.board.kernels.layout import POINTS
from tengen.sources import Metric, Potential, Shape, changes
from tengen.sources.kernels.metric import MEASURES, new_scratch
from tengen.sources.kernels.potential import MEMORY_CELLS
from tengen.sources.kernels.shape_keys import RING_CELLS, RINGS, point_keys
from tengen.sources.kernels.shape_tables import SHAPE_PARAMETERS
from tengen.util import TengenError

METRIC_CALLS = 20
"""Evaluations per kernel call."""
GAME_SHARE = 0.8
"""Length of random games in moves per point; such games contain captures."""
SHAPE_INTERVAL = 8
"""Interval of the rated positions in a random game, in moves."""


# Metric evaluations (paper 003)


@dataclass
class MetricMeasurement(Measurement):
    """CPU times of single evaluations, on a board that is one third full unless noted."""

    ed4_empty_us: float = 0.0
    """Ed4 on the empty board."""
    ed4_us: float = 0.0
    ed8_us: float = 0.0
    e2_us: float = 0.0
    mix_us: float = 0.0
    """E1, E2, Ed4 and Ed8 together."""
    heat_map_ms: float = 0.0
    """The mix after every legal move."""

    @property
    def rate(self) -> float:
        """Evaluations of Ed4 per second."""
        return 1e6 / self.ed4_us


def measure_metric(rows: int, columns: int, seconds: float) -> MetricMeasurement:
    """Measure each evaluation for a part of the time, without compilation."""
    empty, played = Position(rows, columns), random_game(rows, columns, rows * columns // 3)[-1]
    part_s = seconds / 6
    return MetricMeasurement(
        rows,
        columns,
        threads=1,
        ed4_empty_us=_evaluation_us(empty, Metric.only(b4=1), part_s),
        ed4_us=_evaluation_us(played, Metric.only(b4=1), part_s),
        ed8_us=_evaluation_us(played, Metric.only(b8=1), part_s),
        e2_us=_evaluation_us(played, Metric.only(a2=1), part_s),
        mix_us=_evaluation_us(played, Metric(), part_s),
        heat_map_ms=1e3 * shortest_s(lambda: changes(played, Metric()), part_s),
    )


def _evaluation_us(position: Position, metric: Metric, seconds: float) -> float:
    scratch, values, weights = new_scratch(), np.zeros(MEASURES), metric.vector()
    calls = np.uintp(METRIC_CALLS)

    def evaluate() -> None:
        loops.evaluate_repeatedly(position.block, weights, scratch, values, calls)

    return 1e6 * shortest_s(evaluate, seconds) / METRIC_CALLS


# Potential filters (paper 002)


@dataclass
class PotentialMeasurement(Measurement):
    """CPU times over a random game, without playing the moves."""

    filter: str = "pf9"
    stones: int = 0
    """Stones played or captured in the game."""
    stone_us: float = 0.0
    """Update of the potential for one stone."""
    ranking_us: float = 0.0
    """Update and ranking of all legal moves by slope, per move."""
    recomputed_us: float = 0.0
    """Computation of the potential from scratch, per move."""

    @property
    def rate(self) -> float:
        """Stones per second."""
        return 1e6 / self.stone_us


def measure_potential(rows: int, columns: int, seconds: float) -> PotentialMeasurement:
    """Measure each kind of work alternately; the fastest game of each counts."""
    moves, stones = _potential_game(rows, columns)
    if not stones:
        raise TengenError("a 1x1 board has no legal move: use a larger --size")
    works = (loops.ONLY_PLAY, loops.UPDATE, loops.RANK, loops.RECOMPUTE)
    best_us = dict.fromkeys(works, float("inf"))
    replay = _replayer(rows, columns, moves)
    for work in works:
        replay(work)
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s or best_us[loops.RECOMPUTE] == float("inf"):
        for work in works:
            start_s = time.thread_time()
            replay(work)
            best_us[work] = min(best_us[work], 1e6 * (time.thread_time() - start_s))
    play_us = best_us[loops.ONLY_PLAY]
    return PotentialMeasurement(
        rows,
        columns,
        threads=1,
        stones=stones,
        stone_us=(best_us[loops.UPDATE] - play_us) / stones,
        ranking_us=(best_us[loops.RANK] - play_us) / len(moves),
        recomputed_us=(best_us[loops.RECOMPUTE] - play_us) / len(moves),
    )


def _potential_game(rows: int, columns: int) -> tuple[npt.NDArray[np.uint32], int]:
    """Return the moves of a random game and the number of stones played or captured in it."""
    position = random_game(rows, columns, int(GAME_SHARE * rows * columns))[-1]
    moves = [move.move for move in position.moves]
    played = sum(move != PASS for move in moves)
    return np.array(moves, dtype=np.uint32), played + sum(map(position.prisoners, Color))


def _replayer(
    rows: int, columns: int, moves: npt.NDArray[np.uint32]
) -> Callable[[np.uintp], object]:
    """Return a function that plays the game once and does the given work after each move."""
    parameters = Potential(filter="pf9").kernel_parameters()
    memory = np.zeros(MEMORY_CELLS)
    start, block = new_block(rows, columns), new_block(rows, columns)
    return lambda work: loops.replay_with(start, block, moves, parameters, memory, work)


# Pattern tables (paper 004)


@dataclass
class ShapeMeasurement(Measurement):
    """CPU times over positions of a random game."""

    sizes: int = 0
    """Number of pattern sizes in the tables."""
    legal_moves: float = 0.0
    """Mean number of legal moves per board."""
    rate_ns: float = 0.0
    """Lookup of one pattern by its key."""
    board_us: float = 0.0
    """Rating of all legal moves of a board with all pattern sizes."""

    @property
    def rate(self) -> float:
        """Boards per second."""
        return 1e6 / self.board_us


def measure_shape(rows: int, columns: int, seconds: float) -> ShapeMeasurement:
    """Measure lookups and whole boards; the fastest run of each counts."""
    game = random_game(rows, columns, int(GAME_SHARE * rows * columns))
    boards = game[:-1:SHAPE_INTERVAL]
    if not boards:
        raise TengenError("a 1x1 board has no legal move: use a larger --size")
    code = Shape().code()
    parameters, slots = Shape().kernel_parameters(), code.tables
    memory, odds = np.zeros(code.memory_cells), np.zeros(int(POINTS))
    blocks = np.stack([board.block for board in boards])
    keys = _shape_keys(boards, int(parameters.view(SHAPE_PARAMETERS)[0]["marks"]))
    sizes = len(Shape().rates(boards[0], boards[0].points()[0]))
    board_s = shortest_s(
        lambda: loops.odds_of_boards(blocks, parameters, slots, memory, odds), seconds / 2
    )
    lookup_s = shortest_s(lambda: loops.rates_of_keys(keys, parameters, slots), seconds / 2)
    return ShapeMeasurement(
        rows,
        columns,
        threads=1,
        sizes=sizes,
        legal_moves=len(keys) / len(boards),
        rate_ns=1e9 * lookup_s / (len(keys) * sizes),
        board_us=1e6 * board_s / len(boards),
    )


def _shape_keys(boards: list[Position], marks: int) -> npt.NDArray[np.uint64]:
    """Return the pattern keys of all legal moves of the boards, uint64 [moves, RINGS]."""
    rings = np.zeros(int(RING_CELLS), dtype=np.uint64)
    rows = []
    for board in boards:
        for point in board.legal_moves():
            keys = np.zeros(int(RINGS), dtype=np.uint64)
            point_keys(board.block, np.uintp(point), np.uintp(marks), rings, keys)
            rows.append(keys)
    return np.array(rows)
