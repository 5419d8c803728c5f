"""A server in this process, and a page that talks to it as the real one does."""

import contextlib
import functools
import itertools
import json
import queue
import threading
import time
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path

import anyio
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tengen.board.position import Position
from tengen.engine.ending import look_at_ending
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.web.app import make_app
from tengen.web.engines import EnginePool
from tengen.web.guard import Door
from tengen.web.house import House
from tengen.web.messages import New

QUICK = EngineSettings().with_words(["playouts=50", "threads=1", "memory_mib=16", "seed=1"])
LOCAL = "http://127.0.0.1:8361"
PATIENCE_S = 60
ENDINGS = (
    WebSocketDisconnect,
    RuntimeError,
    CancelledError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
)
"""What a socket that is closed raises."""


@functools.cache
def warm_up():
    """Compile what the page needs before anyone waits for it: a first start takes minutes."""
    Engine(QUICK)
    look_at_ending(Position(5))


def make_house(experiments: Path = Path(), **game) -> House:
    warm_up()
    return House(QUICK, New(**game), experiments, engines=EnginePool(2))


@contextmanager
def client_of(house: House, door: Door | None = None, address: str = LOCAL):
    with TestClient(make_app(house, door or Door.to("127.0.0.1")), base_url=address) as client:
        yield client


class FakePage:
    """One open page: sends messages, waits for what it wants to hear."""

    def __init__(self, session):
        self._session = session
        self._heard = queue.Queue()
        self._pings = itertools.count()
        self.newest: dict[str, dict] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        """Listen in a thread of its own: a message that never comes must end no test run."""
        with contextlib.suppress(*ENDINGS):
            while True:
                self._heard.put(json.loads(self._session.receive_text()))

    def send(self, kind, **fields):
        self._session.send_text(json.dumps({"type": kind, **fields}))

    def send_raw(self, text):
        self._session.send_text(text)

    def hear(self, kind, wanted=lambda message: True):
        """Return the next message of a kind that is wanted."""
        end_s = time.monotonic() + PATIENCE_S
        while (left_s := end_s - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                message = self._heard.get(timeout=left_s)
                self.newest[message["type"]] = message
                if message["type"] == kind and wanted(message):
                    return message
        raise AssertionError(f"no {kind} was heard; heard last: {self.newest}")

    def settle(self):
        """Wait until the server has done what it was sent so far."""
        text = str(next(self._pings))
        self.send("ping", text=text)
        self.hear("pong", lambda pong: pong["text"] == text)

    def ask(self, kind, _hear="state", _wanted=lambda message: True, **fields):
        """Send a message and return what is heard of it, waiting for what is wanted."""
        if _hear != "state":
            self.newest.pop(_hear, None)
        self.send(kind, **fields)
        self.settle()
        newest = self.newest.get(_hear)
        return newest if newest is not None and _wanted(newest) else self.hear(_hear, _wanted)


@contextmanager
def page_of(client, game=None):
    """Open a page; it has heard how its game stands."""
    with client.websocket_connect("ws://127.0.0.1:8361/socket") as session:
        page = FakePage(session)
        page.ask("hello", game=game)
        yield page


def until(condition):
    """Wait until something holds."""
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "it never came about"
        time.sleep(0.01)


def settled(state):
    return not state["thinking"]
