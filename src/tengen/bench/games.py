"""Query times of the game database."""

import random
import time

import numpy as np

from tengen.board import PASS
from tengen.records import GameRecord
from tengen.records.database import GameDatabase, Pattern, Region
from tengen.util import TengenError

GAMES = 30
"""Number of games from which positions are taken."""
MOVE_NUMBERS = (0, 1, 2, 4, 6, 10, 20, 50, 100, 180)
SIDE = 7
"""Side of local patterns, squares centered on the move played."""


def measure(path: str, rows: int, columns: int, seconds: float) -> dict[str, object]:
    """Search for positions of stored games; return times in milliseconds.

    Half of the time is spent on whole positions, half on 7x7 squares around the moves played. CPU
    time is the sum over all threads.
    """
    start_s = time.perf_counter()
    database = GameDatabase(path)
    index = database.index(rows, columns)
    load_s = time.perf_counter() - start_s
    if not len(index):
        raise TengenError(f"{path} has no games on {columns}x{rows}")
    rng = random.Random(1)
    records = [database.game(int(rng.choice(index.ids))) for _ in range(GAMES)]
    result: dict[str, object] = {"games": len(index), "load_s": load_s}
    for name, make in (("whole", _whole), ("local", _local)):
        patterns = [
            pattern
            for number in MOVE_NUMBERS
            for record in records
            if (pattern := make(record, min(number, len(record.moves) - 1))) is not None
        ]
        rng.shuffle(patterns)
        result |= _search(database, name, patterns, seconds / 2)
    return result


def _whole(record: GameRecord, number: int) -> Pattern | None:
    return Pattern.whole(record.position(number))


def _local(record: GameRecord, number: int) -> Pattern | None:
    move = record.moves[number].move
    if move == PASS:
        return None
    region = Region.around(move, SIDE, record.rows, record.columns)
    return Pattern.local(record.position(number), region)


def _search(
    database: GameDatabase, name: str, patterns: list[Pattern], seconds: float
) -> dict[str, object]:
    """Search for patterns until the time is over, after one warm-up search."""
    database.search(patterns[0])
    elapsed_s, cpu_s = [], []
    end_s = time.perf_counter() + seconds
    for pattern in patterns:
        start_s, start_cpu_s = time.perf_counter(), time.process_time()
        database.search(pattern)
        elapsed_s.append(time.perf_counter() - start_s)
        cpu_s.append(time.process_time() - start_cpu_s)
        if time.perf_counter() > end_s:
            break
    return {
        f"{name}_queries": len(elapsed_s),
        **_percentiles(f"{name}_ms", elapsed_s),
        **_percentiles(f"{name}_cpu_ms", cpu_s),
    }


def _percentiles(name: str, times_s: list[float]) -> dict[str, float]:
    """Return median, 95th percentile and maximum in milliseconds."""
    times_ms = 1000 * np.array(times_s)
    median, high = np.percentile(times_ms, (50, 95))
    return {name: float(median), f"{name}_95": float(high), f"{name}_max": float(times_ms.max())}
