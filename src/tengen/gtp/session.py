"""A GTP session: the game, the engine, and the table of commands.

Commands are plain functions `(session, arguments) -> text`, put into the table by the decorator
`command`; a module of this package holds a group of them.
"""

import contextlib
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tengen.board.colour import Colour
from tengen.board.points import parse_vertex
from tengen.board.position import Position
from tengen.board.rules import Rules, rules_named
from tengen.core.errors import TengenError
from tengen.engine.clock import Clock
from tengen.engine.named_files import require_files
from tengen.engine.settings import EngineSettings
from tengen.gtp.protocol import Command, GtpError, failure, parse_command, success
from tengen.gtp.state import Heed, Identity, Seen

if TYPE_CHECKING:
    from tengen.engine.engine import Engine
    from tengen.search.report import SearchReport

Handler = Callable[["Session", list[str]], str]
COMMANDS: dict[str, Handler] = {}

FIRST_SIZE = 19


def command(name: str) -> Callable[[Handler], Handler]:
    """Put a function into the table of commands under that name."""

    def enter(handler: Handler) -> Handler:
        COMMANDS[name] = handler
        return handler

    return enter


class Session:
    """The state behind a GTP connection."""

    def __init__(
        self,
        settings: EngineSettings | None = None,
        rules: Rules | None = None,
        write: Callable[[str], None] | None = None,
        interrupted: Callable[[], bool] | None = None,
        make_engine: Callable[[], "Engine"] | None = None,
        stop_asked: Callable[[], bool] | None = None,
        identity: Identity | None = None,
    ):
        self.identity = identity or Identity()
        self.settings = self.first_settings = settings or EngineSettings()
        self.position = Position(FIRST_SIZE, rules=rules or rules_named("chinese"))
        self.clocks: dict[Colour, Clock] = {colour: Clock() for colour in Colour}
        self.is_closed = False
        self.write = write or (lambda text: None)
        """Sends text at once, for commands that answer little by little."""
        self.interrupted = interrupted or (lambda: False)
        """Tells whether the controller has sent something while a command runs."""
        self.stop_asked = stop_asked or (lambda: False)
        """Tells whether `# interrupt` has come."""
        self.note: Callable[[str], None] = lambda text: None
        """Keeps a text for who looks for the reason of a failure."""
        self.seen: Seen | None = None
        self.live_layer = ""
        """The layer to draw on stderr while a search runs, in GoGui's words; empty for none."""
        self._heed = Heed.NOTHING
        self._engine: Engine | None = None
        self._make_engine = make_engine
        self._told: set[str] = set()
        self._begun = False
        self._id = ""

    @property
    def engine(self) -> "Engine":
        """The engine; it is made, and its kernels loaded, when it is first needed."""
        if self._engine is None:
            from tengen.engine.engine import Engine

            make = self._make_engine or (lambda: Engine(self.settings))
            self._engine = make()
        return self._engine

    def change_settings(self, settings: EngineSettings) -> None:
        """Play with other settings from now on; raise TengenError, and keep the old, if they fail.

        An engine that is there already is made anew, so that what does not work shows at once.
        """
        before = self.settings, self._engine
        self.forget_engine()
        self.settings = settings
        try:
            if before[1] is None:
                require_files(settings)
            else:
                _ = self.engine
        except TengenError:
            self.settings, self._engine = before
            raise

    def seen_here(self) -> "SearchReport | None":
        """Return what the last search found, if it was of the present position."""
        seen = self.seen
        if seen is None or self.position.continues(seen.position) != []:
            return None
        return seen.report if seen.position.to_play is self.position.to_play else None

    # Interruption

    @contextlib.contextmanager
    def heeding(self, heed: Heed) -> Iterator[None]:
        """Let input end the search that runs inside."""
        self._heed = heed
        try:
            yield
        finally:
            self._heed = Heed.NOTHING

    def should_stop(self) -> bool:
        """Tell whether a search that runs now should end."""
        if self._heed is Heed.ANY_LINE:
            return self.interrupted()
        return self._heed is Heed.INTERRUPT and self.stop_asked()

    def hear(self) -> None:
        """Be told, by the thread that reads, that input has come: end a search that heeds it.

        A search that is about to begin does not notice; it asks `should_stop` as it runs.
        """
        if self._engine is not None and self.should_stop():
            self._engine.stop()

    # The engine

    def forget_engine(self) -> None:
        """Drop the engine with its tree; a new one is made when it is needed."""
        self.quiet_engine()
        self._engine = None

    def engine_waits(self) -> None:
        """Let the engine think on the opponent's time, if its settings say so."""
        if self.settings.play.ponder:
            self.engine.ponder(self.position)

    def report_problems(self) -> None:
        """Tell on stderr, once, what knowledge sources raised."""
        for problem in self.engine.problems:
            if problem not in self._told:
                self._told.add(problem)
                print(f"tengen: {problem}; playing on without it", file=sys.stderr, flush=True)

    def quiet_engine(self) -> None:
        """Stop thinking on the opponent's time."""
        if self._engine is not None:
            self._engine.stop_pondering()

    def handle(self, line: str) -> str | None:
        """Answer one line; return None if it holds no command. Nothing is raised."""
        asked = parse_command(line)
        if asked is None:
            return None
        self._begun, self._id = False, asked.id
        try:
            return self._end(success(asked.id, self._run(asked)))
        except (GtpError, TengenError) as error:
            if self._begun:  # a failure can only be answered at the beginning of a reply
                print(f"tengen: {error}", file=sys.stderr, flush=True)
                self.note(str(error))
            return self._end(failure(asked.id, str(error)))
        except Exception as error:
            # Whatever went wrong, the controller gets an answer and the session goes on.
            print(f"tengen: internal error: {error!r}", file=sys.stderr, flush=True)
            self.note(traceback.format_exc())
            return self._end(failure(asked.id, f"internal error: {error!r}"))

    def begin_reply(self) -> None:
        """Begin a reply that is written line by line; a blank line will end it."""
        self._begun = True
        self.write(f"={self._id}\n")

    def _end(self, reply: str) -> str:
        return "\n" if self._begun else reply

    def _run(self, asked: Command) -> str:
        handler = COMMANDS.get(asked.name)
        if handler is None:
            raise GtpError("unknown command")
        self.quiet_engine()
        return handler(self, asked.arguments)

    # What commands share

    def parse_move(self, text: str) -> int:
        """Read a vertex on the present board."""
        with contextlib.suppress(TengenError):
            return parse_vertex(text, self.position.rows, self.position.columns)
        raise GtpError("invalid vertex")

    def parse_colour(self, text: str) -> Colour:
        """Read a colour."""
        with contextlib.suppress(TengenError):
            return Colour.parse(text)
        raise GtpError("invalid color")

    def fresh_position(self) -> Position:
        """Return an empty board of the same size and rules."""
        return Position(self.position.rows, self.position.columns, self.position.rules)

    def new_board(self, rows: int, columns: int) -> None:
        """Start over on an empty board with the same rules."""
        if self._engine is not None:
            self._engine.begin_game()
        self.seen = None
        self.position = Position(rows, columns, self.position.rules)
        for colour in Colour:
            self.clocks[colour] = self.clocks[colour].restarted()

    def set_rules(self, rules: Rules) -> None:
        """Change the rules and keep the game; raise TengenError if they forbid it."""
        self.position = self.position.under(rules)

    def set_komi(self, komi: float) -> None:
        """Change komi and keep the game."""
        self.position.rules = replace(self.position.rules, komi=komi)

    def vertices(self, points: list[int]) -> str:
        """Return points as GTP text."""
        return " ".join(self.position.vertex(point).upper() for point in points)
