"""Whole matches, in this process and by the command line."""

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

import pytest
from match_helpers import SETTING, ThreadWorkers, plan_of, scripted

from tengen.api import match
from tengen.board.colour import BLACK, WHITE
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.match.game import Reason
from tengen.match.runner import Limits, run_match
from tengen.match.stats import Decision, Sprt
from tengen.match.store import Store
from tengen.match.table import warnings
from tengen.match.tally import Score, pair_counts, score_of_colour, score_of_player
from tengen.match.workers import LocalWorkers

GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "match.sqlite"


def play(path, plan, games, workers=None, sprt=None):
    """Run a match and return its rows and its last status."""
    store = Store(path)
    try:
        limits = Limits(games, sprt)
        status = run_match(plan, store, limits, workers or ThreadWorkers(), lambda status: None)
        return store.games(), status
    finally:
        store.close()


def test_colours_alternate_in_pairs_on_one_opening(path):
    plan = plan_of(scripted(), scripted(stones=1), openings="random:2")
    rows, _ = play(path, plan, 8)
    assert [(row.black, row.white) for row in rows] == [(0, 1), (1, 0)] * 4
    assert len({row.opening for row in rows}) == 4
    assert all(rows[n].opening == rows[n + 1].opening for n in range(0, 8, 2))
    assert len({row.seed for row in rows}) == 8


def test_the_colour_trap_from_end_to_end(path):
    """Paper 001: results labelled by engine, not by colour. Here Black gives up every game."""
    plan = plan_of(scripted(resign_as="b"), scripted(resign_as="b"))
    rows, _ = play(path, plan, 10)
    assert score_of_colour(rows, WHITE) == Score(10, 0, 0)
    assert score_of_player(rows, 0) == score_of_player(rows, 1) == Score(5, 0, 5)
    assert score_of_player(rows, 0, BLACK) == Score(0, 0, 5)


def test_an_engine_that_gives_up_loses_as_both_colours(path):
    rows, _ = play(path, plan_of(scripted(), scripted(resign=1)), 6)
    assert score_of_player(rows, 0) == Score(6, 0, 0)
    assert score_of_colour(rows, BLACK) == Score(3, 0, 3)
    assert pair_counts(rows, 0) == [0, 0, 0, 0, 3]


def test_a_crashing_engine_loses_and_the_match_goes_on(path):
    rows, _ = play(path, plan_of(scripted(), scripted(crash=2)), 6)
    assert [row.reason for row in rows] == [Reason.CRASH] * 6
    assert score_of_player(rows, 1) == Score(0, 0, 6)
    assert all("out of cheese" in row.white_log + row.black_log for row in rows)


def test_who_plays_without_an_idea_that_failed_is_told_of_at_once(path, tmp_path):
    """From what the running match reads, not only from the report."""
    idea = tmp_path / "ideas.py"
    idea.write_text("def fails(position):\n    raise ValueError('what now?')\n")
    words = f"tengen playouts=2 memory_mib=8 prior={idea}:fails@9"
    _, status = play(path, plan_of(words, "tengen playouts=2 memory_mib=8"), 2)
    (said,) = [line for line in warnings(status) if "without what failed" in line]
    assert "2 games" in said
    assert "ValueError('what now?')" in said


def test_a_round_robin_plays_all_pairings(path):
    rows, _ = play(path, plan_of(scripted(), scripted(stones=1), scripted(resign=1)), 12)
    pairings = Counter(frozenset((row.black, row.white)) for row in rows)
    assert set(pairings.values()) == {4}
    assert len(pairings) == 3


def test_a_decided_test_stops_and_stays_decided(path):
    plan = plan_of(scripted(), scripted(resign=1))
    rows, status = play(path, plan, 400, sprt=Sprt(0, 200))
    assert status.decision is Decision.H1
    assert len(rows) < 60
    again, _ = play(path, plan, 400, sprt=Sprt(0, 200))
    assert again == rows


def test_more_games_are_added(path):
    plan = plan_of(scripted(), scripted())
    first, _ = play(path, plan, 4)
    rows, status = play(path, plan, 8)
    assert rows[:4] == first
    assert (len(rows), status.new_games) == (8, 4)


def test_a_player_that_starts_no_more_ends_the_match(path):
    with pytest.raises(TengenError, match="does not start any more"):
        play(path, plan_of(scripted(), scripted(start="die")), 400)


def test_a_worker_that_dies_is_replaced(path):
    """The executor breaks with all its games; they are played again, and none twice."""
    workers = LocalWorkers(2)
    killed = []

    def kill_one(status):
        if status.new_games >= 4 and not killed:
            victim = next(iter(workers.executor._processes))
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    store = Store(path)
    plan = plan_of(scripted(), scripted())
    run_match(plan, store, Limits(60), workers, kill_one)
    assert killed
    assert [row.number for row in store.results()] == list(range(60))
    store.close()


