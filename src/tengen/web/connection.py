"""One WebSocket a page: messages in, messages out, and a word for what is refused."""

import asyncio
import itertools
import json
import logging
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from tengen import __version__
from tengen.board.rules import NAMED_RULES
from tengen.core.errors import TengenError
from tengen.engine.levels import LEVELS
from tengen.web import messages
from tengen.web.house import House
from tengen.web.messages import Json, parse_message
from tengen.web.table import Table

log = logging.getLogger("tengen.web")
REPLACEABLE = ("state", "tree", "game", "search", "layer", "review", "experiments")
"""Of these only the newest counts: a slow page is not sent what is old already."""


class Outbox:
    """Messages on their way to one page, in order; newer ones replace their like."""

    def __init__(self) -> None:
        self._waiting: dict[object, Json] = {}
        self._numbers = itertools.count()
        self._filled = asyncio.Event()

    def send(self, message: Json) -> None:
        """Put a message in; never waits."""
        kind = message["type"]
        key = (kind, message.get("slot")) if kind in REPLACEABLE else next(self._numbers)
        if kind == "tree":
            self._drop("growth")  # it grew into this tree, or was another's
        self._waiting.pop(key, None)
        self._waiting[key] = message
        self._filled.set()

    def _drop(self, kind: str) -> None:
        """Forget what waits of a kind."""
        for key in [key for key, one in self._waiting.items() if one["type"] == kind]:
            del self._waiting[key]

    async def take(self) -> Json:
        """Return the oldest message, waiting for one if there is none."""
        while not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        return self._waiting.pop(next(iter(self._waiting)))


class Page:
    """One open page: its socket, its outbox and its table."""

    def __init__(self, socket: WebSocket, house: House):
        self._socket = socket
        self._house = house
        self._outbox = Outbox()
        self._table: Table | None = None
        self._listing: asyncio.Task[None] | None = None

    def send(self, message: Json) -> None:
        """Send a message when the socket is ready for it."""
        self._outbox.send(message)

    async def serve(self) -> None:
        """Talk until the page is left."""
        await self._socket.accept()
        sender = asyncio.create_task(self._send_all())
        try:
            while True:
                self._take(await self._socket.receive())
        except WebSocketDisconnect:
            pass
        finally:
            sender.cancel()
            if self._listing is not None:
                self._listing.cancel()
            if self._table is not None:
                self._table.leave(self)

    async def _send_all(self) -> None:
        try:
            while True:
                await self._socket.send_text(json.dumps(await self._outbox.take()))
        except (WebSocketDisconnect, RuntimeError):
            pass  # the page is gone; the receiver notices it too

    def _take(self, event: MutableMapping[str, Any]) -> None:
        """Do what one message says; never waits, since the next ones do."""
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code") or 1000)
        with self._refusing():
            text = event.get("text")
            if not isinstance(text, str):
                raise TengenError("messages are text")
            self._do(parse_message(text))

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Refuse with a word what cannot be done inside."""
        try:
            yield
        except TengenError as error:
            self.send({"type": "refused", "reason": str(error)})
        except Exception as error:
            log.exception("a message failed")
            self.send({"type": "refused", "reason": f"internal error: {error!r}"})

    def _do(self, message: messages.Message) -> None:
        if isinstance(message, messages.Ping):
            self.send({"type": "pong", "text": message.text})
        elif isinstance(message, messages.Experiments):
            self._begin_to_list()
        elif isinstance(message, messages.Hello):
            self._greet(message)
        elif self._table is None:
            raise TengenError("say hello first")
        else:
            self._table.take(message, self)

    def _begin_to_list(self) -> None:
        """List the experiments, unless that goes on already: the page asks again and again."""
        if self._listing is None or self._listing.done():
            self._listing = asyncio.create_task(self._list())

    async def _list(self) -> None:
        with self._refusing():
            entries = await self._house.list_experiments()
            self.send({"type": "experiments", "entries": entries})

    def _greet(self, message: messages.Hello) -> None:
        """Welcome a page and seat it at its table."""
        if self._table is not None:
            raise TengenError("you are at a table already")
        is_lost = message.game is not None and message.game not in self._house.tables
        self.send({**welcome(self._house), "lost": message.game if is_lost else None})
        self._table = self._house.table(message.game)
        self._table.join(self)


def welcome(house: House) -> Json:
    """Return what a page needs to know of the server."""
    levels = [{"name": v.name, "rank": v.rank, "meaning": v.meaning} for v in LEVELS]
    rules = {name: rules.komi for name, rules in NAMED_RULES.items()}
    return {
        "type": "welcome",
        "version": __version__,
        "rules": rules,
        "levels": levels,
        "layers": [info.as_dict() for info in house.layers.values()],
        "defaults": vars(house.first_game),
    }
