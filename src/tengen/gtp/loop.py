"""The GTP connection: lines in, replies out, and a thread that hears interruptions."""

import io
import queue
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, TextIO

# Each of these modules enters its commands into the table.
import tengen.gtp.admin
import tengen.gtp.analysis
import tengen.gtp.files
import tengen.gtp.game
import tengen.gtp.gogui
import tengen.gtp.gogui_layers
import tengen.gtp.gogui_settings
import tengen.gtp.moves
import tengen.gtp.raw_net
import tengen.gtp.scoring
import tengen.gtp.servers
import tengen.gtp.timing  # noqa: F401
from tengen.board.rules import Rules
from tengen.engine.settings import EngineSettings
from tengen.gtp.log import HEARD, NOTE, SAID, TalkLog
from tengen.gtp.session import Session
from tengen.gtp.state import Identity

if TYPE_CHECKING:
    from tengen.engine.engine import Engine

_END = None


def _own_stdin() -> BinaryIO:
    """Return standard input with a buffer of its own.

    The thread that reads may wait there for ever; with the buffer of `sys.stdin` it would hold a
    lock that Python needs to end.
    """
    return open(sys.stdin.fileno(), "rb", closefd=False)


def _own_stdout() -> TextIO:
    """Return standard output made to write any text, whatever the locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdout


class Loop:
    """Reads commands from a stream and writes replies to another until `quit` or the end."""

    def __init__(
        self,
        settings: EngineSettings,
        rules: Rules | None = None,
        source: BinaryIO | None = None,
        target: TextIO | None = None,
        make_engine: Callable[[], "Engine"] | None = None,
        log: TalkLog | None = None,
        identity: Identity | None = None,
    ):
        self._source = source or _own_stdin()
        self._target = target or _own_stdout()
        self._log = log
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._asked_to_stop = self._stopped = 0
        self.session = Session(
            settings,
            rules,
            self._write,
            self._has_input,
            make_engine,
            stop_asked=lambda: self._asked_to_stop > self._stopped,
            identity=identity,
        )
        if log is not None:
            self.session.note = partial(log.write, NOTE)

    def run(self) -> None:
        """Answer until the end."""
        reader = threading.Thread(target=self._read, daemon=True)
        reader.start()
        while not self.session.is_closed:
            line = self._lines.get()
            if line is _END:
                break
            if _is_interrupt(line):
                # What it was meant for has ended by now.
                self._stopped += 1
            reply = self.session.handle(line)
            if reply is not None:
                self._write(reply)
        self.session.quiet_engine()

    def _read(self) -> None:
        """Put lines into the queue, and let a search hear of them at once."""
        try:
            for raw in self._source:
                self._take(raw.decode("utf-8", "replace"))
        except OSError as error:
            print(f"tengen: cannot read commands: {error.strerror}", file=sys.stderr, flush=True)
        finally:
            self._lines.put(_END)
            self.session.hear()

    def _take(self, line: str) -> None:
        if self._log is not None:
            self._log.write(HEARD, line)
        if _is_interrupt(line):
            self._asked_to_stop += 1
        self._lines.put(line)
        self.session.hear()

    def _has_input(self) -> bool:
        return not self._lines.empty()

    def _write(self, text: str) -> None:
        # The log first: an answer may be answered before it is written down.
        if self._log is not None:
            self._log.write(SAID, text)
        self._target.write(text)
        self._target.flush()


def _is_interrupt(line: str) -> bool:
    return line.strip() == "# interrupt"
