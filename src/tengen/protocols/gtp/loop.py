"""The GTP main loop: reads commands from a stream and writes replies to another."""

import sys
import threading
from typing import BinaryIO, TextIO

# Importing these modules registers their commands.
import tengen.protocols.gtp.admin
import tengen.protocols.gtp.analysis
import tengen.protocols.gtp.game
import tengen.protocols.gtp.genmove
import tengen.protocols.gtp.gogui
import tengen.protocols.gtp.problem  # noqa: F401
from tengen.board import Rules
from tengen.engine import EngineSettings
from tengen.protocols.gtp.protocol import RECEIVED, GtpLog, InputQueue, Output
from tengen.protocols.gtp.session import Identity, MakeEngine, Session


class GtpLoop:
    """Serves one session until `quit` or the end of input."""

    def __init__(
        self,
        settings: EngineSettings,
        rules: Rules | None = None,
        source: BinaryIO | None = None,
        target: TextIO | None = None,
        make_engine: MakeEngine | None = None,
        log: GtpLog | None = None,
        identity: Identity | None = None,
    ):
        self._source = source or _unshared_stdin()
        self._target = target or _utf8_stdout()
        self._log = log
        self._input = InputQueue()
        self._output = Output(self._write, log)
        self.session = Session(
            settings, rules, make_engine, identity, received=self._input, output=self._output
        )

    def run(self) -> None:
        """Answer commands until the end."""
        threading.Thread(target=self._read, daemon=True).start()
        while not self.session.is_closed:
            line = self._input.get()
            if line is None:
                break
            reply = self.session.handle(line)
            if reply is not None:
                self._output.send(reply)
        self.session.holder.stop_pondering()

    def _read(self) -> None:
        """Queue all lines of the source."""
        try:
            for raw in self._source:
                line = raw.decode("utf-8", "replace")
                if self._log is not None:
                    self._log.write(RECEIVED, line)
                self._input.put(line)
        except OSError as error:
            print(f"tengen: cannot read commands: {error.strerror}", file=sys.stderr, flush=True)
        finally:
            self._input.put(None)

    def _write(self, text: str) -> None:
        self._target.write(text)
        self._target.flush()


def _unshared_stdin() -> BinaryIO:
    """Return standard input with a separate buffer.

    The reading thread may block forever; with the buffer of `sys.stdin` it would hold a lock that
    Python needs to exit.
    """
    return open(sys.stdin.fileno(), "rb", closefd=False)


def _utf8_stdout() -> TextIO:
    """Return standard output, set to UTF-8 whatever the locale."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdout
