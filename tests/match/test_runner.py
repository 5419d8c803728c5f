"""Complete matches, in this process and from the command line."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from match_helpers import SETTINGS, ThreadWorkers, plan_of, scripted

from tengen.api import match
from tengen.board import BLACK, WHITE
from tengen.cli.main import main
from tengen.match import (
    MatchScore,
    Sprt,
    SprtDecision,
    Store,
    pair_counts,
    run_match,
    score_of_player,
    sprt_decision,
)
from tengen.match.display import warnings
from tengen.match.plan import MatchLimits
from tengen.match.pool import LocalWorkers
from tengen.match.results import score_of_color
from tengen.records import EndReason
from tengen.util import TengenError

GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "match.sqlite"


def play(path, plan, games, workers=None, sprt=None):
    """Run a match and return its rows and its last status."""
    store = Store(path)
    try:
        limits = MatchLimits(games, sprt)
        status = run_match(plan, store, limits, workers or ThreadWorkers(), lambda status: None)
        return store.games(), status
    finally:
        store.close()


def test_colors_alternate_in_pairs(path):
    plan = plan_of(scripted(), scripted(stones=1), openings="random:2")
    rows, _ = play(path, plan, 8)
    assert [(row.black, row.white) for row in rows] == [(0, 1), (1, 0)] * 4
    assert len({row.opening for row in rows}) == 4
    assert all(rows[n].opening == rows[n + 1].opening for n in range(0, 8, 2))
    assert len({row.seed for row in rows}) == 8


def test_results_are_attributed_to_players_not_colors(path):
    """Black resigns every game (see paper 001)."""
    plan = plan_of(scripted(resign_as="b"), scripted(resign_as="b"))
    rows, _ = play(path, plan, 10)
    assert score_of_color(rows, WHITE) == MatchScore(10, 0, 0)
    assert score_of_player(rows, 0) == score_of_player(rows, 1) == MatchScore(5, 0, 5)
    assert score_of_player(rows, 0, BLACK) == MatchScore(0, 0, 5)


def test_resigning_player_loses_with_both_colors(path):
    rows, _ = play(path, plan_of(scripted(), scripted(resign=1)), 6)
    assert score_of_player(rows, 0) == MatchScore(6, 0, 0)
    assert score_of_color(rows, BLACK) == MatchScore(3, 0, 3)
    assert pair_counts(rows, 0) == [0, 0, 0, 0, 3]


def test_crashing_engine_loses_and_match_continues(path):
    rows, _ = play(path, plan_of(scripted(), scripted(crash=2)), 6)
    assert [row.reason for row in rows] == [EndReason.CRASH] * 6
    assert score_of_player(rows, 1) == MatchScore(0, 0, 6)
    assert all("out of cheese" in row.white_log + row.black_log for row in rows)


def test_failed_source_is_reported_during_the_match(path, tmp_path):
    """The warning is shown while the match is running."""
    idea = tmp_path / "ideas.py"
    idea.write_text("def fails(position):\n    raise ValueError('what now?')\n")
    words = f"tengen playouts=2 memory_mib=8 prior={idea}:fails@9"
    _, status = play(path, plan_of(words, "tengen playouts=2 memory_mib=8"), 2)
    (line,) = [line for line in warnings(status) if "a component failed" in line]
    assert "2 games" in line
    assert "ValueError('what now?')" in line


def test_round_robin_plays_all_pairings(path):
    rows, _ = play(path, plan_of(scripted(), scripted(stones=1), scripted(resign=1)), 12)
    pairings = Counter(frozenset((row.black, row.white)) for row in rows)
    assert set(pairings.values()) == {4}
    assert len(pairings) == 3


def test_sprt_decision_stops_the_match_and_is_final(path):
    plan = plan_of(scripted(), scripted(resign=1))
    rows, status = play(path, plan, 400, sprt=Sprt(0, 200))
    assert status.decision is SprtDecision.H1
    assert len(rows) < 60
    again, _ = play(path, plan, 400, sprt=Sprt(0, 200))
    assert again == rows


def test_larger_limit_adds_games(path):
    plan = plan_of(scripted(), scripted())
    first, _ = play(path, plan, 4)
    rows, status = play(path, plan, 8)
    assert rows[:4] == first
    assert (len(rows), status.new_games) == (8, 4)


def test_player_that_does_not_start_aborts_the_match(path):
    with pytest.raises(TengenError, match="does not start"):
        play(path, plan_of(scripted(), scripted(start="die")), 400)


def test_dead_worker_is_replaced(path):
    """All games of the broken executor are repeated, none is played twice."""
    workers = LocalWorkers(2)
    killed = []

    def kill_one(status):
        if status.new_games >= 4 and not killed:
            victim = next(iter(workers.executor._processes))
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    store = Store(path)
    plan = plan_of(scripted(), scripted())
    run_match(plan, store, MatchLimits(60), workers, kill_one)
    assert killed
    assert [row.number for row in store.results()] == list(range(60))
    store.close()


def command_line(path, games, *players, options=()):
    """Return a `tengen match` command between scripted engines."""
    base = [sys.executable, "-m", "tengen.cli.main", "match", *players, "-o", str(path)]
    return [*base, "--games", str(games), "--size", "5", "--komi", "0.5", *options]


def engines_left(mark):
    """Return the processes whose command line contains a text; none without /proc."""
    return [
        path.parent.name for path in Path("/proc").glob("[0-9]*/cmdline") if mark in words(path)
    ]


def words(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_runner_loses_no_finished_game(path):
    """Finished games stay unchanged; in the end each game is stored once."""
    mark = f"n{random.getrandbits(60)}"
    players = scripted(name="a", log=mark), scripted(name="b", log=mark)
    command = command_line(path, 1000, *players, options=["--workers", "2"])
    rng = random.Random(4)
    seen = {}
    for _ in range(20):
        goal = len(seen) + rng.randint(1, 6)
        seen = run_and_kill(command, path, goal, seen)
    total = len(seen) + 10 + len(seen) % 2
    subprocess.run(command_line(path, total, *players), check=True, stdout=subprocess.DEVNULL)
    store = Store(path)
    rows = {row.number: row for row in store.games()}
    store.close()
    assert sorted(rows) == list(range(len(rows)))
    assert len(rows) == max(total, len(seen))
    assert all(rows[number] == row for number, row in seen.items())
    wait_until(lambda: not engines_left(mark))


def run_and_kill(command, path, goal, seen):
    """Run until `goal` games are stored, kill, check what was seen and return all games."""
    runner = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    wait_until(lambda: runner.poll() is not None or stored(path) >= goal)
    assert runner.poll() is None
    time.sleep(random.Random(goal).random() * 0.05)
    runner.kill()
    runner.wait()
    store = Store(path)
    rows = {row.number: row for row in store.games()}
    store.close()
    assert all(rows[number] == row for number, row in seen.items())
    return rows


def stored(path):
    if not path.exists():
        return 0
    store = Store(path)
    try:
        return store.count()
    finally:
        store.close()


def wait_until(condition):
    """Wait for a condition; the timeout of the test limits the wait."""
    while not condition():
        time.sleep(0.05)


def test_two_runners_share_one_file(path):
    command = command_line(path, 40, scripted(name="a"), scripted(name="b"))
    runners = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [runner.wait() for runner in runners] == [0, 0]
    store = Store(path)
    assert [row.number for row in store.results()] == list(range(40))
    store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_ctrl_c_keeps_finished_games_and_kills_engines(path):
    mark = f"n{random.getrandbits(60)}"
    players = scripted(name="a", log=mark), scripted(name="b", log=mark)
    command = command_line(path, 1000, *players)
    runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: stored(path) >= 4)
    runner.send_signal(signal.SIGINT)
    assert f"interrupted; run the same command to resume {path}" in runner.communicate()[1]
    assert runner.returncode == 130
    wait_until(lambda: not engines_left(mark))
    assert stored(path) >= 4


@pytest.mark.parametrize(
    ("players", "options", "complaint"),
    [
        (["/no/such/engine", scripted()], [], "cannot start '/no/such/engine'"),
        ([scripted(start="die"), scripted()], [], "no license"),
        ([scripted(sizes="9"), scripted()], [], "rejects board size 5"),
        ([scripted(), scripted()], ["--openings", "/no/such"], "no such openings"),
        ([scripted(), scripted()], ["--time", "fast"], "invalid duration"),
        ([scripted(), scripted()], ["--games", "3"], "even number"),
        ([scripted(), scripted()], ["--sprt", "20,0"], "must be above"),
        ([scripted(), scripted()], ["--sprt", "0,1000000"], "use Elo from -2000 to 2000"),
        ([scripted(), scripted()], ["--sprt", "nan,5"], "use Elo from -2000 to 2000"),
        ([scripted(), scripted()], ["--sprt", "0,nan"], "use Elo from -2000 to 2000"),
        ([scripted(), scripted()], ["--rules", "poker"], "unknown rules"),
        ([scripted(), scripted()], ["--scoring", "me"], "unknown scoring"),
        ([scripted()], [], "at least two players"),
        (["no-such.toml"], [], "no such file"),
        (["'unbalanced", scripted()], [], "invalid command line"),
    ],
)
def test_rejects_invalid_match_options(path, players, options, complaint):
    with pytest.raises(TengenError, match=re.escape(complaint)):
        main(["match", *players, "-o", str(path), "--size", "5", *options])
    assert stored(path) == 0


def test_gauntlet_from_a_file(path, tmp_path):
    config = tmp_path / "gauntlet.toml"
    players = [scripted(name=name) for name in "abc"]
    entries = "\n".join(f"[[players]]\ncommand = '''{command}'''" for command in players)
    config.write_text(f"mode = 'gauntlet'\ngames = 2\nsize = '5'\nkomi = 0.5\n{entries}")
    assert main(["match", str(config), "-o", str(path)]) == 0
    store = Store(path)
    assert [(row.black, row.white) for row in store.results()] == [(0, 1), (1, 0), (0, 2), (2, 0)]
    assert [player.label for player in store.players()] == ["a 1", "b 1", "c 1"]
    store.close()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("games = 'many'", "games must be"),
        ("color = 1", "unknown setting 'color'"),
        ("=", "not valid TOML"),
    ],
)
def test_rejects_an_invalid_config_file(path, tmp_path, text, complaint):
    config = tmp_path / "wrong.toml"
    config.write_text(text)
    with pytest.raises(TengenError, match=complaint):
        main(["match", str(config), "-o", str(path)])


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian package gnugo)")
def test_gnugo_agrees_with_our_score(path):
    """GNU Go at level 1 plays itself on 7x7."""
    engine = f"{GNUGO} --mode gtp --level 1 --chinese-rules --positional-superko"
    settings = replace(SETTINGS, rows=7, columns=7, rules=SETTINGS.rules.with_komi(8.5))
    plan = plan_of(engine, engine, settings=settings, openings="random:2")
    plan = replace(plan, entrants=tuple(replace(e, name="GNU Go") for e in plan.entrants))
    rows, _ = play(path, plan, 4)
    assert len(rows) == 4
    assert {row.reason for row in rows} <= {EndReason.SCORE, EndReason.RESIGN}
    assert all(row.black_cpu_s is None or row.black_cpu_s > 0 for row in rows)
    assert all(
        row.black_reported_margin is not None for row in rows if row.reason == EndReason.SCORE
    )


def test_invalid_match_creates_no_file(path):
    with pytest.raises(TengenError, match="even number"):
        match(scripted(), scripted(), games=3, output=path)
    assert not path.exists()


def test_match_without_workers_creates_no_file(path, monkeypatch):
    def refuse(count, cluster):
        raise TengenError("no Dask scheduler")

    monkeypatch.setattr("tengen.match.runner.open_workers", refuse)
    with pytest.raises(TengenError, match="no Dask"):
        main(["match", scripted(), scripted(), "-o", str(path), "--size", "5"])
    assert not path.exists()


@pytest.mark.parametrize("stored", [SprtDecision.H0, SprtDecision.H1])
def test_stored_sprt_decision_is_final(stored):
    store = SimpleNamespace(metadata=lambda key: int(stored))
    assert sprt_decision(store, [], Sprt(0, 40)) is stored


def test_decision_without_stored_one_follows_the_games():
    assert (
        sprt_decision(SimpleNamespace(metadata=lambda key: None), [], Sprt(0, 40))
        is SprtDecision.OPEN
    )
