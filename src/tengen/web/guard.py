"""Who may use the server: pages of this machine, or whoever has the token.

A page of another site could make a browser call a local server; so the Host must be the server's
own (a foreign name that points here is refused), and so must the Origin where a browser sends one.
When the server listens to the network, a token is needed beside: once in the address, then in a
cookie.
"""

import contextlib
import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE = "tengen"
POLICY_VIOLATION = 1008
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""The page needs nothing from elsewhere, and nobody may frame it."""


def is_loopback(host: str) -> bool:
    """Tell whether a host to listen on is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Door:
    """What is let in."""

    names: frozenset[str]
    """Host names without port that the server answers to; empty for any, with a token."""
    token: str | None = None

    @classmethod
    def to(cls, host: str, token: str | None = None) -> "Door":
        """Return the door of a server on that host; one on the network has a token, made if none.

        A token may guard a server on this machine alone too.
        """
        if is_loopback(host):
            return cls(frozenset({"localhost", "127.0.0.1", "[::1]", host}), token)
        return cls(frozenset(), token or secrets.token_urlsafe(18))

    def why_not(self, headers: Headers, query: str) -> str | None:
        """Return why a request is refused, or None."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or len(origins) > 1:
            return "one Host and at most one Origin, please"
        if self.names and _name(hosts[0]) not in self.names:
            return "this server answers to local pages only"
        if origins and urlsplit(origins[0]).netloc.lower() != hosts[0].lower():
            return "this server answers to its own pages only"
        if self.token is not None and not self._has_token(headers, query):
            return "this server needs the token of the address it has printed"
        return None

    def _has_token(self, headers: Headers, query: str) -> bool:
        given = [*parse_qs(query).get("token", []), *_cookies(headers.getlist("cookie"))]
        wanted = (self.token or "").encode()
        return any(secrets.compare_digest(text.encode(), wanted) for text in given)


def _name(host: str) -> str:
    """Return a Host without its port, in lower case."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()


def _cookies(values: Iterable[str]) -> list[str]:
    """Return what cookies of our name say.

    Each is read alone: beside an odd one, of whichever program on this host, all would be lost.
    """
    found = []
    for part in (part.strip() for value in values for part in value.split(";")):
        with contextlib.suppress(CookieError):
            cookie = SimpleCookie(part if part.startswith(f"{COOKIE}=") else "")
            found += [morsel.value for morsel in cookie.values()]
    return found


class Guard:
    """Stands before the whole application: refuses strangers, adds headers to what is served."""

    def __init__(self, app: ASGIApp, door: Door):
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with a word."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        reason = self._door.why_not(Headers(scope=scope), query)
        if reason is None and scope["type"] == "websocket":
            await self._app(scope, receive, send)
        elif reason is None:
            await self._serve(scope, receive, send, query)
        elif scope["type"] == "http":
            await PlainTextResponse(f"refused: {reason}\n", 403)(scope, receive, send)
        else:
            await receive()  # the wish to connect
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": reason})

    async def _serve(self, scope: Scope, receive: Receive, send: Send, query: str) -> None:
        """Serve a request; a token in the address becomes a cookie, and leaves the address."""
        if self._door.token is not None and "token" in parse_qs(query):
            response: Response = RedirectResponse(scope["path"], 303)
            # Lax: a strict one would be missing when the address is followed from another site.
            response.set_cookie(COOKIE, self._door.token, httponly=True, samesite="lax")
            await response(scope, receive, send)
            return

        async def send_with_headers(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))  # type: ignore[call-overload]
                known = {name.lower() for name, _ in headers}
                for name, value in HEADERS.items():
                    if name.lower().encode() not in known:
                        headers.append((name.lower().encode(), value.encode()))
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, send_with_headers)  # type: ignore[arg-type]
