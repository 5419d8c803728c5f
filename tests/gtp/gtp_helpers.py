"""A GTP session without a pipe, in words of success and failure."""

from tengen.engine.settings import EngineSettings
from tengen.gtp import loop  # noqa: F401  (enters all commands)
from tengen.gtp.session import Session

QUICK = ["playouts=50", "threads=1", "seed=7", "memory_mib=8"]


class Talk:
    """A session of a quick engine on a 9x9 board."""

    def __init__(self, *words: str, size: int = 9, interrupted=None):
        self.written: list[str] = []
        settings = EngineSettings().with_words([*QUICK, *words])
        self.session = Session(settings, None, self.written.append, interrupted)
        self.ok(f"boardsize {size}")

    def ok(self, line: str) -> str:
        """Return the text of a reply that must be a success."""
        reply = self.session.handle(line)
        assert reply is not None, line
        assert reply.startswith("= "), f"{line!r}: {reply}"
        assert reply.endswith("\n\n"), line
        return reply[2:-2]

    def fails(self, line: str) -> str:
        """Return the message of a reply that must be a failure, with the state as it was."""
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
        """Return all that a command can change."""
        position = self.session.position
        return (
            position.diagram(),
            tuple(position.moves),
            position.rules,
            position.handicap,
            position.to_play,
            tuple(self.session.clocks.values()),
            self.session.is_closed,
        )

    def board(self) -> str:
        return self.session.position.diagram()
