"""The commands of the tutorial run, and the reference matches the code."""

import io
import re
import shlex
from pathlib import Path

from tengen.cli import main as command_line
from tengen.cli.reference import reference
from tengen.protocols.gtp import COMMANDS

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.S)
OUTPUTS = ("first.sgf", "sources.svg", "search.png", "review/index.html", "review/first.sgf")
OUTPUTS += ("mine.svg", "match.db", "report/match.html")


def test_tutorial_commands_run(tmp_path, monkeypatch, capsys):
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
    assert "problem:" not in capsys.readouterr().out
    assert [name for name in OUTPUTS if not Path(name).exists()] == []


def test_reference_lists_every_gtp_command():
    section = reference().partition("\n## GTP commands\n")[2]
    listed = re.findall(r"^\| `([\w-]+)` \| \S.* \|$", section, re.M)
    assert listed == sorted(COMMANDS)
    assert "partial(" not in section


def test_reference_is_up_to_date(monkeypatch):
    monkeypatch.delenv("TENGEN_GAMES", raising=False)
    assert (DOCS / "reference.md").read_text() == reference(), "run `make reference`"
