"""Invalid lines get one reply each, and the session continues."""

import io
import random

from gtp_helpers import SessionClient
from hypothesis import given, settings, strategies as st

from tengen.bench.selfcheck.gtp_lines import random_gtp_line, reply_problem
from tengen.engine import EngineSettings
from tengen.protocols.gtp import COMMANDS, GtpLoop

LINES = 10_000


def test_random_lines_get_valid_replies():
    """Run every command except quit and those that write files."""
    rng = random.Random(20260101)
    client = SessionClient("playouts=2", size=5, interrupted=lambda: True)
    answered = 0
    for number in range(LINES):
        line = random_gtp_line(rng)
        reply = client.session.handle(line)
        assert reply_problem(line, reply) == ""
        answered += reply is not None
        if number % 50 == 0:
            # Boards grow by chance; thinking must stay cheap.
            client.ok("boardsize 5")
    assert answered > LINES * 0.9
    assert client.ok("name") == "Tengen"


def test_wrong_replies_are_found():
    for line, reply in (
        ("name", None),
        ("# comment", "= \n\n"),
        ("name", "= Tengen\n"),
        ("name", "= a\n\nb\n\n"),
        ("name", "Tengen\n\n"),
        ("name", "? internal error: x\n\n"),
    ):
        assert reply_problem(line, reply)
    assert not reply_problem("\x01 # comment", None)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_arbitrary_text_gets_valid_replies(text):
    """Unknown commands have no side effects and get a well-formed reply."""
    client = TALK
    if text.split() and text.split()[0] in COMMANDS:
        return
    before = client.state()
    for line in text.split("\n"):
        assert reply_problem(line, client.session.handle(line)) == ""
    assert client.state() == before


TALK = SessionClient()


class Broken:
    """A stream that fails in the middle of a session."""

    def __iter__(self):
        yield b"1 name\n"
        raise OSError(5, "Input/output error")


def test_read_error_ends_the_session(capsys):
    target = io.StringIO()
    GtpLoop(EngineSettings(), None, Broken(), target).run()
    assert target.getvalue() == "=1 Tengen\n\n"
    assert capsys.readouterr().err == "tengen: cannot read commands: Input/output error\n"
