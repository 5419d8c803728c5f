"""Ctrl-C during long work: asked to stop, it ends at a place of its own choice."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol


class Stop(Protocol):
    """A flag that asks to end early; events of `threading` and `multiprocessing` are such."""

    def is_set(self) -> bool:
        """Tell whether to stop."""

    def set(self) -> None:
        """Ask to stop."""


@contextmanager
def stopping_at_interrupt(stop: Stop) -> Iterator[None]:
    """Let the first Ctrl-C set the flag, and the second end everything at once."""

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
