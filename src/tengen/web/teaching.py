"""Teaching mode: judges each move of the user, and shows the refutation of mistakes.

Moves are judged as in a review: the move played and the best move get equal visits from the same
root. After a mistake the game waits until the user takes the move back or plays on.
"""

import time
from collections.abc import Callable

from tengen.board import Position, vertex
from tengen.engine import NONE, Engine
from tengen.review import MoveReview, PositionAnalyst, PositionEstimate
from tengen.search import SearchLimit
from tengen.util import TengenError
from tengen.web.engine_pool import SearchJob
from tengen.web.game import Phase, WebGame
from tengen.web.messages import JudgedMove, Teach, TeachingUpdate
from tengen.web.room import Room

TASK = "lesson"
VISITS, PLAYOUT_VISITS = 300, 6_000
"""Visits of a position with and without a network."""
MAX_SEARCH_S = 3.0
"""Time limit of each of at most three searches."""
MAX_LINE = 10
"""Moves of a refutation; the end of a principal variation is unreliable."""
POINTS_RANGE = 0.5, 100.0


class JobStop:
    """The stop request of a search job, as a `StopFlag`."""

    def __init__(self, job: SearchJob):
        self._job = job

    def is_set(self) -> bool:
        """Return whether the job was stopped."""
        return self._job.poll()

    def set(self) -> None:
        """Stop the job."""
        self._job.stop()


class Tutor:
    """Judges the user's moves in a room."""

    def __init__(self, room: Room, on_judged: Callable[[], None]):
        """Call `on_judged` after a move that is no mistake, so that the game continues."""
        self._room = room
        self._on_judged = on_judged
        self._options = Teach(on=False)
        self._moves: dict[int, JudgedMove] = {}
        """Judged moves by node."""
        self._mistake: int | None = None
        """The node of a mistake that was neither taken back nor accepted."""
        self._is_judging = False
        """As published."""

    def set_up(self, options: Teach) -> None:
        """Turn teaching mode on or off; raise TengenError for an invalid threshold."""
        low, high = POINTS_RANGE
        if not low <= options.points <= high:
            raise TengenError(f"points must be from {low:g} to {high:g}, got {options.points:g}")
        self._options = options
        if not options.on:
            self._room.stop(TASK)
            self._mistake = None
        self._publish()

    def clear(self) -> None:
        """Discard all results, for another game."""
        self._room.stop(TASK)
        self._moves.clear()
        self._mistake = None
        self._publish()

    @property
    def is_waiting(self) -> bool:
        """Whether the game waits at the current node, after a mistake."""
        return self._mistake is not None and self._mistake == self._room.game.node

    def judges(self, game: WebGame) -> bool:
        """Return whether the next move is judged: a move of the user in a game."""
        is_person = not game.options.is_engine(game.position.to_play)
        return self._options.on and game.phase is Phase.PLAY and is_person

    def dismiss(self) -> None:
        """End the waiting after a mistake; it was taken back unless it led to the current node."""
        if self._mistake is not None:
            game = self._room.game
            self._moves[self._mistake].is_taken_back = self._mistake not in game.tree.path(
                game.node
            )
            self._mistake = None
            self._publish()

    def update(self) -> None:
        """Report that a move is no longer being judged, if the task was canceled."""
        if self._is_judging and not self._room.is_running(TASK):
            self._publish()

    def judge(self, before: int) -> None:
        """Judge the move that led from node `before` to the current one."""
        self._room.start(TASK, self._judge(before))
        self._publish()

    def message(self) -> TeachingUpdate:
        """Return the message for the page."""
        options, moves = self._options, list(self._moves.values())
        is_judging = self._room.is_running(TASK)
        return TeachingUpdate(options.on, options.points, is_judging, self._mistake, moves)

    def _publish(self) -> None:
        self._is_judging = self._room.is_running(TASK)
        self._room.broadcast(self.message())

    async def _judge(self, before: int) -> None:
        room, game = self._room, self._room.game
        node, after = game.node, game.position.copy()
        position, played = game.tree.position(before), game.tree.move_at(game.node)
        assert played is not None
        settings = room.settings
        visits = PLAYOUT_VISITS if settings.play.net == NONE else VISITS

        def limit() -> SearchLimit:
            return SearchLimit(simulations=visits, until_s=time.monotonic() + MAX_SEARCH_S)

        def work(engine: Engine, job: SearchJob) -> tuple[MoveReview, PositionEstimate | None]:
            analyst = PositionAnalyst(engine, limit, JobStop(job))
            estimate = analyst.estimate(position, played.move, after)
            number = len(game.tree.path(node)) - 1
            points = self._options.points
            review = MoveReview(number, played.color, played.move, estimate, None, points)
            return review, analyst.estimate(after) if review.is_mistake else None

        owner = f"{room.id} {TASK}"
        review, answer = await room.context.engines.run(settings, owner, work, room.report_problem)
        self._moves.pop(node, None)  # a move that is played again becomes the latest one
        self._moves[node] = judged_move(node, review, answer, after)
        room.stop(TASK)  # it ends now
        if review.is_mistake:
            self._mistake = node
            self._publish()
        else:
            self._publish()
            self._on_judged()


def judged_move(
    node: int, review: MoveReview, answer: PositionEstimate | None, after: Position
) -> JudgedMove:
    """Return the message about a move; `answer` is the estimate of the position after it."""
    before = review.before
    values = [value.visits for value in (before.best, before.played) if value and value.visits]

    def vertices(moves: tuple[int, ...]) -> list[str]:
        return [vertex(move, after.rows) for move in moves[:MAX_LINE]]

    return JudgedMove(
        node=node,
        number=review.number,
        color=review.color.name.lower(),
        vertex=vertex(review.move, after.rows),
        best=None if before.best_move is None else vertex(before.best_move, after.rows),
        points_loss=round(review.points_loss, 2),
        points_error=round(review.points_error, 2),
        winrate_loss=round(review.winrate_loss, 4),
        visits=min(values, default=0),
        is_mistake=review.is_mistake,
        line=vertices(before.line),
        refutation=[] if answer is None else vertices(answer.line),
    )
