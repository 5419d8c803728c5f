"""Sources as one word."""

import pytest

from tengen.core.errors import TengenError
from tengen.engine.settings import EngineSettings
from tengen.engine.source_text import parse_source
from tengen.knowledge.source import ALWAYS


def test_a_builtin_source_with_limits():
    source = parse_source("lines@14,before=20,depth=2")
    assert (source.name, source.equivalent_visits) == ("lines", 14)
    assert (source.before_move, source.to_depth) == (20, 2)


def test_a_source_in_a_file(tmp_path):
    path = tmp_path / "ideas.py"
    path.write_text('def centre(position):\n    "Likes the centre."\n')
    source = parse_source(f"{path}:centre@50")
    assert (source.name, source.meaning) == ("centre", "Likes the centre.")
    assert (source.equivalent_visits, source.before_move) == (50, ALWAYS)


def test_settings_hold_both_kinds(tmp_path):
    path = tmp_path / "ideas.py"
    path.write_text("def centre(position): ...")
    settings = EngineSettings().with_words(["lines=0", "prior=lines@5", f"prior={path}:centre"])
    assert [source.name for source in settings.compiled_sources()][-1] == "lines"
    assert [source.name for source in settings.python_sources()] == ["centre"]


@pytest.mark.parametrize(
    "text", ["", "nothing@5", "lines@x", "lines@-1", "lines@5,when=3", "lines@5,depth=", "no.py:x"]
)
def test_nonsense_is_refused(text):
    with pytest.raises(TengenError):
        parse_source(text)
