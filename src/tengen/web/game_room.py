"""A game room: handles the requests of its viewers and runs the game.

A task that belongs to a position is canceled when the position changes; all tasks are canceled
when the last viewer leaves.
"""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tengen.board import PASS
from tengen.engine import STRONGEST, MoveDecision, is_settled, net_path
from tengen.playout import score_position
from tengen.records import EndReason, OpenedGame
from tengen.util import TengenError
from tengen.view import ViewContext
from tengen.web import messages
from tengen.web.autosave import Autosave, restore_game
from tengen.web.continuations import ContinuationViews
from tengen.web.editing import set_annotation, toggle_mark
from tengen.web.game import Phase, WebGame
from tengen.web.game_options import LOADED_GAME, start_game
from tengen.web.layers import LayerViews
from tengen.web.problem_task import ProblemTask
from tengen.web.review_task import ReviewTask
from tengen.web.room import Room, Viewer
from tengen.web.searches import RoomSearches
from tengen.web.teaching import TASK as LESSON_TASK, Tutor

TIMEOUT_SLACK_S = 0.05
MOVE_S = (0.6, 1.4)
"""Range of the minimum time of a move of the strongest level, so that replies are not instant."""
LOW_TIME_S = 10.0
"""Below this time on the clock, there is no minimum time."""
POSITION_TASKS = ("move", "analysis", "hint", "score", "timeout", LESSON_TASK)
"""Tasks that end when the position changes."""


