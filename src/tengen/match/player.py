"""The player interface, and its implementations: GTP engines, Tengen engines, Python functions.

A player keeps its own board and is sent every move. The game itself decides about legality and the
result (see `tengen.match.game`).
"""

import contextlib
import json
import re
import shlex
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from tengen import __version__
from tengen.board import BLACK, PASS, Color, Position, Rules, parse_vertex, rules_to_katago, vertex
from tengen.board.kernels.tactics import is_eye
from tengen.engine import Clock, Engine, EngineSettings, TimeControl, TimeSystem, create_engine
from tengen.match.gtp_client import EngineRefusedError, GtpClient
from tengen.match.settings import MatchSettings
from tengen.playout import score_position
from tengen.util import TengenError

RESIGN = -1
"""Returned by `genmove` instead of a move."""
MAX_SEED = 2**31 - 1
_SEED_FIELD = "{seed}"
"""Placeholder for the game's seed in a command line; the engine is restarted for every game."""
_SCORE = re.compile(r"\s*(?:(?P<side>[BbWw])\+(?P<points>[0-9]+(?:\.[0-9]*)?)|0(?:\.0*)?)(?:\s|$)")


class BadMoveError(TengenError):
    """A player answered with something that is not a move on this board."""


class BadScoreError(TengenError):
    """A player answered with something that is not a score."""


class Player(Protocol):
    """One side of a game.

    Any method may raise: the player then loses the game. `new_game` must work afterwards.
    """

    @property
    def name(self) -> str:
        """The player's own name."""

    @property
    def version(self) -> str:
        """The version, or an empty string."""

    @property
    def cpu_s(self) -> float | None:
        """CPU time used since the player was created; None if unknown."""

    @property
    def log(self) -> str:
        """Log output since the game started, truncated."""

    def new_game(self, settings: MatchSettings, seed: int) -> None:
        """Set up a game with its handicap stones; raise TengenError if it is not supported."""

    def play(self, color: Color, move: int) -> None:
        """Play a move of either side."""

    def set_clock(self, color: Color, clock: Clock) -> None:
        """Set the clock before `genmove`."""

    def genmove(self, color: Color, limit_s: float) -> int:
        """Choose, play and return a move or RESIGN; after `limit_s` the player counts as hung."""

    def final_score(self) -> float | None:
        """Return the margin from Black's point of view, or None if unknown."""

    def close(self) -> None:
        """Release all resources."""


