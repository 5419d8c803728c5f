"""Study folders, tables and reports."""

import subprocess
import sys

import pytest

from tengen.lab.study import Study
from tengen.util import TengenError

SETTINGS = {"seed": 1, "games": 3}


def test_study_is_resumed(tmp_path):
    table = Study(tmp_path / "a", "Rates", SETTINGS).table("rates", ["x", "rate"])
    table.add(x=1, rate=0.5)
    again = Study(tmp_path / "a", "Rates", SETTINGS).table("rates", ["x", "rate"])
    assert again.has(x=1)
    assert not again.has(x=2)
    again.add(x=2, rate="a,b\nc")
    assert Study(tmp_path / "a", "Rates", SETTINGS).table("rates", ["x", "rate"]).rows == [
        {"x": "1", "rate": "0.5"},
        {"x": "2", "rate": "a,b\nc"},
    ]


def test_incomplete_row_is_dropped(tmp_path):
    table = Study(tmp_path, "Rates", SETTINGS).table("rates", ["x", "rate"])
    table.add(x=1, rate=0.5)
    with table.path.open("a") as file:
        file.write("2,0.")
    again = Study(tmp_path, "Rates", SETTINGS).table("rates", ["x", "rate"])
    again.add(x=3, rate=0.25)
    assert [
        row["x"] for row in Study(tmp_path, "Rates", SETTINGS).table("rates", ["x", "rate"]).rows
    ] == ["1", "3"]


def test_rejects_other_settings_and_columns(tmp_path):
    Study(tmp_path, "Rates", SETTINGS).table("rates", ["x"]).add(x=1)
    with pytest.raises(TengenError, match="other settings"):
        Study(tmp_path, "Rates", {"seed": 2})
    with pytest.raises(TengenError, match="other columns"):
        Study(tmp_path, "Rates", SETTINGS).table("rates", ["y"])


def test_changed_file_is_named(tmp_path):
    files = {"files": {"idea.py": "1", "mine.onnx": "2"}}
    Study(tmp_path, "Rates", {**SETTINGS, **files}).table("rates", ["x"]).add(x=1)
    changed = {"files": {"idea.py": "3", "mine.onnx": "2"}}
    with pytest.raises(TengenError, match=r"idea.py has changed; restore it, or"):
        Study(tmp_path, "Rates", {**SETTINGS, **changed})
    with pytest.raises(TengenError, match=r"other settings: its seed: 1, not 2; choose"):
        Study(tmp_path, "Rates", {"seed": 2, **changed})


def test_file_without_stored_digest_counts_as_changed(tmp_path):
    Study(tmp_path, "Rates", SETTINGS).table("rates", ["x"]).add(x=1)
    with pytest.raises(TengenError, match=r"the contents of idea.py were not recorded; choose"):
        Study(tmp_path, "Rates", {**SETTINGS, "files": {"idea.py": "3"}})


def test_unreadable_settings_count_as_different(tmp_path):
    Study(tmp_path, "Rates", SETTINGS).table("rates", ["x"]).add(x=1)
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(TengenError, match="other settings"):
        Study(tmp_path, "Rates", SETTINGS)


@pytest.mark.parametrize("data", ["games.sqlite", "tuning/log.jsonl"])
def test_games_and_logs_belong_to_their_settings(tmp_path, data):
    Study(tmp_path, "Rates", SETTINGS)
    (tmp_path / data).parent.mkdir(exist_ok=True)
    (tmp_path / data).touch()
    with pytest.raises(TengenError, match="other settings"):
        Study(tmp_path, "Rates", {"seed": 2})


def test_study_without_data_is_replaced(tmp_path):
    Study(tmp_path, "Rates", SETTINGS).table("rates", ["x"])
    Study(tmp_path, "Rates", {"seed": 2}).table("rates", ["x"]).add(x=1)
    with pytest.raises(TengenError, match="other settings"):
        Study(tmp_path, "Rates", SETTINGS)


def test_rows_are_added_atomically(tmp_path):
    table = Study(tmp_path, "Rates", SETTINGS).table("rates", ["x"])

    def stopped():
        yield {"x": 1}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table.add_all(stopped())
    assert not table.rows
    assert table.path.read_text() == "x\n"
    table.add_all({"x": x} for x in (1, 2))
    assert Study(tmp_path, "Rates", SETTINGS).table("rates", ["x"]).rows == table.rows
    assert len(table.rows) == 2


def test_row_needs_every_column(tmp_path):
    table = Study(tmp_path, "Rates", SETTINGS).table("rates", ["x", "rate"])
    with pytest.raises(ValueError, match="columns"):
        table.add(x=1)


def test_report_is_self_contained_and_escaped(tmp_path):
    study = Study(tmp_path, "A < B", SETTINGS)
    study.add_section("What & why", "because <b>")
    study.add_table([{"x": 1, "rate": 0.123456}], "a table")
    with study.figure("curve", "a curve") as figure:
        figure.add_subplot().plot([1, 2])
    page = study.write_report().read_text()
    assert "A &lt; B" in page
    assert "because &lt;b&gt;" in page
    assert "0.1235" in page
    assert "<svg" in page
    assert "src=" not in page
    assert (tmp_path / "curve.png").stat().st_size > 1000
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")


def test_table_locks_the_folder(tmp_path):
    Study(tmp_path, "Rates", SETTINGS).table("rates", ["x"]).add(x=1)
    assert "is in use by another run" in error_of_another_run(tmp_path, SETTINGS)


def test_locked_out_run_does_not_change_settings(tmp_path):
    """This also holds before the first row, when a study can be replaced."""
    Study(tmp_path, "Rates", SETTINGS).table("rates", ["x"])
    before = (tmp_path / "settings.json").read_text()
    assert "is in use by another run" in error_of_another_run(tmp_path, {**SETTINGS, "seed": 99})
    assert (tmp_path / "settings.json").read_text() == before


def error_of_another_run(folder, settings):
    code = f"""
from pathlib import Path
from tengen.lab.study import Study
Study(Path({str(folder)!r}), "Rates", {settings!r}).table("rates", ["x"])
"""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
