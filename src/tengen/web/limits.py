"""Limits of one connection: waiting bytes, message rate, and time to send a request."""

import asyncio
import time

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_WAITING_BYTES = 8_000_000
"""Messages waiting for a page that does not read; beyond this, the connection is closed."""
MAX_CONNECTIONS = 200
REQUEST_TIMEOUT_S = 20.0
"""Time limit for sending the header of a request, including the first one."""
BODY_TIMEOUT_S = 60.0
"""Time limit for sending the body of a request."""
MESSAGES_PER_S = 100.0
MESSAGE_BURST = 500.0
"""Messages accepted at once; further ones at `MESSAGES_PER_S`."""
BYTES_PER_MESSAGE = 10_000
"""A longer message counts as several."""


class RateLimit:
    """A token bucket: delays the reading of messages that arrive too fast."""

    def __init__(self) -> None:
        self._tokens = MESSAGE_BURST
        self._updated_s = time.monotonic()

    def delay_s(self, length: int) -> float:
        """Count a message of some length; return how long to wait before reading the next one."""
        now_s = time.monotonic()
        refilled = self._tokens + (now_s - self._updated_s) * MESSAGES_PER_S
        self._tokens = min(refilled, MESSAGE_BURST) - 1 - length / BYTES_PER_MESSAGE
        self._updated_s = now_s
        return max(0.0, -self._tokens / MESSAGES_PER_S)


class TimedProtocol(H11Protocol):
    """HTTP with a time limit for requests; uvicorn limits only the pause between two of them."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first request."""
        super().connection_made(transport)
        self._update_deadline()

    def data_received(self, data: bytes) -> None:
        """Start the time limit of another request, or end it with a complete header."""
        super().data_received(data)
        if self._deadline is None or not self._is_waiting():
            self._update_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the time limit."""
        self._cancel_deadline()
        super().connection_lost(exc)

    def _is_waiting(self) -> bool:
        """Return whether the header of a request is still incomplete."""
        is_http = self.transport.get_protocol() is self
        return is_http and (self.cycle is None or self.cycle.response_complete)

    def _update_deadline(self) -> None:
        self._cancel_deadline()
        if self._is_waiting() and not self.transport.is_closing():
            self._deadline = self.loop.call_later(REQUEST_TIMEOUT_S, self.transport.abort)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
