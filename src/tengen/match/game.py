"""One game between two players, refereed and scored by Tengen's own board.

An engine that crashes, hangs, plays an illegal move or runs out of time loses the game. That is a
result like any other; nothing is raised.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from tengen.board import BLACK, WHITE, Color, Move, Position
from tengen.board.kernels.area import area_owners
from tengen.board.kernels.layout import POINTS
from tengen.engine import Clock
from tengen.match.gtp_client import EngineHungError, EngineRefusedError
from tengen.match.player import RESIGN, BadMoveError, Player
from tengen.match.settings import MatchSettings
from tengen.playout import score_position
from tengen.records import EndReason, GameResult
from tengen.util import TengenError

MAX_LOG_LENGTH = 20_000
SCORE_TOLERANCE = 0.01
"""Scores closer than this count as equal, since engines round."""


FAILURES = (EndReason.TIME, EndReason.ILLEGAL, EndReason.CRASH, EndReason.HANG, EndReason.REFUSAL)
"""Endings caused by a malfunction rather than by play."""


class Dispute(IntEnum):
    """Disagreement between an engine's score and Tengen's. The numbers are stored."""

    NONE = 0
    MARGIN = 1
    """Same winner, another margin, as between area and territory scoring."""
    WINNER = 2


@dataclass
class Side:
    """Statistics of one color; the names are those of `GameRow` without the color."""

    time_s: float = 0.0
    cpu_s: float | None = None
    reported_margin: float | None = None
    """Margin from Black's point of view by the engine's own `final_score`."""
    dispute: Dispute = Dispute.NONE
    log: str = ""


@dataclass
class PlayedGame:
    """A finished game. The result names a color, not a player."""

    result: GameResult
    moves: list[Move]
    """All moves, including those of the opening."""
    opening_moves: int
    seed: int
    sides: dict[Color, Side]
    note: str = ""
    """Description of a failure."""


# Scoring

Scorer = Callable[[Position], float]
"""Returns the margin from Black's point of view, including komi and handicap compensation."""


def tromp_taylor_margin(position: Position) -> float:
    """Return the area score with all stones alive."""
    area = int(area_owners(position.block, np.empty(int(POINTS), dtype=np.uint8)))
    return area - position.rules.white_bonus(position.handicap)


def playout_margin(position: Position) -> float:
    """Return the score by the rules of the position, dead stones determined by playouts."""
    return score_position(position).score


DEFAULT_SCORING = "playouts"
SCORERS: dict[str, Scorer] = {"playouts": playout_margin, "tromp-taylor": tromp_taylor_margin}


def scorer_named(name: str) -> Scorer:
    """Return a scoring function; raise TengenError for an unknown name."""
    if name not in SCORERS:
        raise TengenError(f"unknown scoring {name!r}: use one of {', '.join(SCORERS)}")
    return SCORERS[name]


# Playing


def play_game(
    settings: MatchSettings,
    players: Mapping[Color, Player],
    opening: Sequence[Move],
    seed: int,
    scorer: Scorer,
) -> PlayedGame:
    """Play one game from an opening; both players are given the seed."""
    return _Game(settings, players, seed, scorer).run(opening)


class _LossError(Exception):
    """A side has lost without the board being scored."""

    def __init__(self, loser: Color, reason: EndReason, note: str = ""):
        super().__init__(note)
        self.loser = loser
        self.reason = reason
        self.note = note