@dataclass(eq=False)
class GameRoom(Room):
    """A game with its viewers."""

    is_analyzing: bool = False
    analysis: messages.Analyze = messages.Analyze(on=False)
    """The limits of the analysis of a position."""

    def __post_init__(self) -> None:
        self.layers = LayerViews(self)
        self.continuations = ContinuationViews(self)
        self.searches = RoomSearches(self, self.layers.refresh_search)
        self.review_task = ReviewTask(self, self.broadcast_state)
        self.problems = ProblemTask(self, self.context.problems)
        self.autosave = Autosave(self)
        self.teacher = Tutor(self, self._position_changed)

    # Viewers

    def join(self, viewer: Viewer) -> None:
        """Add a viewer and send it the state; the first one resumes what was interrupted."""
        self.viewers.append(viewer)
        viewer.send(self.game.header(self.id))
        viewer.send(self.game.tree.snapshot())
        viewer.send(self.engine_choice())
        self.review_task.send_to(viewer)
        viewer.send(self.teacher.message())
        self.problems.send_to(viewer)
        if len(self.viewers) > 1:
            self.broadcast_state()
            return
        if self.game.phase is Phase.PLAY:
            self.game.clocks.start(self.game.position.to_play, time.monotonic())
        self._position_changed(engine_moves=self._is_leaf())
        self.review_task.resume()

    def leave(self, viewer: Viewer) -> None:
        """Remove a viewer; without viewers all tasks stop."""
        self.viewers.remove(viewer)
        self.layers.remove_viewer(viewer)
        self.continuations.remove_viewer(viewer)
        if not self.viewers:
            self.left_s = time.monotonic()
            self.game.clocks.stop(time.monotonic())
            self.is_analyzing = False
            self.stop()
            self.autosave.flush()

    def broadcast_state(self) -> None:
        """Send the changes of the tree and the state to all viewers."""
        changes = self.game.tree.take_changes()
        if changes is not None:
            self.broadcast(changes)
        self.autosave.schedule()
        is_thinking, is_searching = self.is_running("move"), self.is_running("analysis")
        self.broadcast(self.game.state(is_thinking, self.is_analyzing, is_searching))

    def _is_leaf(self) -> bool:
        """Return whether the current node has no children."""
        return not self.game.tree.node(self.game.node).children

    def _is_engine_due(self) -> bool:
        """Return whether the engine is to move at the current node and has not yet."""
        return self._is_leaf() and self.game.is_engine_turn

    # Tasks

    def task_failed(self, name: str, is_current: bool) -> None:
        """Update clocks and state after a failure."""
        if is_current and name == "analysis":
            self.is_analyzing = False
        if is_current and name == LESSON_TASK:
            self._position_changed(engine_moves=self._is_engine_due())  # without a lesson
            return
        self._update_clocks()
        self.broadcast_state()

    def _position_changed(self, engine_moves: bool = True) -> None:
        """Cancel the tasks of the previous position, start those of the new one, and report it."""
        self.stop(*POSITION_TASKS)
        self.report = None
        game = self.game
        if engine_moves and game.is_engine_turn and not self.teacher.is_waiting:
            self.start("move", self._play_engine_move())
            # The strongest level reports the same search as the analysis.
            if self.is_analyzing and game.options.level != STRONGEST:
                self.start("analysis", self._analyze())
        elif engine_moves and game.have_both_passed and game.phase is Phase.PLAY:
            self.start("score", self._score())
        elif self.is_analyzing:
            self.start("analysis", self._analyze())
        self._update_clocks()
        self.broadcast_state()
        self._count_result()
        self.teacher.update()
        self.layers.refresh()
        self.continuations.refresh()

    def _count_result(self) -> None:
        """Adjust the level `auto` to the result of the game, and report the new estimate."""
        try:
            if self.game.count_result():
                self.broadcast(self.game.header(self.id))
        except TengenError as error:
            self.broadcast(messages.Notice(str(error)))

    def _update_clocks(self) -> None:
        """Run the engine's clock only while it thinks, and schedule the timeout.

        A canceled search costs the engine no time: viewers must not make it lose on time.
        """
        game, now_s = self.game, time.monotonic()
        running = game.clocks.running
        if self.is_running("move"):
            game.clocks.start(game.position.to_play, now_s)
        elif running is not None and game.options.is_engine(running):
            game.clocks.cancel()
        timeout_s = game.clocks.time_to_flag_s(now_s)
        self.stop("timeout")
        if timeout_s is not None and game.phase is Phase.PLAY:
            self.start("timeout", self._lose_on_time(timeout_s))

    async def _play_engine_move(self) -> None:
        """Let the engine think, and carry out its decision."""
        game, mover, started_s = self.game, self.game.position.to_play, time.monotonic()
        decision = await self.searches.decide()
        if decision.move != PASS:
            await self._wait_for_viewers(started_s)
        if not decision.resigns:
            game.play_move(decision.move)
        elif game.options.is_engine(mover):
            game.lose(mover, EndReason.RESIGN)
        else:
            game.play_move(_best_move(decision))
        self._position_changed()

    async def _wait_for_viewers(self, started_s: float) -> None:
        """Wait until the position has been visible for some time."""
        now_s = time.monotonic()
        timeout_s = self.game.clocks.time_to_flag_s(now_s)
        if timeout_s is None or timeout_s > LOW_TIME_S:
            is_strongest = self.game.options.level == STRONGEST
            limits_s = MOVE_S if is_strongest else self.context.reply_s
            await asyncio.sleep(max(started_s + random.uniform(*limits_s) - now_s, 0.0))

    async def _score(self, is_final: bool = True) -> None:
        """Score the position in a thread; unless `is_final`, only if it is settled.

        Otherwise broadcast an estimate.
        """
        game = self.game
        is_final = is_final or game.have_both_passed
        if not is_final and not await self.context.run_in_thread(is_settled, game.position.copy()):
            await self.searches.estimate_score()
            return
        score = await self.context.run_in_thread(score_position, game.position.copy())
        game.start_scoring(score)
        game.clocks.stop(time.monotonic())
        self.stop("timeout")
        self.broadcast_state()

    async def _analyze(self) -> None:
        await self.searches.analyze(self.analysis.seconds, self.analysis.visits)
        asyncio.get_running_loop().call_soon(self.broadcast_state)  # when the task has ended

    async def _lose_on_time(self, timeout_s: float) -> None:
        """End the game when the running clock has run out."""
        await asyncio.sleep(max(timeout_s, 0.0) + TIMEOUT_SLACK_S)
        self.game.lose(self.game.clocks.running or self.game.position.to_play, EndReason.TIME)
        self._position_changed()

    # Requests

    def handle(self, message: messages.ClientMessage, viewer: Viewer) -> None:
        """Carry out a request; raise TengenError if that is not possible."""
        if isinstance(message, messages.ShowLayer):
            self.layers.show(viewer, message)
        elif isinstance(message, messages.ShowContinuations):
            self.continuations.show(viewer, message)
        else:
            _HANDLERS[type(message)](self, message)

    def start_new_game(self, message: messages.NewGame) -> None:
        """Start a new game."""
        self.show(WebGame(*start_game(message)))

    def show(self, game: WebGame) -> None:
        """Show another game."""
        self.autosave.flush()
        self.stop()
        self.game = game
        self.is_analyzing = False
        self.review_task.clear()
        self.teacher.clear()
        self.broadcast(self.game.header(self.id))
        self.broadcast(self.game.tree.snapshot())
        self._position_changed()
        self.review_task.restore()

    def open_game(self, message: messages.OpenGame) -> None:
        """Open a game of the library."""
        self.start("open", self._open_game(message.game))

    async def _open_game(self, number: int) -> None:
        stored = await self.context.library.run(lambda library: library.game(number))
        game = restore_game(stored)
        asyncio.get_running_loop().call_soon(self.show, game)  # when the task has ended

    def open_example(self, message: messages.OpenExample) -> None:
        """Open a game of the game database at a position."""
        self.start("open", self._open_example(message))

    async def _open_example(self, message: messages.OpenExample) -> None:
        context = ViewContext(self.settings, None, self.context.database)
        database = await self.context.run_in_thread(context.database)
        record = await self.context.run_in_thread(database.game, message.game)
        game = restore_game(OpenedGame(record, None))
        line = game.tree.main_line()
        game.go_to(line[min(max(message.move, 0), len(line) - 1)])
        asyncio.get_running_loop().call_soon(self.show, game)  # when the task has ended

    def play(self, message: messages.Play) -> None:
        """Play a move of the user."""
        if self.is_running("move"):
            raise TengenError("Tengen is thinking: wait for its move, or undo yours")
        if self._is_leaf() and self.game.is_engine_to_play:
            raise TengenError("it is Tengen's turn: let it move, undo yours, or score")
        before = self.game.node
        is_judged = self.teacher.judges(self.game)
        self.game.play(message.vertex)
        self.teacher.dismiss()
        is_judged = is_judged and self.game.phase is Phase.PLAY and not self.game.have_both_passed
        self._position_changed(engine_moves=not is_judged)
        if is_judged:
            self.teacher.judge(before)

    def undo(self, message: messages.Undo) -> None:
        """Undo the result, or else the user's last move."""
        game = self.game
        continues = game.phase is Phase.OVER and not game.has_engine_resigned
        game.undo()
        self.teacher.dismiss()
        self._position_changed(engine_moves=continues and self._is_engine_due())

    def teach(self, message: messages.Teach) -> None:
        """Turn teaching mode on or off; a game that waits after a mistake continues without it."""
        was_busy = self.teacher.is_waiting or self.is_running(LESSON_TASK)
        self.teacher.set_up(message)
        if was_busy and not message.on:
            self._position_changed(engine_moves=self._is_engine_due())

    def play_on(self, message: messages.PlayOn) -> None:
        """Continue after a mistake."""
        self.teacher.dismiss()
        self._position_changed(engine_moves=self._is_engine_due())

    def resign(self, message: messages.Resign) -> None:
        """Resign for the user; with both colors or none, for the color to move."""
        self._check_not_over()
        game = self.game
        if game.options is LOADED_GAME:
            raise TengenError("cannot resign in a loaded game")
        person = game.options.person
        loser = next(iter(person)) if len(person) == 1 else game.position.to_play
        game.lose(loser, EndReason.RESIGN)
        self._position_changed()

    def _check_not_over(self) -> None:
        if self.game.phase is Phase.OVER:
            raise TengenError(f"the game is over: {self.game.result_text}")

    def go_to(self, message: messages.GoTo) -> None:
        """Make another node the current one; the engine moves only at a leaf."""
        self.game.go_to(message.node)
        self._position_changed(engine_moves=self._is_engine_due())

    def delete_branch(self, message: messages.DeleteBranch) -> None:
        """Delete a branch; if it contains the current node, go to its parent."""
        tree = self.game.tree
        is_current = message.node in tree.path(self.game.node)
        parent = tree.delete(message.node)
        if is_current:
            self.game.go_to(parent)
        self._position_changed(engine_moves=self._is_engine_due())

    def set_comment(self, message: messages.SetComment) -> None:
        """Set a comment."""
        self.game.set_comment(message.node, message.text)
        self.broadcast_state()

    def set_mark(self, message: messages.SetMark) -> None:
        """Put or remove a mark."""
        toggle_mark(self.game.tree, message)
        self.broadcast_state()

    def set_annotation(self, message: messages.SetAnnotation) -> None:
        """Assess a move."""
        set_annotation(self.game.tree, message)
        self.broadcast_state()

    def promote(self, message: messages.PromoteVariation) -> None:
        """Make the path to a node the main line."""
        self.game.promote(message.node)
        self.broadcast_state()

    def set_info(self, message: messages.SetInfo) -> None:
        """Set properties of the record."""
        self.game.set_info(message)
        self.broadcast(self.game.info())
        self.broadcast_state()

    def score(self, message: messages.RequestScore) -> None:
        """Score the position, or estimate the score."""
        self._check_not_over()
        self.stop("move")
        self.start("score", self._score(message.is_final))
        self.broadcast_state()

    def toggle_dead(self, message: messages.ToggleDead) -> None:
        """Toggle a chain between dead and alive."""
        self.game.toggle_dead(message.vertex)
        self.broadcast_state()

    def accept_score(self, message: messages.AcceptScore) -> None:
        """Accept the score."""
        self._check_not_over()
        self.game.accept_score()
        self._position_changed()

    def resume_play(self, message: messages.ResumePlay) -> None:
        """Resume play instead of scoring."""
        self._check_not_over()
        self.game.resume_play()
        self.game.clocks.start(self.game.position.to_play, time.monotonic())
        self._position_changed(engine_moves=self._is_engine_due())

    def analyze(self, message: messages.Analyze) -> None:
        """Turn analysis on or off, or change its limits."""
        self.is_analyzing, self.analysis = message.on, message
        self.stop("analysis")
        if message.on and not self.is_running("move"):
            self.start("analysis", self._analyze())
        self.broadcast_state()

    def choose_net(self, message: messages.ChooseNet) -> None:
        """Use another network; a running analysis starts again with it."""
        if message.net not in self.context.nets.installed():
            raise TengenError(f"network {message.net[:40]!r} is not installed")
        net_path(message.net)
        self.net = message.net
        self.broadcast(self.engine_choice())
        if self.is_running("analysis"):
            self.analyze(self.analysis)

    def engine_choice(self) -> messages.EngineChoice:
        """Return the networks and the chosen one."""
        return self.context.nets.choice(self.settings.play.net)

    def get_net(self, message: messages.GetNet) -> None:
        """Install a network, and use it when it is ready."""

        def report_error(reason: str) -> None:
            self.broadcast(messages.ErrorMessage(reason))

        def use(name: str) -> None:
            self.choose_net(messages.ChooseNet(name))

        self.context.nets.install(message.net, use, report_error)

    def cancel_net(self, message: messages.CancelNet) -> None:
        """Cancel the installation of a network."""
        self.context.nets.cancel()

    def hint(self, message: messages.RequestHint) -> None:
        """Search for a hint."""
        self.start("hint", self.searches.hint())

    def play_engine_move(self, message: messages.EngineMove) -> None:
        """Let the engine play a move for the color to move."""
        self._check_not_over()
        self.game.check_not_scoring()
        self.teacher.dismiss()
        self.stop("analysis", "score", LESSON_TASK)
        self.start("move", self._play_engine_move())
        self._update_clocks()
        self.broadcast_state()

    def review(self, message: messages.RequestReview) -> None:
        """Start or stop a review."""
        self.review_task.handle(message)


