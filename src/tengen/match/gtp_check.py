"""Does an engine keep the Go Text Protocol? One small check for each promise.

A check is a function that talks to a running engine and raises `Broken` with what is wrong, or
`NotOffered` if the engine does not list the command. Each check starts on an empty board.
"""

import re
from collections.abc import Callable, Generator, Sequence
from enum import IntEnum
from typing import NamedTuple

from tengen.board.points import parse_vertex
from tengen.core.errors import TengenError
from tengen.match.gtp_client import GtpClient
from tengen.match.player import parse_score

REQUIRED = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
]
SIZE = 9


class Verdict(IntEnum):
    """What came of a check."""

    KEPT = 0
    BROKEN = 1
    NOT_OFFERED = 2


class Finding(NamedTuple):
    """A check and what came of it."""

    promise: str
    verdict: Verdict
    detail: str = ""


class BrokenError(Exception):
    """The engine does not keep the promise."""


class NotOfferedError(Exception):
    """The engine does not know the command, and need not."""


class Talk:
    """A conversation with an engine, in words of success and failure."""

    def __init__(self, command: Sequence[str], timeout_s: float):
        """Start the engine; raise TengenError if that fails."""
        self.client = GtpClient(command)
        self.timeout_s = timeout_s

    def ask(self, command: str) -> list[str]:
        """Return the raw lines of a reply."""
        return self.client.ask(command, self.timeout_s)

    def accept(self, command: str) -> str:
        """Return the text of a reply that must be a success."""
        lines = self.ask(command)
        if not lines[0].startswith("="):
            raise BrokenError(f"{command!r} is refused: {lines[0]}")
        return "\n".join([lines[0][1:].strip(), *lines[1:]]).strip()

    def refuse(self, command: str) -> None:
        """Ask for what must fail."""
        lines = self.ask(command)
        if not lines[0].startswith("?"):
            raise BrokenError(f"{command!r} should fail, but the reply is {lines[0]!r}")

    def need(self, command: str) -> None:
        """Raise NotOfferedError unless the engine lists the command."""
        if command not in self.accept("list_commands").split():
            raise NotOfferedError(command)

    def clear(self) -> None:
        """Go back to an empty board."""
        for command in (f"boardsize {SIZE}", "clear_board", "komi 7.5"):
            self.accept(command)

    def move(self, command: str) -> str:
        """Return the answer to a genmove, which must be a move or a resignation."""
        text = self.accept(command)
        if text.lower() != "resign":
            try:
                parse_vertex(text, SIZE, SIZE)
            except TengenError as error:
                raise BrokenError(f"{command!r}: {error}") from None
        return text


def check_version(talk: Talk) -> None:
    """protocol_version is 2."""
    if talk.accept("protocol_version") != "2":
        raise BrokenError("protocol_version is not 2")


def check_names(talk: Talk) -> None:
    """name and version answer in one line, name not empty."""
    name, version = talk.accept("name"), talk.accept("version")
    if not name or "\n" in name + version:
        raise BrokenError(f"name {name!r}, version {version!r}")


def check_list(talk: Talk) -> None:
    """list_commands holds every required command."""
    missing = set(REQUIRED) - set(talk.accept("list_commands").split())
    if missing:
        raise BrokenError(f"missing: {', '.join(sorted(missing))}")


def check_known(talk: Talk) -> None:
    """known_command answers true or false."""
    answers = talk.accept("known_command genmove"), talk.accept("known_command no_such_thing")
    if answers != ("true", "false"):
        raise BrokenError(f"answers {answers}")


def check_unknown(talk: Talk) -> None:
    """An unknown command fails and nothing else happens."""
    talk.refuse("no_such_thing 1 2")
    talk.accept("name")


def check_ids(talk: Talk) -> None:
    """A number before the command comes back in the reply."""
    good, bad = talk.ask("17 name")[0], talk.ask("18 no_such_thing")[0]
    if not re.match(r"=17\b", good) or not re.match(r"\?18\b", bad):
        raise BrokenError(f"replies {good!r}, {bad!r}")


def check_blanks(talk: Talk) -> None:
    """Comments, tabs, carriage returns and empty lines are ignored."""
    plain = talk.accept("name")
    for command in ("name # who", "\tname", "name\r", "\n# a remark\nname"):
        if talk.accept(command) != plain:
            raise BrokenError(f"{command!r} is not understood")


def check_size(talk: Talk) -> None:
    """boardsize refuses sizes that cannot be."""
    talk.refuse("boardsize 1000")
    talk.refuse("boardsize many")


