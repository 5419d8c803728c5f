"""The pictures of docs/sources.md are the output of the commands below them."""

import re
import shlex
from pathlib import Path

import pytest

from tengen.cli.main import main
from tengen.view import LAYERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "sources.md").read_text()
PICTURES = ROOT / "docs" / "img" / "sources"
SECTIONS = {text.partition("\n")[0]: text for text in PAGE.split("\n## ")[1:]}
LARGEST_BYTES = 100_000


def commands(text):
    """Return the arguments of each `tengen view` command in a text."""
    lines = re.findall(r"^    tengen (view .*)$", text, re.M)
    return [shlex.split(line) for line in lines]


def test_there_is_a_section_for_each_paper():
    names = {"Big move", "Potential filters", "Metric evaluations", "Shape", "Networks"}
    assert set(SECTIONS) >= names


@pytest.mark.parametrize("section", SECTIONS)
def test_commands_make_the_pictures(section, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    shown = set(re.findall(r"\]\((img/[^)]+)\)", SECTIONS[section]))
    made = set()
    for arguments in commands(SECTIONS[section]):
        if "-o" in arguments:
            index = arguments.index("-o") + 1
            made.add(str(Path(arguments[index]).relative_to("docs")))
            arguments[index] = str(tmp_path / Path(arguments[index]).name)
        assert main(arguments) == 0
        if "-o" in arguments and arguments[index].endswith(".svg"):
            assert (tmp_path / Path(arguments[index]).name).read_text().startswith("<svg")
    assert shown
    assert made == shown


@pytest.mark.parametrize("picture", sorted(PICTURES.iterdir()), ids=lambda path: path.name)
def test_pictures_are_small(picture):
    assert picture.stat().st_size < LARGEST_BYTES


def test_named_sources_exist():
    named = {
        arguments[index + 1].partition("@")[0]
        for arguments in commands(PAGE)
        for index, argument in enumerate(arguments)
        if argument == "--source"
    }
    assert named <= {*LAYERS, "bigmove"}
