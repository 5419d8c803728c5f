"""Matches and lab experiments that are started on the page."""

import asyncio
import time

import pytest
from web_helpers import PATIENCE_S, client_of, make_game_server, page_of

from tengen.cli.main import build_parser, import_command
from tengen.match import Store
from tengen.util import TengenError
from tengen.web import experiment_jobs
from tengen.web.experiment_jobs import (
    LAB_EXPERIMENTS,
    ExperimentJobs,
    LabRequest,
    MatchRequest,
    PlayerChoice,
    command_of,
)

PLAYERS = """
import numpy as np
def first(position): return np.ones((position.rows, position.columns))
def second(position, weight=2): return weight * np.arange(25.0).reshape(5, 5)
def _hidden(position): ...
def other(board): ...
"""
FIRST, SECOND = (PlayerChoice("", f"mine.py:{name}") for name in ("first", "second"))
MATCH = MatchRequest("duel", FIRST, SECOND, "5", games=6, opening_moves=0)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(PLAYERS)
    (tmp_path / "broken.py").write_text("def (")
    return tmp_path


def request(**changes):
    fields = {name: getattr(MATCH, name) for name in MATCH.__struct_fields__}
    return MatchRequest(**fields | changes)


def as_message(match):
    players = {
        name: {"preset": one.preset, "function": one.function}
        for name, one in (("first", match.first), ("second", match.second))
    }
    rest = {"name": match.name, "size": match.size, "games": match.games, "opening_moves": 0}
    return {"kind": "match", **players, **rest}


def test_functions_are_found_without_running_them(folder):
    (folder / "danger.py").write_text("raise SystemExit\ndef move(position): ...")
    assert ExperimentJobs(folder).functions() == [
        "danger.py:move",
        "mine.py:first",
        "mine.py:second",
    ]


def test_example(folder):
    jobs = ExperimentJobs(folder)
    assert jobs.write_example() in jobs.functions()
    (folder / "my_ideas.py").write_text("# mine")
    jobs.write_example()
    assert (folder / "my_ideas.py").read_text() == "# mine"


def test_commands():
    prior = PlayerChoice("classic", "my ideas.py:third_line")
    match = request(first=prior, second=PlayerChoice("laptop"), sprt=(-5, 0), opening_moves=4)
    assert command_of(match) == [
        "match",
        "tengen preset=classic playouts=200 'prior=my ideas.py:third_line@50'",
        "tengen preset=laptop playouts=200",
        *("-o", "duel.sqlite", "--size", "5", "--names", "classic+third_line,laptop"),
        *("--games", "6", "--openings", "random:4", "--sprt=-5,0"),
    ]


@pytest.mark.parametrize("name", LAB_EXPERIMENTS)
def test_lab_commands_are_valid(name):
    words = command_of(LabRequest("study", name))
    arguments = build_parser(import_command("lab"), "lab").parse_args(words)
    assert str(arguments.output) == "study"


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "../duel"},
        {"name": ""},
        {"games": 3},
        {"games": 10**9},
        {"visits": 0},
        {"size": "1"},
        {"size": "9 -o x"},
        {"sprt": (5, 5)},
        {"sprt": (0, float("nan"))},
        {"opening_moves": -1},
        {"second": FIRST},
        {"first": PlayerChoice("", "")},
        {"first": PlayerChoice("", "/etc/x.py:first")},
        {"first": PlayerChoice("gnugo")},
    ],
)
def test_invalid_requests(folder, changes):
    jobs = ExperimentJobs(folder)
    with pytest.raises(TengenError):
        jobs.start(request(**changes))
    assert jobs.jobs() == []
    assert not list(folder.glob("*.json"))


def test_stop_close_and_resume(folder, monkeypatch):
    started = []

    async def run(words, on_line, where):
        started.append(words)
        await asyncio.sleep(PATIENCE_S)

    monkeypatch.setattr(experiment_jobs, "run_command", run)

    async def use():
        jobs = ExperimentJobs(folder)
        jobs.start(MATCH)
        assert [job["is_running"] for job in jobs.jobs()] == [True]
        with pytest.raises(TengenError, match="running"):
            jobs.start(request(name="another"))
        with pytest.raises(TengenError, match="another name"):
            jobs.start(MATCH)
        await asyncio.sleep(0)
        await jobs.close()
        assert [job["is_running"] for job in jobs.jobs()] == [False]
        again = ExperimentJobs(folder)
        assert [job["name"] for job in again.jobs()] == ["duel"]
        again.resume("duel")
        await asyncio.sleep(0)
        again.stop("duel")
        await asyncio.sleep(0)
        with pytest.raises(TengenError, match="no experiment"):
            again.resume("nothing")
        await again.close()

    asyncio.run(use())
    assert started == [command_of(MATCH)] * 2


def test_failure_is_reported(folder, monkeypatch):
    async def run(words, on_line, where):
        raise TengenError("it does not start")

    monkeypatch.setattr(experiment_jobs, "run_command", run)

    async def use():
        jobs = ExperimentJobs(folder)
        jobs.start(MATCH)
        await asyncio.sleep(0.01)
        return jobs.jobs()

    (job,) = asyncio.run(use())
    assert (job["is_running"], job["problem"]) == (False, "it does not start")


def test_job_files_of_others_are_ignored(folder):
    (folder / "a.job.json").write_text('{"kind": "lab", "name": "b", "experiment": "rm"}')
    (folder / "b.job.json").write_text("[")
    (folder / "c.job.json").write_text(
        '{"kind": "match", "name": "c", "first": {"function": "evil.py:run"}, "second": {}}'
    )
    assert ExperimentJobs(folder).jobs() == []


def wait_for(page, condition):
    """Poll the experiments until a condition on the first entry holds; return the entry."""
    end_s = time.monotonic() + 5 * PATIENCE_S
    while True:
        page.send("list_experiments")
        entry = page.receive("experiments")["entries"][0]
        if condition(entry):
            return entry
        assert time.monotonic() < end_s, entry
        time.sleep(0.2)


def test_match_on_the_page(folder):
    server = make_game_server(folder, color="both", size="5")
    with client_of(server) as client, page_of(client) as page:
        page.send("start_experiment", request=as_message(MATCH))
        assert page.receive("experiments")["entries"][0]["job"]["is_running"]
        entry = wait_for(page, lambda entry: not entry["job"]["is_running"])
        assert entry["job"]["problem"] == ""
        assert (entry["done"], entry["games"], entry["path"]) == (6, 6, "duel.sqlite")
        assert [line["name"] for line in entry["lines"]] == ["first", "second"]
        assert len(entry["elo"]) == 3
        response = client.get("/match-reports/duel.sqlite")
        assert response.status_code == 200
        assert "first" in response.text
        page.send("list_match_games", path="duel.sqlite")
        collection = page.receive("match_games")["collection"]
        page.send("list_games", collection=collection)
        found = page.receive("games")
        assert (found["total"], found["games"][0]["black"]) == (6, "first")
    store = Store(folder / "duel.sqlite", create=False)
    assert store.count() == 6
    store.close()
