"""Helpers of the match tests."""

import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tengen.board import Rules
from tengen.match import Entrant, GameRow, MatchSettings, load_openings
from tengen.match.plan import MatchPlan, round_robin
from tengen.match.worker import POOL

SCRIPT = Path(__file__).with_name("scripted_engine.py")
SETTINGS = MatchSettings(
    5, 5, Rules(komi=0.5), command_timeout_s=10, move_timeout_s=20, grace_s=0.2
)


def scripted(**options: object) -> str:
    """Return the command line of a scripted engine."""
    words = [sys.executable, str(SCRIPT), *(f"{key}={value}" for key, value in options.items())]
    return shlex.join(words)


def plan_of(*specs: str, settings: MatchSettings = SETTINGS, openings: str = "empty") -> MatchPlan:
    """Return a round-robin plan."""
    entrants = tuple(Entrant(f"p{n}", spec, "scripted", "1") for n, spec in enumerate(specs))
    loaded = load_openings(openings, settings, 1)
    return MatchPlan(entrants, round_robin(len(specs)), settings, loaded)


def row_of(number: int, black: int, white: int, winner_color: int | None) -> GameRow:
    """Return a row with the values that statistics use."""
    texts = ("opening", "black_log", "white_log", "note", "sgf", "started", "host")
    row = GameRow(**{name: "text" if name in texts else 0 for name in GameRow._fields})
    return row._replace(
        number=number,
        pair=number // 2,
        black=black,
        white=white,
        winner_color=winner_color,
        winner={1: black, 2: white, None: None}[winner_color],
        digest=str(number),
    )


class ThreadWorkers:
    """Workers as threads of this process."""

    failures = ()
    fail_together = True

    def __init__(self, count: int = 2):
        self.count = count
        self.executor = ThreadPoolExecutor(count)
        self.stopped = False

    def restart(self) -> None:
        self.executor = ThreadPoolExecutor(self.count)

    def finish(self) -> None:
        self.stop()

    def stop(self) -> None:
        self.executor.shutdown()
        POOL.close()
        self.stopped = True
