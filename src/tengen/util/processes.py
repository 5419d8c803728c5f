"""Ctrl-C handling, and a worker process with single-threaded numerical libraries."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from types import FrameType
from typing import Protocol

SINGLE_THREAD_ENV = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Environment variables that numerical libraries read once, when they are loaded."""


class StopFlag(Protocol):
    """A stop request, such as a `threading` or `multiprocessing` event."""

    def is_set(self) -> bool:
        """Return whether a stop was requested."""

    def set(self) -> None:
        """Request a stop."""


@contextmanager
def stop_on_interrupt(stop: StopFlag) -> Iterator[None]:
    """Set the flag on the first Ctrl-C; raise KeyboardInterrupt on the second."""

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    previous = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def single_thread_process() -> Iterator[Executor]:
    """Start a worker process whose numerical libraries use one thread, to measure CPU time."""
    environment = dict(os.environ)
    os.environ.update(SINGLE_THREAD_ENV)
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            yield process
    finally:
        os.environ.clear()
        os.environ.update(environment)
