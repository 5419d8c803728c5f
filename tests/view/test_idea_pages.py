"""The pictures of docs/ideas are what the commands under them make, and small."""

import re
import shlex
from pathlib import Path

import pytest

from tengen.cli.main import main
from tengen.view import LAYERS

ROOT = Path(__file__).resolve().parents[2]
IDEAS = ROOT / "docs" / "ideas"
PAGES = sorted(IDEAS.glob("*.md"))
LARGEST_BYTES = 100_000


def commands(page):
    """Return the words of each `tengen view` command on a page."""
    lines = re.findall(r"^    tengen (view .*)$", page.read_text(), re.M)
    return [shlex.split(line) for line in lines]


def test_there_is_a_page_for_each_idea():
    names = {"big-move", "potential-filters", "metric", "shape", "nets"}
    assert {page.stem for page in PAGES} >= names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_make_the_pictures(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    shown = set(re.findall(r"\]\((img/[^)]+)\)", page.read_text()))
    made = set()
    for words in commands(page):
        if "-o" in words:
            place = words.index("-o") + 1
            made.add(str(Path(words[place]).relative_to("docs/ideas")))
            words[place] = str(tmp_path / Path(words[place]).name)
        assert main(words) == 0
        if "-o" in words and words[place].endswith(".svg"):
            assert (tmp_path / Path(words[place]).name).read_text().startswith("<svg")
    assert shown
    assert made == shown


@pytest.mark.parametrize("picture", sorted((IDEAS / "img").iterdir()), ids=lambda path: path.name)
def test_pictures_are_small(picture):
    assert picture.stat().st_size < LARGEST_BYTES


def test_named_sources_exist():
    named = {
        words[index + 1].partition("@")[0]
        for page in PAGES
        for words in commands(page)
        for index, word in enumerate(words)
        if word == "--source"
    }
    assert named <= {*LAYERS, "bigmove"}