def command_line(path, games, *players, options=()):
    """Return a `tengen match` command between scripted engines."""
    base = [sys.executable, "-m", "tengen.cli.main", "match", *players, "-o", str(path)]
    return [*base, "--games", str(games), "--size", "5", "--komi", "0.5", *options]


def engines_left(mark):
    """Return the processes whose command line holds a text; none where there is no /proc."""
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
def test_kill_minus_nine_twenty_times_loses_nothing(path):
    """Each time the finished games stay as they are; in the end each game is there once."""
    mark = f"n{random.getrandbits(60)}"
    players = scripted(name="a", log=mark), scripted(name="b", log=mark)
    command = command_line(path, 1000, *players, options=["--workers", "2"])
    dice = random.Random(4)
    seen = {}
    for _ in range(20):
        goal = len(seen) + dice.randint(1, 6)
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
    """Wait for something that comes sooner or later; the test's time-out ends a vain wait."""
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
    assert f"stopped; {path} is kept, the same command goes on" in runner.communicate()[1]
    assert runner.returncode == 130
    wait_until(lambda: not engines_left(mark))
    assert stored(path) >= 4


@pytest.mark.parametrize(
    ("players", "options", "complaint"),
    [
        (["/no/such/engine", scripted()], [], "cannot start '/no/such/engine'"),
        ([scripted(start="die"), scripted()], [], "no licence"),
        ([scripted(sizes="9"), scripted()], [], "refuses size 5"),
        ([scripted(), scripted()], ["--openings", "/no/such"], "no such openings"),
        ([scripted(), scripted()], ["--time", "fast"], "invalid duration"),
        ([scripted(), scripted()], ["--games", "3"], "even number"),
        ([scripted(), scripted()], ["--sprt", "20,0"], "must be above"),
        ([scripted(), scripted()], ["--sprt", "0,1000000"], "use Elo from -2000 to 2000"),
        ([scripted(), scripted()], ["--sprt", "nan,5"], "use Elo from -2000 to 2000"),
        ([scripted(), scripted()], ["--sprt", "0,nan"], "use Elo from -2000 to 2000"),
        ([scripted(), scripted()], ["--rules", "poker"], "unknown rules"),
        ([scripted(), scripted()], ["--judge", "me"], "unknown judge"),
        ([scripted()], [], "at least two players"),
        (["no-such.toml"], [], "no such file"),
        (["'unbalanced", scripted()], [], "cannot read the command line"),
    ],
)
def test_bad_input_is_said_before_the_first_game(path, players, options, complaint):
    with pytest.raises(TengenError, match=re.escape(complaint)):
        main(["match", *players, "-o", str(path), "--size", "5", *options])
    assert stored(path) == 0


def test_a_gauntlet_from_a_file(path, tmp_path):
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
        ("colour = 1", "unknown setting 'colour'"),
        ("=", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused(path, tmp_path, text, complaint):
    config = tmp_path / "wrong.toml"
    config.write_text(text)
    with pytest.raises(TengenError, match=complaint):
        main(["match", str(config), "-o", str(path)])


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian package gnugo)")
def test_gnu_go_plays_and_agrees(path):
    """Level 1 against level 1 on 7x7: real moves, real passes, a seed, its own count."""
    engine = f"{GNUGO} --mode gtp --level 1 --chinese-rules --positional-superko"
    setting = replace(SETTING, rows=7, columns=7, rules=SETTING.rules.with_komi(8.5))
    plan = plan_of(engine, engine, setting=setting, openings="random:2")
    plan = replace(plan, entrants=tuple(replace(e, name="GNU Go") for e in plan.entrants))
    rows, _ = play(path, plan, 4)
    assert len(rows) == 4
    assert {row.reason for row in rows} <= {Reason.SCORE, Reason.RESIGN}
    assert all(row.black_cpu_s is None or row.black_cpu_s > 0 for row in rows)
    assert all(row.black_says is not None for row in rows if row.reason == Reason.SCORE)


def test_a_match_that_cannot_be_leaves_no_file(path):
    with pytest.raises(TengenError, match="even number"):
        match(scripted(), scripted(), games=3, output=path)
    assert not path.exists()


def test_a_match_without_workers_leaves_no_file(path, monkeypatch):
    def refuse(count, cluster):
        raise TengenError("no Dask scheduler")

    monkeypatch.setattr("tengen.match.play.open_workers", refuse)
    with pytest.raises(TengenError, match="no Dask"):
        main(["match", scripted(), scripted(), "-o", str(path), "--size", "5"])
    assert not path.exists()
