"""Check of the page server: access control, malformed requests, and floods of connections."""

import contextlib
import http.client
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tengen.bench.selfcheck.check import Batch
from tengen.bench.selfcheck.processes import resident_mb

TIMEOUT_S = 60.0
START_TIMEOUT_S = 900.0
"""The first start compiles."""
SECRET = "a file outside of the folder of experiments"
FLOOD = 260
"""Idle connections opened at once, more than the server accepts."""
SLOW_LIMIT_S = 60.0
"""Time within which the server must close connections that never complete a request."""
MAX_GROWTH_MB = 150.0
"""Memory that floods may cost."""
PATHS = [
    "/reports/../secret.html",
    "/reports/..%2fsecret.html",
    "/reports/%2e%2e/secret.html",
    "/reports/....//secret.html",
    "/page/../../../secret.html",
    "/page/..%2f..%2f..%2fsecret.html",
    "/reports//etc/passwd",
    "/match-reports/../secret.html",
    "/games/..%2f..%2fsecret.sgf",
]


class PageServer:
    """A running `tengen play` with a separate folder."""

    def __init__(self, folder: Path):
        """Start it and wait for its address."""
        (folder / "experiments").mkdir()
        (folder / "secret.html").write_text(SECRET)
        options = ["--no-browser", "--port", "0", "net=none", "playouts=10", "threads=1"]
        options += ["--experiments", str(folder / "experiments"), "--problems", str(folder / "p")]
        options += ["--library", str(folder / "library.sqlite")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tengen", "play", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.port = self._wait_for_address()

    def _wait_for_address(self) -> int:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://[^/\s]*:(\d+)", line):
                return int(found[1])
        raise RuntimeError("the page server ended before it printed its address")

    def status(self, path: str, headers: dict[str, str]) -> tuple[int, bytes]:
        """Return status and body of a GET request; status 0 if the connection was closed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        try:
            connection.putrequest("GET", path, skip_host=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (http.client.HTTPException, OSError):
            return 0, b""
        finally:
            connection.close()

    @property
    def host(self) -> str:
        """The Host header of the server's own page."""
        return f"127.0.0.1:{self.port}"

    def problem(self) -> str:
        """Return why the page does not answer, or an empty string."""
        if self.process.poll() is not None:
            return f"the server ended with exit code {self.process.returncode}"
        status, _ = self.status("/", {"Host": self.host})
        return "" if status == 200 else f"the page answers with status {status}"

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_S)

    def close(self) -> None:
        """End the server."""
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.process.kill()
        self.process.communicate()


def server_attacks(rng: random.Random) -> Iterator[Batch]:
    """Attack a server; the page must answer after each attack."""
    with tempfile.TemporaryDirectory() as name:
        server = PageServer(Path(name))
        try:
            yield _foreign_requests(server)
            yield _forbidden_paths(server)
            yield _slow_and_many(server)
            while True:
                yield _garbage(server, rng)
        finally:
            server.close()


def _foreign_requests(server: PageServer) -> Batch:
    """Send requests of other hosts and sites; all must be denied."""
    host = server.host
    foreign = [
        {"Host": "evil.example"},
        {"Host": f"evil.example:{server.port}"},
        {"Host": f"127.0.0.1.evil.example:{server.port}"},
        {},
        *(
            {"Host": host, "Origin": origin}
            for origin in (
                "https://evil.example",
                "http://127.0.0.1:9",
                "null",
                "http://[",
                f"http://{host}.evil.example",
                f"http://evil.example@{host}",
            )
        ),
    ]
    failures = []
    for headers in foreign:
        status, _ = server.status("/", headers)
        if status not in (0, 400, 403):
            failures.append(f"status {status} for {headers}")
    return _batch(server, len(foreign), failures)


def _forbidden_paths(server: PageServer) -> Batch:
    """Request files outside of the served folders."""
    failures = []
    for path in PATHS:
        status, body = server.status(path, {"Host": server.host})
        if status >= 500 or SECRET.encode() in body or b"root:" in body:
            failures.append(f"status {status} for {path}")
    return _batch(server, len(PATHS), failures)


def _slow_and_many(server: PageServer) -> Batch:
    """Open more connections than are accepted, never complete a request, and wait."""
    before_mb = resident_mb(server.process.pid)
    clients: list[socket.socket] = []
    failures: list[str] = []
    try:
        for _ in range(FLOOD):
            client = server.connect()
            clients.append(client)
            client.sendall(b"GET / HTTP/1.1\r\nHost: ")
        deadline_s = time.monotonic() + SLOW_LIMIT_S
        for client in clients:
            client.settimeout(max(deadline_s - time.monotonic(), 0.01))
            try:
                with contextlib.suppress(ConnectionError):
                    while client.recv(1000):
                        pass
            except TimeoutError:
                failures.append(f"a slow connection is open after {SLOW_LIMIT_S:.0f} s")
                break
    finally:
        for client in clients:
            client.close()
    after_mb = resident_mb(server.process.pid)
    if before_mb is not None and after_mb is not None and after_mb - before_mb > MAX_GROWTH_MB:
        failures.append(f"memory grew from {before_mb:.0f} to {after_mb:.0f} MB")
    return _batch(server, FLOOD, failures)


def _garbage(server: PageServer, rng: random.Random) -> Batch:
    """Send random bytes, damaged requests and damaged WebSocket handshakes and frames."""
    count = 50
    for _ in range(count):
        with contextlib.suppress(OSError), server.connect() as client:
            client.sendall(_random_request(server, rng))
            client.settimeout(0.02)
            client.recv(4000)
    return _batch(server, count, [])


def _random_request(server: PageServer, rng: random.Random) -> bytes:
    host = server.host.encode()
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(rng.randrange(2000))
    path = rng.choice([b"/", b"/socket", b"/games/x", b"/reports/x", b"/imports/library"])
    request = b"%s %s HTTP/1.1\r\nHost: %s\r\n" % (rng.choice([b"GET", b"POST"]), path, host)
    if kind == 1:
        request += b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        request += b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        return request + rng.randbytes(rng.randrange(500))
    if kind == 2:
        length = rng.choice([b"-1", b"99999999999", b"5", b"x"])
        return request + b"Content-Length: %s\r\n\r\n" % length + rng.randbytes(20)
    damaged = bytearray(request + b"\r\n")
    for _ in range(rng.randint(1, 6)):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    return bytes(damaged)


def _batch(server: PageServer, tried: int, failures: list[str]) -> Batch:
    problem = server.problem()
    return Batch(tried, tuple([*failures, problem] if problem else failures))
