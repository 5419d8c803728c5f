"""Tuning runs of experiments."""

import pytest

from tengen.lab import matches as tuning
from tengen.match import InProcessWorkers
from tengen.match.tuning import DuelResult, Parameter, Spsa, SpsaSettings
from tengen.util import TengenError


class FirstWins:
    """Objective and task in one: the first side wins every duel."""

    def task(self, _duel):
        return self

    def run(self):
        return DuelResult(1.0)


def tune(folder):
    tuner = Spsa((Parameter("a", 0, 1),), SpsaSettings(3), 1)
    tuning.run_tuner(tuner, FirstWins(), {"a": 1}, folder, 1, None)


def test_missing_workers_leave_log_and_report_unchanged(tmp_path, monkeypatch):
    def none(*_arguments):
        raise TengenError("no scheduler there")

    monkeypatch.setattr(tuning, "open_workers", lambda *_arguments: InProcessWorkers())
    tune(tmp_path / "done")
    monkeypatch.setattr(tuning, "open_workers", none)
    before = {path: path.read_bytes() for path in (tmp_path / "done").iterdir()}
    for folder in ("done", "new"):
        with pytest.raises(TengenError, match="no scheduler"):
            tune(tmp_path / folder)
    assert before
    assert {path: path.read_bytes() for path in (tmp_path / "done").iterdir()} == before
    assert not (tmp_path / "new").exists()
