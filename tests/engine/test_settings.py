"""Sources and files of settings as text."""

import pytest

from tengen.engine import EngineSettings, parse_source, read_settings_file
from tengen.sources import NO_LIMIT
from tengen.util import TengenError


def test_builtin_source_with_limits():
    source = parse_source("lines@14,before=20,depth=2")
    assert (source.name, source.equivalent_visits) == ("lines", 14)
    assert (source.before_move, source.to_depth) == (20, 2)


def test_source_in_a_file(tmp_path):
    path = tmp_path / "ideas.py"
    path.write_text('def center(position):\n    "Likes the center."\n')
    source = parse_source(f"{path}:center@50")
    assert (source.name, source.meaning) == ("center", "Likes the center.")
    assert (source.equivalent_visits, source.before_move) == (50, NO_LIMIT)


def test_settings_contain_python_and_compiled_sources(tmp_path):
    path = tmp_path / "ideas.py"
    path.write_text("def center(position): ...")
    settings = EngineSettings().with_overrides(["lines=0", "prior=lines@5", f"prior={path}:center"])
    assert [source.name for source in settings.compiled_sources()][-1] == "lines"
    assert [source.name for source in settings.python_sources()] == ["center"]


@pytest.mark.parametrize(
    "text", ["", "nothing@5", "lines@x", "lines@-1", "lines@5,when=3", "lines@5,depth=", "no.py:x"]
)
def test_rejects_invalid_text(text):
    with pytest.raises(TengenError):
        parse_source(text)


def test_missing_parts_have_defaults():
    source = parse_source("lines", visits=50, before=9, depth=1)
    assert (source.equivalent_visits, source.before_move, source.to_depth) == (50, 9, 1)
    assert parse_source("lines@14", visits=50).equivalent_visits == 14


def test_folder_name_may_contain_an_at_sign(tmp_path):
    folder = tmp_path / "me@home"
    folder.mkdir()
    (folder / "ideas.py").write_text('def center(position):\n    "Likes the center."\n')
    assert parse_source(f"{folder / 'ideas.py'}:center@50").equivalent_visits == 50


def test_settings_file_with_several_sources(tmp_path):
    path = tmp_path / "engine.toml"
    path.write_text('prior = ["lines@14", "metric@20"]\n[search]\nalgorithm = "uct"\n')
    assert read_settings_file(str(path)) == [
        "prior=lines@14",
        "prior=metric@20",
        "search.algorithm=uct",
    ]
