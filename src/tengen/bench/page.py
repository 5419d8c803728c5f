"""Response times of the web page under load: many open games, some with a running analysis."""

import asyncio
import contextlib
import itertools
import json
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from tengen.board import board_points, vertex
from tengen.util import TengenError

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


def measure(seconds: float, size: int = BOARD_SIZE) -> dict[str, object]:
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
