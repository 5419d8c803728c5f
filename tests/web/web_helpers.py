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


class HeardTree:
    """The tree of a game, put together of what is told as the real page does."""

    def __init__(self):
        self.version = None
        self.nodes = {}
        """[number, parent, colour, vertex, has a comment] by number."""
        self._children = {}

    def take(self, message):
        """Take a message; only `tree` and `growth` matter."""
        if message["type"] == "tree":
            self.nodes, self._children = {}, {}
            for node in message["nodes"]:
                self._add(*node)
            self.version = message["version"]
        elif message["type"] == "growth":
            assert message["since"] == self.version, "it grew out of another tree"
            for what, *about in message["changes"]:
                getattr(self, f"_{what}")(*about)
            self.version = message["version"]

    def _add(self, number, parent, *about):
        self.nodes[number] = [number, parent, *about]
        self._children[number] = []
        if parent is not None:
            self._children[parent].append(number)

    def _lead(self, number):
        while (parent := self.nodes[number][1]) is not None:
            self._children[parent].remove(number)
            self._children[parent].insert(0, number)
            number = parent

    def _cut(self, number):
        gone = [node[0] for node in self.listed(number)]
        self._children[self.nodes[number][1]].remove(number)
        for one in gone:
            del self.nodes[one], self._children[one]

    def _comment(self, number, has_comment):
        self.nodes[number][4] = has_comment

    def listed(self, start=0):
        """Return the nodes from one on, each before its children, first children first."""
        waiting, found = [start], []
        while waiting:
            found.append(self.nodes[waiting.pop()])
            waiting.extend(reversed(self._children[found[-1][0]]))
        return found


class FakePage:
    """One open page: sends messages, waits for what it wants to hear."""

    def __init__(self, session):
        self.tree = HeardTree()
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
                self.tree.take(message)
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


def large_tree():
    """Return a game of 100 moves with 20 variations of three moves at each: 6,101 nodes."""
    letters = "abcdefghijklmnopqrs"
    points = [column + row for row in letters for column in letters]
    text = ""
    for number in reversed(range(100)):
        colours = "BWB" if number % 2 == 0 else "WBW"
        places = [points[100 + 3 * n : 103 + 3 * n] for n in range(20)]
        tries = [
            "".join(f";{c}[{p}]" for c, p in zip(colours, three, strict=True)) for three in places
        ]
        text = f"(;{colours[0]}[{points[number]}]{text}){''.join(f'({moves})' for moves in tries)}"
    return f"(;GM[1]SZ[19]{text})".encode()


def until(condition):
    """Wait until something holds."""
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "it never came about"
        time.sleep(0.01)


def settled(state):
    return not state["thinking"]
