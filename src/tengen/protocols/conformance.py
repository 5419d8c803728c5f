"""GTP conformance checks of an engine, one function per requirement.

A check is a function of a running engine whose docstring is the requirement. It raises
ConformanceError if the engine violates it, or UnsupportedError if the engine does not list the
command. Each check starts on an empty board.
"""

import re
from collections.abc import Callable, Generator, Sequence
from enum import IntEnum
from typing import NamedTuple

from tengen.board import parse_vertex
from tengen.match import GtpClient, parse_score
from tengen.util import TengenError

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


class CheckOutcome(IntEnum):
    """The outcome of a check."""

    PASSED = 0
    FAILED = 1
    UNSUPPORTED = 2


class CheckResult(NamedTuple):
    """The result of a check."""

    requirement: str
    outcome: CheckOutcome
    detail: str = ""


class ConformanceError(Exception):
    """The engine violates a requirement."""


class UnsupportedError(Exception):
    """The engine does not support an optional command."""


class CheckedEngine:
    """A running engine with methods for expected successes and failures."""

    def __init__(self, command: Sequence[str], timeout_s: float):
        """Start the engine; raise TengenError if that fails."""
        self.client = GtpClient(command)
        self.timeout_s = timeout_s

    def ask(self, command: str) -> list[str]:
        """Send a command and return the raw lines of the reply."""
        return self.client.ask(command, self.timeout_s)

    def expect_success(self, command: str) -> str:
        """Return the text of a reply that must be a success."""
        lines = self.ask(command)
        if not lines[0].startswith("="):
            raise ConformanceError(f"{command!r} fails: {lines[0]}")
        return "\n".join([lines[0][1:].strip(), *lines[1:]]).strip()

    def expect_failure(self, command: str) -> None:
        """Send a command that must fail."""
        lines = self.ask(command)
        if not lines[0].startswith("?"):
            raise ConformanceError(f"{command!r} should fail, but the reply is {lines[0]!r}")

    def need(self, command: str) -> None:
        """Raise UnsupportedError unless the engine lists the command."""
        if command not in self.expect_success("list_commands").split():
            raise UnsupportedError(command)

    def clear(self) -> None:
        """Set up an empty board."""
        for command in (f"boardsize {SIZE}", "clear_board", "komi 7.5"):
            self.expect_success(command)

    def move(self, command: str) -> str:
        """Return the reply to a genmove, which must be a move or a resignation."""
        text = self.expect_success(command)
        if text.lower() != "resign":
            try:
                parse_vertex(text, SIZE, SIZE)
            except TengenError as error:
                raise ConformanceError(f"{command!r}: {error}") from None
        return text


def check_version(engine: CheckedEngine) -> None:
    """protocol_version is 2."""
    if engine.expect_success("protocol_version") != "2":
        raise ConformanceError("protocol_version is not 2")


def check_names(engine: CheckedEngine) -> None:
    """name and version reply with one line, and name is not empty."""
    name, version = engine.expect_success("name"), engine.expect_success("version")
    if not name or "\n" in name + version:
        raise ConformanceError(f"name {name!r}, version {version!r}")


def check_list(engine: CheckedEngine) -> None:
    """list_commands lists every required command."""
    missing = set(REQUIRED) - set(engine.expect_success("list_commands").split())
    if missing:
        raise ConformanceError(f"missing: {', '.join(sorted(missing))}")


def check_known(engine: CheckedEngine) -> None:
    """known_command replies true or false."""
    answers = (
        engine.expect_success("known_command genmove"),
        engine.expect_success("known_command no_such_thing"),
    )
    if answers != ("true", "false"):
        raise ConformanceError(f"answers {answers}")


def check_unknown(engine: CheckedEngine) -> None:
    """An unknown command fails without side effects."""
    engine.expect_failure("no_such_thing 1 2")
    engine.expect_success("name")


def check_ids(engine: CheckedEngine) -> None:
    """The id of a command is repeated in the reply."""
    good, bad = engine.ask("17 name")[0], engine.ask("18 no_such_thing")[0]
    if not re.match(r"=17\b", good) or not re.match(r"\?18\b", bad):
        raise ConformanceError(f"replies {good!r}, {bad!r}")


def check_blanks(engine: CheckedEngine) -> None:
    """Comments, tabs, carriage returns and empty lines are ignored."""
    plain = engine.expect_success("name")
    for command in ("name # who", "\tname", "name\r", "\n# a remark\nname"):
        if engine.expect_success(command) != plain:
            raise ConformanceError(f"{command!r} is not understood")


