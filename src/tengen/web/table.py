"""A table: a game, who looks at it, and what goes on there just now.

Everything here runs in the event loop; whatever takes long goes to a thread. A task that belongs
to a position is cancelled when the position changes, and all are when the last page is left.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from tengen.core.errors import TengenError
from tengen.engine.engine import Decision
from tengen.playout.judge import judge
from tengen.records.game import GameRecord
from tengen.records.result import Ending
from tengen.web import messages
from tengen.web.game import Phase, WebGame
from tengen.web.house import House
from tengen.web.looking import Looks
from tengen.web.messages import Json
from tengen.web.reviewing import Reviewing
from tengen.web.setting import WATCHING, start_game
from tengen.web.thinking import Thinking
from tengen.web.tree import GameTree

FLAG_SLACK_S = 0.05
WATCHED_S = 0.7
"""An engine that plays itself takes at least so long for a move: one wants to see it."""
HURRY_S = 10.0
"""Unless its clock has less left."""
OF_A_POSITION = ("move", "analysis", "hint", "score", "flag")
"""Tasks that end when the position changes."""
log = logging.getLogger("tengen.web")


class Listener(Protocol):
    """A page that looks at a table."""

    def send(self, message: Json) -> None:
        """Take a message to send on; never waits."""


@dataclass(eq=False)
class Table:
    """One game and its pages."""

    id: str
    house: House
    game: WebGame
    listeners: list[Listener] = field(default_factory=list)
    is_analysing: bool = False
    left_s: float = field(default_factory=time.monotonic)
    """When the last page was left."""
    _tasks: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    _complained: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.thinking = Thinking(self)
        self.looks = Looks(self)
        self.reviewing = Reviewing(self)

    # Pages come and go

    def join(self, listener: Listener) -> None:
        """Let a page look; it is told everything, and what was interrupted goes on."""
        self.listeners.append(listener)
        listener.send(self._about())
        listener.send(self._tree())
        self.reviewing.tell(listener)
        if len(self.listeners) > 1:
            self.tell_state()
            return
        if self.game.phase is Phase.PLAY:
            self.game.clocks.start(self.game.position.to_play, time.monotonic())
        self._changed(engine_moves=self._is_at_an_end())
        self.reviewing.go_on()

    def leave(self, listener: Listener) -> None:
        """Forget a page; when none is left, nothing goes on."""
        self.listeners.remove(listener)
        self.looks.forget(listener)
        if not self.listeners:
            self.left_s = time.monotonic()
            self.game.clocks.stop(time.monotonic())
            self.is_analysing = False
            self.stop()

    def _is_at_an_end(self) -> bool:
        """Tell whether nothing was played after the present node: nobody is leafing through."""
        return not self.game.tree.place(self.game.at).children

    def _is_engine_due(self) -> bool:
        """Tell whether the engine is to move here, and has not yet."""
        return self._is_at_an_end() and self.game.is_engines_turn

    def tell(self, message: Json) -> None:
        """Send a message to all pages."""
        for listener in self.listeners:
            listener.send(message)

    def tell_state(self) -> None:
        """Tell all pages how the game stands, and before it what has changed in the tree."""
        changes = self.game.tree.tell_changes()
        if changes is not None:
            self.tell({"type": "growth", **changes})
        thinking = "move" in self._tasks
        state = {"thinking": thinking, "analysing": self.is_analysing, **self.game.state()}
        self.tell({"type": "state", **state})

    def complain(self, problem: str) -> None:
        """Tell all pages, once, what a source of one's own raised."""
        if problem not in self._complained:
            self._complained.add(problem)
            self.tell({"type": "note", "text": f"{problem}; playing on without it"})

    def _about(self) -> Json:
        return {"type": "game", "id": self.id, **self.game.about()}

    def _tree(self) -> Json:
        return {"type": "tree", **self.game.tree.describe_all()}

    # Tasks

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Begin a task; one of the same name is cancelled."""
        self.stop(name)
        task = asyncio.get_running_loop().create_task(self._watched(name, work))
        task.add_done_callback(lambda _: work.close())  # one cancelled at once never began it
        self._tasks[name] = task

    def stop(self, *names: str) -> None:
        """Cancel tasks by name; all of them without a name."""
        for name in names or list(self._tasks):
            task = self._tasks.pop(name, None)
            if task is not None and task is not asyncio.current_task():
                task.cancel()

    async def _watched(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Do the work; what goes wrong is told, and the table lives on."""
        problem = None
        try:
            await work
        except TengenError as error:
            problem = str(error)
        except Exception as error:
            log.exception("a task of table %s failed", self.id)
            problem = f"internal error: {error!r}"
        if self._tasks.get(name) is asyncio.current_task():
            del self._tasks[name]
            if problem is not None and name == "analysis":
                self.is_analysing = False
        if problem is not None:
            self.tell({"type": "refused", "reason": problem})
            self._tend_clocks()
            self.tell_state()

    def _changed(self, engine_moves: bool = True) -> None:
        """Stop what belonged to the position before, tell of the new one, go on from there."""
        self.stop(*OF_A_POSITION)
        self.thinking.report = None
        game = self.game
        if engine_moves and game.is_engines_turn:
            self.start("move", self._move())
        elif engine_moves and game.have_both_passed and game.phase is Phase.PLAY:
            self.start("score", self._score())
        elif self.is_analysing:
            self.start("analysis", self._analyse())
        self._tend_clocks()
        self.tell_state()
        self.looks.refresh()

    def _tend_clocks(self) -> None:
        """Let the engine's clock run only while it thinks, and watch the flag of the one that runs.

        A search that was cancelled, as when somebody leafs back, costs it nothing: it must not
        lose on time by what others do.
        """
        game, now_s = self.game, time.monotonic()
        running = game.clocks.running
        if "move" in self._tasks:
            game.clocks.start(game.position.to_play, now_s)
        elif running is not None and game.seats.is_engine(running):
            game.clocks.running = None
        falls_in_s = game.clocks.falls_in_s(now_s)
        self.stop("flag")
        if falls_in_s is not None and game.phase is Phase.PLAY:
            self.start("flag", self._flag(falls_in_s))

    # What a page asks for

    def take(self, message: messages.Message, sender: Listener) -> None:
        """Do what a page asks; raise TengenError if it cannot be."""
        if isinstance(message, messages.Look):
            self.looks.look(sender, message)
        else:
            HANDLERS[type(message)](self, message)

    def new(self, message: messages.New) -> None:
        """Begin a new game."""
        self._set_game(WebGame(*start_game(message)))

    def open(self, record: GameRecord) -> None:
        """Show a game that was read; raise TengenError if it cannot be shown."""
        self._set_game(WebGame(GameTree(record), WATCHING))

    def _set_game(self, game: WebGame) -> None:
        self.stop()
        self.game = game
        self.is_analysing = False
        self.reviewing.clear()
        self.tell(self._about())
        self.tell(self._tree())
        self._changed()

    def play(self, message: messages.Play) -> None:
        """Play a move, the person's as a rule."""
        if "move" in self._tasks:
            raise TengenError("Tengen is thinking: wait for its move, or undo yours")
        if self._is_at_an_end() and self.game.is_engines_place:
            raise TengenError("it is Tengen's turn: let it move, undo yours, or score")
        self.game.play(message.vertex)
        self._changed()

    def undo(self, message: messages.Undo) -> None:
        """Take the result back, or the person's last move."""
        game = self.game
        goes_on = game.phase is Phase.OVER and not game.has_engine_resigned
        game.undo()
        self._changed(engine_moves=goes_on and self._is_engine_due())

    def resign(self, message: messages.Resign) -> None:
        """Let the person give up; in a game without one or with two, the side to move."""
        self._check_not_over()
        game = self.game
        if game.seats is WATCHING:
            raise TengenError("this game was opened: nobody resigns in it now")
        loser = next(iter(game.seats.person)) if len(game.seats.person) == 1 else None
        game.lose(loser or game.position.to_play, Ending.RESIGNATION)
        self._changed()

    def _check_not_over(self) -> None:
        if self.game.phase is Phase.OVER:
            raise TengenError(f"the game is over: {self.game.result}")

    def go_to(self, message: messages.Goto) -> None:
        """Look at another node; the engine moves there only if nothing was played after it."""
        self.game.go_to(message.node)
        self._changed(engine_moves=self._is_engine_due())

    def cut(self, message: messages.Cut) -> None:
        """Take a branch out of the tree."""
        tree = self.game.tree
        is_inside = message.node in tree.path(self.game.at)
        parent = tree.cut(message.node)
        if is_inside:
            self.game.go_to(parent)
        self._changed(engine_moves=self._is_engine_due())

    def comment(self, message: messages.Comment) -> None:
        """Write a comment."""
        self.game.comment(message.node, message.text)
        self.tell_state()

    def mark(self, message: messages.Mark) -> None:
        """Call a chain dead or alive."""
        self.game.mark(message.vertex)
        self.tell_state()

    def accept(self, message: messages.Accept) -> None:
        """Agree with the score."""
        self._check_not_over()
        self.game.accept()
        self._changed()

    def resume(self, message: messages.Resume) -> None:
        """Play on instead of scoring."""
        self._check_not_over()
        self.game.play_on()
        self.game.clocks.start(self.game.position.to_play, time.monotonic())
        self._changed(engine_moves=self._is_engine_due())

    def score(self, message: messages.Score) -> None:
        """Judge the position."""
        self._check_not_over()
        self.stop("move")
        self.start("score", self._score())
        self.tell_state()

    def analyse(self, message: messages.Analyse) -> None:
        """Begin or end to search whatever is looked at."""
        self.is_analysing = message.on
        self.stop("analysis")
        if message.on and "move" not in self._tasks:
            self.start("analysis", self._analyse())
        self.tell_state()

    def hint(self, message: messages.Hint) -> None:
        """Ask the engine what it would play."""
        self.start("hint", self.thinking.hint())

    def go(self, message: messages.Go) -> None:
        """Let the engine move, whoever's turn it is."""
        self._check_not_over()
        self.game.check_not_scored()
        self.stop("analysis", "score")
        self.start("move", self._move())
        self._tend_clocks()
        self.tell_state()

    def review(self, message: messages.Review) -> None:
        """Begin or end to look over the whole game."""
        self.reviewing.take(message)

    # What goes on

    async def _move(self) -> None:
        """Let the engine think, and do what it decides."""
        game, mover, begun_s = self.game, self.game.position.to_play, time.monotonic()
        decision = await self.thinking.decide()
        if not game.seats.person:
            await self._let_watch(begun_s)
        if not decision.resigns:
            game.play_move(decision.move)
        elif game.seats.is_engine(mover):
            game.lose(mover, Ending.RESIGNATION)
        else:
            game.play_move(_best(decision))
        self._changed()

    async def _let_watch(self, begun_s: float) -> None:
        """Wait until the position has been there long enough to be seen."""
        now_s = time.monotonic()
        falls_in_s = self.game.clocks.falls_in_s(now_s)
        if falls_in_s is None or falls_in_s > HURRY_S:
            await asyncio.sleep(max(begun_s + WATCHED_S - now_s, 0.0))

    async def _score(self) -> None:
        """Judge the position in a thread."""
        game = self.game
        game.take_score(await self.house.in_thread(judge, game.position.copy()))
        game.clocks.stop(time.monotonic())
        self.stop("flag")
        self.tell_state()

    async def _analyse(self) -> None:
        await self.thinking.analyse()
        self.is_analysing = False
        self.tell_state()

    async def _flag(self, falls_in_s: float) -> None:
        """Wait for the flag of the side to move to fall."""
        await asyncio.sleep(max(falls_in_s, 0.0) + FLAG_SLACK_S)
        self.game.lose(self.game.clocks.running or self.game.position.to_play, Ending.TIME)
        self._changed()


def _best(decision: Decision) -> int:
    """Return the best move of an engine that would resign, for somebody who does not."""
    candidates = decision.report.candidates if decision.report is not None else ()
    return candidates[0].move if candidates else decision.move


HANDLERS: dict[type, Callable[[Table, Any], None]] = {
    messages.New: Table.new,
    messages.Play: Table.play,
    messages.Go: Table.go,
    messages.Undo: Table.undo,
    messages.Resign: Table.resign,
    messages.Hint: Table.hint,
    messages.Goto: Table.go_to,
    messages.Cut: Table.cut,
    messages.Comment: Table.comment,
    messages.Score: Table.score,
    messages.Mark: Table.mark,
    messages.Accept: Table.accept,
    messages.Resume: Table.resume,
    messages.Analyse: Table.analyse,
    messages.Review: Table.review,
}
