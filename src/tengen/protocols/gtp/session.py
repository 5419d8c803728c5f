"""A GTP session: the game, the engine, and the table of commands.

A command is a function `(session, arguments) -> text` registered with the decorator `command`.
The modules of this package each define a group of commands.
"""

import contextlib
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tengen import __version__
from tengen.board import Color, Position, Rules, parse_vertex, rules_named
from tengen.engine import Clock, EngineSettings, require_files
from tengen.protocols.gtp.protocol import (
    Command,
    CommandError,
    InputQueue,
    Output,
    failure,
    parse_command,
    success,
)
from tengen.search import SearchReport
from tengen.util import TengenError

if TYPE_CHECKING:
    from tengen.engine import Engine

Handler = Callable[["Session", list[str]], str]
MakeEngine = Callable[[EngineSettings], "Engine"]
COMMANDS: dict[str, Handler] = {}

INITIAL_SIZE = 19
MAX_SHOWN_NAME = 60
"""Characters of a file name in an error message."""


def command(name: str) -> Callable[[Handler], Handler]:
    """Register a function as the handler of a command."""

    def register(handler: Handler) -> Handler:
        COMMANDS[name] = handler
        return handler

    return register


class Identity(NamedTuple):
    """The answers to `name` and `version`."""

    name: str = "Tengen"
    version: str = __version__


class LastSearch(NamedTuple):
    """The result of the last search and its position."""

    position: Position
    report: SearchReport


class EngineHolder:
    """Creates the engine on first use, and again when the settings change."""

    def __init__(self, settings: EngineSettings, make_engine: MakeEngine | None = None):
        self.settings = self.initial_settings = settings
        self._make_engine = make_engine or _make_engine
        self._engine: Engine | None = None
        self._reported: set[str] = set()

    @property
    def engine(self) -> "Engine":
        """The engine, created with its kernels loaded if there is none."""
        if self._engine is None:
            self._engine = self._make_engine(self.settings)
        return self._engine

    def change_settings(self, settings: EngineSettings) -> None:
        """Use other settings from now on; raise TengenError and keep the old ones if they fail.

        An existing engine is replaced at once, so that errors show immediately.
        """
        before = self.settings, self._engine
        self.discard()
        self.settings = settings
        try:
            if before[1] is None:
                require_files(settings)
            else:
                _ = self.engine
        except TengenError:
            self.settings, self._engine = before
            raise

    def discard(self) -> None:
        """Drop the engine with its tree."""
        self.stop_pondering()
        self._engine = None

    def new_game(self) -> None:
        """Notify the engine, if there is one, of a new game."""
        if self._engine is not None:
            self._engine.new_game()

    def ponder(self, position: Position) -> None:
        """Start pondering if the settings enable it."""
        if self.settings.play.ponder:
            self.engine.ponder(position)

    def stop_pondering(self) -> None:
        """Stop pondering."""
        if self._engine is not None:
            self._engine.stop_pondering()

    def report_problems(self) -> None:
        """Print errors raised by sources to stderr, each once."""
        for problem in self.engine.problems:
            if problem not in self._reported:
                self._reported.add(problem)
                print(f"tengen: {problem}; continuing without it", file=sys.stderr, flush=True)


def _make_engine(settings: EngineSettings) -> "Engine":
    from tengen.engine import create_engine

    return create_engine(settings)


class Session:
    """The state of a GTP connection."""

    def __init__(
        self,
        settings: EngineSettings | None = None,
        rules: Rules | None = None,
        make_engine: MakeEngine | None = None,
        identity: Identity | None = None,
        received: InputQueue | None = None,
        output: Output | None = None,
    ):
        self.identity = identity or Identity()
        self.holder = EngineHolder(settings or EngineSettings(), make_engine)
        self.input = received or InputQueue()
        self.output = output or Output()
        self.position = Position(INITIAL_SIZE, rules=rules or rules_named("chinese"))
        self.clocks: dict[Color, Clock] = {color: Clock() for color in Color}
        self.last_search: LastSearch | None = None
        self.live_layer = ""
        """The layer drawn by GoGui's live graphics while a search runs; empty for none."""
        self.is_closed = False
        self.engine_colors: set[Color] = set()
        """Colors that the engine played in this game."""
        self.is_counted = False
        """Whether the result of this game has changed the level `auto`."""

    @property
    def engine(self) -> "Engine":
        """The engine, created on first use."""
        return self.holder.engine

    @property
    def settings(self) -> EngineSettings:
        """The engine's settings."""
        return self.holder.settings

    # Commands

    def handle(self, line: str) -> str | None:
        """Return the reply to one line, None if it holds no command. Never raises."""
        request = parse_command(line)
        if request is None:
            return None
        self.output.start(request.id)
        try:
            reply = success(request.id, self.execute(request))
        except TengenError as error:
            if self.output.is_streaming:
                self._report(str(error), str(error))
            reply = failure(request.id, str(error))
        except OSError as error:
            # A file argument that the system rejects, such as a very long name.
            name = str(error.filename or "input or output")[:MAX_SHOWN_NAME]
            message = f"{name}: {error.strerror or error}"
            if self.output.is_streaming:
                self._report(message, message)
            reply = failure(request.id, message)
        except Exception as error:
            # The controller gets an answer and the session continues, whatever went wrong.
            message = f"internal error: {error!r}"
            self._report(message, traceback.format_exc())
            reply = failure(request.id, message)
        return "\n" if self.output.is_streaming else reply

    def execute(self, request: Command) -> str:
        """Run a command and return its result; raise TengenError."""
        handler = COMMANDS.get(request.name)
        if handler is None:
            raise CommandError("unknown command")
        self.holder.stop_pondering()
        return handler(self, request.arguments)

    def _report(self, message: str, details: str) -> None:
        print(f"tengen: {message}", file=sys.stderr, flush=True)
        self.output.note(details)

    # Shared by commands

    def search_here(self) -> SearchReport | None:
        """Return the last search if it was of the current position."""
        last = self.last_search
        if last is None or self.position.moves_since(last.position) != []:
            return None
        return last.report if last.position.to_play is self.position.to_play else None

    def parse_move(self, text: str) -> int:
        """Parse a vertex on the current board."""
        with contextlib.suppress(TengenError):
            return parse_vertex(text, self.position.rows, self.position.columns)
        raise CommandError("invalid vertex")

    def parse_color(self, text: str) -> Color:
        """Parse a color."""
        with contextlib.suppress(TengenError):
            return Color.parse(text)
        raise CommandError("invalid color")

    def vertices(self, points: list[int]) -> str:
        """Return points as GTP text."""
        return " ".join(self.position.vertex(point).upper() for point in points)

    def empty_position(self) -> Position:
        """Return an empty board of the same size and rules."""
        return Position(self.position.rows, self.position.columns, self.position.rules)

    def new_board(self, rows: int, columns: int) -> None:
        """Start over on an empty board with the same rules."""
        self.holder.new_game()
        self.last_search = None
        self.position = Position(rows, columns, self.position.rules)
        self.engine_colors.clear()
        self.is_counted = False
        for color in Color:
            self.clocks[color].reset()

    def set_rules(self, rules: Rules) -> None:
        """Change the rules of the game in progress; raise TengenError if they forbid it."""
        self.position = self.position.with_rules(rules)

    def set_komi(self, komi: float) -> None:
        """Change komi."""
        self.position.rules = replace(self.position.rules, komi=komi)