def check_size(engine: CheckedEngine) -> None:
    """boardsize rejects invalid sizes."""
    engine.expect_failure("boardsize 1000")
    engine.expect_failure("boardsize many")


def check_komi(engine: CheckedEngine) -> None:
    """komi accepts half and negative points and rejects other text."""
    engine.expect_success("komi 0")
    engine.expect_success("komi -3.5")
    engine.expect_failure("komi lots")


def check_play(engine: CheckedEngine) -> None:
    """play accepts any case, and either color in any order."""
    for command in ("play b D4", "play BLACK e5", "play White F6", "play w pass"):
        engine.expect_success(command)


def check_illegal(engine: CheckedEngine) -> None:
    """play rejects occupied points, missing points and unknown colors."""
    engine.expect_success("play b D4")
    for command in ("play w D4", "play w Z99", "play w I5", "play green E5", "play b"):
        engine.expect_failure(command)


def check_genmove(engine: CheckedEngine) -> None:
    """genmove replies with a move and plays it."""
    move = engine.move("genmove b")
    if move.lower() not in ("pass", "resign"):
        engine.expect_failure(f"play w {move}")


def check_same_color(engine: CheckedEngine) -> None:
    """genmove accepts the same color twice in a row."""
    engine.move("genmove w")
    engine.move("genmove w")


def check_undo(engine: CheckedEngine) -> None:
    """undo undoes a move and fails on an empty board."""
    engine.need("undo")
    engine.expect_success("play b D4")
    engine.expect_success("undo")
    engine.expect_success("play w D4")
    engine.clear()
    engine.expect_failure("undo")


def check_reg_genmove(engine: CheckedEngine) -> None:
    """reg_genmove does not play the move."""
    engine.need("reg_genmove")
    move = engine.move("reg_genmove b")
    if move.lower() not in ("pass", "resign"):
        engine.expect_success(f"play b {move}")


def check_time(engine: CheckedEngine) -> None:
    """time_settings and time_left accept integer seconds."""
    engine.need("time_settings")
    engine.need("time_left")
    for command in ("time_settings 0 5 1", "time_left b 5 1", "time_settings 600 30 5"):
        engine.expect_success(command)
    engine.move("genmove b")


def check_score(engine: CheckedEngine) -> None:
    """final_score replies in the form B+3.5, W+2 or 0."""
    engine.need("final_score")
    for command in ("play b E5", "play w pass", "play b pass"):
        engine.expect_success(command)
    try:
        parse_score(engine.expect_success("final_score"))
    except TengenError as error:
        raise ConformanceError(str(error)) from None


def check_handicap(engine: CheckedEngine) -> None:
    """fixed_handicap replies with its points, and fails unless the board is empty."""
    engine.need("fixed_handicap")
    points = engine.expect_success("fixed_handicap 2").split()
    if len(points) != 2:
        raise ConformanceError(f"fixed_handicap 2 gives {points}")
    engine.expect_failure("fixed_handicap 2")


def check_noise(engine: CheckedEngine) -> None:
    """Standard output contains replies only."""
    engine.expect_success("name")
    if engine.client.noise_count:
        raise ConformanceError(
            f"{engine.client.noise_count} lines, such as {engine.client.noise[-1]!r}"
        )


def check_quit(engine: CheckedEngine) -> None:
    """quit gets a reply, and the program ends."""
    engine.expect_success("quit")
    code = engine.client.wait_exit(engine.timeout_s)
    if code != 0:
        raise ConformanceError("the program does not end" if code is None else f"exit code {code}")


Check = Callable[[CheckedEngine], None]
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
    check_same_color,
    check_undo,
    check_reg_genmove,
    check_time,
    check_score,
    check_handicap,
    check_noise,
    check_quit,
)


def check_engine(command: Sequence[str], timeout_s: float) -> Generator[CheckResult, None, None]:
    """Run all checks; an engine that exits or hangs is restarted for the next check.

    The engine is killed when the generator is closed. Raise TengenError if it does not start.
    """
    engine = CheckedEngine(command, timeout_s)
    try:
        engine.ask("name")
        for check in CHECKS:
            if not engine.client.is_alive:
                engine = CheckedEngine(command, timeout_s)
            yield _run(check, engine)
    finally:
        engine.client.kill()


def _run(check: Check, engine: CheckedEngine) -> CheckResult:
    requirement = (check.__doc__ or "").strip()
    try:
        engine.clear()
        check(engine)
    except UnsupportedError:
        return CheckResult(requirement, CheckOutcome.UNSUPPORTED)
    except (ConformanceError, TengenError) as error:
        return CheckResult(requirement, CheckOutcome.FAILED, str(error))
    return CheckResult(requirement, CheckOutcome.PASSED)
