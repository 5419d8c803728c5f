"""The WebSocket connection of one page."""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from tengen import __version__
from tengen.board import NAMED_RULES
from tengen.engine import LEVELS
from tengen.util import TengenError
from tengen.web import messages
from tengen.web.context import ServerContext
from tengen.web.game_room import GameRoom
from tengen.web.game_server import GameServer
from tengen.web.limits import MAX_WAITING_BYTES, RateLimit
from tengen.web.messages import ErrorMessage, ServerMessage, parse_message

log = logging.getLogger("tengen.web")
REPLACEABLE = (
    messages.GameState,
    messages.TreeSnapshot,
    messages.GameHeader,
    messages.SearchUpdate,
    messages.LayerUpdate,
    messages.ReviewUpdate,
    messages.Continuations,
    messages.CollectionList,
    messages.TeachingUpdate,
    messages.ProblemList,
    messages.ProblemState,
    messages.ExperimentList,
    messages.EngineChoice,
    messages.Preparation,
)
"""Messages of which a slow page needs only the latest."""
MAX_EARLY = 20
"""Messages kept of those that arrive before the server is ready."""
CLOSE_TIMEOUT_S = 2.0
TOO_SLOW = 1008
"""WebSocket close code: policy violation."""


class Outbox:
    """Queue of messages to one page; a new message replaces an outdated one of its kind.

    The bytes of messages that are not replaced are limited.
    """

    def __init__(self) -> None:
        self._waiting: dict[object, tuple[ServerMessage, int]] = {}  # with the bytes counted
        self._waiting_bytes = 0
        self.is_full = False
        """Whether the page reads too slowly: messages were dropped."""
        self._numbers = itertools.count()
        self._filled = asyncio.Event()

    def put(self, message: ServerMessage) -> None:
        """Queue a message."""
        if isinstance(message, REPLACEABLE):
            key: object = (type(message), getattr(message, "slot", None))
        else:
            key = (type(message), next(self._numbers))
        if isinstance(message, messages.TreeSnapshot):
            self._drop(messages.TreeChanges)  # they are part of the snapshot or of another tree
        self._take(key)
        size = 0 if isinstance(message, REPLACEABLE) else len(message.encode())
        self.is_full |= self._waiting_bytes + size > MAX_WAITING_BYTES
        if size == 0 or not self.is_full:
            self._waiting[key] = message, size
            self._waiting_bytes += size
        self._filled.set()

    def _drop(self, kind: type[ServerMessage]) -> None:
        for key in [key for key in self._waiting if isinstance(key, tuple) and key[0] is kind]:
            self._take(key)

    def _take(self, key: object) -> ServerMessage | None:
        message, size = self._waiting.pop(key, (None, 0))
        self._waiting_bytes -= size
        return message

    async def get(self) -> ServerMessage:
        """Wait for the oldest message and remove it."""
        while True:
            while not self._waiting:
                self._filled.clear()
                await self._filled.wait()
            if (message := self._take(next(iter(self._waiting)))) is not None:
                return message