class GtpPlayer:
    """A GTP engine, started for its first game and restarted after it exits."""

    def __init__(self, command: str):
        """Store the command line; `{seed}` in it is replaced by the seed of each game."""
        self.command = command
        self.name = ""
        self.version = ""
        self.commands: frozenset[str] = frozenset()
        self._client: GtpClient | None = None
        self._settings = MatchSettings()
        self._past_cpu_s = 0.0
        self._is_starting = False
        """Whether the engine has not started a game yet."""
        self._knows_periods = False
        """Whether the engine accepted byo-yomi settings."""

    @property
    def cpu_s(self) -> float | None:
        """CPU time of all processes started so far; None if unknown."""
        if self._client is None:
            return self._past_cpu_s
        now_s = self._client.cpu_s
        return None if now_s is None else self._past_cpu_s + now_s

    @property
    def log(self) -> str:
        """The last lines of the engine's standard error."""
        return self._client.stderr if self._client else ""

    def new_game(self, settings: MatchSettings, seed: int) -> None:
        """Start the engine if necessary and set up board, komi, rules, clock and handicap."""
        self._settings = settings
        seed %= MAX_SEED
        self._ensure_running(seed)
        self._set_board()
        self._send_optional(f"set_random_seed {seed}")
        self._set_rules(settings.rules)
        if not settings.time_control.is_unlimited:
            self._set_time(settings.time_control)
        if settings.handicap:
            self._place_handicap(settings.handicap_points)
        self._is_starting = False

    def play(self, color: Color, move: int) -> None:
        """Send a move."""
        self._send(f"play {color.letter.lower()} {vertex(move, self._settings.rows)}")

    def set_clock(self, color: Color, clock: Clock) -> None:
        """Send `time_left` if the engine supports it."""
        left = clock.gtp_time_left(counts_periods=self._knows_periods)
        self._send_optional(f"time_left {color.letter.lower()} {left}")

    def genmove(self, color: Color, limit_s: float) -> int:
        """Request a move; raise BadMoveError if the reply is not one."""
        text = self.ask(f"genmove {color.letter.lower()}", limit_s)
        if text.lower() == "resign":
            return RESIGN
        try:
            return parse_vertex(text, self._settings.rows, self._settings.columns)
        except TengenError as error:
            raise BadMoveError(str(error)) from None

    def final_score(self) -> float | None:
        """Request the score; None if the engine does not support it or fails."""
        if "final_score" not in self.commands:
            return None
        try:
            return parse_score(self._send("final_score"))
        except (EngineRefusedError, BadScoreError):
            return None

    def ask(self, command: str, limit_s: float) -> str:
        """Send any command and return the text of its reply."""
        if self._client is None:
            raise AssertionError("call new_game first")
        return self._client.send(command, limit_s)

    def close(self) -> None:
        """Quit the engine."""
        if self._client is not None:
            self._client.close()
            self._past_cpu_s = self.cpu_s or 0.0
            self._client = None

    def kill(self) -> None:
        """Kill the engine; may be called from another thread."""
        if self._client is not None:
            self._client.kill()

    def _ensure_running(self, seed: int) -> None:
        if self._client is not None and self._client.is_alive and _SEED_FIELD not in self.command:
            self._client.clear_stderr()
            return
        self.close()
        self._is_starting = True
        words = [word.replace(_SEED_FIELD, str(seed)) for word in split_command(self.command)]
        self._client = GtpClient(words)
        limit_s = self._settings.start_timeout_s
        self.name = self._client.send("name", limit_s)
        with contextlib.suppress(EngineRefusedError):
            self.version = self._client.send("version", limit_s)
        self.commands = frozenset(self._client.send("list_commands", limit_s).split())

    def _set_board(self) -> None:
        settings = self._settings
        is_square = settings.rows == settings.columns
        size = str(settings.rows) if is_square else f"{settings.columns} {settings.rows}"
        try:
            self._send(f"boardsize {size}")
        except EngineRefusedError as error:
            size_text = settings.size_text
            raise TengenError(f"{self.name} rejects board size {size_text}: {error}") from None
        self._send("clear_board")
        self._send(f"komi {settings.rules.komi:g}")

    def _set_rules(self, rules: Rules) -> None:
        """Send the rules in the most precise form the engine accepts.

        KataGo's named rules differ from Tengen's (`chinese` has another ko rule), so the full
        description comes first.
        """
        if "kata-set-rules" not in self.commands:
            self._send_optional(f"kgs-rules {rules.name.replace('-', '_')}")
            return
        description = json.dumps(rules_to_katago(rules), separators=(",", ":"))
        if not self._send_optional(f"kata-set-rules {description}"):
            self._send_optional(f"kata-set-rules {rules.name}")

    def _set_time(self, control: TimeControl) -> None:
        """Send the time control in the most precise form the engine accepts."""
        accepted = next(filter(self._send_optional, control.gtp_commands), "")
        self._knows_periods = TimeSystem.BYOYOMI.value in accepted.split()

    def _place_handicap(self, points: Sequence[int]) -> None:
        """Place the stones by one handicap command, or else as moves."""
        stones = [vertex(point, self._settings.rows) for point in points]
        free_handicap = f"set_free_handicap {' '.join(stones)}"
        if self._place_fixed_handicap(stones) or self._send_optional(free_handicap):
            return
        for point in points:
            self.play(BLACK, point)

    def _place_fixed_handicap(self, stones: Sequence[str]) -> bool:
        """Try `fixed_handicap`; return whether it placed exactly these stones.

        Otherwise the engine's board is cleared.
        """
        if "fixed_handicap" not in self.commands:
            return False
        try:
            placed = self._send(f"fixed_handicap {len(stones)}")
        except EngineRefusedError:
            return False
        if sorted(placed.upper().split()) == sorted(stones):
            return True
        self._send("clear_board")
        return False

    def _send_optional(self, command: str) -> bool:
        """Send a command if the engine supports it; return whether it succeeded."""
        if command.split()[0] not in self.commands:
            return False
        try:
            self._send(command)
        except EngineRefusedError:
            return False
        return True

    def _send(self, command: str) -> str:
        """Send a command; allow for loading and compiling before the first game."""
        settings = self._settings
        starting = self._is_starting
        return self.ask(
            command, settings.start_timeout_s if starting else settings.command_timeout_s
        )


def split_command(command: str) -> list[str]:
    """Split a command line like a shell; raise TengenError if it is malformed or empty."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise TengenError(f"invalid command line {command!r}: {error}") from None
    if not words:
        raise TengenError("empty engine command line")
    return words


def parse_score(text: str) -> float:
    """Parse `B+3.5`, `W+2` or `0` as a margin from Black's point of view; raise BadScoreError."""
    match = _SCORE.match(text)
    if not match:
        raise BadScoreError(f"invalid score {text!r}")
    if match["side"] is None:
        return 0.0
    return float(match["points"]) * (1 if match["side"] in "Bb" else -1)


