"""Speed of the tree search, of the solver and of network evaluations."""

import shlex
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tengen.bench.measurement import SEED, Measurement, size_text
from tengen.board import Position, rules_named
from tengen.engine import Engine, EngineSettings, create_engine
from tengen.match import GtpClient
from tengen.search import SearchLimit
from tengen.solver import Solver
from tengen.util import TengenError

PEER_ROUNDS = 5
PEER_TIMEOUT_S = 3600.0
CPU_RESOLUTION_S = 0.01
"""Resolution of the CPU time of other processes."""
SIMULATIONS = "{simulations}"
"""Placeholder in the command of a peer."""


@dataclass
class SearchMeasurement(Measurement):
    """Speed of the search from the empty board."""

    simulations_per_s: float = 0.0
    simulations_per_cpu_s: float = 0.0
    nodes: int = 0
    """Nodes of the final tree."""
    rss_mib: float = 0.0
    """Peak resident memory of the process; 0 if unknown."""
    peer: str | None = None
    """Name and version of the engine compared with."""
    peer_simulations_per_cpu_s: float | None = None
    ratio_to_peer: float | None = None
    """Ratio of the simulations per CPU second."""

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
    engine = _engine(threads, settings)
    engine.analyze(Position(rows, columns), SearchLimit(simulations=threads))
    return _measure(engine, rows, columns, threads, SearchLimit.after(seconds))


def _engine(threads: int, settings: Sequence[str]) -> Engine:
    overrides = [*settings, f"threads={threads}", "subtree_reuse=no", f"seed={SEED}"]
    return create_engine(EngineSettings().with_overrides(overrides))


def _measure(
    engine: Engine, rows: int, columns: int, threads: int, limit: SearchLimit
) -> SearchMeasurement:
    """Measure one search of the empty board."""
    start_s, start_cpu_s = time.monotonic(), time.process_time()
    report = engine.analyze(Position(rows, columns), limit)
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


class PeerEngine:
    """A GTP engine whose searches of the empty board are measured; a context manager."""

    def __init__(self, command: str, simulations: int, size: int):
        """Start the engine with the number of simulations per move in its command."""
        self._client = GtpClient(shlex.split(command.replace(SIMULATIONS, str(simulations))))
        self._simulations = simulations
        self._size = size
        self.name = " ".join(self._client.send(name, 60) for name in ("name", "version"))

    def simulations_per_cpu_s(self) -> float:
        """Search the empty board once; return the simulations per CPU second."""
        for command in (f"boardsize {self._size}", "clear_board", "komi 7.5"):
            self._client.send(command, 60)
        start_s = self._client.cpu_s
        self._client.send("genmove b", PEER_TIMEOUT_S)
        end_s = self._client.cpu_s
        if start_s is None or end_s is None:
            raise TengenError("cannot read the CPU time of other processes on this system")
        return self._simulations / max(end_s - start_s, CPU_RESOLUTION_S)

    def __enter__(self) -> "PeerEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()


def compare_with_peer(
    rows: int, columns: int, seconds: float, peer: str, settings: Sequence[str] = ()
) -> SearchMeasurement:
    """Measure one thread and a GTP engine alternately, with equal numbers of simulations.

    `peer` is the command of the engine with `{simulations}` in place of the simulations per move.
    One round comes before the measurement, so that both have allocated their trees. Return the
    measurement of the median round, with the median ratio.
    """
    if SIMULATIONS not in peer:
        raise TengenError(f"the command of the peer must contain {SIMULATIONS}, got {peer!r}")
    if rows != columns:
        raise TengenError("the comparison with a peer needs a square board")
    rate = measure_search(rows, columns, min(seconds, 1.0), 1, settings).simulations_per_cpu_s
    simulations = max(int(rate * seconds / PEER_ROUNDS), 100)
    engine, limit = _engine(1, settings), SearchLimit(simulations=simulations)
    rounds = []
    with PeerEngine(peer, simulations, rows) as other:
        for _ in range(1 + PEER_ROUNDS):
            found = _measure(engine, rows, columns, 1, limit)
            found.peer, found.peer_simulations_per_cpu_s = other.name, other.simulations_per_cpu_s()
            found.ratio_to_peer = found.simulations_per_cpu_s / found.peer_simulations_per_cpu_s
            rounds.append(found)
    rounds = sorted(rounds[1:], key=lambda found: found.simulations_per_cpu_s)
    median = rounds[PEER_ROUNDS // 2]
    median.ratio_to_peer = statistics.median(found.ratio_to_peer or 0.0 for found in rounds)
    return median


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
