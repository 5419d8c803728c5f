"""Sources of one's own: loading them, and what is said when they are wrong."""

import sys

import numpy as np
import pytest

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.knowledge.source import PythonSource, load_source

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


def test_a_function(ideas):
    source = load_source(f"{ideas}:corner_lover", 50.0, 30, 2)
    assert (source.name, source.meaning) == ("corner_lover", "Likes the four corners.")
    assert (source.equivalent_visits, source.before_move, source.to_depth) == (50.0, 30, 2)
    values = source.values(Position(3, 4))
    assert np.nansum(values) == 4


def test_a_class_is_made_and_called(ideas):
    source = load_source(f"{ideas}:Constant", 5.0)
    assert (source.values(Position(3)) == 0.25).all()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("corner_hater", "has no 'corner_hater'"),
        ("number", "neither a function nor a class"),
        ("", "name a source like"),
    ],
)
def test_names_that_are_no_sources(ideas, name, message):
    with pytest.raises(TengenError, match=message):
        load_source(f"{ideas}:{name}", 1.0)


def test_files_that_cannot_be_loaded(tmp_path):
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


def test_a_wrong_shape_is_told(ideas):
    source = load_source(f"{ideas}:undocumented", 1.0)
    assert source.meaning == "(no docstring)"
    with pytest.raises(TengenError, match=r"undocumented gave shape \(1, 1\), not 3x3"):
        source.values(Position(3))


@pytest.mark.parametrize("value", [90.0, -0.01, np.inf, -np.inf])
def test_values_beyond_bad_and_good_are_refused(value):
    values = np.full((3, 3), np.nan)
    values[0, 1] = value
    with pytest.raises(TengenError, match=rf"percent gave {value:g}: values go from 0"):
        PythonSource("percent", "", lambda position: values).values(Position(3))
    values[0, 1] = 1.0
    assert PythonSource("percent", "", lambda position: values).values(Position(3))[0, 1] == 1


def test_what_a_source_raises_is_told_with_its_name():
    def broken(position):
        return 1 / 0

    place = r"in test_source.py, line \d+"
    with pytest.raises(TengenError, match=f"source broken failed {place}: ZeroDivisionError"):
        PythonSource("broken", "", broken).values(Position(3))


def test_the_place_of_a_fault_is_in_the_users_file_not_in_a_library():
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


def test_a_file_may_hold_dataclasses_and_import_what_lies_beside_it(tmp_path):
    (tmp_path / "beside_my_ideas.py").write_text("WORTH = 0.5")
    (tmp_path / "classes.py").write_text(CLASSES)
    source = load_source(f"{tmp_path / 'classes.py'}:Flat")
    assert (source.values(Position(3)) == 0.5).all()
    assert str(tmp_path) not in sys.path


def test_a_class_that_wants_arguments_is_told(tmp_path):
    (tmp_path / "beside_my_ideas.py").write_text("WORTH = 0.5")
    (tmp_path / "classes.py").write_text(CLASSES)
    with pytest.raises(TengenError, match="Greedy cannot be made without arguments"):
        load_source(f"{tmp_path / 'classes.py'}:Greedy")
