"""What each idea costs: simulations a second with it, by phase of the game."""

import time
from collections.abc import Mapping

from tengen.board.position import Position
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.lab.study import Table
from tengen.match.factory import settings_of
from tengen.search.limit import Limit

COLUMNS = ("size", "player", "phase", "simulations_per_cpu_s", "nodes_per_cpu_s")
PHASES = {"opening": 0.0, "middle": 0.35, "end": 0.7}
"""The share of the board's points that was played on."""
QUICK = ("threads=1", "seed=1", "playouts=100", "net=none", "resign=0")
"""Who plays the game on which positions of each phase stand."""


def phase_of(position: Position) -> str:
    """Return the phase of a position: the last that has begun."""
    share = len(position.moves) / (position.rows * position.columns)
    return [name for name, begin in PHASES.items() if share >= begin][-1]


def phase_positions(size: int) -> dict[str, Position]:
    """Return a position of each phase, from a quick game of the engine with itself."""
    player, position = Engine(EngineSettings().with_words(QUICK)), Position(size)
    found = {}
    for name, share in PHASES.items():
        while len(position.moves) < share * size * size and not position.is_over:
            position.play(player.think(position).move)
        found[name] = position.copy()
    return found


def measure_costs(table: Table, size: int, players: Mapping[str, str], seconds: float) -> None:
    """Add what is not yet in the table: the pace at each phase of each player, Tengen in-process.

    In seconds of the processor, which a busy machine does not stretch.
    """
    missing = [name for name in players if not table.has(size=size, player=name, phase="end")]
    positions = phase_positions(size) if missing else {}
    for name in missing:
        words = [*settings_of(players[name]), "threads=1", "seed=1"]
        engine = Engine(EngineSettings().with_words(words))
        for phase, position in positions.items():
            if not table.has(size=size, player=name, phase=phase):
                _add(table, size, name, phase, engine, position, seconds)


def _add(
    table: Table,
    size: int,
    name: str,
    phase: str,
    engine: Engine,
    position: Position,
    seconds: float,
) -> None:
    engine.restart(1)
    engine.analyse(position, Limit(simulations=1))
    began_s = time.process_time()
    report = engine.analyse(position, Limit.after(seconds))
    took_s = max(time.process_time() - began_s, 1e-9)
    table.add(
        size=size,
        player=name,
        phase=phase,
        simulations_per_cpu_s=round(report.simulations / took_s),
        nodes_per_cpu_s=round(report.nodes / took_s),
    )
