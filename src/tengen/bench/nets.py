"""Speed of network evaluations, also in comparison with another engine."""

import shlex
import statistics
import time
from dataclasses import dataclass

from tengen.bench.measurement import ROUNDS, Measurement, random_game
from tengen.board import Position
from tengen.match import GtpClient
from tengen.nets import Net
from tengen.util import TengenError

PEER_TIMEOUT_S = 600.0
MIN_PEER_EVALUATIONS = 4
CPU_TICK_S = 0.01
"""Resolution of the CPU time of a process."""
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
    peer_per_cpu_s: float | None = None
    """Evaluations of another engine per second of CPU time."""
    ratio_to_peer: float | None = None
    """Ratio of the rates per CPU second, measured in turns."""

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


def compare_net_with_peer(
    net: Net, rows: int, columns: int, seconds: float, command: str
) -> NetMeasurement:
    """Measure a network in turns with another engine, which must support `kata-raw-nn`.

    Return the measurement of the median round, with the median ratio. Both evaluate one position
    after another, the engine through all symmetries. Raise TengenError if the engine fails.
    """
    client = GtpClient(shlex.split(command))
    try:
        size = (
            f"boardsize {columns}" if rows == columns else f"rectangular_boardsize {columns} {rows}"
        )
        for line in (size, "clear_board", "kata-raw-nn 0"):
            client.send(line, PEER_TIMEOUT_S)
        rounds = []
        for _ in range(ROUNDS):
            own = measure_net(net, rows, columns, seconds / ROUNDS)
            rounds.append((own, _peer_rate(client, seconds / ROUNDS)))
    finally:
        client.close()
    rates = [rate for _, rate in rounds]
    median = sorted((own for own, _ in rounds), key=lambda own: own.per_cpu_s)[ROUNDS // 2]
    median.peer_per_cpu_s = statistics.median(rates)
    median.ratio_to_peer = statistics.median(own.per_cpu_s / rate for own, rate in rounds)
    return median


def _peer_rate(client: GtpClient, seconds: float) -> float:
    """Return the evaluations of an engine per second of its CPU time."""
    done, start_s, start_cpu_s = 0, time.monotonic(), client.cpu_s
    while time.monotonic() - start_s < seconds or done < MIN_PEER_EVALUATIONS:
        client.send(f"kata-raw-nn {done % 8}", PEER_TIMEOUT_S)
        done += 1
    end_cpu_s = client.cpu_s
    if start_cpu_s is None or end_cpu_s is None:
        raise TengenError("the CPU time of the peer is unknown on this system: omit --peer")
    return done / max(end_cpu_s - start_cpu_s, CPU_TICK_S)


def _features_us(net: Net, positions: list[Position]) -> float:
    start_s = time.process_time()
    net.encode(positions)
    return 1e6 * (time.process_time() - start_s) / len(positions)


def _positions(rows: int, columns: int) -> list[Position]:
    """Return the last positions of a random game that fills half of the board."""
    return random_game(rows, columns, max(rows * columns // 2, 1))[1:][-POSITIONS:]
