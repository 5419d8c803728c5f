"""Running the cases of a suite through a GTP session in this process."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import tengen.gtp.loop  # noqa: F401  (enters all commands into the session's table)
from tengen.core.errors import TengenError
from tengen.engine.settings import EngineSettings
from tengen.gtp.protocol import Command, GtpError
from tengen.gtp.session import COMMANDS, Session
from tengen.regress.suite import Answer, Script, Step

FRESH = frozenset(("loadsgf", "boardsize", "clear_board"))
"""Commands after which nothing is left of what went wrong before."""
POSITION_COMMANDS = FRESH | {
    "komi",
    "play",
    "undo",
    "gg-undo",
    "fixed_handicap",
    "set_free_handicap",
    "set_position",
    "kgs-rules",
}
"""All others, such as GNU Go's questions about dragons, are passed over."""
OLD_NAMES: dict[str, tuple[str, list[str]]] = {
    "black": ("play", ["black"]),
    "white": ("play", ["white"]),
    "trymove": ("play", []),
    "popgo": ("undo", []),
}
"""GNU Go's own commands, and what they are in plain GTP."""


class Outcome(IntEnum):
    """What became of a case."""

    PASSED = 0
    FAILED = 1
    NOT_RUN = 2


@dataclass(frozen=True)
class CaseResult:
    """A case that was tried."""

    script: str
    number: str
    answer: Answer
    outcome: Outcome
    reply: str = ""
    problem: str = ""
    """Why it was not run."""

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON wants it."""
        about: dict[str, object] = {"file": self.script, "case": self.number}
        said = {"problem": self.problem} if self.problem else {"reply": self.reply}
        wanted = {"answer": str(self.answer), "gnugo_passes": not self.answer.gnugo_fails}
        return {**about, **wanted, **said, "outcome": self.outcome.name.lower()}


def run_script(script: Script, settings: EngineSettings) -> Iterator[CaseResult]:
    """Run the cases of a script in order; each gets a fresh engine, so their order is no matter.

    Where the position cannot be set up, the cases until the next one are not run, and say why.
    """
    session = Session(settings)
    problem = ""
    for step in script.steps:
        if step.answer is not None:
            yield _run_case(session, script, step, step.answer, problem)
            continue
        command = _setup_command(script, step.command)
        if command is not None and (not problem or command.name in FRESH):
            is_done, said = _ask(session, command)
            problem = "" if is_done else _problem(script, step, said)


def _run_case(
    session: Session, script: Script, step: Step, answer: Answer, problem: str
) -> CaseResult:
    outcome, reply = Outcome.NOT_RUN, ""
    if not problem:
        session.forget_engine()
        is_done, reply = _ask(session, step.command)
        if is_done:
            outcome = Outcome.PASSED if answer.allows(reply) else Outcome.FAILED
        else:
            problem = _problem(script, step, reply)
    return CaseResult(script.name, step.command.id, answer, outcome, reply, problem)


def _ask(session: Session, command: Command) -> tuple[bool, str]:
    """Run a GTP command; return whether it succeeded, and what it said."""
    try:
        return True, COMMANDS[command.name](session, command.arguments)
    except (GtpError, TengenError) as error:
        return False, str(error)


def _problem(script: Script, step: Step, said: str) -> str:
    text = " ".join([step.command.name, *step.command.arguments])
    return f"{script.name}:{step.line}: {text}: {said}"


def _setup_command(script: Script, command: Command) -> Command | None:
    """Return the command in plain GTP, its path made full; None if it sets up nothing."""
    name, arguments = OLD_NAMES.get(command.name, (command.name, []))
    arguments = [*arguments, *command.arguments]
    if name not in POSITION_COMMANDS:
        return None
    if name == "loadsgf" and arguments:
        arguments[0] = str(script.folder / arguments[0])
    return Command(command.id, name, arguments)
