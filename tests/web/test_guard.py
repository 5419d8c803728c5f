"""Strangers, path tricks, huge and broken uploads and messages: all refused with a word."""

import json
import random
from http.cookies import SimpleCookie

import pytest
from starlette.datastructures import Headers
from starlette.websockets import WebSocketDisconnect
from web_helpers import LOCAL, client_of, make_house

from tengen.web.app import LARGEST_FILE
from tengen.web.guard import COOKIE, Door, is_loopback
from tengen.web.messages import KINDS, LONGEST_MESSAGE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of experiments, and a secret beside it."""
    root = tmp_path_factory.mktemp("guard")
    (root / "secret.html").write_text("secret")
    inside = root / "experiments"
    (inside / ".hidden").mkdir(parents=True)
    (inside / "report.html").write_text("<p>a report")
    (inside / "notes.txt").write_text("no report")
    (inside / ".hidden" / "report.html").write_text("secret")
    (inside / "link.html").symlink_to(root / "secret.html")
    return inside


@pytest.fixture(scope="module")
def client(folder):
    with client_of(make_house(folder, colour="both", size="5")) as client:
        yield client


def test_the_page_is_served_with_a_policy(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


STRANGERS = [
    {"host": "evil.example"},
    {"host": "evil.example:8361"},
    {"host": "127.0.0.1.evil.example:8361"},
    {"host": "127.0.0.1:8361", "origin": "https://evil.example"},
    {"host": "127.0.0.1:8361", "origin": "http://127.0.0.1:9999"},
    {"host": "127.0.0.1:8361", "origin": "null"},
    {"host": "127.0.0.1:8361", "origin": "http://127.0.0.1:8361.evil.example"},
    {"host": "127.0.0.1:8361", "origin": "http://evil.example@127.0.0.1:8361"},
]


@pytest.mark.parametrize("headers", STRANGERS)
def test_strangers_are_refused(client, headers):
    answer = client.get("/", headers=headers)
    assert answer.status_code == 403
    assert answer.text.startswith("refused: ")
    assert client.post("/games/x", headers=headers, content=b"(;)").status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("ws://127.0.0.1:8361/socket", headers=headers) as socket,
    ):
        socket.receive_text()


@pytest.mark.parametrize("host", ["127.0.0.1:8361", "localhost:8361", "LOCALHOST", "[::1]:8361"])
def test_local_pages_are_let_in(client, host):
    headers = {"host": host, "origin": f"http://{host}"}
    assert client.get("/", headers=headers).status_code == 200
    with client.websocket_connect("ws://127.0.0.1:8361/socket", headers=headers) as socket:
        socket.send_text(json.dumps({"type": "ping", "text": "x"}))
        assert json.loads(socket.receive_text()) == {"type": "pong", "text": "x"}


def test_loopback():
    assert all(map(is_loopback, ["127.0.0.1", "localhost", "::1", "127.9.9.9"]))
    assert not any(map(is_loopback, ["0.0.0.0", "192.168.1.5", "example.com", "::", ""]))


def test_the_network_needs_a_token(folder):
    door = Door.to("0.0.0.0")
    assert door.token
    assert door.token != Door.to("0.0.0.0").token
    with client_of(make_house(folder), door, "http://box.lan:8361") as client:
        assert client.get("/").status_code == 403
        assert client.get("/?token=wrong").status_code == 403
        assert client.get("/", headers={"cookie": f"{COOKIE}=wrong"}).status_code == 403
        first = client.get(f"/?token={door.token}", follow_redirects=False)
        assert first.status_code == 303
        assert "HttpOnly" in first.headers["set-cookie"]
        assert "SameSite=lax" in first.headers["set-cookie"], "addresses may come by mail"
        assert "token" not in first.headers["location"], "it shall not stay in the address"
        assert client.get("/").status_code == 200, "the cookie is enough now"
        other = {"origin": "http://evil.example"}
        assert client.get("/", headers=other).status_code == 403
        assert client.post("/games/x", headers=other, content=b"(;)").status_code == 403
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("ws://box.lan:8361/socket", headers=other) as socket,
        ):
            socket.receive_text()


@pytest.mark.parametrize("odd", ['{"a": 1}', "a=[1, 2]", 'b="', "c", "=", "tengen2=x", "é=ü"])
def test_odd_cookies_of_others_lock_nobody_out(odd):
    door = Door.to("127.0.0.1", 'my "own"; token')
    own = SimpleCookie({COOKIE: door.token})[COOKIE].OutputString()
    for text in (f"{odd}; {own}", f"{own}; {odd}", f"{own};{odd}"):
        headers = Headers({"host": "127.0.0.1:8361", "cookie": text})
        assert door.why_not(headers, "") is None
    assert door.why_not(Headers({"host": "127.0.0.1:8361", "cookie": odd}), "")


TRICKS = [
    "/page/../app.py",
    "/page/%2e%2e/app.py",
    "/page/..%2fapp.py",
    "/page/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fetc/passwd",
    "/page//etc/passwd",
    "/page/%00",
    "/page/",
    "/page",
    "/reports/../secret.html",
    "/reports/%2e%2e/secret.html",
    "/reports/..%2fsecret.html",
    "/reports//etc/passwd",
    "/reports/link.html",
    "/reports/notes.txt",
    "/reports/.hidden/report.html",
    "/reports/%00.html",
    "/reports/" + "a" * 5000 + ".html",
    "/reports/",
    "/games/nothing.sgf",
    "/games/..%2f..%2fsecret.sgf",
]


@pytest.mark.parametrize("path", TRICKS, ids=range(len(TRICKS)))
def test_nothing_is_served_outside_its_folder(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_reports_are_served_without_scripts(client):
    answer = client.get("/reports/report.html")
    assert answer.text == "<p>a report"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-same-origin; default-src 'none'")
    assert "script" not in policy


def test_huge_uploads_are_refused(client, page):
    url = f"/games/{page.newest['game']['id']}"
    answer = client.post(url, content=b"(;C[" + b"x" * LARGEST_FILE + b"])")
    assert answer.status_code == 413
    assert answer.json()["reason"] == "the file is larger than 10 MB"
    assert client.post("/games/nothing", content=b"(;)").status_code == 404


BROKEN = {
    b"": "no game",
    b"hello": "no game",
    b"\x00\xff\xfe" * 100: "no game",
    b"(;GM[1]SZ[40])": "cannot play on 40x40",
    b"(;GM[2]SZ[8])": "not a game of Go",
    b"(;SZ[1]AB[aa])": "no liberty",
    b"(;" + b";" * 60_000 + b")": "more than 50,000 nodes",
}


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_broken_uploads_are_refused(client, page, data):
    before = page.ask("play", vertex="C3")["board"]
    answer = client.post(f"/games/{page.newest['game']['id']}", content=data)
    assert answer.status_code == 422
    assert BROKEN[data] in answer.json()["reason"]
    page.settle()
    assert page.newest["state"]["board"] == before, "the game that was there stays"


WRONG = [
    "",
    "{",
    "[]",
    "null",
    '"play"',
    "{}",
    '{"type": 1}',
    '{"type": "nothing"}',
    '{"type": ["play"]}',
    '{"type": "play"}',
    '{"type": "play", "vertex": 3}',
    '{"type": "play", "vertex": null}',
    '{"type": "play", "vertex": "D4", "more": 1}',
    '{"type": "goto", "node": "1"}',
    '{"type": "goto", "node": true}',
    '{"type": "goto", "node": 1e999}',
    '{"type": "new", "komi": NaN}',
    '{"type": "new", "main_s": Infinity, "clock": "absolute"}',
    '{"type": "look", "slot": 7, "layer": "bigmove.p1"}',
    '{"type": "look", "slot": 0, "layer": "/etc/passwd.py:x"}',
    '{"type": "look", "slot": 0, "layer": "nothing"}',
    '{"type": "hello"}',
    '{"type": "comment", "node": 0, "text": "' + "x" * 200_000 + '"}',
    "x" * (LONGEST_MESSAGE + 1),
    "[" * 100_000,
]


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_broken_messages_are_refused_with_a_word(page, text):
    page.newest.pop("refused", None)
    page.send_raw(text)
    page.settle()
    reason = page.newest["refused"]["reason"]
    assert reason
    assert "\n" not in reason
    assert "internal" not in reason


def test_bytes_are_no_message(client):
    with client.websocket_connect("ws://127.0.0.1:8361/socket") as socket:
        socket.send_bytes(b"\xff\x00")
        assert json.loads(socket.receive_text())["reason"] == "messages are text"
        socket.send_text('{"type": "play", "vertex": "D4"}')
        assert json.loads(socket.receive_text())["reason"] == "say hello first"


VALUES = [None, True, -1, 0, 1, 2, 10**30, 1.5, "", "D4", "pass", "both", "5", [], {}, "\u0000"]


def test_fuzzed_messages_break_nothing(page):
    """Thousands of messages with wrong, missing and odd fields; the server answers after each."""
    random_numbers = random.Random(1)
    kinds = sorted(set(KINDS) - {"experiments", "review", "hello"})
    for _ in range(1500):
        kind = random_numbers.choice(kinds)
        names = [*KINDS[kind].__dataclass_fields__, "odd"]
        fields = {
            name: random_numbers.choice(VALUES) for name in names if random_numbers.random() < 0.8
        }
        page.send(kind, **fields)
    page.newest.pop("refused", None)
    page.settle()
    assert "internal" not in page.newest.get("refused", {}).get("reason", "")
    assert page.ask("new", colour="both", size="5")["board"] == ["....."] * 5


def test_the_address_is_the_one_of_the_readme():
    assert LOCAL.endswith(":8361")
