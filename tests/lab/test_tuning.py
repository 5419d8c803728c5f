"""A tuner as a part of an experiment."""

import pytest

from tengen.core.errors import TengenError
from tengen.lab import tuning
from tengen.match.workers import ThisProcess
from tengen.tune.duel import DuelResult
from tengen.tune.parameter import Parameter
from tengen.tune.spsa import Spsa, SpsaSettings


class FirstWins:
    """An objective and its task in one: the first side wins every duel."""

    def task(self, _duel):
        return self

    def run(self):
        return DuelResult(1.0)


def tune(folder):
    tuner = Spsa((Parameter("a", 0, 1),), SpsaSettings(3), 1)
    tuning.tune_to_end(tuner, FirstWins(), {"a": 1}, folder, 1, None)


def test_workers_that_cannot_be_had_leave_log_and_report_alone(tmp_path, monkeypatch):
    def none(*_arguments):
        raise TengenError("no scheduler there")

    monkeypatch.setattr(tuning, "open_workers", lambda *_arguments: ThisProcess())
    tune(tmp_path / "done")
    monkeypatch.setattr(tuning, "open_workers", none)
    before = {path: path.read_bytes() for path in (tmp_path / "done").iterdir()}
    for folder in ("done", "new"):
        with pytest.raises(TengenError, match="no scheduler"):
            tune(tmp_path / folder)
    assert before
    assert {path: path.read_bytes() for path in (tmp_path / "done").iterdir()} == before
    assert not (tmp_path / "new").exists()
