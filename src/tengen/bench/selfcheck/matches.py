"""Checks of matches: killed runners and hostile engines."""

import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tengen.bench.selfcheck.check import Batch
from tengen.bench.selfcheck.hostile_engine import FAULTS, HARMLESS
from tengen.match import Store, verify_games
from tengen.util import TengenError

GAMES = 24
KILLS = 5
"""Kills of one match."""
TIMEOUT_S = 600.0
"""A match that takes longer has failed."""
MOVE_TIMEOUT = "3s"
BOARD = ["--size", "5", "--scoring", "tromp-taylor", "--openings", "random:2"]


def _engine(fault: str = "none") -> str:
    return shlex.join([sys.executable, "-m", "tengen.bench.selfcheck.hostile_engine", fault])


def _start(file: Path, players: list[str], *options: str) -> subprocess.Popen[bytes]:
    names = ["--names", ",".join(f"p{number}" for number in range(len(players)))]
    command = [sys.executable, "-m", "tengen", "match", *players, "-o", str(file), *names]
    return subprocess.Popen(
        [*command, *BOARD, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a runner, and its workers with it, without a chance to clean up."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _finish(process: subprocess.Popen[bytes]) -> str:
    """Wait for a match; return why it failed, or an empty string."""
    try:
        _, errors = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        _kill(process)
        return f"the match did not end within {TIMEOUT_S:.0f} s"
    if process.returncode:
        return f"exit code {process.returncode}: {errors.decode(errors='replace')[-300:]}"
    return ""


def killed_matches(rng: random.Random) -> Iterator[Batch]:
    """Kill a match at random times and resume it; no game may be lost, doubled or damaged."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(sys.maxsize):
            yield from _killed_match(rng, Path(folder) / f"{number}.sqlite")


def _killed_match(rng: random.Random, file: Path) -> Iterator[Batch]:
    options = ("--games", str(GAMES), "--workers", "2")
    players = [_engine(), _engine("babble")]
    for kill in range(KILLS):
        process = _start(file, players, *options)
        _wait_for_games(file, min(GAMES - 1, (kill + 1) * GAMES // (KILLS + 1)), process)
        time.sleep(rng.random() * 0.2)
        _kill(process)
        yield Batch(1)
    problem = _finish(_start(file, players, *options))
    yield Batch(0, tuple(filter(None, [problem, *_store_problems(file)])))


def _wait_for_games(file: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a match has so many games or ends."""
    deadline_s = time.monotonic() + TIMEOUT_S
    while process.poll() is None and _games_in(file) < count and time.monotonic() < deadline_s:
        time.sleep(0.02)


def _games_in(file: Path) -> int:
    try:
        store = Store(file, read_only=True)
    except TengenError:
        return 0  # not created yet
    try:
        return store.count()
    except TengenError:
        return 0
    finally:
        store.close()


def _store_problems(file: Path) -> list[str]:
    """Return what is wrong with a finished match."""
    store = Store(file, create=False)
    try:
        numbers = [row.number for row in store.results()]
        lost = [] if numbers == list(range(GAMES)) else [f"games {numbers}, not 0 to {GAMES - 1}"]
        return lost + verify_games(store)
    finally:
        store.close()


def hostile_engines(rng: random.Random) -> Iterator[Batch]:
    """Play against engines with faults: they lose; the match ends and its games are intact."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(sys.maxsize):
            faults = [*FAULTS, *HARMLESS]
            fault = faults[number] if number < len(faults) else rng.choice(faults)
            yield Batch(2, tuple(_fault_problems(fault, Path(folder) / f"{number}.sqlite")))


def _fault_problems(fault: str, file: Path) -> Iterator[str]:
    options = ("--games", "2", "--move-timeout", MOVE_TIMEOUT)
    if problem := _finish(_start(file, [_engine(), _engine(fault)], *options)):
        yield f"{fault}: {problem}"
        return
    store = Store(file, create=False)
    try:
        rows = store.results()
        if len(rows) != 2:
            yield f"{fault}: {len(rows)} games, not 2"
        if fault in FAULTS and any(row.winner != 0 for row in rows):
            yield f"{fault}: winners {[row.winner for row in rows]}, not 0"
        yield from (f"{fault}: {problem}" for problem in verify_games(store))
    finally:
        store.close()