MoveFunction = Callable[[Position], Any]
"""Returns a move (point, vertex such as `D4`, `pass` or `resign`), or an array of scores.

Scores have shape (rows, columns); the legal point with the highest score is played.
"""


class _LocalPlayer:
    """A player with its own position; subclasses choose moves."""

    name = ""
    version = ""
    log = ""

    def __init__(self) -> None:
        self._position = Position(9)
        self._clock: Clock | None = None
        self._cpu_s = 0.0

    @property
    def cpu_s(self) -> float | None:
        """CPU time spent choosing moves."""
        return self._cpu_s

    def new_game(self, settings: MatchSettings, seed: int) -> None:
        """Set up the board."""
        self._position = settings.start_position()
        self._clock = None

    def play(self, color: Color, move: int) -> None:
        """Play a move of either side."""
        self._position.play(move, color)

    def set_clock(self, color: Color, clock: Clock) -> None:
        """Set the clock before `genmove`."""
        self._clock = clock

    def genmove(self, color: Color, limit_s: float) -> int:
        """Choose and play a move."""
        start_s = time.thread_time()
        position = self._position.copy()
        position.to_play = color
        move = self._choose(position)
        self._cpu_s += time.thread_time() - start_s
        # An illegal move is returned as it is: the game ends.
        if move != RESIGN and self._position.is_legal(move, color):
            self._position.play(move, color)
        return move

    def final_score(self) -> float | None:
        """Return the margin from Black's point of view."""
        return score_position(self._position).score

    def close(self) -> None:
        """Do nothing."""

    def _choose(self, position: Position) -> int:
        raise NotImplementedError


class EnginePlayer(_LocalPlayer):
    """An engine, reseeded for every game."""

    name = "Tengen"
    version = __version__

    def __init__(self, engine: Engine):
        super().__init__()
        self._engine = engine

    @property
    def cpu_s(self) -> float | None:
        """CPU time spent choosing moves; None with more than one thread or a network."""
        settings = self._engine.settings
        is_single = settings.search.threads == 1 and settings.play.net == "none"
        return self._cpu_s if is_single else None

    @property
    def log(self) -> str:  # type: ignore[override]
        """Errors raised by sources and networks."""
        return "\n".join(self._engine.problems)

    def new_game(self, settings: MatchSettings, seed: int) -> None:
        """Set up the board; use the seed of the engine settings, or else of the game."""
        self._engine.restart(self._engine.settings.play.seed or seed % (MAX_SEED + 1) or 1)
        super().new_game(settings, seed)

    def close(self) -> None:
        """Stop pondering."""
        self._engine.stop_pondering()

    def _choose(self, position: Position) -> int:
        decision = self._engine.think(position, self._clock)
        return RESIGN if decision.resigns else decision.move


class FunctionPlayer(_LocalPlayer):
    """A Python function that maps a position to a move or to scores of all points."""

    def __init__(self, function: MoveFunction):
        super().__init__()
        self._function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def _choose(self, position: Position) -> int:
        return chosen_move(position, self._function(position.copy()))


def chosen_move(position: Position, answer: object) -> int:
    """Return the move that a function's return value stands for; raise BadMoveError."""
    if isinstance(answer, str):
        return RESIGN if answer.strip().lower() == "resign" else _parse_move(position, answer)
    if isinstance(answer, int | np.integer):
        return int(answer)
    scores = np.asarray(answer, dtype=np.float64)
    if scores.shape != (position.rows, position.columns):
        shape = f"({position.rows}, {position.columns})"
        raise BadMoveError(f"expected a move or scores of shape {shape}, got {answer!r:.80}")
    return _best_point(position, scores)


def _parse_move(position: Position, text: str) -> int:
    try:
        return position.parse_move(text)
    except TengenError as error:
        raise BadMoveError(str(error)) from None


def _best_point(position: Position, scores: np.ndarray[Any, np.dtype[np.float64]]) -> int:
    """Return the legal point with the highest score, PASS if only own eyes are left."""
    color = position.to_play
    points = [p for p in position.legal_moves() if not is_eye(position.block, p, color)]
    by_point = dict(zip(position.points(), scores.ravel().tolist(), strict=True))
    scored = [point for point in points if by_point[point] == by_point[point]]
    return max(scored or points, key=lambda p: by_point[p], default=PASS)


def engine_player(settings: EngineSettings) -> EnginePlayer:
    """Return a player with its own engine."""
    return EnginePlayer(create_engine(settings))
