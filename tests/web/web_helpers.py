"""A server in this process and a scripted page."""

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

from tengen.board import Position
from tengen.engine import EngineSettings, create_engine
from tengen.engine.endgame import assess_endgame
from tengen.web import (
    AccessPolicy,
    EnginePool,
    GameServer,
    NewGame,
    ServerContext,
    game_room,
    make_app,
)

QUICK = EngineSettings().with_overrides(["playouts=50", "threads=1", "memory_mib=16", "seed=1"])
LOCAL = "http://127.0.0.1:8361"
PATIENCE_S = 60
ENDINGS = (
    WebSocketDisconnect,
    RuntimeError,
    CancelledError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
)
"""Raised by a closed socket."""


@functools.cache
def warm_up():
    """Compile the kernels before the tests measure time: the first start takes minutes."""
    create_engine(QUICK)
    assess_endgame(Position(5))


def make_game_server(experiments: Path = Path(), **game) -> GameServer:
    warm_up()
    game_room.MOVE_S = (0.0, 0.0)
    context = ServerContext(QUICK, experiments, engines=EnginePool(2), reply_s=(0.0, 0.0))
    return GameServer(context, NewGame(**game))


@contextmanager
def client_of(server: GameServer, policy: AccessPolicy | None = None, address: str = LOCAL):
    with TestClient(
        make_app(server, policy or AccessPolicy.for_host("127.0.0.1")), base_url=address
    ) as client:
        yield client


class ReceivedTree:
    """The game tree, built from messages as the page does."""

    def __init__(self):
        self.version = None
        self.nodes = {}
        """Rows [number, parent, color, vertex, has_comment] by number."""
        self._children = {}

    def take(self, message):
        """Apply a message of type `tree` or `tree_changes`; ignore others."""
        if message["type"] == "tree":
            self.nodes, self._children = {}, {}
            for node in message["nodes"]:
                self._add(*node)
            self.version = message["version"]
        elif message["type"] == "tree_changes":
            assert message["since"] == self.version, "the changes start from another version"
            for kind, *fields in message["changes"]:
                getattr(self, f"_{kind}")(*fields)
            self.version = message["version"]

    def _add(self, number, parent, *fields):
        self.nodes[number] = [number, parent, *fields]
        self._children[number] = []
        if parent is not None:
            self._children[parent].append(number)

    def _main_line(self, number):
        while (parent := self.nodes[number][1]) is not None:
            self._children[parent].remove(number)
            self._children[parent].insert(0, number)
            number = parent

    def _delete(self, number):
        gone = [node[0] for node in self.rows(number)]
        self._children[self.nodes[number][1]].remove(number)
        for one in gone:
            del self.nodes[one], self._children[one]

    def _comment(self, number, has_comment):
        self.nodes[number][4] = has_comment

    def rows(self, start=0):
        """Return the rows of a subtree in preorder."""
        waiting, found = [start], []
        while waiting:
            found.append(self.nodes[waiting.pop()])
            waiting.extend(reversed(self._children[found[-1][0]]))
        return found


class FakePage:
    """An open page: sends messages and waits for answers."""

    def __init__(self, session):
        self.tree = ReceivedTree()
        self._session = session
        self._received = queue.Queue()
        self._pings = itertools.count()
        self.newest: dict[str, dict] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        """Receive in a thread, so that a missing message does not block the test run."""
        with contextlib.suppress(*ENDINGS):
            while True:
                self._received.put(json.loads(self._session.receive_text()))

    def send(self, kind, **fields):
        self._session.send_text(json.dumps({"type": kind, **fields}))

    def send_raw(self, text):
        self._session.send_text(text)

    def receive(self, kind, wanted=lambda message: True):
        """Wait for a message of a type for which `wanted` returns true."""
        end_s = time.monotonic() + PATIENCE_S
        while (left_s := end_s - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                message = self._received.get(timeout=left_s)
                self.newest[message["type"]] = message
                self.tree.take(message)
                if message["type"] == kind and wanted(message):
                    return message
        raise AssertionError(f"no {kind} received; latest messages: {self.newest}")

    def settle(self):
        """Wait until the server has processed all messages sent so far."""
        text = str(next(self._pings))
        self.send("ping", text=text)
        self.receive("pong", lambda pong: pong["text"] == text)

    def request(self, kind, _answer="state", _wanted=lambda message: True, **fields):
        """Send a message and return the answer of type `_answer` for which `_wanted` is true."""
        if _answer != "state":
            self.newest.pop(_answer, None)
        self.send(kind, **fields)
        self.settle()
        newest = self.newest.get(_answer)
        return newest if newest is not None and _wanted(newest) else self.receive(_answer, _wanted)


@contextmanager
def page_of(client, game=None):
    """Open a page and wait for the state of its game."""
    with client.websocket_connect("ws://127.0.0.1:8361/socket") as session:
        page = FakePage(session)
        page.request("hello", game=game)
        yield page


def large_tree():
    """Return a game of 100 moves with 20 variations of 3 moves each: 6,101 nodes."""
    letters = "abcdefghijklmnopqrs"
    points = [column + row for row in letters for column in letters]
    text = ""
    for number in reversed(range(100)):
        colors = "BWB" if number % 2 == 0 else "WBW"
        places = [points[100 + 3 * n : 103 + 3 * n] for n in range(20)]
        tries = [
            "".join(f";{c}[{p}]" for c, p in zip(colors, three, strict=True)) for three in places
        ]
        text = f"(;{colors[0]}[{points[number]}]{text}){''.join(f'({moves})' for moves in tries)}"
    return f"(;GM[1]SZ[19]{text})".encode()


def until(condition):
    """Wait until a condition holds."""
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "timed out"
        time.sleep(0.01)


def settled(state):
    return not state["thinking"]
