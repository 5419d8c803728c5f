"""Suites in GNU Go's form: `.tst` scripts of GTP lines, with the right answers in comments.

    loadsgf games/trevor/a/4.sgf 33
    10 reg_genmove white
    #? [B4|C4]*

The answer is a regular expression, `!` before it negates, `*` behind the bracket marks what GNU
Go itself fails. Paths are relative to the folder of the script.
"""

import re
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.gtp.protocol import Command, parse_command

_ANSWER = re.compile(r"#\?\s*\[\s*(!?)\s*(.*)\]\s*(\*?)")
_TESTED = "reg_genmove"


@dataclass(frozen=True)
class Answer:
    """What a case wants to hear."""

    pattern: str
    is_negated: bool
    gnugo_fails: bool

    def allows(self, reply: str) -> bool:
        """Tell whether a reply is right."""
        try:
            fits = re.fullmatch(self.pattern, reply, re.IGNORECASE) is not None
        except re.error:
            fits = reply.lower() == self.pattern.lower()
        return fits != self.is_negated

    def __str__(self) -> str:
        return ("!" if self.is_negated else "") + self.pattern


@dataclass(frozen=True)
class Step:
    """One GTP line of a script; a step with an answer is a case."""

    line: int
    """Its number in the script, from 1."""
    command: Command
    answer: Answer | None = None


@dataclass(frozen=True)
class Script:
    """One `.tst` file."""

    name: str
    folder: Path
    """What its paths are relative to."""
    steps: Sequence[Step]

    @property
    def cases(self) -> int:
        """How many cases it has."""
        return sum(step.answer is not None for step in self.steps)


def parse_answer(line: str) -> Answer | None:
    """Read a `#? [...]` line; return None if it is none."""
    found = _ANSWER.match(line.strip())
    if found is None:
        return None
    negation, pattern, star = found.groups()
    return Answer(pattern.strip(), bool(negation), bool(star))


def parse_script(text: str) -> list[Step]:
    """Read the steps of a script: of the numbered ones, `reg_genmove` becomes a case."""
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), start=1):
        command = parse_command(line)
        if command is not None:
            steps.append(Step(number, command))
            continue
        answer = parse_answer(line)
        last = steps[-1] if steps else None
        if answer and last and last.answer is None and last.command.name == _TESTED:
            steps[-1] = Step(last.line, last.command, answer)
    return steps


@contextmanager
def open_suite(path: Path) -> Iterator[list[Script]]:
    """Give the scripts of a folder, a `.tst` file or a tar archive, which is unpacked meanwhile.

    Raise TengenError if there is no such thing, or nothing in it.
    """
    if path.is_dir() or path.suffix == ".tst":
        yield _read_scripts(path)
        return
    with tempfile.TemporaryDirectory(prefix="tengen-suite-") as folder:
        try:
            with tarfile.open(path) as archive:
                archive.extractall(folder, filter="data")
        except (OSError, EOFError, tarfile.TarError) as error:
            why = getattr(error, "strerror", None) or "it is no folder, .tst file or tar archive"
            raise TengenError(f"cannot read the suite {path}: {why}") from None
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
        raise TengenError(f"there is no {_TESTED} case with an answer in the suite")
    return [script for script in scripts if script.cases]
