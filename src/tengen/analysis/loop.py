"""The connection: lines of JSON in, lines of JSON out."""

import json
import sys
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from tengen.analysis.analyst import Analyst, Defaults
from tengen.analysis.reply import Reply
from tengen.engine.settings import EngineSettings

if TYPE_CHECKING:
    from tengen.engine.engine import Engine

READY = "Started, ready to begin handling requests"
"""What KataGo says on stderr, and what some tools wait for."""


class Output:
    """Writes one object a line, whole lines only; several threads may use it."""

    def __init__(self, target: TextIO):
        self._target = target
        self._lock = threading.Lock()
        self.is_broken = False
        """The reader went away."""

    def __call__(self, reply: Reply) -> None:
        """Write a reply at once."""
        line = json.dumps(reply, separators=(",", ":")) + "\n"
        with self._lock:
            if self.is_broken:
                return
            try:
                self._target.write(line)
                self._target.flush()
            except BrokenPipeError:
                self.is_broken = True


def serve(
    settings: EngineSettings,
    defaults: Defaults,
    source: Iterable[bytes],
    target: TextIO,
    waits: bool = True,
) -> None:
    """Answer questions until the input ends; then, if it `waits`, all that are still open.

    Raise TengenError if the engine cannot be made, BrokenPipeError if the reader went away.
    """
    output = Output(target)

    def end_all() -> None:
        analyst.pool.terminate(lambda job: True)

    def send(reply: Reply) -> None:
        output(reply)
        if output.is_broken:
            end_all()

    analyst = Analyst(settings, defaults, send, _make_engine)
    analyst.start()
    print(READY, file=sys.stderr, flush=True)
    try:
        for raw in source:
            analyst.hear(raw.decode("utf-8", "replace"))
            if output.is_broken:
                raise BrokenPipeError
        if not waits:
            end_all()
    except BaseException:
        end_all()
        raise
    finally:
        analyst.pool.finish()
    if output.is_broken:
        raise BrokenPipeError


def _make_engine(settings: EngineSettings) -> "Engine":
    from tengen.engine.engine import Engine

    return Engine(settings)
