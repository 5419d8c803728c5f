"""The option `-model`: a KataGo model is imported once and used for replies."""

import json

import pytest
from tiny_model import write_tiny

from tengen.board import Position, rules_named
from tengen.cli import engine_options
from tengen.engine import EngineSettings, create_engine, evaluate_with_net
from tengen.protocols.analysis import QueryDefaults
from tengen.protocols.analysis.server import AnalysisServer
from tengen.search import SearchLimit
from tengen.util import TengenError

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
def imported(tmp_path, monkeypatch):
    """A tiny KataGo model file and the network imported from it."""
    monkeypatch.setattr(engine_options, "cache_dir", lambda: tmp_path / "cache")
    source = tmp_path / "tiny.bin.gz"
    write_tiny(source, 8)
    return source, engine_options.import_model(source)


def test_imports_model_once(imported, tmp_path, capsys):
    source, net = imported
    net.unlink()
    assert engine_options.import_model(source) == net
    assert "converting tiny.bin.gz" in capsys.readouterr().err
    changed_ns = net.stat().st_mtime_ns
    moved = source.rename(tmp_path / "default_model.bin.gz")
    assert engine_options.import_model(moved) == net, "found by content, not by name"
    assert net.stat().st_mtime_ns == changed_ns
    assert capsys.readouterr().err == ""


def test_rejects_other_files(tmp_path, monkeypatch):
    monkeypatch.setattr(engine_options, "cache_dir", lambda: tmp_path / "cache")
    junk = tmp_path / "junk.bin.gz"
    junk.write_bytes(b"no net at all")
    for path in (junk, tmp_path / "missing.bin.gz"):
        with pytest.raises(TengenError):
            engine_options.import_model(path)
    assert not list((tmp_path / "cache").rglob("*.onnx"))


@pytest.mark.kernels
def test_replies_contain_net_outputs(imported):
    words = [f"play.net={imported[1]}", "threads=1", "memory_mib=8", "seed=1"]
    replies = []
    settings = EngineSettings().with_overrides(words)
    analyst = AnalysisServer(settings, QueryDefaults(), replies.append, create_engine)
    analyst.start()
    for visits in (1, 10):
        analyst.handle(json.dumps({**QUESTION, "maxVisits": visits}))
    analyst.pool.finish()
    first, reply = sorted(replies, key=lambda reply: reply["rootInfo"]["visits"])
    position = Position(7, rules=rules_named("chinese"))
    evaluation = evaluate_with_net(str(imported[1]), position)
    assert evaluation is not None
    root = first["rootInfo"]
    assert root["scoreLead"] == pytest.approx(evaluation.lead_to_play, abs=root["scoreStdev"])
    searched = create_engine(settings).analyze(position, SearchLimit(visits=10))
    assert searched.estimate is not None
    assert reply["rootInfo"]["scoreLead"] == pytest.approx(searched.estimate.lead, abs=0.1)
    assert reply["rootInfo"]["winrate"] == pytest.approx(searched.estimate.winrate, abs=0.01)
    assert abs(searched.estimate.lead - evaluation.lead_to_play) > 1, "changed by the search"
    assert reply["ownership"] == pytest.approx(
        list(evaluation.ownership_to_play.flatten()), abs=1e-4
    )
    assert len(reply["moveInfos"][0]["ownership"]) == 49
