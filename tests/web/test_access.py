"""Access control, path traversal, oversized uploads, and malformed uploads and messages."""

import asyncio
import json
import random
from http.cookies import SimpleCookie

import pytest
from starlette.datastructures import Headers
from starlette.websockets import WebSocketDisconnect
from web_helpers import LOCAL, client_of, make_game_server

from tengen.web import AccessPolicy
from tengen.web.access import COOKIE, AccessMiddleware, is_loopback
from tengen.web.app import MAX_UPLOAD_BYTES
from tengen.web.messages import CLIENT_MESSAGES, MAX_MESSAGE_LENGTH


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of experiments with a secret file next to it."""
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
    with client_of(make_game_server(folder, color="both", size="5")) as client:
        yield client


def test_security_headers(client):
    response = client.get("/")
    assert response.status_code == 200
    assert "default-src 'self'" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"


FOREIGN_HEADERS = [
    {"host": "evil.example"},
    {"host": "evil.example:8361"},
    {"host": "127.0.0.1.evil.example:8361"},
    {"host": "127.0.0.1:8361", "origin": "https://evil.example"},
    {"host": "127.0.0.1:8361", "origin": "http://127.0.0.1:9999"},
    {"host": "127.0.0.1:8361", "origin": "null"},
    {"host": "127.0.0.1:8361", "origin": "http://["},
    {"host": "127.0.0.1:8361", "origin": "http://127.0.0.1:8361.evil.example"},
    {"host": "127.0.0.1:8361", "origin": "http://evil.example@127.0.0.1:8361"},
]


@pytest.mark.parametrize("headers", FOREIGN_HEADERS)
def test_denies_foreign_hosts_and_origins(client, headers):
    response = client.get("/", headers=headers)
    assert response.status_code == 403
    assert response.text.startswith("denied: ")
    assert client.post("/games/x", headers=headers, content=b"(;)").status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("ws://127.0.0.1:8361/socket", headers=headers) as socket,
    ):
        socket.receive_text()


@pytest.mark.parametrize("host", ["127.0.0.1:8361", "localhost:8361", "LOCALHOST", "[::1]:8361"])
def test_allows_local_pages(client, host):
    headers = {"host": host, "origin": f"http://{host}"}
    assert client.get("/", headers=headers).status_code == 200
    with client.websocket_connect("ws://127.0.0.1:8361/socket", headers=headers) as socket:
        socket.send_text(json.dumps({"type": "ping", "text": "x"}))
        assert json.loads(socket.receive_text()) == {"type": "pong", "text": "x"}


def test_is_loopback():
    assert all(map(is_loopback, ["127.0.0.1", "localhost", "::1", "127.9.9.9"]))
    assert not any(map(is_loopback, ["0.0.0.0", "192.168.1.5", "example.com", "::", ""]))


@pytest.mark.parametrize("path", ["//evil.example/a", "///evil.example/a", "/\\evil.example/a"])
def test_token_redirects_stay_on_the_server(path):
    async def request():
        sent = []
        middleware = AccessMiddleware(None, AccessPolicy(frozenset(), "secret"))
        scope = {"type": "http", "path": path, "query_string": b"token=secret", "method": "GET"}
        scope["headers"] = [(b"host", b"127.0.0.1:8361")]
        await middleware(scope, None, lambda message: _append(sent, message))
        return dict(sent[0]["headers"])[b"location"]

    assert asyncio.run(request()) == b"/evil.example/a"


async def _append(messages, message):
    messages.append(message)


def test_network_requires_token(folder):
    policy = AccessPolicy.for_host("0.0.0.0")
    assert policy.token
    assert policy.token != AccessPolicy.for_host("0.0.0.0").token
    with client_of(make_game_server(folder), policy, "http://box.lan:8361") as client:
        assert client.get("/").status_code == 403
        assert client.get("/?token=wrong").status_code == 403
        assert client.get("/", headers={"cookie": f"{COOKIE}=wrong"}).status_code == 403
        first = client.get(f"/?token={policy.token}", follow_redirects=False)
        assert first.status_code == 303
        assert "HttpOnly" in first.headers["set-cookie"]
        assert "SameSite=lax" in first.headers["set-cookie"], "links from other sites work"
        assert "token" not in first.headers["location"], "the token must not stay in the URL"
        assert client.get("/").status_code == 200, "the cookie suffices"
        other = {"origin": "http://evil.example"}
        assert client.get("/", headers=other).status_code == 403
        assert client.post("/games/x", headers=other, content=b"(;)").status_code == 403
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("ws://box.lan:8361/socket", headers=other) as socket,
        ):
            socket.receive_text()


@pytest.mark.parametrize("odd", ['{"a": 1}', "a=[1, 2]", 'b="', "c", "=", "tengen2=x", "é=ü"])
def test_ignores_malformed_cookies(odd):
    policy = AccessPolicy.for_host("127.0.0.1", 'my "own"; token')
    own = SimpleCookie({COOKIE: policy.token})[COOKIE].OutputString()
    for text in (f"{odd}; {own}", f"{own}; {odd}", f"{own};{odd}"):
        headers = Headers({"host": "127.0.0.1:8361", "cookie": text})
        assert policy.denial_reason(headers, "") is None
    assert policy.denial_reason(Headers({"host": "127.0.0.1:8361", "cookie": odd}), "")


BAD_PATHS = [
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


@pytest.mark.parametrize("path", BAD_PATHS, ids=range(len(BAD_PATHS)))
def test_path_traversal(client, path):
    response = client.get(path)
    assert response.status_code == 404
    assert "secret" not in response.text


def test_reports_may_not_run_scripts(client):
    response = client.get("/reports/report.html")
    assert response.text == "<p>a report"
    policy = response.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-same-origin; default-src 'none'")
    assert "script" not in policy


def test_rejects_oversized_upload(client, page):
    url = f"/games/{page.newest['game']['id']}"
    response = client.post(url, content=b"(;C[" + b"x" * MAX_UPLOAD_BYTES + b"])")
    assert response.status_code == 413
    assert response.json()["reason"] == "the file is larger than 10 MB"
    assert client.post("/games/nothing", content=b"(;)").status_code == 404


MALFORMED_UPLOADS = {
    b"": "no game",
    b"hello": "no game",
    b"\x00\xff\xfe" * 100: "no game",
    b"(;GM[1]SZ[40])": "board size 40x40 is not supported",
    b"(;GM[2]SZ[8])": "not a game of Go",
    b"(;SZ[1]AB[aa])": "no liberty",
    b"(;" + b";" * 60_000 + b")": "more than 50,000 nodes",
}


@pytest.mark.parametrize("data", MALFORMED_UPLOADS, ids=range(len(MALFORMED_UPLOADS)))
def test_rejects_malformed_upload(client, page, data):
    before = page.request("play", vertex="C3")["board"]
    response = client.post(f"/games/{page.newest['game']['id']}", content=data)
    assert response.status_code == 422
    assert MALFORMED_UPLOADS[data] in response.json()["reason"]
    page.settle()
    assert page.newest["state"]["board"] == before, "the previous game stays"


MALFORMED_MESSAGES = [
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
    '{"type": "go_to", "node": "1"}',
    '{"type": "go_to", "node": true}',
    '{"type": "go_to", "node": 1e999}',
    '{"type": "new_game", "komi": NaN}',
    '{"type": "new_game", "main_s": Infinity, "clock": "absolute"}',
    '{"type": "show_layer", "slot": 7, "layer": "bigmove.p1"}',
    '{"type": "show_layer", "slot": 0, "layer": "/etc/passwd.py:x"}',
    '{"type": "show_layer", "slot": 0, "layer": "nothing"}',
    '{"type": "hello"}',
    '{"type": "comment", "node": 0, "text": "' + "x" * 200_000 + '"}',
    "x" * (MAX_MESSAGE_LENGTH + 1),
    "[" * 100_000,
]


@pytest.mark.parametrize("text", MALFORMED_MESSAGES, ids=range(len(MALFORMED_MESSAGES)))
def test_rejects_malformed_message(page, text):
    page.newest.pop("error", None)
    page.send_raw(text)
    page.settle()
    error = page.newest["error"]["text"]
    assert error
    assert "\n" not in error
    assert "internal" not in error


def test_rejects_binary_message(client):
    with client.websocket_connect("ws://127.0.0.1:8361/socket") as socket:
        socket.send_bytes(b"\xff\x00")
        assert json.loads(socket.receive_text())["text"] == "messages must be text"
        socket.send_text('{"type": "play", "vertex": "D4"}')
        assert json.loads(socket.receive_text())["text"] == "the first message must be hello"


VALUES = [None, True, -1, 0, 1, 2, 10**30, 1.5, "", "D4", "pass", "both", "5", [], {}, "\u0000"]


def test_fuzzed_messages(page):
    """Messages with wrong, missing and unknown fields do not stop the server."""
    random_numbers = random.Random(1)
    kinds = sorted(set(CLIENT_MESSAGES) - {"list_experiments", "review", "hello"})
    for _ in range(1500):
        kind = random_numbers.choice(kinds)
        names = [*CLIENT_MESSAGES[kind].__struct_fields__, "odd"]
        fields = {
            name: random_numbers.choice(VALUES) for name in names if random_numbers.random() < 0.8
        }
        page.send(kind, **fields)
    page.newest.pop("error", None)
    page.settle()
    assert "internal" not in page.newest.get("error", {}).get("text", "")
    assert page.request("new_game", color="both", size="5")["board"] == ["....."] * 5


def test_default_port():
    assert LOCAL.endswith(":8361")
