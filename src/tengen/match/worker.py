"""Plays single games inside a worker process.

`play_task` is the function that executors run. Idle players stay alive for later games.
"""

import atexit
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Generic, Protocol, TypeVar

from tengen.board import BLACK, WHITE
from tengen.match.entrants import PlayerSpec, make_player
from tengen.match.game import PlayedGame, play_game, scorer_named
from tengen.match.plan import GameTask
from tengen.match.player import GtpPlayer, Player
from tengen.match.store import GameRow, digest_of
from tengen.records import record_from_position, sgf_bytes

MAX_IDLE = 8
"""Idle players kept by a process; the longest idle are closed first."""
MAX_NOTE_LENGTH = 2_000
"""Characters of the description of a failure, which may quote an engine."""
AnyPlayer = TypeVar("AnyPlayer", bound=Player)


class PlayerPool(Generic[AnyPlayer]):
    """Players of this process. Parallel games never share a player."""

    def __init__(self, make: Callable[[Any], AnyPlayer], max_idle: int = MAX_IDLE):
        """Create a pool; `make` creates players, of which at most `max_idle` idle ones are kept."""
        self._make = make
        self._max_idle = max_idle
        self._idle: list[tuple[PlayerSpec, AnyPlayer]] = []
        self._busy: list[AnyPlayer] = []
        self._lock = threading.Lock()
        POOLS.append(self)

    @contextmanager
    def borrow(self, spec: PlayerSpec) -> Iterator[AnyPlayer]:
        """Lend a player; close it if the body raises."""
        player = self._take(spec)
        try:
            yield player
        except BaseException:
            self._busy.remove(player)
            player.close()
            raise
        for surplus in self._give_back(spec, player):
            surplus.close()

    def close(self) -> None:
        """Close all idle players."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, player in idle:
            player.close()

    def kill(self) -> None:
        """Kill all GTP engines, even during games."""
        for player in [*self._busy, *(player for _, player in self._idle)]:
            if isinstance(player, GtpPlayer):
                player.kill()

    def _take(self, spec: PlayerSpec) -> AnyPlayer:
        with self._lock:
            found = next((entry for entry in self._idle if entry[0] == spec), None)
            if found is not None:
                self._idle.remove(found)
            player = self._make(spec) if found is None else found[1]
            self._busy.append(player)
            return player

    def _give_back(self, spec: PlayerSpec, player: AnyPlayer) -> list[AnyPlayer]:
        """Mark a player as idle; return the surplus idle players."""
        with self._lock:
            self._busy.remove(player)
            self._idle.append((spec, player))
            surplus = self._idle[: -self._max_idle]
            self._idle = self._idle[-self._max_idle :]
            return [old for _, old in surplus]


POOLS: list[PlayerPool[Any]] = []
"""All player pools of this process."""
POOL: PlayerPool[Player] = PlayerPool(make_player)
"""The players of matches."""


def close_players() -> None:
    """Close all idle players of this process."""
    for pool in POOLS:
        pool.close()


def kill_players() -> None:
    """Kill all GTP engines of this process, even during games."""
    for pool in POOLS:
        pool.kill()


atexit.register(close_players)


def play_task(task: GameTask, pool: PlayerPool[Player] = POOL) -> GameRow:
    """Play a game and return the row to store."""
    started, start_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    with ExitStack() as stack:
        players = {
            color: stack.enter_context(pool.borrow(task.entrant(color).spec))
            for color in (BLACK, WHITE)
        }
        scorer = scorer_named(task.scoring)
        game = play_game(task.settings, players, task.moves, task.seed, scorer)
    return _row(task, game, started, time.monotonic() - start_s)


def _row(task: GameTask, game: PlayedGame, started: str, elapsed_s: float) -> GameRow:
    result = game.result
    sides = {
        f"{color.name.lower()}_{name}": value
        for color, side in game.sides.items()
        for name, value in asdict(side).items()
    }
    return GameRow(
        number=task.number,
        pair=task.pair,
        opening=task.opening,
        opening_moves=game.opening_moves,
        seed=task.seed,
        black=task.black,
        white=task.white,
        winner_color=result.winner,
        winner=task.player(result.winner),
        reason=result.reason,
        margin=result.margin_black,
        length=len(game.moves),
        note=game.note[:MAX_NOTE_LENGTH],
        digest=digest_of(game.moves),
        sgf=_sgf(task, game, started),
        started=started,
        elapsed_s=elapsed_s,
        host=platform.node(),
        **sides,
    )


def _sgf(task: GameTask, game: PlayedGame, started: str) -> str:
    """Return the game as SGF with players, number, seed and opening."""
    settings = task.settings
    position = settings.start_position()
    position.play_sequence(game.moves)
    note = f"game {task.number}, seed {task.seed}, opening {task.opening}\n"
    note = f"{note}{game.note[:MAX_NOTE_LENGTH]}".strip()
    record = record_from_position(
        position,
        black=task.entrants[0].label,
        white=task.entrants[1].label,
        result=str(game.result),
        properties={"GC": note, "DT": started[:10], **settings.time_control.sgf_properties},
    )
    return sgf_bytes(record).decode()


class Lifeline(Protocol):
    """A connection to the runner, which becomes readable when the runner closes it or dies."""

    def poll(self, timeout: float | None = ...) -> bool:
        """Wait until it is readable."""


def start_worker(lifeline: Lifeline) -> None:
    """Turn this process into a worker of the runner at the other end of `lifeline`.

    When the runner closes it or dies, the engines are killed and the process exits. Ctrl-C is
    handled by the runner.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_runner, args=(lifeline,), daemon=True).start()


def _exit_with_runner(lifeline: Lifeline) -> None:
    lifeline.poll(None)
    kill_players()
    os._exit(0)
