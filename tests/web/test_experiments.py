"""The list of matches, tuning runs and lab reports."""

import json
import os
import sqlite3
import threading
from contextlib import ExitStack, closing

import pytest
from web_helpers import PATIENCE_S, client_of, make_game_server, page_of

from tengen.match import Store
from tengen.match.plan import Entrant
from tengen.match.store import SNAPSHOT_TIMEOUT_S
from tengen.web import experiments
from tengen.web.experiments import list_experiments


def by_kind(folder):
    return {entry["kind"]: entry for entry in list_experiments(folder)}


def make_tuning(folder, lines):
    folder.mkdir()
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "log.jsonl").write_text(text + '{"duel": 3, "sco')


def test_tuning(tmp_path):
    duel = {"duel": 0, "score": 1, "margin": 0, "games": 2}
    duel |= {"first": {"even": 7.25}, "second": {"even": 6.75}}
    make_tuning(tmp_path / "spsa", [{"run": {}}, duel, {"end_era": True}])
    entry = by_kind(tmp_path)["tuning"]
    assert (entry["title"], entry["path"], entry["done"], entry["report"]) == (
        "spsa",
        "spsa",
        1,
        None,
    )
    assert entry["lines"] == [{"name": "last pair, even", "score": "7.25 – 6.75", "rate": None}]


def test_lab_report(tmp_path):
    study = tmp_path / "deep" / "study"
    study.mkdir(parents=True)
    (study / "settings.json").write_text('{"title": "Big moves"}')
    assert list_experiments(tmp_path) == [], "a study without a report is not listed"
    (study / "report.html").write_text("found")
    entry = by_kind(tmp_path)["lab"]
    assert (entry["title"], entry["report"]) == ("Big moves", "deep/study/report.html")


@pytest.mark.parametrize("name", ["m.sqlite", "m.db"])
def test_match(tmp_path, name):
    store = Store(tmp_path / name)
    store._adopt_players([Entrant("a", "a", "A", "1"), Entrant("b", "b", "B", "1")])
    store.close()
    (tmp_path / "m.html").write_text("report")
    entry = by_kind(tmp_path)["match"]
    assert (entry["title"], entry["done"], entry["report"]) == ("m", 0, "m.html")
    assert [line["name"] for line in entry["lines"]] == ["a", "b"]
    assert entry["lines"][0]["score"] == "0 of 0"


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_running_match_leaves_no_files(tmp_path):
    store = Store(tmp_path / "m.sqlite")
    store._adopt_players([Entrant("a", "a", "A", "1")])
    assert by_kind(tmp_path)["match"]["lines"][0]["name"] == "a"
    store.close()
    assert names_in(tmp_path) == ["m.sqlite"]
    assert by_kind(tmp_path)["match"]["lines"][0]["name"] == "a"
    assert names_in(tmp_path) == ["m.sqlite"]


def test_does_not_wait_for_locked_databases(tmp_path, monkeypatch):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE notes (text)")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("INSERT INTO notes VALUES ('x')")
        assert names_in(tmp_path) == ["other.db", "other.db-journal"]
        waits = []
        connect = sqlite3.connect
        monkeypatch.setattr(
            sqlite3, "connect", lambda *a, **k: waits.append(k["timeout"]) or connect(*a, **k)
        )
        assert list_experiments(tmp_path) == []
        assert waits == [SNAPSHOT_TIMEOUT_S]


def test_slow_listing_does_not_delay_games(monkeypatch):
    calls, resume = [], threading.Event()

    def list_slowly(folder, jobs):
        calls.append(folder)
        resume.wait(PATIENCE_S)
        return []

    monkeypatch.setattr("tengen.web.context.list_experiments", list_slowly)
    with client_of(make_game_server(color="both", size="5")) as client, ExitStack() as stack:
        pages = [stack.enter_context(page_of(client)) for _ in range(3)]
        for page in [*pages, *pages]:
            page.send("list_experiments")
            page.settle()
        pages[0].request("score", is_final=True, _wanted=lambda s: s["score"] is not None)
        resume.set()
        for page in pages:
            assert page.receive("experiments")["entries"] == []
            page.settle()
    assert len(calls) == len(pages), "each page lists once at a time"


def test_ignores_other_files(tmp_path):
    (tmp_path / "broken.sqlite").write_bytes(b"no database" * 100)
    (tmp_path / "empty.sqlite").write_bytes(b"")
    with sqlite3.connect(tmp_path / "games.sqlite") as other:
        other.execute("CREATE TABLE games (number INTEGER)")
    other.close()
    (tmp_path / "settings.json").write_text("[1]")
    (tmp_path / "report.html").write_text("x")
    (tmp_path / "log.jsonl").write_text("[]\nnot json}\n")
    (tmp_path / ".git").mkdir()
    assert list_experiments(tmp_path) == []


def test_pipes_and_large_files_are_not_read(tmp_path, monkeypatch):
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs named pipes")
    (tmp_path / "run").mkdir()
    os.mkfifo(tmp_path / "run" / "log.jsonl")
    os.mkfifo(tmp_path / "match.sqlite")
    (tmp_path / "zero.db").symlink_to("/dev/zero")
    monkeypatch.setattr(experiments, "MAX_TEXT_BYTES", 10)
    make_tuning(tmp_path / "spsa", [{"run": {}}])
    assert list_experiments(tmp_path) == []
