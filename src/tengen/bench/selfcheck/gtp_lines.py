"""Check of GTP: random lines get exactly one well-formed reply each."""

import random
import re
from collections.abc import Iterator

from tengen.bench.selfcheck.check import Batch
from tengen.engine import EngineSettings
from tengen.protocols.gtp import (
    COMMANDS,
    InputQueue,
    Session,
    loop,  # noqa: F401  (registers all commands)
)

SEARCHES = {
    "genmove",
    "reg_genmove",
    "kgs-genmove_cleanup",
    "lz-analyze",
    "kata-analyze",
    "analyze",
    "lz-genmove_analyze",
    "kata-genmove_analyze",
    "genmove_analyze",
    "cgos-genmove_analyze",
    "tengen-layer",
    "tengen-line",
    "kata-raw-nn",
    "final_score",
    "estimate_score",
    "final_status_list",
    "gogui-rules_final_result",
    "clear_cache",
}
"""Slow commands, which are rare in the random lines."""
EXCLUDED = {"quit", "printsgf", "loadsgf"}
"""Commands that end the session or write files."""
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
    "absolute",
    "byoyomi",
    "canadian",
    "fischer",
    "none",
    '{"ko":1}',
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
LINES_PER_BATCH = 100


class _Interrupted(InputQueue):
    """An input queue that ends every analysis at once."""

    def has_lines(self) -> bool:
        return True


def random_gtp_line(rng: random.Random) -> str:
    """Return a command with odd arguments, or random text."""
    kind = rng.random()
    if kind < 0.1:
        codes = (rng.choice([rng.randrange(128), rng.randrange(0x3000)]) for _ in range(5))
        return "".join(map(chr, codes))
    fast = sorted(set(COMMANDS) - SEARCHES - EXCLUDED)
    name = rng.choice(sorted(SEARCHES) if kind < 0.11 else fast)
    words = rng.choices(WORDS, k=rng.randrange(5))
    number = rng.choice(["", "", "7 ", "0 ", "123456789012345678901234567890 "])
    gap, end = rng.choice([" ", "  ", "\t"]), rng.choice(["\n", "\r\n", ""])
    return f"{number}{name}{gap}{' '.join(words)}{end}"


def reply_problem(line: str, reply: str | None) -> str:
    """Describe what is wrong with the reply to a line, if anything."""
    cleaned = re.sub(r"[\x00-\x1f\x7f]", lambda c: " " * (c[0] in "\t\n"), line)
    if not cleaned.split("#")[0].strip():
        return "" if reply is None else f"reply to the blank line {line!r}"
    if reply is None:
        return f"no reply to {line!r}"
    if reply != "\n" and not REPLY.match(reply):
        return f"malformed reply {reply!r} to {line!r}"
    return f"internal error at {line!r}: {reply!r}" if "internal error" in reply else ""


def gtp_lines(rng: random.Random) -> Iterator[Batch]:
    """Send random lines to a session."""
    overrides = ["net=none", "playouts=2", "threads=1", "memory_mib=8", "seed=7"]
    session = Session(EngineSettings().with_overrides(overrides), received=_Interrupted())
    while True:
        # Boards grow by chance; thinking must stay cheap.
        session.handle("boardsize 5")
        failures = []
        for _ in range(LINES_PER_BATCH):
            line = random_gtp_line(rng)
            problem = reply_problem(line, session.handle(line))
            if problem:
                failures.append(problem)
        yield Batch(LINES_PER_BATCH, tuple(failures))
