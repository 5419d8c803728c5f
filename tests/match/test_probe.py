"""Players are started once before a match; who takes long is named."""

import dataclasses

import pytest
from match_helpers import SETTING, scripted

from tengen.core.errors import TengenError
from tengen.match import probe


def test_who_is_waited_for_is_told(monkeypatch, capsys):
    monkeypatch.setattr(probe, "QUIET_S", 0.2)
    slow, fast = scripted(slow=1), scripted(name="fast")
    slow_one, _ = probe.probe_players([slow, fast], ["slow", "fast"], SETTING)
    assert slow_one.label == "slow"
    assert f"waiting for {slow!r} to start, 180 s" in capsys.readouterr().err


def test_a_program_that_speaks_no_gtp_is_told(capsys):
    setting = dataclasses.replace(SETTING, start_timeout_s=1.0)
    with pytest.raises(TengenError, match="player 'cat': .*no reply"):
        probe.probe_players(["cat"], [None], setting)
    assert capsys.readouterr().err == ""
