"""Playing one game of a match in a worker, wherever that is: a process here or on a cluster.

Engines stay alive from one game to the next: a worker keeps those that it has started and are
idle. `play_task` is all that an executor has to run.
"""

import atexit
import hashlib
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from tengen.board.colour import BLACK, WHITE
from tengen.match.factory import make_player
from tengen.match.game import Outcome, play_game
from tengen.match.judge import judge_named
from tengen.match.plan import GameTask
from tengen.match.player import GtpPlayer, Player
from tengen.match.store import GameRow
from tengen.records.writer import record_from_position, sgf_bytes

MOST_IDLE = 8
"""So many idle players a process keeps; the longest idle are ended first."""
AnyPlayer = TypeVar("AnyPlayer", bound=Player)


class PlayerPool(Generic[AnyPlayer]):
    """Players of this process, ended with it. Two games at a time never share one."""

    def __init__(self, make: Callable[[str], AnyPlayer], most_idle: int = MOST_IDLE):
        """Take the function that makes players, and how many idle ones to keep."""
        self._make = make
        self._most_idle = most_idle
        self._idle: list[tuple[str, AnyPlayer]] = []
        self._lent: list[AnyPlayer] = []
        self._guard = threading.Lock()
        POOLS.append(self)

    @contextmanager
    def borrow(self, spec: str) -> Iterator[AnyPlayer]:
        """Lend a player to one game; one that fails in there is ended."""
        player = self._take(spec)
        try:
            yield player
        except BaseException:
            self._lent.remove(player)
            player.close()
            raise
        for old in self._give_back(spec, player):
            old.close()

    def close(self) -> None:
        """End all idle players."""
        with self._guard:
            idle, self._idle = self._idle, []
        for _, player in idle:
            player.close()

    def kill(self) -> None:
        """End all programs without asking, while games may be going on."""
        for player in [*self._lent, *(player for _, player in self._idle)]:
            if isinstance(player, GtpPlayer):
                player.kill()

    def _take(self, spec: str) -> AnyPlayer:
        with self._guard:
            found = next((entry for entry in self._idle if entry[0] == spec), None)
            if found is not None:
                self._idle.remove(found)
            player = self._make(spec) if found is None else found[1]
            self._lent.append(player)
            return player

    def _give_back(self, spec: str, player: AnyPlayer) -> list[AnyPlayer]:
        """Put a player among the idle; return those that are too many."""
        with self._guard:
            self._lent.remove(player)
            self._idle.append((spec, player))
            surplus = self._idle[: -self._most_idle]
            self._idle = self._idle[-self._most_idle :]
            return [old for _, old in surplus]


POOLS: list[PlayerPool[Any]] = []
"""All pools of this process."""
POOL = PlayerPool(make_player)
"""The players of matches."""


def close_players() -> None:
    """End all idle players of this process."""
    for pool in POOLS:
        pool.close()


def kill_players() -> None:
    """End all programs of this process without asking, while games may be going on."""
    for pool in POOLS:
        pool.kill()


atexit.register(close_players)


def play_task(task: GameTask, pool: PlayerPool[Player] = POOL) -> GameRow:
    """Play a game with players of a pool and return what is to be stored of it."""
    began, began_s = datetime.now(UTC), time.monotonic()
    with ExitStack() as stack:
        players = {
            colour: stack.enter_context(pool.borrow(task.entrant(colour).spec))
            for colour in (BLACK, WHITE)
        }
        judge = judge_named(task.judge)
        outcome = play_game(task.setting, players, task.moves, task.seed, judge)
    return _row(task, outcome, began.isoformat(timespec="seconds"), time.monotonic() - began_s)


def _row(task: GameTask, outcome: Outcome, began: str, took_s: float) -> GameRow:
    black, white = outcome.sides[BLACK], outcome.sides[WHITE]
    moves = " ".join(f"{move.colour}{move.move}" for move in outcome.moves)
    return GameRow(
        number=task.number,
        pair=task.pair,
        opening=task.opening,
        opening_moves=outcome.opening_moves,
        seed=task.seed,
        black=task.black,
        white=task.white,
        winner_colour=outcome.winner,
        winner=task.player(outcome.winner),
        reason=outcome.reason,
        margin=outcome.margin,
        length=len(outcome.moves),
        black_time_s=black.time_s,
        white_time_s=white.time_s,
        black_cpu_s=black.cpu_s,
        white_cpu_s=white.cpu_s,
        black_says=black.says,
        white_says=white.says,
        black_dispute=black.dispute,
        white_dispute=white.dispute,
        black_log=black.log,
        white_log=white.log,
        note=outcome.note,
        digest=hashlib.blake2b(moves.encode(), digest_size=8).hexdigest(),
        sgf=_sgf(task, outcome, began),
        began=began,
        took_s=took_s,
        host=platform.node(),
    )


def _sgf(task: GameTask, outcome: Outcome, began: str) -> str:
    """Return the game as SGF; who had which colour, and which game it was, stand in it."""
    setting = task.setting
    position = setting.start()
    position.play_sequence(outcome.moves)
    clock = setting.control.sgf if setting.control else {}
    note = f"game {task.number}, seed {task.seed}, opening {task.opening}\n{outcome.note}".strip()
    record = record_from_position(
        position,
        black=task.entrants[0].label,
        white=task.entrants[1].label,
        result=outcome.result,
        properties={"GC": note, "DT": began[:10], **clock},
    )
    return sgf_bytes(record).decode()


def start_worker(lifeline: Connection) -> None:
    """Make this process a worker of the runner that holds the other end of `lifeline`.

    When the runner closes it or dies, the engines are killed and the process ends at once.
    Ctrl-C is the runner's to handle.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    lifeline.poll(None)
    kill_players()
    os._exit(0)
