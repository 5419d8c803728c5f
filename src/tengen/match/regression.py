"""Regression suites in GNU Go's format: `.tst` scripts of GTP commands with expected answers.

    loadsgf games/trevor/a/4.sgf 33
    10 reg_genmove white
    #? [B4|C4]*

The expected answer is a regular expression; `!` before it negates, `*` after the bracket marks a
case that GNU Go fails. Paths are relative to the folder of the script.
"""

import re
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from tengen.util import TengenError

_ANSWER = re.compile(r"#\?\s*\[\s*(!?)\s*(.*)\]\s*(\*?)")
_TESTED_COMMAND = "reg_genmove"
_RESET_COMMANDS = frozenset(("loadsgf", "boardsize", "clear_board"))
"""Commands that replace the position, so that earlier setup failures no longer matter."""
_SETUP_COMMANDS = _RESET_COMMANDS | {
    "komi",
    "play",
    "undo",
    "gg-undo",
    "fixed_handicap",
    "set_free_handicap",
    "set_position",
    "kgs-rules",
}
"""Commands that are executed; others, such as GNU Go's dragon queries, are skipped."""
_GNUGO_COMMANDS: dict[str, tuple[str, list[str]]] = {
    "black": ("play", ["black"]),
    "white": ("play", ["white"]),
    "trymove": ("play", []),
    "popgo": ("undo", []),
}
"""GNU Go's own commands and their GTP equivalents."""


class GtpSession(Protocol):
    """A GTP session that executes the commands of a script."""

    def execute(self, name: str, arguments: list[str]) -> str:
        """Return the reply to a command; raise TengenError if it fails."""

    def reset_engine(self) -> None:
        """Replace the engine by a new one, keeping the position."""


# Suites


class GtpCommand(NamedTuple):
    """A GTP command: optional number, name and arguments."""

    id: str
    name: str
    arguments: list[str]


@dataclass(frozen=True)
class ExpectedAnswer:
    """The expected answer of a case."""

    pattern: str
    is_negated: bool
    gnugo_fails: bool

    def allows(self, reply: str) -> bool:
        """Return whether a reply is correct."""
        try:
            matches = re.fullmatch(self.pattern, reply, re.IGNORECASE) is not None
        except re.error:
            matches = reply.lower() == self.pattern.lower()
        return matches != self.is_negated

    def __str__(self) -> str:
        return ("!" if self.is_negated else "") + self.pattern


@dataclass(frozen=True)
class Step:
    """One command of a script; a step with an expected answer is a test case."""

    line: int
    """Line number in the script, from 1."""
    command: GtpCommand
    answer: ExpectedAnswer | None = None


@dataclass(frozen=True)
class Script:
    """One `.tst` file."""

    name: str
    folder: Path
    """Base folder of relative paths."""
    steps: Sequence[Step]

    @property
    def cases(self) -> int:
        """Number of test cases."""
        return sum(step.answer is not None for step in self.steps)


def parse_answer(line: str) -> ExpectedAnswer | None:
    """Parse a `#? [...]` line; return None for any other line."""
    match = _ANSWER.match(line.strip())
    if match is None:
        return None
    negation, pattern, star = match.groups()
    return ExpectedAnswer(pattern.strip(), bool(negation), bool(star))


def parse_script(text: str) -> list[Step]:
    """Parse a script; `reg_genmove` with an expected answer becomes a case."""
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), start=1):
        command = _parse_command(line)
        if command is not None:
            steps.append(Step(number, command))
            continue
        answer = parse_answer(line)
        last = steps[-1] if steps else None
        if answer and last and last.answer is None and last.command.name == _TESTED_COMMAND:
            steps[-1] = Step(last.line, last.command, answer)
    return steps


def _parse_command(line: str) -> GtpCommand | None:
    """Parse a GTP line without its comment; return None if it is empty."""
    words = line.partition("#")[0].split()
    if not words:
        return None
    number = words.pop(0) if words[0].isascii() and words[0].isdigit() else ""
    return GtpCommand(number, words[0] if words else "", words[1:])


@contextmanager
def open_suite(path: Path) -> Iterator[list[Script]]:
    """Yield the scripts of a folder, a `.tst` file or a tar archive, which is unpacked meanwhile.

    Raise TengenError if it cannot be read or has no cases.
    """
    if path.is_dir() or path.suffix == ".tst":
        yield _read_scripts(path)
        return
    with tempfile.TemporaryDirectory(prefix="tengen-suite-") as folder:
        try:
            with tarfile.open(path) as archive:
                archive.extractall(folder, filter="data")
        except (OSError, EOFError, tarfile.TarError) as error:
            reason = getattr(error, "strerror", None) or "not a folder, .tst file or tar archive"
            raise TengenError(f"cannot read the suite {path}: {reason}") from None
        yield _read_scripts(Path(folder))


