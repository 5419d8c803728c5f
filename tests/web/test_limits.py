"""Limits of connections: waiting bytes, message rate, and slow requests."""

import asyncio
import contextlib
import socket
import threading
import time

import pytest
import uvicorn

from tengen.util import TengenError
from tengen.web import limits
from tengen.web.app import read_game
from tengen.web.connection import Outbox
from tengen.web.limits import RateLimit, TimedProtocol
from tengen.web.messages import MAX_PING_LENGTH, Notice, Ping, Pong, parse_message


def test_outbox_limits_waiting_bytes():
    outbox = Outbox()
    text = "x" * 900_000
    for _ in range(8):
        outbox.put(Pong(text))
    assert not outbox.is_full
    for _ in range(100):
        outbox.put(Pong(text))
    assert outbox.is_full
    assert sum(size for _, size in outbox._waiting.values()) <= limits.MAX_WAITING_BYTES


def test_outbox_has_room_after_reading():
    async def run():
        outbox = Outbox()
        for _ in range(50):
            outbox.put(Notice("x" * 900_000))
            await outbox.get()
        assert not outbox.is_full
        assert outbox._waiting_bytes == 0

    asyncio.run(run())


def test_rate_limit_delays_floods_only():
    rate = RateLimit()
    assert all(rate.delay_s(100) == 0 for _ in range(400))
    assert rate.delay_s(2_000_000) > 0.5


def test_long_pings_are_refused():
    text = "x" * MAX_PING_LENGTH
    assert parse_message(f'{{"type": "ping", "text": "{text}"}}') == Ping(text)
    with pytest.raises(TengenError, match="text"):
        parse_message(f'{{"type": "ping", "text": "{text}x"}}')


@pytest.fixture
def slow_server(monkeypatch):
    """A server that allows half a second for a request; yields its port."""
    monkeypatch.setattr(limits, "REQUEST_TIMEOUT_S", 0.5)

    async def app(scope, receive, send):
        await asyncio.sleep(1)  # longer than the limit, which is for the request only
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})

    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=TimedProtocol, lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(20)


@pytest.mark.parametrize("data", [b"", b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "])
def test_slow_requests_are_closed(slow_server, data):
    with socket.create_connection(("127.0.0.1", slow_server), timeout=30) as client:
        client.sendall(data)
        start_s = time.monotonic()
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(100) == b""
        assert time.monotonic() - start_s < 25


def test_slow_answers_are_sent(slow_server):
    with socket.create_connection(("127.0.0.1", slow_server), timeout=30) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 200")


def test_games_with_too_many_setup_nodes_are_refused():
    game, has_more = read_game(b"(;SZ[9];B[aa])(;SZ[9])")
    assert has_more
    assert len(game.tree.nodes) == 2
    with pytest.raises(Exception, match="more than 2,000 setup nodes"):
        read_game(b"(;SZ[9]" + b"(;AB[aa])" * 3000 + b")")
