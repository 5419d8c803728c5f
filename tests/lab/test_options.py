"""Command line of the lab."""

import argparse
import subprocess
import sys

import pytest

from tengen.cli import lab
from tengen.cli.parser import CommandParser, HelpFormatter
from tengen.lab.options import board_sizes
from tengen.lab.study import progress, track
from tengen.util import TengenError


def parsers(parser):
    """Yield a parser and its subparsers."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from parsers(inner)


@pytest.fixture(scope="module")
def experiments():
    top = CommandParser()
    lab.add_arguments(top)
    return [parser for parser in parsers(top) if parser.get_default("run_paper") is None]


def test_every_option_has_help_with_its_default(experiments):
    options = [action for parser in experiments for action in parser._actions]
    for action in options:
        shown = HelpFormatter("tengen")._get_help_string(action)
        text = shown if action.option_strings else "an argument"
        assert text, action
        assert not text.startswith("("), action
        if action.default not in (None, "", [], False, argparse.SUPPRESS):
            assert "default" in text, action


def test_no_default_is_outside_the_repository(experiments):
    for parser in experiments:
        assert "../" not in parser.format_help()


def test_every_experiment_has_its_own_folder(experiments):
    folders = [p.get_default("output") for p in experiments if p.get_default("output")]
    assert len(folders) == len(set(folders)) > 15


def test_options_are_parsed_without_heavy_imports():
    code = (
        "import argparse, sys; from tengen.cli import lab;"
        "lab.add_arguments(argparse.ArgumentParser());"
        "print([name for name in ('numba', 'numpy', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_progress_goes_to_stderr(capsys):
    assert list(track([1, 2], "counting")) == [1, 2]
    with progress() as shown:
        shown.add_task("learning", total=1)
    output = capsys.readouterr()
    assert not output.out
    assert "counting" in output.err
    assert "learning" in output.err


@pytest.mark.parametrize("text", ["", "9;19", "x", "3", "9,25"])
def test_board_sizes_are_parsed(text):
    assert board_sizes("9,19") == [9, 19]
    with pytest.raises(TengenError, match="board sizes"):
        board_sizes(text)
    assert board_sizes("3", smallest=2) == [3]
