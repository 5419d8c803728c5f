"""`-model`: a net of KataGo's is brought in once; replies then tell what the net says."""

import json

import pytest
from tiny_model import write_tiny

from tengen.analysis.analyst import Analyst, Defaults
from tengen.board.position import Position
from tengen.board.rules import rules_named
from tengen.cli import katago_options
from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.opinion import net_opinion
from tengen.engine.settings import EngineSettings

QUESTION = {
    "id": "q",
    "moves": [],
    "rules": "chinese",
    "boardXSize": 7,
    "boardYSize": 7,
    "maxVisits": 10,
    "includeOwnership": True,
    "includeMovesOwnership": True,
}


@pytest.fixture
def brought_in(tmp_path, monkeypatch):
    """The file of a tiny net of KataGo's, and the net it became."""
    monkeypatch.setattr(katago_options, "cache_folder", lambda: tmp_path / "cache")
    source = tmp_path / "tiny.bin.gz"
    write_tiny(source, 8)
    return source, katago_options.bring_in(source)


def test_a_net_is_brought_in_once(brought_in, tmp_path, capsys):
    source, net = brought_in
    net.unlink()
    assert katago_options.bring_in(source) == net
    assert "bringing in tiny.bin.gz" in capsys.readouterr().err
    changed_ns = net.stat().st_mtime_ns
    moved = source.rename(tmp_path / "default_model.bin.gz")
    assert katago_options.bring_in(moved) == net, "by what is in it, not by its name"
    assert net.stat().st_mtime_ns == changed_ns
    assert capsys.readouterr().err == ""


def test_what_is_no_net_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(katago_options, "cache_folder", lambda: tmp_path / "cache")
    junk = tmp_path / "junk.bin.gz"
    junk.write_bytes(b"no net at all")
    for path in (junk, tmp_path / "missing.bin.gz"):
        with pytest.raises(TengenError):
            katago_options.bring_in(path)
    assert not list((tmp_path / "cache").rglob("*.onnx"))


@pytest.mark.kernels
def test_replies_tell_what_the_net_says(brought_in):
    words = [f"play.net={brought_in[1]}", "threads=1", "memory_mib=8", "seed=1"]
    replies = []
    settings = EngineSettings().with_words(words)
    analyst = Analyst(settings, Defaults(), replies.append, Engine)
    analyst.start()
    analyst.hear(json.dumps(QUESTION))
    analyst.pool.finish()
    (reply,) = replies
    said = net_opinion(str(brought_in[1]), Position(7, rules=rules_named("chinese")))
    assert said is not None
    root = reply["rootInfo"]
    assert root["scoreLead"] == pytest.approx(said.lead_to_play, abs=root["scoreStdev"])
    is_better = root["winrate"] > said.win_to_play
    assert (root["scoreLead"] > said.lead_to_play) == is_better, "moved by what the search found"
    assert reply["ownership"] == pytest.approx(list(said.ownership_to_play.flatten()), abs=1e-4)
    assert len(reply["moveInfos"][0]["ownership"]) == 49
