"""Invalid lines get one reply each, and the session continues."""

import io
import random
import re

from gtp_helpers import SessionClient
from hypothesis import given, settings, strategies as st

from tengen.engine import EngineSettings
from tengen.protocols.gtp import COMMANDS, GtpLoop

LINES = 10_000
FAST = sorted(set(COMMANDS) - {"quit"})
SLOW = {"genmove", "reg_genmove", "kgs-genmove_cleanup", "lz-analyze", "kata-analyze", "analyze"}
SLOW |= {"lz-genmove_analyze", "kata-genmove_analyze"}
SLOW |= {"genmove_analyze", "cgos-genmove_analyze", "tengen-layer", "tengen-line", "kata-raw-nn"}
SLOW |= {
    "final_score",
    "estimate_score",
    "final_status_list",
    "gogui-rules_final_result",
    "clear_cache",
}
"""Commands that search are rare in the random lines."""
FILES = {"printsgf", "loadsgf"}
WORDS = [
    "b",
    "w",
    "black",
    "WHITE",
    "D4",
    "d4",
    "A1",
    "C3",
    "pass",
    "resign",
    "I1",
    "Z9",
    "T19",
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "7.5",
    "1e999",
    "nan",
    "inf",
    "99999999999",
    "true",
    "false",
    "alive",
    "dead",
    "seki",
    "chinese",
    "japanese",
    "{",
    "}",
    "[",
    "{}",
    '{"ko":1}',
    "absolute",
    "byoyomi",
    "canadian",
    "fischer",
    "none",
    "interval",
    "avoid",
    "allow",
    "b,w",
    "D4,A1",
    "maxmoves",
    "#",
    "##",
    "ä",
    "囲碁",
    "\x00",
    "\x1b[0m",
    "=",
    "?",
    "?1",
    ".",
    "/",
]
REPLY = re.compile(r"[=?]\d*( [^\n]*)?(\n[^\n]+)*\n\n\Z")


def is_blank(line):
    """Return whether a line holds only blanks, control characters and a comment."""
    cleaned = re.sub(r"[\x00-\x1f\x7f]", lambda c: " " * (c[0] in "\t\n"), line)
    return not cleaned.split("#")[0].strip()


def check_reply(line, reply):
    """Check that a command gets a reply that ends with its only blank line."""
    if is_blank(line):
        assert reply is None, line
        return
    assert reply is not None, line
    assert reply == "\n" or REPLY.match(reply), (line, reply)
    assert "internal error" not in reply, (line, reply)


def random_line(rng):
    """Return a command with odd arguments, or random text."""
    kind = rng.random()
    if kind < 0.1:
        return "".join(
            chr(rng.choice([rng.randrange(128), rng.randrange(0x3000)])) for _ in "12345"
        )
    name = rng.choice(sorted(SLOW) if kind < 0.11 else sorted(set(FAST) - SLOW - FILES))
    words = rng.choices(WORDS, k=rng.randrange(5))
    number = rng.choice(["", "", "7 ", "0 ", "123456789012345678901234567890 "])
    gap, end = rng.choice([" ", "  ", "\t"]), rng.choice(["\n", "\r\n", ""])
    return f"{number}{name}{gap}{' '.join(words)}{end}"


def test_random_lines_get_valid_replies():
    """Run every command except quit and those that write files."""
    rng = random.Random(20260101)
    client = SessionClient("playouts=2", size=5, interrupted=lambda: True)
    asked = answered = 0
    for number in range(LINES):
        line = random_line(rng)
        reply = client.session.handle(line)
        check_reply(line, reply)
        asked += not is_blank(line)
        answered += reply is not None
        if number % 50 == 0:
            # Boards grow by chance; thinking must stay cheap.
            client.ok("boardsize 5")
    assert answered == asked > LINES * 0.9
    assert client.ok("name") == "Tengen"


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_arbitrary_text_gets_valid_replies(text):
    """Unknown commands have no side effects and get a well-formed reply."""
    client = TALK
    if text.split() and text.split()[0] in COMMANDS:
        return
    before = client.state()
    for line in text.split("\n"):
        check_reply(line, client.session.handle(line))
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
