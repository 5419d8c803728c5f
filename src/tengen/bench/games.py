"""How fast the game database answers."""

import random
import time

import numpy as np

from tengen.board.points import PASS
from tengen.core.errors import TengenError
from tengen.database.database import GameDatabase
from tengen.database.pattern import Pattern, Region
from tengen.records.game import GameRecord

GAMES = 30
"""Games to take positions from."""
MOMENTS = (0, 1, 2, 4, 6, 10, 20, 50, 100, 180)
"""After how many moves."""
SIDE = 7
"""Of the square around the move played, for local patterns."""


def measure(path: str, rows: int, columns: int, seconds: float) -> dict[str, object]:
    """Ask for positions of stored games for some seconds; return times in milliseconds.

    Half of the time goes to whole positions, half to the 7x7 squares around the moves that were
    played. Processor time is of all threads together; elapsed time suffers from other work on
    the machine.
    """
    began_s = time.perf_counter()
    database = GameDatabase(path)
    shelf = database.shelf(rows, columns)
    load_s = time.perf_counter() - began_s
    if not len(shelf):
        raise TengenError(f"{path} has no games on {columns}x{rows}")
    rng = random.Random(1)
    records = [database.game(int(rng.choice(shelf.ids))) for _ in range(GAMES)]
    figures: dict[str, object] = {"games": len(shelf), "load_s": load_s}
    for name, make in (("whole", _whole), ("local", _local)):
        patterns = [
            pattern
            for number in MOMENTS
            for record in records
            if (pattern := make(record, min(number, len(record.moves) - 1))) is not None
        ]
        rng.shuffle(patterns)
        figures |= _ask(database, name, patterns, seconds / 2)
    return figures


def _whole(record: GameRecord, number: int) -> Pattern | None:
    return Pattern.whole(record.position(number))


def _local(record: GameRecord, number: int) -> Pattern | None:
    move = record.moves[number].move
    if move == PASS:
        return None
    region = Region.around(move, SIDE, record.rows, record.columns)
    return Pattern.local(record.position(number), region)


def _ask(
    database: GameDatabase, name: str, patterns: list[Pattern], seconds: float
) -> dict[str, object]:
    """Ask for the patterns, as many as the time allows, after one that loads the kernels."""
    database.search(patterns[0])
    elapsed_s, used_s = [], []
    until_s = time.perf_counter() + seconds
    for pattern in patterns:
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        database.search(pattern)
        elapsed_s.append(time.perf_counter() - began_s)
        used_s.append(time.process_time() - began_cpu_s)
        if time.perf_counter() > until_s:
            break
    return {
        f"{name}_questions": len(elapsed_s),
        **_spread(f"{name}_ms", elapsed_s),
        **_spread(f"{name}_cpu_ms", used_s),
    }


def _spread(name: str, times_s: list[float]) -> dict[str, float]:
    """Return the median, the 95th percentile and the longest, in milliseconds."""
    times_ms = 1000 * np.array(times_s)
    median, high = np.percentile(times_ms, (50, 95))
    return {name: float(median), f"{name}_95": float(high), f"{name}_max": float(times_ms.max())}