def _read_scripts(path: Path) -> list[Script]:
    files = sorted(path.rglob("*.tst")) if path.is_dir() else [path]
    try:
        scripts = [
            Script(file.name, file.parent, parse_script(file.read_text("utf-8", "replace")))
            for file in files
        ]
    except OSError as error:
        raise TengenError(f"cannot read {error.filename}: {error.strerror}") from None
    if not any(script.cases for script in scripts):
        raise TengenError(f"the suite has no {_TESTED_COMMAND} case with an expected answer")
    return [script for script in scripts if script.cases]


# Running


class CaseOutcome(IntEnum):
    """Outcome of a test case."""

    PASSED = 0
    FAILED = 1
    NOT_RUN = 2


@dataclass(frozen=True)
class CaseResult:
    """Result of a test case."""

    script: str
    number: str
    answer: ExpectedAnswer
    outcome: CaseOutcome
    reply: str = ""
    problem: str = ""
    """Why the case was not run."""

    def as_json(self) -> dict[str, object]:
        """Return the result as a JSON object."""
        reply = {"problem": self.problem} if self.problem else {"reply": self.reply}
        return {
            "file": self.script,
            "case": self.number,
            "answer": str(self.answer),
            "gnugo_passes": not self.answer.gnugo_fails,
            **reply,
            "outcome": self.outcome.name.lower(),
        }


def run_script(script: Script, session: GtpSession) -> Iterator[CaseResult]:
    """Run the cases of a script in order, each with a new engine.

    If a position cannot be set up, the cases up to the next position are not run.
    """
    problem = ""
    for step in script.steps:
        if step.answer is not None:
            yield _run_case(session, script, step, step.answer, problem)
            continue
        command = _setup_command(script, step.command)
        if command is not None and (not problem or command.name in _RESET_COMMANDS):
            succeeded, reply = _execute(session, command)
            problem = "" if succeeded else _describe(script, step, reply)


def _run_case(
    session: GtpSession, script: Script, step: Step, answer: ExpectedAnswer, problem: str
) -> CaseResult:
    outcome, reply = CaseOutcome.NOT_RUN, ""
    if not problem:
        session.reset_engine()
        succeeded, reply = _execute(session, step.command)
        if succeeded:
            outcome = CaseOutcome.PASSED if answer.allows(reply) else CaseOutcome.FAILED
        else:
            problem = _describe(script, step, reply)
    return CaseResult(script.name, step.command.id, answer, outcome, reply, problem)


def _execute(session: GtpSession, command: GtpCommand) -> tuple[bool, str]:
    """Execute a command; return whether it succeeded, and its reply or error message."""
    try:
        return True, session.execute(command.name, command.arguments)
    except TengenError as error:
        return False, str(error)


def _describe(script: Script, step: Step, error: str) -> str:
    text = " ".join([step.command.name, *step.command.arguments])
    return f"{script.name}:{step.line}: {text}: {error}"


def _setup_command(script: Script, command: GtpCommand) -> GtpCommand | None:
    """Return the command in plain GTP with an absolute path; None if it is to be skipped."""
    name, arguments = _GNUGO_COMMANDS.get(command.name, (command.name, []))
    arguments = [*arguments, *command.arguments]
    if name not in _SETUP_COMMANDS:
        return None
    if name == "loadsgf" and arguments:
        arguments[0] = str(script.folder / arguments[0])
    return GtpCommand(command.id, name, arguments)


# Counting


@dataclass
class SuiteTally:
    """Counts of test cases."""

    cases: int = 0
    """Cases that were run."""
    passed: int = 0
    gnugo_passed: int = 0
    """Cases that GNU Go passes according to the script."""
    both_passed: int = 0
    not_run: int = 0

    def add(self, result: CaseResult) -> None:
        """Count one case."""
        if result.outcome is CaseOutcome.NOT_RUN:
            self.not_run += 1
            return
        passed, gnugo = result.outcome is CaseOutcome.PASSED, not result.answer.gnugo_fails
        self.cases += 1
        self.passed += passed
        self.gnugo_passed += gnugo
        self.both_passed += passed and gnugo


@dataclass
class SuiteResult:
    """Results of a suite, in total and by file."""

    total: SuiteTally = field(default_factory=SuiteTally)
    files: dict[str, SuiteTally] = field(default_factory=dict)
    results: list[CaseResult] = field(default_factory=list)

    def add(self, result: CaseResult) -> None:
        """Add one case."""
        self.results.append(result)
        self.total.add(result)
        self.files.setdefault(result.script, SuiteTally()).add(result)

    @property
    def problems(self) -> list[str]:
        """Distinct reasons why cases were not run."""
        return list(dict.fromkeys(result.problem for result in self.results if result.problem))

    def as_json(self) -> dict[str, object]:
        """Return everything as a JSON object."""
        return {
            **asdict(self.total),
            "files": {name: asdict(tally) for name, tally in self.files.items()},
            "problems": self.problems,
            "results": [result.as_json() for result in self.results],
        }
