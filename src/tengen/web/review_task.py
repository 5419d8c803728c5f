"""Review of a room's game: win rate and score lead at every move, and the mistakes."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from tengen.engine import Engine
from tengen.records import GameRecord
from tengen.review import (
    GameReview,
    PositionEstimate,
    annotate_nodes,
    read_review,
    review_dict,
    review_game,
)
from tengen.search import SearchLimit
from tengen.util import TengenError
from tengen.web.engine_pool import SearchJob, SearchWork
from tengen.web.messages import RequestReview, ReviewUpdate
from tengen.web.room import Room, Viewer
from tengen.web.tree import GameTree

MAX_VISITS = 100_000
TASK = "review"


class ReviewInterrupted(TengenError):  # noqa: N818  (not an error)
    """The review was stopped or yields to waiting searches."""


@dataclass
class ReviewState:
    """Results of a review so far; written only by its thread."""

    record: GameRecord
    nodes: list[int]
    """The node of each position of the main line."""
    visits: int
    """Visits per position."""
    mistake_points: float
    """Minimum points loss of a mistake."""
    is_wanted: bool = True
    """False once the review was stopped, saved with the game, or loaded."""
    estimates: list[PositionEstimate] = field(default_factory=list)

    @property
    def review(self) -> GameReview:
        """The review so far."""
        return GameReview(self.record, tuple(self.estimates), self.mistake_points)

    def message(self) -> ReviewUpdate:
        """Return the message for the page."""
        review = self.review
        found = review_dict(review)
        return ReviewUpdate(
            done=len(review.estimates),
            total=len(self.record.moves) + 1,
            running=self.is_wanted,
            visits=self.visits,
            nodes=self.nodes,
            positions=found["positions"],
            moves=found["moves"],
            players=found["players"],
        )


class ReviewTask:
    """Reviews the main line of a room's game in the background."""

    def __init__(self, room: Room, on_saved: Callable[[], None]):
        """Call `on_saved` after the record of the room was annotated."""
        self._room = room
        self._on_saved = on_saved
        self._state: ReviewState | None = None

    def clear(self) -> None:
        """Stop and discard the review, for another game."""
        self._room.stop(TASK)
        self._state = None

    def restore(self) -> None:
        """Show the review that is saved in the room's record, if any."""
        tree = self._room.game.tree
        review = read_review(tree.record) if tree.record.moves else None
        if review is None:
            return
        visits = max(estimate.visits for estimate in review.estimates)
        self._state = ReviewState(
            tree.record,
            _main_line_nodes(tree),
            visits,
            review.mistake_points,
            is_wanted=False,
            estimates=list(review.estimates),
        )
        self._publish(self._state)

    def send_to(self, viewer: Viewer) -> None:
        """Send the results so far to a new viewer."""
        if self._state is not None:
            viewer.send(self._state.message())

    def handle(self, message: RequestReview) -> None:
        """Start or stop a review."""
        self._room.stop(TASK)
        if message.on:
            self._state = None
            self._room.start(TASK, self._start(message))
        elif self._state is not None:
            self._end(self._state)

    def resume(self) -> None:
        """Resume a review that stopped only because the last viewer left."""
        state = self._state
        if state is not None and state.is_wanted and not state.review.is_complete:
            self._room.start(TASK, self._run(state))

    async def _start(self, message: RequestReview) -> None:
        room = self._room
        record = await room.context.run_in_thread(room.game.tree.reread_record)
        visits = min(max(message.visits, 1), MAX_VISITS)
        nodes = _main_line_nodes(room.game.tree)
        self._state = ReviewState(record, nodes, visits, max(message.mistake_points, 0.0))
        await self._run(self._state)

    async def _run(self, state: ReviewState) -> None:
        """Search one position after another, yielding to waiting searches."""
        room, context, owner = self._room, self._room.context, f"{self._room.id} review"
        work = self._work(state, asyncio.get_running_loop())
        try:
            while state.is_wanted and not state.review.is_complete:
                with contextlib.suppress(ReviewInterrupted):
                    await context.engines.run(room.settings, owner, work, room.report_problem)
        except Exception:
            self._end(state)  # it would fail again
            raise
        self._save(state)

    def _save(self, state: ReviewState) -> None:
        """Annotate the game with a complete review, unless its main line has changed."""
        tree = self._room.game.tree
        if state is not self._state:
            return
        if _main_line_nodes(tree)[: len(state.nodes)] == state.nodes:
            tree.annotate(lambda root: annotate_nodes(root, state.review))
            self._on_saved()
        self._end(state)

    def _work(self, state: ReviewState, loop: asyncio.AbstractEventLoop) -> SearchWork[None]:
        """Return the function that continues a review in a search thread."""

        def work(engine: Engine, job: SearchJob) -> None:
            def progress(done: int, total: int, estimate: PositionEstimate) -> None:
                if job.is_stopped:
                    raise ReviewInterrupted("the search was interrupted")
                state.estimates.append(estimate)
                loop.call_soon_threadsafe(self._publish, state)
                if job.poll(yields=True) and done < total:
                    raise ReviewInterrupted("other searches are waiting")

            known = list(state.estimates)
            review_game(state.record, engine, limit, progress, known)

        def limit() -> SearchLimit:
            return SearchLimit(simulations=state.visits)

        return work

    def _end(self, state: ReviewState) -> None:
        state.is_wanted = False
        self._publish(state)

    def _publish(self, state: ReviewState) -> None:
        """Broadcast the results so far, unless another game or review has started."""
        if state is self._state:
            self._room.broadcast(state.message())


def _main_line_nodes(tree: GameTree) -> list[int]:
    """Return the root and the nodes of the main line that hold a move, up to an unreadable one."""
    first, *others = tree.main_line()
    nodes = [first]
    with contextlib.suppress(TengenError):
        for number in others:
            if tree.move_at(number) is not None:
                nodes.append(number)
    return nodes
