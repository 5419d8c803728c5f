"""How long a running search takes to give way: over real pipes, as a tool would notice it."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import IO

from tengen.core.errors import TengenError

COMMAND = [sys.executable, "-m", "tengen.cli.main"]
LEAST_S, MORE_S = 0.15, 0.03
"""A search is left alone for so long, a little longer each time, before it is interrupted."""
ENDED = "the engine ended: look at its settings"


class Talk:
    """A process with its pipes."""

    def __init__(self, stack: ExitStack, *words: str):
        process = subprocess.Popen(
            [*COMMAND, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        stack.callback(process.wait)
        if process.stdin is None or process.stdout is None:
            raise AssertionError("both are pipes")
        self._input: IO[str] = process.stdin
        self._output: IO[str] = process.stdout
        stack.callback(self._close)

    def send(self, line: str) -> None:
        """Send one line; raise TengenError if the engine has ended."""
        try:
            self._input.write(line + "\n")
            self._input.flush()
        except BrokenPipeError:
            raise TengenError(ENDED) from None

    def until(self, is_wanted: Callable[[str], bool]) -> None:
        """Read lines up to one that is wanted; raise TengenError if there will be none."""
        for line in self._output:
            if line.startswith("?") or (line.startswith("{") and "error" in json.loads(line)):
                raise TengenError(f"the engine refuses: {line.strip()}")
            if is_wanted(line.rstrip("\n")):
                return
        raise TengenError(ENDED)

    def _close(self) -> None:
        # What was not sent to an engine that has ended is tried again by closing.
        with suppress(BrokenPipeError):
            self._input.close()


def measure(rows: int, columns: int, rounds: int, words: list[str]) -> dict[str, object]:
    """Return the milliseconds from a line that interrupts to the answer, for each protocol.

    `words` are settings of the engine. The search has run for a while each time.
    """
    figures: dict[str, object] = {"size": f"{columns}x{rows}", "rounds": rounds}
    with ExitStack() as stack:
        gtp = Talk(stack, "gtp", "seconds=3600", "stop_early=no", *words)
        gtp.send(f"boardsize {columns} {rows}")
        gtp.until(lambda line: line == "")
        figures["analyze"] = _summary(lambda n: _analyze(gtp, n), rounds)
        figures["genmove"] = _summary(lambda n: _genmove(gtp, n), rounds)
        gtp.send("quit")
        analysis = Talk(stack, "analysis", "--positions", "1", *words)
        figures["json"] = _summary(lambda n: _json(analysis, rows, columns, n), rounds)
    return figures


def _summary(once: Callable[[int], float], rounds: int) -> dict[str, float]:
    delays_ms = sorted(1000 * once(number) for number in range(rounds))
    return {
        "median_ms": round(statistics.median(delays_ms), 1),
        "p95_ms": round(delays_ms[min(int(0.95 * rounds), rounds - 1)], 1),
        "most_ms": round(delays_ms[-1], 1),
    }


def _think(number: int) -> float:
    """Let the search run for a while; return the time."""
    time.sleep(LEAST_S + MORE_S * (number % 10))
    return time.monotonic()


def _analyze(gtp: Talk, number: int) -> float:
    """Interrupt `kata-analyze` with another command; the delay is until that is answered."""
    gtp.send("kata-analyze 10 ownership true")
    gtp.until(lambda line: line.startswith("info "))
    begun_s = _think(number)
    gtp.send("protocol_version")
    gtp.until(lambda line: line == "= 2")
    delay_s = time.monotonic() - begun_s
    gtp.until(lambda line: line == "")
    return delay_s


def _genmove(gtp: Talk, number: int) -> float:
    """Interrupt a move with `# interrupt`; the delay is until the move comes."""
    gtp.send("reg_genmove b")
    begun_s = _think(number)
    gtp.send("# interrupt")
    gtp.until(lambda line: line.startswith("= "))
    delay_s = time.monotonic() - begun_s
    gtp.until(lambda line: line == "")
    return delay_s


def _json(analysis: Talk, rows: int, columns: int, number: int) -> float:
    """Terminate a question; the delay is until its final reply."""
    name = f"q{number}"
    query = {"id": name, "moves": [], "rules": "chinese", "boardXSize": columns}
    query |= {"boardYSize": rows, "maxVisits": 10**9, "reportDuringSearchEvery": 0.1}
    analysis.send(json.dumps(query))
    analysis.until(lambda line: _is_reply(line, name, is_during_search=True))
    begun_s = _think(number)
    analysis.send(json.dumps({"id": "t", "action": "terminate", "terminateId": name}))
    analysis.until(lambda line: _is_reply(line, name, is_during_search=False))
    return time.monotonic() - begun_s


def _is_reply(line: str, name: str, is_during_search: bool) -> bool:
    reply = json.loads(line)
    return reply.get("id") == name and reply.get("isDuringSearch") is is_during_search
