"""Latency: starting, interrupting a search, the web page under load, database queries."""

import asyncio
import contextlib
import itertools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, suppress
from typing import IO

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from tengen.bench.measurement import size_text
from tengen.board import PASS, board_points, vertex
from tengen.records import GameRecord
from tengen.records.database import GameDatabase, Pattern, Region
from tengen.util import TengenError

COMMAND = [sys.executable, "-m", "tengen.cli.main"]
MIN_SEARCH_S, STEP_S = 0.15, 0.03
"""Searches run for a minimum time plus up to nine steps before they are interrupted."""
ENDED = "the engine process ended: check its settings"


class EngineProcess:
    """A Tengen subprocess with pipes."""

    def __init__(self, stack: ExitStack, *arguments: str):
        process = subprocess.Popen(
            [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        stack.callback(process.wait)
        if process.stdin is None or process.stdout is None:
            raise AssertionError("the process has pipes")
        self._input: IO[str] = process.stdin
        self._output: IO[str] = process.stdout
        stack.callback(self._close)

    def send(self, line: str) -> None:
        """Send one line; raise TengenError if the process has ended."""
        try:
            self._input.write(line + "\n")
            self._input.flush()
        except BrokenPipeError:
            raise TengenError(ENDED) from None

    def wait_for(self, matches: Callable[[str], bool]) -> None:
        """Read lines up to one that matches; raise TengenError on an error or end of output."""
        for line in self._output:
            if line.startswith("?") or (line.startswith("{") and "error" in json.loads(line)):
                raise TengenError(f"the engine reports an error: {line.strip()}")
            if matches(line.rstrip("\n")):
                return
        raise TengenError(ENDED)

    def _close(self) -> None:
        # Closing flushes input that an ended process did not read.
        with suppress(BrokenPipeError):
            self._input.close()


# Start


def measure_start(rounds: int) -> list[dict[str, object]]:
    """Return seconds from starting a process to its end, a row per task.

    CPU times are 0 on Windows.
    """
    tasks: dict[str, Callable[[], None]] = {
        "print help": _start_help,
        "answer GTP name": lambda: _start_gtp("name"),
        "generate a move": lambda: _start_gtp("boardsize 9", "genmove b"),
    }
    return [{"task": name, **_seconds(task, rounds)} for name, task in tasks.items()]


def _seconds(start: Callable[[], None], rounds: int) -> dict[str, float]:
    """Return median and maximum time, without a first start that may compile kernels."""
    start()
    times_s, cpu_times_s = [], []
    for _ in range(rounds):
        start_s, start_cpu_s = time.monotonic(), _children_cpu_s()
        start()
        times_s.append(time.monotonic() - start_s)
        cpu_times_s.append(_children_cpu_s() - start_cpu_s)
    return {
        "median_s": round(statistics.median(times_s), 3),
        "max_s": round(max(times_s), 3),
        "median_cpu_s": round(statistics.median(cpu_times_s), 3),
    }


def _children_cpu_s() -> float:
    """Return the CPU time of the processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _start_help() -> None:
    subprocess.run([*COMMAND, "--help"], check=True, stdout=subprocess.DEVNULL)


def _start_gtp(*commands: str) -> None:
    with ExitStack() as stack:
        gtp = EngineProcess(stack, "gtp", "playouts=100", "threads=1")
        for command in commands:
            gtp.send(command)
            gtp.wait_for(lambda line: line.startswith("="))
            gtp.wait_for(lambda line: line == "")
        gtp.send("quit")


# Interrupts


def measure_interrupt(
    rows: int, columns: int, rounds: int, settings: list[str]
) -> list[dict[str, object]]:
    """Return milliseconds from the interrupting line to the response, a row per protocol.

    `settings` are engine settings such as `net=default`.
    """
    delays: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        gtp = EngineProcess(stack, "gtp", "seconds=3600", "stop_early=no", *settings)
        gtp.send(f"boardsize {columns} {rows}")
        gtp.wait_for(lambda line: line == "")
        delays["kata-analyze"] = _summary(lambda n: _analyze(gtp, n), rounds)
        delays["genmove"] = _summary(lambda n: _genmove(gtp, n), rounds)
        gtp.send("quit")
        analysis = EngineProcess(stack, "analysis", "--positions", "1", *settings)
        delays["JSON analysis"] = _summary(lambda n: _terminate(analysis, rows, columns, n), rounds)
    size = size_text(rows, columns)
    return [{"size": size, "protocol": name, **found} for name, found in delays.items()]


def _summary(once: Callable[[int], float], rounds: int) -> dict[str, float]:
    delays_ms = sorted(1000 * once(number) for number in range(rounds))
    return {
        "median_ms": round(statistics.median(delays_ms), 1),
        "p95_ms": round(delays_ms[min(int(0.95 * rounds), rounds - 1)], 1),
        "max_ms": round(delays_ms[-1], 1),
    }


def _let_search(number: int) -> float:
    """Let the search run for a while; return the current time."""
    time.sleep(MIN_SEARCH_S + STEP_S * (number % 10))
    return time.monotonic()


def _analyze(gtp: EngineProcess, number: int) -> float:
    """Interrupt `kata-analyze` with another command; return the delay of its response."""
    gtp.send("kata-analyze 10 ownership true")
    gtp.wait_for(lambda line: line.startswith("info "))
    start_s = _let_search(number)
    gtp.send("protocol_version")
    gtp.wait_for(lambda line: line == "= 2")
    delay_s = time.monotonic() - start_s
    gtp.wait_for(lambda line: line == "")
    return delay_s


def _genmove(gtp: EngineProcess, number: int) -> float:
    """Interrupt `reg_genmove` with `# interrupt`; return the delay of the move."""
    gtp.send("reg_genmove b")
    start_s = _let_search(number)
    gtp.send("# interrupt")
    gtp.wait_for(lambda line: line.startswith("= "))
    delay_s = time.monotonic() - start_s
    gtp.wait_for(lambda line: line == "")
    return delay_s


def _terminate(analysis: EngineProcess, rows: int, columns: int, number: int) -> float:
    """Terminate a JSON query; return the delay of its final response."""
    name = f"q{number}"
    query = {"id": name, "moves": [], "rules": "chinese", "boardXSize": columns}
    query |= {"boardYSize": rows, "maxVisits": 10**9, "reportDuringSearchEvery": 0.1}
    analysis.send(json.dumps(query))
    analysis.wait_for(lambda line: _is_response(line, name, is_during_search=True))
    start_s = _let_search(number)
    analysis.send(json.dumps({"id": "t", "action": "terminate", "terminateId": name}))
    analysis.wait_for(lambda line: _is_response(line, name, is_during_search=False))
    return time.monotonic() - start_s


def _is_response(line: str, name: str, is_during_search: bool) -> bool:
    response = json.loads(line)
    return response.get("id") == name and response.get("isDuringSearch") is is_during_search


OPEN_GAMES, ANALYZED_GAMES = 50, 8
BOARD_SIZE = 19
PAUSE_S = 0.01
"""Pause between two requests of all clients together."""


class Client:
    """A web socket client with an open game."""

    def __init__(self, socket: ClientConnection):
        self._socket = socket
        self._tags = itertools.count()

    async def ask(self, kind: str, **fields: object) -> float:
        """Send a message; return the seconds until the server has handled it."""
        tag = str(next(self._tags))
        start_s = time.perf_counter()
        await self._send(kind, **fields)
        await self._send("ping", text=tag)
        while True:
            message = json.loads(await self._socket.recv())
            if message["type"] == "pong" and message["text"] == tag:
                return time.perf_counter() - start_s

    async def _send(self, kind: str, **fields: object) -> None:
        await self._socket.send(json.dumps({"type": kind, **fields}))


def measure_page(seconds: float, size: int = BOARD_SIZE) -> dict[str, object]:
    """Start a server process, open games and measure the response times of moves."""
    arguments = ["play", "--no-browser", "--port", "0", "--color", "black"]
    command = [sys.executable, "-m", "tengen.cli.main", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://([^/\s]+)", process.stdout.readline())
            if address is None:
                raise TengenError("the server did not start")
            times_s = asyncio.run(_run_clients(address[1], seconds, size))
        finally:
            process.kill()
    return summarize(times_s)


def summarize(times_s: Sequence[float]) -> dict[str, object]:
    """Return percentiles of response times in milliseconds."""
    times_ms = 1000 * np.array(times_s)
    percentiles = {"median_ms": 50, "p95_ms": 95, "p99_ms": 99, "max_ms": 100}
    return {
        "open_games": OPEN_GAMES,
        "analyzed_games": ANALYZED_GAMES,
        "responses": len(times_s),
        **{name: float(np.percentile(times_ms, share)) for name, share in percentiles.items()},
    }


async def _run_clients(host: str, seconds: float, size: int) -> list[float]:
    """Open all games, analyze some and play moves in the others until time is up."""
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(_client(host, size)) for _ in range(OPEN_GAMES)]
        for client in clients[:ANALYZED_GAMES]:
            await client.ask("analyze", on=True)
        return await _play(clients[ANALYZED_GAMES:], seconds, size)


@contextlib.asynccontextmanager
async def _client(host: str, size: int) -> AsyncIterator[Client]:
    async with connect(f"ws://{host}/socket", max_size=None) as socket:
        client = Client(socket)
        await client.ask("hello")
        await client.ask("new_game", size=str(size), color="both")
        yield client


async def _play(clients: Sequence[Client], seconds: float, size: int) -> list[float]:
    """Play moves in one game after another; return the response times."""
    times_s: list[float] = []
    end_s = time.monotonic() + seconds
    for point in board_points(size, size):
        for client in clients:
            times_s.append(await client.ask("play", vertex=vertex(point, size)))
            await asyncio.sleep(PAUSE_S)
            if time.monotonic() >= end_s:
                return times_s
    return times_s


GAMES = 30
"""Number of games from which positions are taken."""
MOVE_NUMBERS = (0, 1, 2, 4, 6, 10, 20, 50, 100, 180)
SIDE = 7
"""Side of local patterns, squares centered on the move played."""


def measure_queries(path: str, rows: int, columns: int, seconds: float) -> dict[str, object]:
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
