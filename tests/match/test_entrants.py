"""Player specifications and the probe before a match."""

import dataclasses

import pytest
from match_helpers import SETTINGS, scripted

from tengen.match import entrants
from tengen.util import TengenError


def test_slow_start_prints_a_notice(monkeypatch, capsys):
    monkeypatch.setattr(entrants, "_START_NOTICE_S", 0.2)
    slow, fast = scripted(slow=1), scripted(name="fast")
    slow_one, _ = entrants.probe_players([slow, fast], ["slow", "fast"], SETTINGS)
    assert slow_one.label == "slow"
    assert f"waiting for {slow!r} to start (at most 180 s per command)" in capsys.readouterr().err


def test_probe_rejects_a_program_without_gtp(capsys):
    settings = dataclasses.replace(SETTINGS, start_timeout_s=1.0)
    with pytest.raises(TengenError, match="player 'cat': .*no reply"):
        entrants.probe_players(["cat"], [None], settings)
    assert capsys.readouterr().err == ""
