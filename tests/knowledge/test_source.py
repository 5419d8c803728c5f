"""Sources of one's own: loading them, and what is said when they are wrong."""

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
    with pytest.raises(TengenError, match=r"broken.py cannot be loaded: SyntaxError"):
        load_source(f"{broken}:idea", 1.0)


def test_a_wrong_shape_is_told(ideas):
    source = load_source(f"{ideas}:undocumented", 1.0)
    assert source.meaning == "(no docstring)"
    with pytest.raises(TengenError, match=r"undocumented gave shape \(1, 1\), not 3x3"):
        source.values(Position(3))


def test_what_a_source_raises_is_told_with_its_name():
    def broken(position):
        return 1 / 0

    with pytest.raises(TengenError, match="source broken failed: ZeroDivisionError"):
        PythonSource("broken", "", broken).values(Position(3))
