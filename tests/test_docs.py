"""Examples, commands and links in README and docs."""

import ast
import doctest
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tengen.board import Position
from tengen.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.S)


def blocks(page, language):
    return [text for found, text in BLOCK.findall(page.read_text()) if found == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page):
    failures, _ = doctest.testfile(str(page), module_relative=False)
    assert failures == 0


def test_readme_source_works():
    (code,) = [text for text in blocks(PAGES[0], "python") if "def corner_lover" in text]
    names: dict = {}
    exec(code, names)
    values = names["corner_lover"](Position(9))
    assert np.nansum(values) == 4
    assert values[0, 0] == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_commands_exist(page):
    # `tengen playouts=500` is a player of a match, not a command.
    named = re.findall(r"(?:^|`)tengen ([a-z][a-z-]*)(?![a-z_=-])", page.read_text(), re.M)
    assert {name for name in named if name not in COMMANDS} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_exist(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_source_files_exist(page):
    """Names are relative to the repository, to `src/tengen` or, in tables, to a package."""
    source = ROOT / "src" / "tengen"
    names = set(re.findall(r"`([\w.-]+/[\w/.-]+\.(?:py|js))`", page.read_text()))
    found = {n for n in names if (ROOT / n).exists() or [*source.glob(n), *source.glob(f"*/{n}")]}
    assert names - found == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_headings_are_separate_paragraphs(page):
    """A paragraph directly after a heading would be merged into it when rewrapped."""
    text = BLOCK.sub("", page.read_text())
    assert re.findall(r"^#+ .*\n(?!\n)", text, re.M) == []
    assert [line for line in re.findall(r"^#+ .*", text, re.M) if len(line) > 120] == []


def test_install_guide_lists_every_extra():
    page = (ROOT / "docs" / "install.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra in project["optional-dependencies"]:
        assert f"`pip install 'tengen-go[{extra}]'`" in page or extra == "dev"


def defined_names():
    """Return the names of all packages, modules, classes, functions and class attributes."""
    names = {"tengen"}
    for path in (ROOT / "src" / "tengen").rglob("*.py"):
        names |= {path.stem, path.parent.name}
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
    return names


def test_names_in_the_architecture_are_defined():
    """Code spans such as `run_simulations`, `Clock.spend` and `review/batch.py` name real code."""
    text = BLOCK.sub("", (ROOT / "docs" / "architecture.md").read_text())
    spans = set(re.findall(r"`([\w.]+(?:/[\w.]+)*)`", text[text.index("## A simulation") :]))
    parts = {part for span in spans for part in re.sub(r"\.py$", "", span).split(".")}
    assert len(parts) > 60
    assert {part.split("/")[-1] for part in parts} - defined_names() == set()


def test_kernels_of_a_simulation_are_in_the_named_files():
    text = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| \w+ \| `(\S+\.py)`: (.*) \|$", text, re.M)
    assert len(rows) == 4
    for path, kernels in rows:
        code = (ROOT / "src" / "tengen" / path).read_text()
        missing = [k for k in re.findall(r"`(\w+)`", kernels) if f"\ndef {k}(" not in code]
        assert missing == [], path


def test_architecture_lists_every_package_once():
    named = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "architecture.md").read_text(), re.M)
    packages = [place.parent.name for place in (ROOT / "src" / "tengen").glob("*/__init__.py")]
    assert sorted(named) == sorted(packages)