def _best_move(decision: MoveDecision) -> int:
    """Return the best move of an engine that would resign, as a hint for the user."""
    candidates = decision.report.candidates if decision.report is not None else ()
    return candidates[0].move if candidates else decision.move


_HANDLERS: dict[type, Callable[[GameRoom, Any], None]] = {
    messages.NewGame: GameRoom.start_new_game,
    messages.OpenGame: GameRoom.open_game,
    messages.OpenExample: GameRoom.open_example,
    messages.Play: GameRoom.play,
    messages.EngineMove: GameRoom.play_engine_move,
    messages.Undo: GameRoom.undo,
    messages.Resign: GameRoom.resign,
    messages.Teach: GameRoom.teach,
    messages.PlayOn: GameRoom.play_on,
    messages.ChooseNet: GameRoom.choose_net,
    messages.GetNet: GameRoom.get_net,
    messages.CancelNet: GameRoom.cancel_net,
    messages.RequestHint: GameRoom.hint,
    messages.GoTo: GameRoom.go_to,
    messages.DeleteBranch: GameRoom.delete_branch,
    messages.SetComment: GameRoom.set_comment,
    messages.RequestScore: GameRoom.score,
    messages.ToggleDead: GameRoom.toggle_dead,
    messages.AcceptScore: GameRoom.accept_score,
    messages.ResumePlay: GameRoom.resume_play,
    messages.SetMark: GameRoom.set_mark,
    messages.SetAnnotation: GameRoom.set_annotation,
    messages.PromoteVariation: GameRoom.promote,
    messages.SetInfo: GameRoom.set_info,
    messages.Analyze: GameRoom.analyze,
    messages.RequestReview: GameRoom.review,
    messages.ListProblems: lambda room, message: room.problems.list_collections(message),
    messages.OpenProblem: lambda room, message: room.problems.open(message),
    messages.DeleteProblems: lambda room, message: room.problems.delete(message),
    messages.TryMove: lambda room, message: room.problems.play(message),
    messages.ProblemAction: lambda room, message: room.problems.act(message),
}
