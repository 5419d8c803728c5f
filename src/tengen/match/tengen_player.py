"""Tengen itself as a player, in this process: no pipe, no second start."""

import time

from tengen import __version__
from tengen.board.colour import Colour
from tengen.board.position import Position
from tengen.engine.clock import Clock as EngineClock
from tengen.engine.clock import ClockKind
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.match.clock import Clock
from tengen.match.factory import settings_of
from tengen.match.player import RESIGN
from tengen.match.setting import GameSetting
from tengen.playout.judge import judge

LARGEST_SEED = 2**31


class TengenPlayer:
    """An engine with fixed settings, seeded anew for each game."""

    name = "Tengen"
    version = __version__

    def __init__(self, settings: EngineSettings):
        self._settings = settings
        self._clock: EngineClock | None = None
        self._position = Position(9)
        self._engine = Engine(settings)
        self._cpu_s = 0.0

    @property
    def cpu_s(self) -> float | None:
        """CPU time spent in this player's moves; None with more threads than the one we time."""
        alone = self._settings.search.threads == 1 and self._settings.play.net == "none"
        return self._cpu_s if alone else None

    @property
    def log(self) -> str:
        """What knowledge sources raised."""
        return "\n".join(self._engine.problems)

    def new_game(self, setting: GameSetting, seed: int) -> None:
        """Set up the board and begin with the seed of the settings, or else of the game."""
        self._engine.restart(self._settings.play.seed or seed % LARGEST_SEED or 1)
        self._position = setting.start()
        self._clock = None

    def play(self, colour: Colour, move: int) -> None:
        """Take note of a move."""
        self._position.play(move, colour)

    def tell_time(self, colour: Colour, clock: Clock) -> None:
        """Take note of the clock."""
        control = clock.control
        if control.increment_s:
            kind, period_s = ClockKind.FISCHER, control.increment_s
        elif control.periods:
            kind, period_s = ClockKind.BYOYOMI, control.period_s
        elif control.period_s:
            kind, period_s = ClockKind.CANADIAN, control.period_s
        else:
            kind, period_s = ClockKind.ABSOLUTE, 0.0
        count = control.periods or control.stones
        start = EngineClock.start(kind, control.main_s, period_s, count)
        self._clock = start.with_left(clock.remaining_s, clock.count)

    def genmove(self, colour: Colour, limit_s: float) -> int:
        """Choose a move and play it."""
        begun_s = time.thread_time()
        position = self._position.copy()
        position.to_play = colour
        decision = self._engine.think(position, self._clock)
        self._cpu_s += time.thread_time() - begun_s
        if decision.resigns:
            return RESIGN
        self._position.play(decision.move, colour)
        return decision.move

    def final_score(self) -> float | None:
        """Return the margin from Black's side."""
        return judge(self._position).score

    def close(self) -> None:
        """Stop thinking."""
        self._engine.stop_pondering()


def tengen_player(spec: str) -> TengenPlayer:
    """Return the player of `tengen name=value ...` or of a TOML file; raise TengenError.

    A player has one thread unless its settings say more: games run beside each other.
    """
    return TengenPlayer(EngineSettings().with_words(["threads=1", *settings_of(spec)]))
