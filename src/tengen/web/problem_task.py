"""Problems on the page: the attempt of a room, answered by the file or by the engine."""

from tengen.board import PASS
from tengen.engine import Engine
from tengen.util import TengenError
from tengen.web import messages
from tengen.web.editing import record_marks
from tengen.web.engine_pool import Result, SearchJob, SearchWork
from tengen.web.messages import CollectionRow, ProblemList, ProblemState
from tengen.web.problem_answers import Verdict, answers_for
from tengen.web.problem_store import Collection, ProblemStore
from tengen.web.problems import Attempt, Status
from tengen.web.room import Room, Viewer

TASK = "problem"
LOSS_POINTS = 2.0
"""A move that is not in the file may be right if the engine finds a smaller loss, in points."""


class ProblemTask:
    """The problem that a room shows."""

    def __init__(self, room: Room, store: ProblemStore):
        self._room = room
        self._store = store
        self._collection: Collection | None = None
        self._index = 0
        self._attempt: Attempt | None = None
        self._is_recorded = False
        """Whether the outcome of this problem has been recorded."""

    def send_to(self, viewer: Viewer) -> None:
        """Send the problem to a new viewer."""
        if self._attempt is not None:
            viewer.send(self._state(self._attempt))

    # Requests

    def list_collections(self, message: messages.ListProblems) -> None:
        """Report the collections and the progress."""
        store, progress, today = self._store, self._store.progress(), self._store.today()
        rows = []
        for one in store.collections():
            cards = [progress.cards.get(key) for key in one.keys]
            new = cards.count(None)
            due = sum(card is not None and card.due <= today for card in cards)
            learned = sum(card is not None and card.box > 1 for card in cards)
            rows.append(CollectionRow(one.id, one.name, len(cards), new, due, learned))
        right, other = progress.days.get(today.isoformat(), (0, 0))
        self._room.broadcast(ProblemList(rows, progress.streak(today), right, right + other))

    def open(self, message: messages.OpenProblem) -> None:
        """Show a problem, by default the one to solve next."""
        collection = self._store.collection(message.collection)
        index = None if message.number is None else message.number - 1
        if index is None:
            current = None
            if self._collection is not None and self._collection.id == collection.id:
                current = (
                    collection.keys[self._index] if self._index < len(collection.keys) else None
                )
            progress, today = self._store.progress(), self._store.today()
            index = progress.next_of(collection.keys, today, current)
        if index is None:
            raise TengenError("nothing is due: come back tomorrow, or choose a problem by number")
        problem = self._store.problem(collection, index)
        self._room.stop(TASK)
        self._collection, self._index = collection, index
        self._attempt, self._is_recorded = Attempt(problem), False
        self._publish()

    def delete(self, message: messages.DeleteProblems) -> None:
        """Delete a collection and report the others."""
        self._store.delete(message.collection)
        if self._collection is not None and self._collection.id == message.collection:
            self._room.stop(TASK)
            self._collection = self._attempt = None
        self.list_collections(messages.ListProblems())

    def play(self, message: messages.TryMove) -> None:
        """Try a move."""
        attempt = self._current()
        is_free = attempt.status is Status.FREE
        attempt.play(message.vertex)
        if attempt.status is Status.CHECKING:
            self._room.start(TASK, self._answer(attempt) if is_free else self._judge(attempt))
        else:
            self._record(attempt)
            if attempt.needs_refutation:
                self._room.start(TASK, self._refute(attempt))
        self._publish()

    def act(self, message: messages.ProblemAction) -> None:
        """Try again, show the solution, or play the problem out."""
        attempt = self._current()
        self._room.stop(TASK)
        if message.action == "retry":
            attempt.retry()
        elif message.action == "play_out":
            attempt.play_out()
            if attempt.position.to_play is not attempt.problem.color:
                attempt.status = Status.CHECKING
                self._room.start(TASK, self._answer(attempt))
        elif attempt.problem.has_solution:
            self._record(attempt, is_given_up=True)
            attempt.show_solution()
        else:
            self._record(attempt, is_given_up=True)
            attempt.go_to(attempt.problem.start, Status.CHECKING)
            self._room.start(TASK, self._solve(attempt))
        self._publish()

    def _current(self) -> Attempt:
        if self._attempt is None:
            raise TengenError("no problem is open")
        return self._attempt

    def _record(self, attempt: Attempt, is_given_up: bool = False) -> None:
        """Store the first outcome of the problem."""
        is_decided = is_given_up or attempt.status in (Status.RIGHT, Status.WRONG)
        if is_decided and not self._is_recorded:
            self._is_recorded = True
            self._store.record(attempt.problem.key, attempt.status is Status.RIGHT)
            self.list_collections(messages.ListProblems())

    # Searches

    async def _judge(self, attempt: Attempt) -> None:
        """Let the engine judge a move that the file does not have."""
        problem, before, after = attempt.problem, attempt.position_before(), attempt.position.copy()

        def work(engine: Engine, job: SearchJob) -> Verdict:
            return answers_for(problem, engine, job).judge(before, after)

        verdict = await self._run(work)
        if verdict.is_wrong:
            attempt.judge(Status.WRONG, verdict.points_loss, list(verdict.refutation))
        elif problem.has_solution:
            attempt.judge(Status.OTHER, verdict.points_loss, [])
        else:
            attempt.judge(Status.RIGHT, None, [])
        self._record(attempt)
        self._publish()

    async def _refute(self, attempt: Attempt) -> None:
        """Let the engine find the refutation of a move that the file calls wrong."""
        attempt.judge(Status.WRONG, None, await self._best_line(attempt))
        self._publish()

    async def _solve(self, attempt: Attempt) -> None:
        """Let the engine find the solution of a problem without moves in the file."""
        attempt.judge(Status.SHOWN, None, await self._best_line(attempt))
        self._publish()

    async def _answer(self, attempt: Attempt) -> None:
        """Let the engine answer while the problem is played out."""
        line = await self._best_line(attempt)
        attempt.answer_freely(line[0] if line else PASS)
        self._publish()

    async def _best_line(self, attempt: Attempt) -> list[int]:
        """Return the best line in the region from the current position."""
        problem, position = attempt.problem, attempt.position.copy()

        def work(engine: Engine, job: SearchJob) -> list[int]:
            return answers_for(problem, engine, job).best_line(position)

        return await self._run(work)

    async def _run(self, work: SearchWork[Result]) -> Result:
        room = self._room
        owner = f"{room.id} {TASK}"
        return await room.context.engines.run(room.settings, owner, work, room.report_problem)

    # Messages

    def _publish(self) -> None:
        if self._attempt is not None:
            self._room.broadcast(self._state(self._attempt))

    def _state(self, attempt: Attempt) -> ProblemState:
        assert self._collection is not None
        collection, problem, position = self._collection, attempt.problem, attempt.position
        progress = self._store.progress()
        card = progress.cards.get(problem.key)
        last = position.last_move
        in_file = attempt.node in problem.file_nodes
        return ProblemState(
            collection=collection.id,
            name=collection.name,
            number=self._index + 1,
            title=collection.titles[self._index],
            boxes=[
                found.box if (found := progress.cards.get(key)) is not None else 0
                for key in collection.keys
            ],
            rows=position.rows,
            columns=position.columns,
            board=position.diagram().split("\n"),
            to_play=position.to_play.name.lower(),
            color=problem.color.name.lower(),
            last=None if last is None else position.vertex(last),
            comment=problem.tree.node(attempt.node).sgf.comment if in_file else "",
            marks=record_marks(problem.tree, attempt.node) if in_file else [],
            status=attempt.status.value,
            is_start=attempt.node == problem.start,
            line=[position.vertex(move) for move in attempt.line],
            is_from_engine=attempt.is_from_engine,
            points_loss=attempt.points_loss,
            has_solution=problem.has_solution,
            tries=0 if card is None else card.tries,
            solved=0 if card is None else card.solved,
            due=None if card is None else card.due.isoformat(),
        )
