"""One game between two players, with Tengen's own board as the only judge.

An engine that crashes, hangs, cheats or runs out of time loses this game. That is a result like
any other and raises nothing.
"""

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.position import Move, Position
from tengen.match.clock import Clock
from tengen.match.gtp_client import EngineHungError, GtpError
from tengen.match.judge import Judge
from tengen.match.player import RESIGN, BadMoveError, Player
from tengen.match.setting import GameSetting

LONGEST_LOG = 20_000
SAME_SCORE = 0.01
"""Scores nearer than this are the same: engines round."""


class Reason(IntEnum):
    """Why a game ended. The numbers are stored: never change them."""

    SCORE = 1
    RESIGN = 2
    TIME = 3
    ILLEGAL = 4
    CRASH = 5
    LENGTH = 6
    """Too many moves: the board is scored as it stands."""
    HANG = 7
    """No answer long after it was due; the engine was killed."""
    REFUSAL = 8
    """The engine would not take a legal move, or answered `?` where it must not."""


FAILURES = (Reason.TIME, Reason.ILLEGAL, Reason.CRASH, Reason.HANG, Reason.REFUSAL)
"""Ends that say something about an engine's health, not about its play."""


class Dispute(IntEnum):
    """How far an engine's score is from the judge's. The numbers are stored."""

    NONE = 0
    MARGIN = 1
    """The same winner by another margin, as between area and territory scoring."""
    WINNER = 2


@dataclass
class Side:
    """What one colour did in a game."""

    time_s: float = 0.0
    cpu_s: float | None = None
    says: float | None = None
    """The margin from Black's side by this engine's own count."""
    dispute: Dispute = Dispute.NONE
    log: str = ""


@dataclass
class Outcome:
    """How a game went. `winner` is a colour: who sat there is for the caller to know."""

    winner: Colour | None
    """None for a draw."""
    reason: Reason
    margin: float | None
    """By the judge, from Black's side; None unless the board was scored."""
    moves: list[Move]
    """All moves, those of the opening first."""
    opening_moves: int
    seed: int
    sides: dict[Colour, Side]
    note: str = ""
    """What went wrong, in words."""

    @property
    def result(self) -> str:
        """The result as SGF writes it: `B+3.5`, `W+R`, `B+T`, `W+F`, `0`."""
        if self.winner is None:
            return "0"
        if self.margin is not None:
            return f"{self.winner.letter}+{abs(self.margin):g}"
        letter = {Reason.RESIGN: "R", Reason.TIME: "T", Reason.HANG: "T"}.get(self.reason, "F")
        return f"{self.winner.letter}+{letter}"


def play_game(
    setting: GameSetting,
    players: Mapping[Colour, Player],
    opening: Sequence[Move],
    seed: int,
    judge: Judge,
) -> Outcome:
    """Play one game from an opening; the seed is told to both players."""
    return _Game(setting, players, seed, judge).run(opening)


class _LostError(Exception):
    """A side has lost without the board being scored."""

    def __init__(self, loser: Colour, reason: Reason, note: str = ""):
        super().__init__(note)
        self.loser = loser
        self.reason = reason
        self.note = note