@dataclass
class _Game:
    settings: MatchSettings
    players: Mapping[Color, Player]
    seed: int
    scorer: Scorer
    position: Position = field(init=False)
    clocks: dict[Color, Clock] = field(init=False, default_factory=dict)
    sides: dict[Color, Side] = field(init=False)
    cpu_start_s: dict[Color, float | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        settings = self.settings
        self.position = settings.start_position()
        self.sides = {BLACK: Side(), WHITE: Side()}
        if not settings.time_control.is_unlimited:
            self.clocks = {
                side: Clock(settings.time_control, settings.lag_s) for side in self.sides
            }

    def run(self, opening: Sequence[Move]) -> PlayedGame:
        """Play the game to its end."""
        note = ""
        try:
            self._start(opening)
            while not self._is_over():
                self._play_turn()
            margin = self.scorer(self.position)
            reason = EndReason.SCORE if self.position.is_over else EndReason.LENGTH
            result = GameResult.from_score(margin, reason)
            self._compare_scores(margin)
        except _LossError as loss:
            result, note = GameResult.loss(loss.loser, loss.reason), loss.note
        self._finish_sides()
        moves = self.position.moves
        return PlayedGame(result, moves, len(opening), self.seed, self.sides, note)

    def _start(self, opening: Sequence[Move]) -> None:
        for color, player in self.players.items():
            with self._failures_lose(color):
                player.new_game(self.settings, self.seed)
                self.cpu_start_s[color] = player.cpu_s
        for move in opening:
            self.position.play(move.move, move.color)
            for color in self.players:
                self._send_move(color, move)

    def _is_over(self) -> bool:
        return self.position.is_over or len(self.position.moves) >= self.settings.max_moves

    def _play_turn(self) -> None:
        """Request a move from the side to play, check it and play it."""
        color = self.position.to_play
        move = self._request_move(color)
        if move == RESIGN:
            raise _LossError(color, EndReason.RESIGN)
        if not self.position.is_legal(move, color):
            text = self.position.vertex(move) if self.position.on_board(move) else str(move)
            raise _LossError(color, EndReason.ILLEGAL, f"illegal move {text}")
        self.position.play(move, color)
        self._send_move(color.opponent, Move(color, move))

    def _request_move(self, color: Color) -> int:
        """Return the move of a side and charge its clock."""
        player, clock = self.players[color], self.clocks.get(color)
        limit_s = self.settings.move_timeout_s
        with self._failures_lose(color):
            if clock is not None:
                player.set_clock(color, clock)
                limit_s = clock.allowed_s + self.settings.grace_s
            start_s = time.monotonic()
            try:
                move = player.genmove(color, limit_s)
            finally:
                elapsed_s = time.monotonic() - start_s
                self.sides[color].time_s += elapsed_s
        if clock is not None and not clock.spend(elapsed_s):
            note = f"{elapsed_s:.2f} s for move {len(self.position.moves) + 1}"
            raise _LossError(color, EndReason.TIME, note)
        return move

    def _send_move(self, color: Color, move: Move) -> None:
        with self._failures_lose(color):
            self.players[color].play(move.color, move.move)

    @contextlib.contextmanager
    def _failures_lose(self, color: Color) -> Iterator[None]:
        """Turn exceptions of a player into a loss."""
        try:
            yield
        except EngineHungError as error:
            raise _LossError(color, EndReason.HANG, str(error)) from None
        except BadMoveError as error:
            raise _LossError(color, EndReason.ILLEGAL, str(error)) from None
        except EngineRefusedError as error:
            raise _LossError(color, EndReason.REFUSAL, str(error)) from None
        except Exception as error:
            note = f"{type(error).__name__}: {error}"
            raise _LossError(color, EndReason.CRASH, note) from None

    def _compare_scores(self, margin: float) -> None:
        """Record both players' own scores; failures do not change the result."""
        for color, player in self.players.items():
            side = self.sides[color]
            try:
                side.reported_margin = player.final_score()
            except Exception as error:
                side.log = f"final_score: {error}\n"
                continue
            side.dispute = dispute_between(side.reported_margin, margin)

    def _finish_sides(self) -> None:
        """Record CPU time and logs."""
        for color, player in self.players.items():
            side = self.sides[color]
            start_s, end_s = self.cpu_start_s.get(color), player.cpu_s
            if start_s is not None and end_s is not None:
                side.cpu_s = max(end_s - start_s, 0.0)
            side.log = (side.log + player.log)[-MAX_LOG_LENGTH:]


def dispute_between(reported: float | None, margin: float) -> Dispute:
    """Compare an engine's margin with Tengen's; None is no dispute."""
    if reported is None or abs(reported - margin) < SCORE_TOLERANCE:
        return Dispute.NONE
    same_winner = (reported > 0) == (margin > 0) and (reported < 0) == (margin < 0)
    return Dispute.MARGIN if same_winner else Dispute.WINNER
