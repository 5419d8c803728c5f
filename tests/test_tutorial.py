"""The tutorial works from its first line to its last, and the reference is that of the code."""

import io
import re
import shlex
from pathlib import Path

from tengen.cli import main as command_line
from tengen.cli.reference import reference
from tengen.gtp.session import COMMANDS

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.S)
MADE = ("first.sgf", "sources.svg", "search.png", "review/index.html", "review/first.sgf")
MADE += ("mine.svg", "match.db", "report/match.html")


def test_every_command_of_the_tutorial_runs(tmp_path, monkeypatch, capsys):
    blocks = BLOCK.findall((DOCS / "tutorial.md").read_text())
    typed = "".join(text for language, text in blocks if language == "text")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    commands = 0
    for language, text in blocks:
        if language == "python":
            name = text.split("\n", 1)[0].removeprefix("# ")
            Path(name).write_text(text)
        elif language == "sh":
            for line in text.splitlines():
                program, *words = shlex.split(line)
                assert program == "tengen"
                assert command_line.main(words) == 0, line
                commands += 1
    assert commands == 11
    said = capsys.readouterr()
    assert "problem:" not in said.out
    assert [name for name in MADE if not Path(name).exists()] == []


def test_the_reference_tells_of_every_gtp_command():
    section = reference().partition("\n## GTP commands\n")[2]
    told = re.findall(r"^\| `([\w-]+)` \| \S.* \|$", section, re.M)
    assert told == sorted(COMMANDS)
    assert "partial(" not in section


def test_the_reference_is_up_to_date(monkeypatch):
    monkeypatch.delenv("TENGEN_GAMES", raising=False)
    assert (DOCS / "reference.md").read_text() == reference(), "run `make reference`"