class Connection:
    """An open page: its socket, its outbox and its room."""

    def __init__(self, socket: WebSocket, server: GameServer):
        self._socket = socket
        self._server = server
        self._outbox = Outbox()
        self._rate = RateLimit()
        self._room: GameRoom | None = None
        self._listings: dict[type, asyncio.Task[None]] = {}
        """The running request of each kind that waits for files."""
        self._joining: asyncio.Task[None] | None = None
        self._early: list[messages.ClientMessage] = []
        """Messages that arrived before the server was ready."""

    def send(self, message: ServerMessage) -> None:
        """Queue a message for the page."""
        self._outbox.put(message)

    async def serve(self) -> None:
        """Exchange messages until the page is closed."""
        await self._socket.accept()
        sender = asyncio.create_task(self._send_all())
        try:
            while not self._outbox.is_full:
                event = await self._socket.receive()
                self._receive(event)
                delay_s = self._rate.delay_s(len(event.get("text") or event.get("bytes") or ""))
                if delay_s > 0:
                    await asyncio.sleep(delay_s)
            await self._refuse()
        except WebSocketDisconnect:
            pass
        finally:
            sender.cancel()
            for task in (*self._listings.values(), self._joining):
                if task is not None:
                    task.cancel()
            if self._room is not None:
                self._room.leave(self)

    async def _refuse(self) -> None:
        """Close the connection of a page that does not read its messages."""
        log.warning("closed a connection that does not read its messages")
        closing = self._socket.close(TOO_SLOW, "the page does not read its messages")
        with suppress(TimeoutError, RuntimeError):
            await asyncio.wait_for(closing, CLOSE_TIMEOUT_S)

    async def _send_all(self) -> None:
        try:
            while not self._outbox.is_full:
                await self._socket.send_text((await self._outbox.get()).encode())
            await self._refuse()
        except (WebSocketDisconnect, RuntimeError):
            pass  # the page was closed; the receiving side notices too

    def _receive(self, event: MutableMapping[str, Any]) -> None:
        """Handle an event of the socket without blocking."""
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code") or 1000)
        with self._reporting_errors():
            text = event.get("text")
            if not isinstance(text, str):
                raise TengenError("messages must be text")
            self._handle(parse_message(text))

    @contextmanager
    def _reporting_errors(self) -> Iterator[None]:
        """Send errors to the page."""
        try:
            yield
        except TengenError as error:
            self.send(ErrorMessage(str(error)))
        except Exception as error:
            log.exception("a message failed")
            self.send(ErrorMessage(f"internal error: {error!r}"))

    def _handle(self, message: messages.ClientMessage) -> None:
        if isinstance(message, messages.Ping):
            self.send(messages.Pong(message.text))
        elif type(message) in _LISTINGS:
            self._start_listing(message)
        elif isinstance(message, messages.CancelImport):
            self._server.context.library.cancel_import(message.target)
        elif isinstance(message, messages.Hello):
            self._join(message)
        elif self._room is None and self._joining is not None:
            del self._early[MAX_EARLY - 1 :]
            self._early.append(message)
        elif self._room is None:
            raise TengenError("the first message must be hello")
        else:
            self._room.handle(message, self)

    def _start_listing(self, message: messages.ClientMessage) -> None:
        """Answer a request that waits for files; one that waits for its turn is replaced."""
        kind = type(message)
        previous = self._listings.get(kind)
        if isinstance(message, messages.ListExperiments) and previous and not previous.done():
            return  # scanning large folders is slow
        self._listings[kind] = asyncio.create_task(self._answer(message, previous))

    async def _answer(
        self, message: messages.ClientMessage, previous: "asyncio.Task[None] | None"
    ) -> None:
        if previous is not None:
            await asyncio.wait([previous])
        with self._reporting_errors():
            self.send(await _LISTINGS[type(message)](self._server.context, message))

    def _join(self, message: messages.Hello) -> None:
        """Welcome the page and join its room, when the server is ready."""
        if self._room is not None or self._joining is not None:
            raise TengenError("already joined a game")
        if self._server.preparer is None:
            self._enter(message)
        else:
            self._joining = asyncio.create_task(self._enter_when_ready(message))

    async def _enter_when_ready(self, message: messages.Hello) -> None:
        assert self._server.preparer is not None
        with self._reporting_errors():
            await self._server.preparer.wait(self.send)
            self._enter(message)
            for early in self._early:
                with self._reporting_errors():
                    self._handle(early)
            self._early.clear()

    def _enter(self, message: messages.Hello) -> None:
        self._room = self._server.room(message.game)
        is_lost = message.game is not None and message.game != self._room.id
        self.send(welcome(self._server, lost_game=message.game if is_lost else None))
        self._room.join(self)


async def _list_experiments(
    context: ServerContext, message: messages.ListExperiments
) -> ServerMessage:
    return await context.list_experiments()


async def _start_experiment(
    context: ServerContext, message: messages.StartExperiment
) -> ServerMessage:
    context.jobs.start(message.request)
    return await context.list_experiments()


async def _stop_experiment(
    context: ServerContext, message: messages.StopExperiment
) -> ServerMessage:
    context.jobs.stop(message.name)
    return await context.list_experiments()


async def _resume_experiment(
    context: ServerContext, message: messages.ResumeExperiment
) -> ServerMessage:
    context.jobs.resume(message.name)
    return await context.list_experiments()


async def _write_example(context: ServerContext, message: messages.WriteExample) -> ServerMessage:
    context.jobs.write_example()
    return await context.list_experiments()


async def _list_match_games(
    context: ServerContext, message: messages.ListMatchGames
) -> ServerMessage:
    return messages.MatchGames(await context.list_match_games(message.path))


async def _list_collections(
    context: ServerContext, message: messages.ListCollections
) -> ServerMessage:
    return await context.library.collections()


async def _list_games(context: ServerContext, message: messages.ListGames) -> ServerMessage:
    return await context.library.games(message)


async def _remove_collection(
    context: ServerContext, message: messages.RemoveCollection
) -> ServerMessage:
    await context.library.run(lambda library: library.remove_collection(message.collection))
    return await context.library.collections()


async def _remove_game(context: ServerContext, message: messages.RemoveGame) -> ServerMessage:
    await context.library.run(lambda library: library.remove_game(message.game))
    return await context.library.collections()


_LISTINGS: dict[type, Callable[[ServerContext, Any], Awaitable[ServerMessage]]] = {
    messages.ListExperiments: _list_experiments,
    messages.StartExperiment: _start_experiment,
    messages.StopExperiment: _stop_experiment,
    messages.ResumeExperiment: _resume_experiment,
    messages.WriteExample: _write_example,
    messages.ListMatchGames: _list_match_games,
    messages.ListCollections: _list_collections,
    messages.ListGames: _list_games,
    messages.RemoveCollection: _remove_collection,
    messages.RemoveGame: _remove_game,
}
"""Requests that need no room, and the functions that answer them."""


def welcome(server: GameServer, lost_game: str | None) -> messages.Welcome:
    """Return the first message to a page."""
    return messages.Welcome(
        version=__version__,
        rules={name: rules.komi for name, rules in NAMED_RULES.items()},
        levels=[
            {
                "name": level.name,
                "rank": level.rank,
                "description": level.description,
                "games": list(level.games.items()),
            }
            for level in LEVELS
        ],
        layers=[info.as_dict() for info in server.context.layers.values()],
        defaults=server.first_game,
        lost_game=lost_game,
    )
