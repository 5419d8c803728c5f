"""Speed of the tree search, of the solver and of network evaluations."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tengen.bench.measurement import SEED, Measurement, random_game, size_text
from tengen.board import Position, rules_named
from tengen.engine import EngineSettings, create_engine
from tengen.nets import Net
from tengen.search import SearchLimit
from tengen.solver import Solver


@dataclass
class SearchMeasurement(Measurement):
    """Speed of the search from the empty board."""

    simulations_per_s: float = 0.0
    simulations_per_cpu_s: float = 0.0
    nodes: int = 0
    """Nodes of the final tree."""
    rss_mib: float = 0.0
    """Peak resident memory of the process; 0 if unknown."""

    @property
    def rate(self) -> float:
        """Simulations per second."""
        return self.simulations_per_s


def measure_search(
    rows: int, columns: int, seconds: float, threads: int, settings: Sequence[str] = ()
) -> SearchMeasurement:
    """Measure a search, without compilation and allocation of the tree.

    `settings` are engine settings such as `net=default`.
    """
    overrides = [*settings, f"threads={threads}", "subtree_reuse=no", f"seed={SEED}"]
    engine = create_engine(EngineSettings().with_overrides(overrides))
    empty = Position(rows, columns)
    engine.analyze(empty, SearchLimit(simulations=threads))
    start_s, start_cpu_s = time.monotonic(), time.process_time()
    report = engine.analyze(empty, SearchLimit.after(seconds))
    elapsed_s, cpu_s = time.monotonic() - start_s, time.process_time() - start_cpu_s
    return SearchMeasurement(
        rows,
        columns,
        threads,
        simulations_per_s=report.simulations / elapsed_s,
        simulations_per_cpu_s=report.simulations / cpu_s,
        nodes=report.nodes,
        rss_mib=round(_peak_mib(), 1),
    )


def measure_solver(rows: int, columns: int) -> dict[str, object]:
    """Solve the empty board under area scoring without komi; return value, nodes and CPU time."""
    rules = rules_named("chinese").with_komi(0)
    Solver(2, 2).solve(Position(2, 2, rules))  # compiles
    solver = Solver(rows, columns)
    start_s = time.process_time()
    solution = solver.solve(Position(rows, columns, rules))
    cpu_s = time.process_time() - start_s
    return {
        "size": size_text(rows, columns),
        "value": solution.low,
        "nodes": solution.nodes,
        "cpu_s": cpu_s,
        "nodes_per_cpu_s": solution.nodes / cpu_s,
    }


def _peak_mib() -> float:
    """Return the peak resident memory of this process in MiB, or 0 on Windows."""
    if sys.platform == "win32":
        return 0.0
    import resource  # not available on Windows

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


POSITIONS = 24
"""Number of different positions evaluated in turn."""


@dataclass
class NetMeasurement(Measurement):
    """Speed of complete evaluations and of feature extraction."""

    net: str = ""
    batch: int = 1
    evaluations_per_s: float = 0.0
    """Uncached evaluations per second of wall-clock time: features, network and policy."""
    per_cpu_s: float = 0.0
    """Uncached evaluations per second of CPU time."""
    features_us: float = 0.0
    """CPU time of feature extraction per position."""

    @property
    def rate(self) -> float:
        """Evaluations per second."""
        return self.evaluations_per_s


def measure_net(net: Net, rows: int, columns: int, seconds: float) -> NetMeasurement:
    """Measure a network on positions from the middle of a random game."""
    positions = _positions(rows, columns)
    batch = net.settings.batch
    parts = [positions[start : start + batch] for start in range(0, len(positions), batch)]
    net.evaluate(parts[0])
    done, start_s, start_cpu_s = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start_s < seconds:
        net.cache.clear()
        for part in parts:
            net.evaluate(part)
            done += len(part)
    elapsed_s, cpu_s = time.perf_counter() - start_s, time.process_time() - start_cpu_s
    return NetMeasurement(
        rows,
        columns,
        threads=net.settings.threads,
        net=net.name,
        batch=batch,
        evaluations_per_s=done / elapsed_s,
        per_cpu_s=done / cpu_s,
        features_us=_features_us(net, positions),
    )


def _features_us(net: Net, positions: list[Position]) -> float:
    start_s = time.process_time()
    net.encode(positions)
    return 1e6 * (time.process_time() - start_s) / len(positions)


def _positions(rows: int, columns: int) -> list[Position]:
    """Return the last positions of a random game that fills half of the board."""
    return random_game(rows, columns, max(rows * columns // 2, 1))[1:][-POSITIONS:]
