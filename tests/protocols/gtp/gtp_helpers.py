"""A GTP session without a pipe."""

import copy

from tengen.engine import EngineSettings
from tengen.protocols.gtp import (
    Session,
    loop,  # noqa: F401  (registers all commands)
)
from tengen.protocols.gtp.protocol import InputQueue, Output

QUICK = ["playouts=50", "threads=1", "seed=7", "memory_mib=8"]


class FakeInput(InputQueue):
    """An input queue whose pending input is decided by a function."""

    def __init__(self, has_lines):
        super().__init__()
        self._has_lines = has_lines

    def has_lines(self):
        return self._has_lines()


class SessionClient:
    """A session with a fast engine on a 9x9 board."""

    def __init__(self, *words: str, size: int = 9, interrupted=None):
        self.written: list[str] = []
        settings = EngineSettings().with_overrides([*QUICK, *words])
        received = None if interrupted is None else FakeInput(interrupted)
        self.session = Session(settings, received=received, output=Output(self.written.append))
        self.ok(f"boardsize {size}")

    def ok(self, line: str) -> str:
        """Return the text of a reply that must be a success."""
        reply = self.session.handle(line)
        assert reply is not None, line
        assert reply.startswith("= "), f"{line!r}: {reply}"
        assert reply.endswith("\n\n"), line
        return reply[2:-2]

    def fails(self, line: str) -> str:
        """Return the message of a reply that must be a failure and change nothing."""
        before = self.state()
        reply = self.session.handle(line)
        assert reply is not None, line
        assert reply.startswith("? "), f"{line!r}: {reply}"
        assert reply.endswith("\n\n"), line
        assert "internal error" not in reply
        assert "\n" not in reply[:-2], "one line"
        assert self.state() == before, f"{line!r} changed the state"
        return reply[2:-2]

    def state(self) -> tuple:
        """Return everything that a command can change."""
        position = self.session.position
        return (
            position.diagram(),
            tuple(position.moves),
            position.rules,
            position.handicap,
            position.to_play,
            tuple(copy.copy(clock) for clock in self.session.clocks.values()),
            self.session.is_closed,
        )

    def board(self) -> str:
        return self.session.position.diagram()
