"""A game on the page: its tree, the current node, clocks and score, without network or engine."""

import secrets
import time
from dataclasses import dataclass, field
from enum import IntEnum

from tengen.board import PASS, Color, IllegalMoveError, Move, Position, parse_vertex
from tengen.engine import AUTO, Clock, TimeControl, rank_name, record_result, stored_estimate
from tengen.playout import ChainStatus, FinalScore, score_with_dead_stones
from tengen.records import EndReason, GameResult
from tengen.util import TengenError
from tengen.web.editing import annotation_of, editable_properties, record_marks, set_info
from tengen.web.editing_messages import GameInfo, SetInfo
from tengen.web.game_options import LOADED_GAME, GameOptions
from tengen.web.messages import ClockState, GameHeader, GameState, ScoreState, SideClock
from tengen.web.tree import ROOT, GameTree

MAX_COMMENT_LENGTH = 100_000


class Phase(IntEnum):
    """The phase of a game."""

    PLAY = 0
    SCORING = 1
    """The dead stones are being marked."""
    OVER = 2


class GameClocks:
    """The clocks of both players, of which at most one runs.

    Times `now_s` are readings of `time.monotonic`.
    """

    def __init__(self, control: TimeControl, to_play: Color, now_s: float):
        """Start the clock of the player to move."""
        self.control = control
        self.sides = {color: Clock(control) for color in Color}
        self.start(to_play, now_s)

    @property
    def running(self) -> Color | None:
        """The player whose clock runs."""
        return next((color for color, clock in self.sides.items() if clock.is_running), None)

    def start(self, color: Color, now_s: float) -> None:
        """Start a clock, unless one is running."""
        if self.running is None:
            self.sides[color].start(now_s)

    def press(self, mover: Color, now_s: float) -> bool:
        """End a move and start the opponent's clock; return whether it was made in time."""
        clock = self.sides[mover]
        in_time = clock.press(now_s) if clock.is_running else True
        self.cancel()
        self.start(mover.opponent, now_s)
        return in_time

    def stop(self, now_s: float) -> None:
        """Stop the clocks and charge the elapsed time."""
        for clock in self.sides.values():
            clock.stop(now_s)

    def cancel(self) -> None:
        """Stop the clocks without charging the elapsed time."""
        for clock in self.sides.values():
            clock.cancel()

    def time_to_flag_s(self, now_s: float) -> float | None:
        """Return the time until the running clock runs out; None if no limited clock runs."""
        if self.running is None or self.control.is_unlimited:
            return None
        return self.sides[self.running].time_to_flag_s(now_s)

    def state(self, now_s: float) -> ClockState | None:
        """Return the clocks for the page; None without a time limit."""
        if self.control.is_unlimited:
            return None
        running = self.running
        black, white = (
            SideClock(
                clock.remaining_s, clock.periods_left, clock.in_overtime, self.control.period_s
            )
            for clock in self.sides.values()
        )
        return ClockState(
            running=None if running is None else running.name.lower(),
            elapsed_s=0.0 if running is None else self.sides[running].elapsed_s(now_s),
            black=black,
            white=white,
        )


@dataclass
class WebGame:
    """A game and its current node."""

    tree: GameTree
    options: GameOptions
    result: GameResult | None = None
    """None while the game is in progress."""
    score: FinalScore | None = None
    """The score during the scoring phase and after it."""
    scored_node: int = ROOT
    node: int = ROOT
    """The current node."""
    key: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    """Identifies the game in the library."""
    is_counted: bool = False
    """Whether the result has changed the estimated rank of the user."""
    clocks: GameClocks = field(init=False)
    position: Position = field(init=False)
    """The position at the current node."""
    _tried: set[int] = field(default_factory=set)
    """Nodes that the user added for the engine's color; they never enter the main line."""
    _resumed: set[int] = field(default_factory=set)
    """Second passes after which play was resumed; they no longer end the game."""

    def __post_init__(self) -> None:
        self.position = self.tree.position(self.node)
        self._recorded_result = self.tree.record.root.text("RE") or ""
        self._reset_clocks()

    def _reset_clocks(self) -> None:
        control, to_play = self.options.time_control, self.position.to_play
        self.clocks = GameClocks(control, to_play, time.monotonic())

    # State

    @property
    def phase(self) -> Phase:
        """The phase of the game."""
        if self.result is not None:
            return Phase.OVER
        return Phase.SCORING if self.score is not None else Phase.PLAY

    @property
    def result_text(self) -> str:
        """The result as SGF text, or the one of the record; empty without any."""
        return self.tree.record.result_text if self.result is None else str(self.result)

    @property
    def is_engine_turn(self) -> bool:
        """Whether the engine is to move and the game has not ended by two passes."""
        return not self.have_both_passed and self.is_engine_to_play

    @property
    def is_engine_to_play(self) -> bool:
        """Whether the engine plays the color to move, in the phase of play."""
        return self.phase is Phase.PLAY and self.options.is_engine(self.position.to_play)

    @property
    def have_both_passed(self) -> bool:
        """Whether two passes end the game here."""
        last_two = {self.node, self.tree.node(self.node).parent}
        return self.position.is_over and self._resumed.isdisjoint(last_two)

    @property
    def has_engine_resigned(self) -> bool:
        """Whether the engine, being to move here, has resigned."""
        to_play = self.position.to_play
        resignation = GameResult.loss(to_play, EndReason.RESIGN)
        return self.options.is_engine(to_play) and self.result == resignation

    @property
    def is_loaded(self) -> bool:
        """Whether the game was loaded from a file."""
        return self.options is LOADED_GAME

    def go_to(self, number: int) -> None:
        """Make another node the current one; raise TengenError if its path is illegal."""
        self.position = self.tree.position(number)
        self.node = number
        if self.phase is not Phase.OVER:
            self.score = None

    # Moves

    def play(self, vertex: str) -> None:
        """Play a move of the user for the color to move; raise TengenError if illegal.

        The last move played belongs to the main line, except in a loaded or finished game and for
        the engine's color: there it is a variation.
        """
        self.check_not_scoring()
        move = parse_vertex(vertex, self.position.rows, self.position.columns)
        self.play_move(move, is_variation=self.options.is_engine(self.position.to_play))

    def check_not_scoring(self) -> None:
        """Raise TengenError during the scoring phase."""
        if self.phase is Phase.SCORING:
            raise TengenError("the game is being scored: accept the score or resume play")

    def play_move(self, move: int, is_variation: bool = False) -> None:
        """Play a point or PASS, as `play`; a variation costs no time."""
        position, mover = self.position.copy(), self.position.to_play
        try:
            position.play(move)
        except IllegalMoveError:
            raise TengenError(self._illegal_reason(move)) from None
        self.node, is_new = self.tree.add(self.node, Move(mover, move))
        self.position = position
        self._resumed.discard(self.node)
        if is_variation and is_new and self.node not in self.tree.main_line():
            self._tried.add(self.node)
        if self.result is not None:
            return
        self.score = None
        if not is_variation:
            self._extend_main_line()
            if not self.clocks.press(mover, time.monotonic()):
                self.lose(mover, EndReason.TIME)

    def _extend_main_line(self) -> None:
        """Make the path to the current node the main line, unless it is a variation."""
        if not self.is_loaded and self._tried.isdisjoint(self.tree.path(self.node)):
            self.tree.set_main_line(self.node)

    def _illegal_reason(self, move: int) -> str:
        vertex = self.position.vertex(move)
        if self.position.color(move):
            return f"{vertex} is occupied"
        return f"{vertex} is illegal: ko or suicide"

    def undo(self) -> None:
        """Remove the result, or else go back to before the user's last move.

        The moves remain as a variation.
        """
        if self.result is not None:
            self._undo_result()
            return
        colors = self.options.person or frozenset(Color)
        for number in reversed(self.tree.path(self.node)):
            move = self.tree.move_at(number)
            parent = self.tree.node(number).parent
            if move is not None and parent is not None and move.color in colors:
                self.score = None
                self.go_to(parent)
                self.clocks.cancel()
                self.clocks.start(self.position.to_play, time.monotonic())
                return
        raise TengenError("there is no move of yours to undo")

    def _undo_result(self) -> None:
        """Continue at the current node; an accepted score returns to the scoring phase."""
        was_time_loss = self.result is not None and self.result.reason is EndReason.TIME
        self.set_result(None)
        if self.node != self.scored_node:
            self.score = None
        if was_time_loss:
            self._reset_clocks()
        elif self.phase is Phase.PLAY:
            self.clocks.start(self.position.to_play, time.monotonic())

    def lose(self, color: Color, reason: EndReason) -> None:
        """End the game with a loss of one color, by resignation or on time."""
        self.set_result(GameResult.loss(color, reason))

    def set_result(self, result: GameResult | None) -> None:
        """Set the result, also in the record, and stop the clocks.

        None restores the result that the record was loaded with.
        """
        self.result = result
        text = self._recorded_result if result is None else str(result)
        self.tree.set_property(ROOT, "RE", text)
        if result is not None:
            self.clocks.stop(time.monotonic())

    def set_comment(self, number: int, text: str) -> None:
        """Set the comment of a node; raise TengenError if it is too long."""
        if len(text) > MAX_COMMENT_LENGTH:
            raise TengenError(f"the comment is too long: {len(text):,} characters")
        self.tree.set_property(number, "C", text if text.strip() else "")

    def promote(self, number: int) -> None:
        """Make the path to a node the main line."""
        self.tree.set_main_line(number)
        self._tried.difference_update(self.tree.path(number))

    def set_info(self, message: SetInfo) -> None:
        """Set root properties of the record; raise TengenError for an invalid one."""
        set_info(self.tree, message, self.is_loaded)
        if "RE" in message.properties and self.result is None:
            self._recorded_result = message.properties["RE"].strip()
        self.position = self.tree.position(self.node)

    # Scoring

    def start_scoring(self, score: FinalScore) -> None:
        """Enter the scoring phase with a score of the current position."""
        self.score, self.scored_node = score, self.node

    def resume_play(self) -> None:
        """Discard the score; after two passes, it takes two more to score again."""
        if self.have_both_passed:
            self._resumed.add(self.node)
        self.score = None

    def toggle_dead(self, vertex: str) -> None:
        """Toggle the chain at a vertex between dead and alive; raise TengenError."""
        if self.score is None or self.phase is Phase.OVER:
            raise TengenError("the game is not being scored")
        point = parse_vertex(vertex, self.position.rows, self.position.columns)
        chain = set() if point == PASS else set(self.position.chain(point))
        if not chain:
            raise TengenError(f"there is no stone at {vertex.upper()}")
        marked = _stones(self.score, ChainStatus.DEAD)
        dead = marked - chain if point in marked else marked | chain
        seki = _stones(self.score, ChainStatus.SEKI) - chain
        self.score = score_with_dead_stones(self.position, dead, seki)

    def accept_score(self) -> None:
        """Make the score the result."""
        if self.score is None:
            raise TengenError("there is no score to accept")
        self.set_result(GameResult.from_score(self.score.score))

    def count_result(self) -> bool:
        """Adjust the level `auto` to the result, once; return whether the estimate changed."""
        winner = None if self.result is None else self.result.winner
        person = self.options.person
        if self.options.level != AUTO or self.is_counted or winner is None or len(person) != 1:
            return False
        self.is_counted = True
        stones = self.tree.record.handicap * (1 if Color.BLACK in person else -1)
        record_result(winner in person, self.position.rows, self.position.columns, stones)
        return True

    # Messages

    def info(self) -> GameInfo:
        """Return the properties of the record."""
        record = self.tree.record
        return GameInfo(
            black=" ".join(filter(None, [record.black, record.black_rank])),
            white=" ".join(filter(None, [record.white, record.white_rank])),
            rules=record.rules_text if record.rules.name == "custom" else record.rules.name,
            komi=self.tree.rules.komi,
            properties={name: record.text(name) for name in editable_properties(self.is_loaded)},
        )

    def header(self, room_id: str) -> GameHeader:
        """Return the message that announces the game."""
        record, info = self.tree.record, self.info()
        return GameHeader(
            id=room_id,
            rows=record.rows,
            columns=record.columns,
            black=info.black,
            white=info.white,
            rules=info.rules,
            scoring=self.tree.rules.scoring.name.lower(),
            komi=info.komi,
            handicap=record.handicap,
            color=self.options.side_name,
            level=self.options.level,
            is_loaded=self.is_loaded,
            properties=info.properties,
            estimate=_estimate() if self.options.level == AUTO else None,
        )

    def state(
        self, thinking: bool = False, analyzing: bool = False, searching: bool = False
    ) -> GameState:
        """Return the message with the current state."""
        position = self.position
        last = position.last_move
        return GameState(
            node=self.node,
            change_count=self.tree.change_count,
            board=position.diagram().split("\n"),
            to_play=position.to_play.name.lower(),
            last=None if last is None else position.vertex(last),
            move=len(self.tree.path(self.node)) - 1,
            prisoners={color.name.lower(): position.prisoners(color) for color in Color},
            comment=self.tree.node(self.node).sgf.comment,
            marks=record_marks(self.tree, self.node),
            annotation=annotation_of(self.tree, self.node),
            phase=self.phase.name.lower(),
            both_passed=self.have_both_passed,
            result=self.result_text,
            clocks=self.clocks.state(time.monotonic()),
            score=self._score_state(),
            thinking=thinking,
            analyzing=analyzing,
            searching=searching,
        )

    def _score_state(self) -> ScoreState | None:
        score, position = self.score, self.position
        if score is None or self.node != self.scored_node:
            return None
        return ScoreState(
            dead=[position.vertex(point) for point in sorted(_stones(score, ChainStatus.DEAD))],
            owner=["".join(".XO"[owner] for owner in row) for row in score.owner],
            result=score.result,
            handicap_compensation=(
                position.rules.white_bonus(position.handicap) - position.rules.komi
            ),
            black=score.points[Color.BLACK],
            white=score.points[Color.WHITE],
        )


def _stones(score: FinalScore, status: ChainStatus) -> set[int]:
    return {stone for chain in score.stones(status) for stone in chain}


def _estimate() -> dict[str, str | int]:
    """Return the user's estimated rank with its 95% interval."""
    estimate = stored_estimate()
    low, high = estimate.bounds
    rank = rank_name(estimate.playing_rank)
    return {"rank": rank, "low": low, "high": high, "games": estimate.games}