@dataclass
class _Game:
    setting: GameSetting
    players: Mapping[Colour, Player]
    seed: int
    judge: Judge
    position: Position = field(init=False)
    clocks: dict[Colour, Clock] = field(init=False, default_factory=dict)
    sides: dict[Colour, Side] = field(init=False)
    cpu_start_s: dict[Colour, float | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        setting = self.setting
        self.position = setting.start()
        self.sides = {BLACK: Side(), WHITE: Side()}
        if setting.control is not None:
            self.clocks = {side: Clock(setting.control, setting.lag_s) for side in self.sides}

    def run(self, opening: Sequence[Move]) -> Outcome:
        """Play the game to its end."""
        margin, winner, note = None, None, ""
        try:
            self._begin(opening)
            while not self._over():
                self._turn()
            margin = self.judge(self.position)
            winner = BLACK if margin > 0 else WHITE if margin < 0 else None
            reason = Reason.SCORE if self.position.is_over else Reason.LENGTH
            self._compare_scores(margin)
        except _LostError as lost:
            winner, reason, note = lost.loser.opponent, lost.reason, lost.note
        self._close_books()
        moves = self.position.moves
        return Outcome(winner, reason, margin, moves, len(opening), self.seed, self.sides, note)

    def _begin(self, opening: Sequence[Move]) -> None:
        for colour, player in self.players.items():
            with self._asking(colour):
                player.new_game(self.setting, self.seed)
                self.cpu_start_s[colour] = player.cpu_s
        for move in opening:
            self.position.play(move.move, move.colour)
            for colour in self.players:
                self._tell(colour, move)

    def _over(self) -> bool:
        return self.position.is_over or len(self.position.moves) >= self.setting.longest_game

    def _turn(self) -> None:
        """Have the side to move make one move, and check it."""
        colour = self.position.to_play
        move = self._answer(colour)
        if move == RESIGN:
            raise _LostError(colour, Reason.RESIGN)
        if not self.position.is_legal(move, colour):
            text = self.position.vertex(move) if self.position.on_board(move) else str(move)
            raise _LostError(colour, Reason.ILLEGAL, f"illegal move {text}")
        self.position.play(move, colour)
        self._tell(colour.opponent, Move(colour, move))

    def _answer(self, colour: Colour) -> int:
        """Return the answer of a side, taking its time off its clock."""
        player, clock = self.players[colour], self.clocks.get(colour)
        limit_s = self.setting.move_timeout_s
        with self._asking(colour):
            if clock is not None:
                player.tell_time(colour, clock)
                limit_s = clock.allowed_s + self.setting.grace_s
            started_s = time.monotonic()
            try:
                move = player.genmove(colour, limit_s)
            finally:
                elapsed_s = time.monotonic() - started_s
                self.sides[colour].time_s += elapsed_s
        if clock is not None and not clock.spend(elapsed_s):
            raise _LostError(
                colour, Reason.TIME, f"{elapsed_s:.2f} s for move {len(self.position.moves) + 1}"
            )
        return move

    def _tell(self, colour: Colour, move: Move) -> None:
        with self._asking(colour):
            self.players[colour].play(move.colour, move.move)

    @contextlib.contextmanager
    def _asking(self, colour: Colour) -> Iterator[None]:
        """Turn whatever goes wrong inside into a loss of that side."""
        try:
            yield
        except EngineHungError as error:
            raise _LostError(colour, Reason.HANG, str(error)) from None
        except BadMoveError as error:
            raise _LostError(colour, Reason.ILLEGAL, str(error)) from None
        except GtpError as error:
            raise _LostError(colour, Reason.REFUSAL, str(error)) from None
        except Exception as error:
            note = f"{type(error).__name__}: {error}"
            raise _LostError(colour, Reason.CRASH, note) from None

    def _compare_scores(self, margin: float) -> None:
        """Ask both engines for the score; a failure here does not change the result."""
        for colour, player in self.players.items():
            try:
                says = player.final_score()
            except Exception as error:
                self.sides[colour].log = f"final_score: {error}\n"
                continue
            self.sides[colour].says = says
            self.sides[colour].dispute = dispute_of(says, margin)

    def _close_books(self) -> None:
        for colour, player in self.players.items():
            side = self.sides[colour]
            start_s, end_s = self.cpu_start_s.get(colour), player.cpu_s
            if start_s is not None and end_s is not None:
                side.cpu_s = max(end_s - start_s, 0.0)
            side.log = (side.log + player.log)[-LONGEST_LOG:]


def dispute_of(says: float | None, margin: float) -> Dispute:
    """Compare an engine's score with the judge's; an engine that cannot tell disputes nothing."""
    if says is None or abs(says - margin) < SAME_SCORE:
        return Dispute.NONE
    same_winner = (says > 0) == (margin > 0) and (says < 0) == (margin < 0)
    return Dispute.MARGIN if same_winner else Dispute.WINNER
