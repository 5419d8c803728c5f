"""Python sources: loading and errors."""

import sys

import numpy as np
import pytest

from tengen.board import Position
from tengen.sources import PythonSource, load_source
from tengen.util import TengenError

IDEAS = '''
import numpy as np


def corner_lover(position):
    """Likes the four corners."""
    values = np.full((position.rows, position.columns), np.nan)
    values[[0, 0, -1, -1], [0, -1, 0, -1]] = 1.0
    return values


class Constant:
    """The same everywhere."""

    def __call__(self, position):
        return np.full((position.rows, position.columns), 0.25)


number = 7


def undocumented(position):
    return [[0.0]]
'''


@pytest.fixture
def ideas(tmp_path):
    path = tmp_path / "my_ideas.py"
    path.write_text(IDEAS)
    return path


def test_loads_a_function(ideas):
    source = load_source(f"{ideas}:corner_lover", 50.0, 30, 2)
    assert (source.name, source.meaning) == ("corner_lover", "Likes the four corners.")
    assert (source.equivalent_visits, source.before_move, source.to_depth) == (50.0, 30, 2)
    values = source.values(Position(3, 4))
    assert np.nansum(values) == 4


def test_loads_a_class(ideas):
    source = load_source(f"{ideas}:Constant", 5.0)
    assert (source.values(Position(3)) == 0.25).all()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("corner_hater", "has no 'corner_hater'"),
        ("number", "must be a function or a class"),
        ("", "a source is given as FILE.py:NAME"),
    ],
)
def test_rejects_invalid_names(ideas, name, message):
    with pytest.raises(TengenError, match=message):
        load_source(f"{ideas}:{name}", 1.0)


def test_reports_files_that_cannot_be_loaded(tmp_path):
    with pytest.raises(TengenError, match="no such file"):
        load_source("nowhere.py:idea", 1.0)
    broken = tmp_path / "broken.py"
    broken.write_text("def idea(:\n")
    with pytest.raises(TengenError, match=r"loaded in broken.py, line 1: invalid syntax"):
        load_source(f"{broken}:idea", 1.0)
    whole = tmp_path / "whole.py"
    whole.write_text("import broken\n")
    with pytest.raises(TengenError, match=r"whole.py cannot be loaded in broken.py, line 1"):
        load_source(f"{whole}:idea", 1.0)


def test_rejects_wrong_shape(ideas):
    source = load_source(f"{ideas}:undocumented", 1.0)
    assert source.meaning == "(no docstring)"
    with pytest.raises(TengenError, match=r"undocumented returned shape \(1, 1\), not 3x3"):
        source.values(Position(3))


@pytest.mark.parametrize("value", [90.0, -0.01, np.inf, -np.inf])
def test_rejects_values_outside_0_to_1(value):
    values = np.full((3, 3), np.nan)
    values[0, 1] = value
    with pytest.raises(TengenError, match=rf"percent returned {value:g}: values must be from 0"):
        PythonSource("percent", "", lambda position: values).values(Position(3))
    values[0, 1] = 1.0
    assert PythonSource("percent", "", lambda position: values).values(Position(3))[0, 1] == 1


def test_reports_exceptions_with_the_source_name():
    def broken(position):
        return 1 / 0

    place = r"in test_source.py, line \d+"
    with pytest.raises(TengenError, match=f"source broken failed {place}: ZeroDivisionError"):
        PythonSource("broken", "", broken).values(Position(3))


def test_reports_the_line_in_the_users_file():
    def broken(position):
        return np.zeros(3).reshape(5, 5)

    with pytest.raises(TengenError, match=r"in test_source.py, line \d+: ValueError"):
        PythonSource("broken", "", broken).values(Position(3))


CLASSES = """
from __future__ import annotations
from dataclasses import dataclass

import numpy as np
from beside_my_ideas import WORTH


@dataclass
class Flat:
    "The same everywhere."
    worth: float = WORTH

    def __call__(self, position):
        return np.full((position.rows, position.columns), self.worth)


class Greedy:
    "Wants something."

    def __init__(self, weights):
        self.weights = weights
"""


def test_file_may_use_dataclasses_and_local_imports(tmp_path):
    (tmp_path / "beside_my_ideas.py").write_text("WORTH = 0.5")
    (tmp_path / "classes.py").write_text(CLASSES)
    source = load_source(f"{tmp_path / 'classes.py'}:Flat")
    assert (source.values(Position(3)) == 0.5).all()
    assert str(tmp_path) not in sys.path


def test_rejects_class_with_required_arguments(tmp_path):
    (tmp_path / "beside_my_ideas.py").write_text("WORTH = 0.5")
    (tmp_path / "classes.py").write_text(CLASSES)
    with pytest.raises(TengenError, match="Greedy cannot be created without arguments"):
        load_source(f"{tmp_path / 'classes.py'}:Greedy")
