"""Players that run in this process: Tengen engines and Python functions."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tengen import __version__
from tengen.board import PASS, Color, Position
from tengen.board.kernels.tactics import is_eye
from tengen.engine import Clock, Engine, EngineSettings, create_engine
from tengen.match.player import MAX_SEED, RESIGN, BadMoveError
from tengen.match.settings import MatchSettings
from tengen.playout import score_position
from tengen.util import TengenError

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
