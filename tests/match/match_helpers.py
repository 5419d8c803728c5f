"""What the match tests share."""

import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tengen.board.rules import Rules
from tengen.match.openings import load_openings
from tengen.match.plan import Entrant, MatchPlan, round_robin
from tengen.match.setting import GameSetting
from tengen.match.store import GameRow
from tengen.match.work import POOL

SCRIPT = Path(__file__).with_name("scripted_engine.py")
SETTING = GameSetting(5, 5, Rules(komi=0.5), command_timeout_s=10, move_timeout_s=20, grace_s=0.2)


def scripted(**options: object) -> str:
    """Return the command line of a scripted engine."""
    words = [sys.executable, str(SCRIPT), *(f"{key}={value}" for key, value in options.items())]
    return shlex.join(words)


def plan_of(*specs: str, setting: GameSetting = SETTING, openings: str = "empty") -> MatchPlan:
    entrants = tuple(Entrant(f"p{n}", spec, "scripted", "1") for n, spec in enumerate(specs))
    loaded = load_openings(openings, setting, 1)
    return MatchPlan(entrants, round_robin(len(specs)), setting, loaded)


def row_of(number: int, black: int, white: int, winner_colour: int | None) -> GameRow:
    """Return a row with only what statistics look at."""
    texts = ("opening", "black_log", "white_log", "note", "sgf", "began", "host")
    row = GameRow(**{name: "text" if name in texts else 0 for name in GameRow._fields})
    return row._replace(
        number=number,
        pair=number // 2,
        black=black,
        white=white,
        winner_colour=winner_colour,
        winner={1: black, 2: white, None: None}[winner_colour],
        digest=str(number),
    )


class ThreadWorkers:
    """Workers in this process: engines are processes anyway."""

    breakdowns = ()
    break_together = True

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
