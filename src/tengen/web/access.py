"""Access control: requests from this machine's own pages, or with the token.

Any web site can make a browser send requests to a local server. Therefore Host must be one of the
server's own names (which defeats DNS rebinding), and Origin, where sent, must match it. A server on
the network also requires a token, first in the URL, then in a cookie.
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
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def is_loopback(host: str) -> bool:
    """Return whether a host to listen on is reachable from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class AccessPolicy:
    """Which requests are allowed."""

    host_names: frozenset[str]
    """Allowed Host names without port; empty for any, which requires a token."""
    token: str | None = None

    @classmethod
    def for_host(cls, host: str, token: str | None = None) -> "AccessPolicy":
        """Return the policy of a server on a host; on the network, create a token if needed."""
        if is_loopback(host):
            return cls(frozenset({"localhost", "127.0.0.1", "[::1]", host}), token)
        return cls(frozenset(), token or secrets.token_urlsafe(18))

    def denial_reason(self, headers: Headers, query: str) -> str | None:
        """Return why a request is denied, or None."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or len(origins) > 1:
            return "the request must have one Host and at most one Origin"
        if self.host_names and _host_name(hosts[0]) not in self.host_names:
            return "this server accepts local requests only"
        if origins and _origin_host(origins[0]) != hosts[0].lower():
            return "this server accepts requests from its own pages only"
        if self.token is not None and not self._has_token(headers, query):
            return "this server requires the token from the URL it printed"
        return None

    def _has_token(self, headers: Headers, query: str) -> bool:
        given = [*parse_qs(query).get("token", []), *_cookies(headers.getlist("cookie"))]
        wanted = (self.token or "").encode()
        return any(secrets.compare_digest(text.encode(), wanted) for text in given)


def _origin_host(origin: str) -> str | None:
    """Return host and port of an Origin in lower case, or None if it is malformed."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _host_name(host: str) -> str:
    """Return a Host without its port, in lower case."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()


def _cookies(values: Iterable[str]) -> list[str]:
    """Return the values of Tengen's cookie.

    Each cookie is parsed alone, since a malformed one of another program would hide the others.
    """
    found = []
    for part in (part.strip() for value in values for part in value.split(";")):
        with contextlib.suppress(CookieError):
            cookie = SimpleCookie(part if part.startswith(f"{COOKIE}=") else "")
            found += [morsel.value for morsel in cookie.values()]
    return found


class AccessMiddleware:
    """ASGI middleware that enforces an access policy and adds security headers."""

    def __init__(self, app: ASGIApp, policy: AccessPolicy):
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an allowed request on, or deny it with a reason."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        reason = self._policy.denial_reason(Headers(scope=scope), query)
        if reason is None and scope["type"] == "websocket":
            await self._app(scope, receive, send)
        elif reason is None:
            await self._serve(scope, receive, send, query)
        elif scope["type"] == "http":
            await PlainTextResponse(f"denied: {reason}\n", 403)(scope, receive, send)
        else:
            await receive()  # the connection request
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": reason})

    async def _serve(self, scope: Scope, receive: Receive, send: Send, query: str) -> None:
        """Serve a request; a token in the URL is moved to a cookie by a redirect."""
        if self._policy.token is not None and "token" in parse_qs(query):
            # With one leading slash: browsers take `//host` for another server.
            path = "/" + scope["path"].lstrip("/\\")
            response: Response = RedirectResponse(path, 303)
            # Lax, so that the cookie is sent when the URL is followed from another site.
            response.set_cookie(COOKIE, self._policy.token, httponly=True, samesite="lax")
            await response(scope, receive, send)
            return

        async def send_with_headers(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))  # type: ignore[call-overload]
                known = {name.lower() for name, _ in headers}
                for name, value in SECURITY_HEADERS.items():
                    if name.lower().encode() not in known:
                        headers.append((name.lower().encode(), value.encode()))
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, send_with_headers)  # type: ignore[arg-type]
