"""Soak test: memory, open files and threads of an engine and of a page server over many games."""

import contextlib
import json
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from tengen.bench.selfcheck.processes import Resources, resources
from tengen.bench.selfcheck.server import PageServer
from tengen.board import PASS, Position, parse_vertex
from tengen.match import GtpClient
from tengen.util import Json, TengenError

TIMEOUT_S = 300.0
SIZE = 9
MAX_MOVES = 120
ENGINE = ("net=default", "playouts=20", "threads=1", "memory_mib=32", "seed=1")
GAME = b"(;GM[1]FF[4]SZ[9];B[ee];W[ec];B[cd];W[gd];B[fc];W[gc])"
PAGE_MOVES = ("C3", "D4", "E5")
READ_S = 1.0
"""Time for which a simulated page reads the messages of an analysis."""


class SoakSample(NamedTuple):
    """What a process uses after some games."""

    process: str
    games: int
    memory_mb: float
    handles: int
    threads: int


def soak(games: int) -> Iterator[SoakSample]:
    """Play games and use the page; yield a sample of each process after each game.

    Raise TengenError if the system does not report the resources of a process.
    """
    command = [sys.executable, "-m", "tengen", "gtp", *ENGINE]
    with tempfile.TemporaryDirectory() as folder, closing(GtpClient(command)) as engine:
        server = PageServer(Path(folder))
        try:
            for number in range(1, games + 1):
                _play_game(engine)
                yield _sample("engine", number, engine.pid)
                _use_page(server)
                yield _sample("page server", number, server.process.pid)
        finally:
            server.close()


def _sample(process: str, games: int, pid: int) -> SoakSample:
    found: Resources | None = resources(pid)
    if found is None:
        raise TengenError(f"cannot measure the {process}: it ended, or there is no /proc")
    return SoakSample(process, games, round(found.memory_mb, 1), found.handles, found.threads)


def _play_game(engine: GtpClient) -> None:
    """Let the engine play both sides, and analyze some positions."""
    engine.send(f"boardsize {SIZE}", TIMEOUT_S)
    engine.send("clear_board", TIMEOUT_S)
    position = Position(SIZE)
    passes = 0
    while passes < 2 and len(position.moves) < MAX_MOVES:
        reply = engine.send(f"genmove {position.to_play.letter}", TIMEOUT_S)
        if reply == "resign":
            break
        move = parse_vertex(reply, SIZE, SIZE)
        position.play(move)
        passes = passes + 1 if move == PASS else 0
    engine.send("final_score", TIMEOUT_S)


def _use_page(server: PageServer) -> None:
    """Load the page, play, analyze, load a record and save it, as a browser does."""
    from websockets.sync.client import connect
    from websockets.typing import Origin

    base = f"http://{server.host}"
    for path in ("/", "/favicon.ico", "/manifest.webmanifest"):
        _get(f"{base}{path}")
    with connect(f"ws://{server.host}/socket", origin=Origin(base), max_size=None) as page:
        page.send('{"type": "hello"}')
        game = _wait_for(page, "game")["id"]
        page.send('{"type": "new_game", "size": "9", "color": "both", "level": "10k"}')
        for vertex in PAGE_MOVES:
            page.send(json.dumps({"type": "play", "vertex": vertex}))
        page.send('{"type": "analyze", "on": true, "visits": 50}')
        _drain(page)
        page.send('{"type": "analyze", "on": false}')
        request = urllib.request.Request(
            f"{base}/games/{game}", data=GAME, headers={"Origin": base}
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            answer.read()
        _get(f"{base}/games/{game}.sgf")


def _get(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer:
        content: bytes = answer.read()
        return content


def _wait_for(page: Any, kind: str) -> Json:
    """Return the next message of a type."""
    while True:
        message: Json = json.loads(page.recv(timeout=TIMEOUT_S))
        if message["type"] == kind:
            return message


def _drain(page: Any) -> None:
    deadline_s = time.monotonic() + READ_S
    with contextlib.suppress(TimeoutError):
        while time.monotonic() < deadline_s:
            page.recv(timeout=max(deadline_s - time.monotonic(), 0.01))