def check_komi(talk: Talk) -> None:
    """komi takes halves, negative ones too, and refuses words."""
    talk.accept("komi 0")
    talk.accept("komi -3.5")
    talk.refuse("komi lots")


def check_play(talk: Talk) -> None:
    """play takes any case and either colour, in any order."""
    for command in ("play b D4", "play BLACK e5", "play White F6", "play w pass"):
        talk.accept(command)


def check_illegal(talk: Talk) -> None:
    """play refuses occupied and missing points and unknown colours."""
    talk.accept("play b D4")
    for command in ("play w D4", "play w Z99", "play w I5", "play green E5", "play b"):
        talk.refuse(command)


def check_genmove(talk: Talk) -> None:
    """genmove answers a move, and plays it."""
    move = talk.move("genmove b")
    if move.lower() not in ("pass", "resign"):
        talk.refuse(f"play w {move}")


def check_same_colour(talk: Talk) -> None:
    """genmove may be asked twice for one colour."""
    talk.move("genmove w")
    talk.move("genmove w")


def check_undo(talk: Talk) -> None:
    """undo takes back a move, and fails on an empty board."""
    talk.need("undo")
    talk.accept("play b D4")
    talk.accept("undo")
    talk.accept("play w D4")
    talk.clear()
    talk.refuse("undo")


def check_reg_genmove(talk: Talk) -> None:
    """reg_genmove changes nothing."""
    talk.need("reg_genmove")
    move = talk.move("reg_genmove b")
    if move.lower() not in ("pass", "resign"):
        talk.accept(f"play b {move}")


def check_time(talk: Talk) -> None:
    """time_settings and time_left take whole seconds."""
    talk.need("time_settings")
    talk.need("time_left")
    for command in ("time_settings 0 5 1", "time_left b 5 1", "time_settings 600 30 5"):
        talk.accept(command)
    talk.move("genmove b")


def check_score(talk: Talk) -> None:
    """final_score answers like B+3.5, W+2 or 0."""
    talk.need("final_score")
    for command in ("play b E5", "play w pass", "play b pass"):
        talk.accept(command)
    try:
        parse_score(talk.accept("final_score"))
    except TengenError as error:
        raise BrokenError(str(error)) from None


def check_handicap(talk: Talk) -> None:
    """fixed_handicap answers its points, and only on an empty board."""
    talk.need("fixed_handicap")
    points = talk.accept("fixed_handicap 2").split()
    if len(points) != 2:
        raise BrokenError(f"fixed_handicap 2 gives {points}")
    talk.refuse("fixed_handicap 2")


def check_noise(talk: Talk) -> None:
    """Nothing but replies is on standard output."""
    talk.accept("name")
    if talk.client.noise_count:
        raise BrokenError(f"{talk.client.noise_count} lines, such as {talk.client.noise[-1]!r}")


def check_quit(talk: Talk) -> None:
    """quit answers, and the program ends."""
    talk.accept("quit")
    code = talk.client.wait_end(talk.timeout_s)
    if code != 0:
        raise BrokenError("it does not end" if code is None else f"exit code {code}")


Check = Callable[[Talk], None]
CHECKS: tuple[Check, ...] = (
    check_version,
    check_names,
    check_list,
    check_known,
    check_unknown,
    check_ids,
    check_blanks,
    check_size,
    check_komi,
    check_play,
    check_illegal,
    check_genmove,
    check_same_colour,
    check_undo,
    check_reg_genmove,
    check_time,
    check_score,
    check_handicap,
    check_noise,
    check_quit,
)


def check_engine(command: Sequence[str], timeout_s: float) -> Generator[Finding, None, None]:
    """Run every check in turn; an engine that dies or hangs is started again for the next.

    The engine ends with the generator. Raise TengenError if it does not start.
    """
    talk = Talk(command, timeout_s)
    try:
        talk.ask("name")
        for check in CHECKS:
            if not talk.client.alive:
                talk = Talk(command, timeout_s)
            yield _run(check, talk)
    finally:
        talk.client.kill()


def _run(check: Check, talk: Talk) -> Finding:
    promise = (check.__doc__ or "").strip()
    try:
        talk.clear()
        check(talk)
    except NotOfferedError:
        return Finding(promise, Verdict.NOT_OFFERED)
    except (BrokenError, TengenError) as error:
        return Finding(promise, Verdict.BROKEN, str(error))
    return Finding(promise, Verdict.KEPT)
