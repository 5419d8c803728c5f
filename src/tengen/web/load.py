"""How quick the page's answers are under load: many open games, some of them thinking."""

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from tengen.board.points import board_points, vertex
from tengen.core.errors import TengenError

OPEN, THINKING = 50, 8
LOAD_BOARD = 19
PAUSE_S = 0.01
"""Between two questions of the whole room: people do not ask faster."""


class Guest:
    """One open page with a game for two, and how long its answers took."""

    def __init__(self, socket: ClientConnection):
        self._socket = socket
        self._tags = itertools.count()

    async def ask(self, kind: str, **fields: object) -> float:
        """Send a message; return the seconds until the server has answered it."""
        tag = str(next(self._tags))
        begun_s = time.perf_counter()
        await self._say(kind, **fields)
        await self._say("ping", text=tag)
        while True:
            heard = json.loads(await self._socket.recv())
            if heard["type"] == "pong" and heard["text"] == tag:
                return time.perf_counter() - begun_s

    async def _say(self, kind: str, **fields: object) -> None:
        await self._socket.send(json.dumps({"type": kind, **fields}))


def measure(seconds: float, size: int = LOAD_BOARD) -> dict[str, object]:
    """Serve in a process of its own, fill it with games, and time moves on their way."""
    words = ["play", "--no-browser", "--port", "0", "--colour", "black"]
    command = [sys.executable, "-m", "tengen.cli.main", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            _, found, address = process.stdout.readline().partition(" is at http://")
            if not found:
                raise TengenError("the server did not start")
            answers = asyncio.run(_fill(address.split("/")[0], seconds, size))
        finally:
            process.kill()
    return figures(answers)


def figures(answers: Sequence[float]) -> dict[str, object]:
    """Return how long the answers took, in milliseconds."""
    taken_ms = 1000 * np.array(answers)
    names = {"median_ms": 50, "p95_ms": 95, "p99_ms": 99, "most_ms": 100}
    shares = {name: float(np.percentile(taken_ms, share)) for name, share in names.items()}
    return {"open_games": OPEN, "thinking": THINKING, "answers": len(answers), **shares}


async def _fill(host: str, seconds: float, size: int) -> list[float]:
    """Open all games, let some think, and play in the others until time is up."""
    async with contextlib.AsyncExitStack() as stack:
        guests = [await stack.enter_async_context(_guest(host, size)) for _ in range(OPEN)]
        for guest in guests[:THINKING]:
            await guest.ask("analyse", on=True)
        return await _play(guests[THINKING:], seconds, size)


@contextlib.asynccontextmanager
async def _guest(host: str, size: int) -> AsyncIterator[Guest]:
    async with connect(f"ws://{host}/socket", max_size=None) as socket:
        guest = Guest(socket)
        await guest.ask("hello")
        await guest.ask("new", size=str(size), colour="both")
        yield guest


async def _play(guests: Sequence[Guest], seconds: float, size: int) -> list[float]:
    """Let one guest after another play a move; return how long each answer took."""
    answers: list[float] = []
    end_s = time.monotonic() + seconds
    for point in board_points(size, size):
        for guest in guests:
            answers.append(await guest.ask("play", vertex=vertex(point, size)))
            await asyncio.sleep(PAUSE_S)
            if time.monotonic() >= end_s:
                return answers
    return answers
