"""The enhancements experiment on a tiny board."""

import pytest

from tengen.board import Position
from tengen.lab.metric import enhancements
from tengen.lab.metric.settings import EnhancementsSettings
from tengen.lab.study import CsvTable

pytestmark = pytest.mark.kernels


def rows_of(**nodes: tuple[int, bool]) -> list[dict[str, str]]:
    return [
        {"variant": name, "position": "3", "nodes": str(count), "proved": str(is_proved)}
        for name, (count, is_proved) in nodes.items()
    ]


def test_savings_use_positions_proved_by_both():
    rows = rows_of(reference=(75, True), other=(100, True), endless=(100, False))
    assert enhancements.saving(rows, "reference", "other") == "25% on 1"
    assert enhancements.saving(rows, "reference", "endless") == "endless"


def test_node_limit_is_respected():
    settings = enhancements.variants(10)["no table"]
    nodes, is_proved = enhancements.nodes_to_prove(Position(4), settings, 1000)
    assert (nodes, is_proved) == (1000, False)


def test_optimal_line_is_stored_completely(tmp_path, monkeypatch):
    def stopped(*_arguments):
        yield 21
        raise KeyboardInterrupt

    monkeypatch.setattr(enhancements, "SIZE", 2)
    monkeypatch.setattr(enhancements, "best_line", stopped)
    table = CsvTable(tmp_path / "line.csv", ["move", "vertex", "value"])
    with pytest.raises(KeyboardInterrupt):
        enhancements.optimal_line(table)
    assert not table.rows


def test_enhancements_run_and_resume(tmp_path, monkeypatch):
    monkeypatch.setattr(enhancements, "SIZE", 2)
    settings = EnhancementsSettings(endless=1000)
    report = enhancements.run(tmp_path, settings)
    assert "Figure 9" in report.read_text()
    counts = (tmp_path / "nodes.csv").read_text()
    assert counts.count("reference") == len((tmp_path / "line.csv").read_text().splitlines()) - 1

    def fail(*arguments):
        raise AssertionError("nothing is left to do")

    monkeypatch.setattr(enhancements, "nodes_to_prove", fail)
    enhancements.run(tmp_path, settings)
    assert (tmp_path / "nodes.csv").read_text() == counts
