"""Tuning with scripted engines whose strength depends on a parameter."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tune_helpers import NoisyHill

from tengen.board import BLACK, PASS, WHITE, Move
from tengen.cli.main import main
from tengen.engine import EngineSettings, TimeControl
from tengen.match import InProcessWorkers, MatchSettings, load_openings
from tengen.match.tuning import (
    Duel,
    DuelResult,
    Parameter,
    Population,
    PopulationSettings,
    Spsa,
    SpsaSettings,
    read_tune_config,
    tune_config,
    write_tune_report,
)
from tengen.match.tuning.objective import (
    PLAYERS,
    REFERENCE_ENGINES,
    MatchObjective,
    RecordedGame,
    ReferenceEngine,
    ReferenceObjective,
    ReferenceTask,
    last_win_rate,
    load_games,
)
from tengen.match.tuning.runner import TuneLog, run_tuner, tuner_path
from tengen.records import read_games
from tengen.util import TengenError

SCRIPT = Path(__file__).parents[1] / "scripted_engine.py"
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ENGINE = shlex.join([sys.executable, str(SCRIPT)])
LZ = 10_000


class HillObjective:
    """Duels on a noisy hill, in threads."""

    hill = NoisyHill({"a": 7}, {"a": 4})

    def task(self, duel):
        class Task:
            def run(self):
                return HillObjective.hill.fight(duel)

        return Task()


class ThreadWorkers:
    count = 3
    failures = ()
    fail_together = True

    def __init__(self):
        self.executor = ThreadPoolExecutor(3)

    def restart(self):
        raise AssertionError("threads do not die")

    def finish(self):
        self.executor.shutdown()

    stop = finish


def spsa(iterations=300):
    return Spsa([Parameter("a", 0, 10, start=2)], SpsaSettings(iterations), seed=1)


def test_parallel_iterations_find_the_optimum(tmp_path):
    tuner, log = spsa(600), TuneLog(tmp_path / "log", {})
    run_tuner(tuner, HillObjective(), log, ThreadWorkers(), lambda tuner: None)
    assert tuner.done
    assert HillObjective.hill.elo(tuner.recommend()) > -20


def test_stopped_run_resumes(tmp_path):
    class StopError(Exception):
        pass

    def stop_at_100(tuner):
        if tuner.progress[0] == 100:
            raise StopError

    first, log = spsa(), TuneLog(tmp_path / "log", {"id": 1})
    with pytest.raises(StopError):
        run_tuner(first, HillObjective(), log, ThreadWorkers(), stop_at_100)
    log.close()
    second, log = spsa(), TuneLog(tmp_path / "log", {"id": 1})
    run_tuner(second, HillObjective(), log, ThreadWorkers(), lambda tuner: None)
    numbers = [number for number, _ in log.results()]
    assert sorted(numbers) == list(range(300))
    log.close()


def test_incomplete_log_line_is_dropped(tmp_path):
    path = tmp_path / "log"
    log = TuneLog(path, {})
    log.add(Duel(0, {"a": 1}, {"a": 2}), DuelResult(1.0))
    log.close()
    with path.open("a") as file:
        file.write('{"duel": 1, "sco')
    log = TuneLog(path, {})
    log.add(Duel(1, {"a": 1}, {"a": 2}), DuelResult(0.0))
    assert [number for number, _ in log.results()] == [0, 1]
    log.close()


def test_rejects_the_log_of_another_run(tmp_path):
    TuneLog(tmp_path / "log", {"id": 1}).close()
    with pytest.raises(TengenError, match="another run: its id: 1, not 2; use a new folder"):
        TuneLog(tmp_path / "log", {"id": 2})


def test_rejects_a_log_after_a_source_file_changed(tmp_path):
    idea = tmp_path / "idea.py"
    idea.write_text("first version")
    parameter = {"name": "visits", "low": 0, "high": 9}
    player = f"tengen prior={idea}:idea@{{visits}}"
    table = {"method": "spsa", "player": player, "parameters": [parameter]}
    TuneLog(tmp_path / "log", tune_config(table, "test").identity).close()
    TuneLog(tmp_path / "log", tune_config(table, "test").identity).close()
    idea.write_text("second version")
    with pytest.raises(TengenError, match=r"idea.py has changed; restore it, or"):
        TuneLog(tmp_path / "log", tune_config(table, "test").identity)
    assert "files" not in tune_config({**table, "player": "tengen"}, "test").identity


def test_identity_of_logs_without_handicap_is_unchanged():
    parameter = {"name": "visits", "low": 0, "high": 9}
    table = {"method": "spsa", "player": "tengen", "parameters": [parameter]}
    match = tune_config(table, "test").identity["match"]
    known = ["players", "names", "mode", "games", "size", "komi", "rules", "time", "lag"]
    assert list(match) == [*known, "move_timeout", "openings", "sprt", "judge", "seed"]


@pytest.mark.parametrize("text", ["no JSON\n", "[1]\n", '{"a": 1}\n', "no end of line", "\udcff\n"])
def test_rejects_other_files_without_changing_them(tmp_path, text):
    path = tmp_path / "log"
    content = text.encode(errors="surrogateescape")
    path.write_bytes(content)
    with pytest.raises(TengenError, match="use a new folder"):
        TuneLog(path, {})
    assert path.read_bytes() == content


def test_rejects_a_damaged_log(tmp_path):
    path = tmp_path / "log"
    TuneLog(path, {}).close()
    with path.open("a") as file:
        file.write('{"duel": 1, "sco\n')
    with pytest.raises(TengenError, match="is damaged"):
        TuneLog(path, {})


def test_log_is_locked(tmp_path):
    first = TuneLog(tmp_path / "log", {})
    with pytest.raises(TengenError, match="in use by another run"):
        TuneLog(tmp_path / "log", {})
    first.close()
    TuneLog(tmp_path / "log", {}).close()


def test_run_without_workers_keeps_the_earlier_report(config, tmp_path, monkeypatch):
    def refuse(count, cluster):
        raise TengenError("no Dask scheduler")

    monkeypatch.setattr("tengen.cli.tune.open_workers", refuse)
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "report.html").write_text("good")
    with pytest.raises(TengenError, match="no Dask"):
        main(["tune", str(config), "-o", str(folder)])
    assert [path.name for path in folder.iterdir()] == ["report.html"]
    assert (folder / "report.html").read_text() == "good"


@pytest.fixture
def config(tmp_path):
    """Return a config that tunes the number of stones: more stones win."""
    path = tmp_path / "tune.toml"
    path.write_text(f"""
        method = "spsa"
        player = '''{ENGINE} stones={{stones}}'''
        iterations = 12
        size = "7"
        komi = 0.5
        scoring = "tromp-taylor"
        [[parameters]]
        name = "stones"
        low = 1
        high = 7
        start = 3
        spread = 1
        whole = true
    """)
    return path


def test_tuning_by_games(config, tmp_path):
    folder = tmp_path / "out"
    assert main(["tune", str(config), "-o", str(folder)]) == 0
    tuner = read_tune_config(config).tuner()
    for line in (folder / "log.jsonl").read_text().splitlines()[1:]:
        entry = json.loads(line)
        tuner.take(entry["duel"], DuelResult(entry["score"]))
        more = entry["first"]["stones"] > entry["second"]["stones"]
        assert entry["score"] == (1 if more else 0)
    assert tuner.theta[0] > 3
    names = {"log.jsonl", "path.csv", "path.png", "path.svg", "report.html"}
    assert {path.name for path in folder.iterdir()} == names


def test_killed_run_resumes(config, tmp_path):
    folder = tmp_path / "out"
    command = [sys.executable, "-m", "tengen.cli.main", "tune", str(config), "-o", str(folder)]
    runner = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    log = folder / "log.jsonl"
    while not log.exists() or log.read_text().count("\n") < 4:
        time.sleep(0.02)
    os.kill(runner.pid, signal.SIGKILL)
    runner.wait()
    assert main(["tune", str(config), "-o", str(folder)]) == 0
    numbers = [json.loads(line)["duel"] for line in log.read_text().splitlines()[1:]]
    assert sorted(numbers) == list(range(12))


def test_reference_engine_evaluates_chosen_moves(tmp_path):
    """As in paper 001: a reference engine evaluates moves in positions from games."""
    config, games = tmp_path / "judge.toml", tmp_path / "game.sgf"
    games.write_text("(;SZ[9];B[ee];W[ed];B[ff];W[fe];B[dd];W[dc])")
    config.write_text(f"""
        method = "spsa"
        player = '''{ENGINE} column={{column}}'''
        iterations = 60
        step = 3.0
        parameters = [{{name = "column", low = 1, high = 9, start = 2, whole = true, spread = 1}}]
        reference = {{command = '''{ENGINE} likes=6''', positions = "{games}"}}
    """)
    tuner = read_tune_config(config).tuner()
    log = TuneLog(tmp_path / "log", {})
    run_tuner(tuner, read_tune_config(config).objective(), log, ThreadWorkers(), lambda t: None)
    log.close()
    assert tuner.recommend()["column"] == pytest.approx(6, abs=1)


@pytest.mark.parametrize("failure", ["crash=1", "nonsense=1", "start=die"])
def test_failing_side_scores_zero(failure):
    players = f"{ENGINE} {failure}", f"{ENGINE} column=6"
    task = ReferenceTask(players, f"{ENGINE} likes=6", MatchSettings(9, 9), (), seed=1)
    assert task.run().score == 0
    assert replace(task, players=players[::-1]).run().score == 1


def test_two_failing_sides_are_a_problem():
    players = f"{ENGINE} crash=1", f"{ENGINE} start=die"
    task = ReferenceTask(players, f"{ENGINE} likes=6", MatchSettings(9, 9), (), seed=1)
    assert (task.run().score, task.run().games) == (0.5, 0)
    assert task.run().problem.startswith("both players failed: the engine exited")


@pytest.mark.parametrize(("second", "score"), [(1, 0.5), (99, 0)])
def test_pair_of_aborted_games_is_a_problem(second, score):
    settings = MatchSettings(5, 5)
    openings = load_openings("empty", settings, 1)
    objective = MatchObjective(f"{ENGINE} crash={{at}}", settings, openings, "tromp-taylor", 1)
    result = objective.task(Duel(0, {"at": 1}, {"at": second})).run()
    assert result.problem.startswith("no game was finished: ")
    assert result.score == score
    assert not objective.task(Duel(0, {"at": 98}, {"at": 99})).run().problem


@pytest.fixture
def failing_idea(tmp_path):
    path = tmp_path / "ideas.py"
    path.write_text("def fails(position):\n    raise ValueError('what now?')\n")
    return f"tengen playouts=2 memory_mib=8 prior={path}:fails"


def test_failed_source_in_a_pair_is_a_problem(failing_idea):
    settings = MatchSettings(5, 5)
    openings = load_openings("empty", settings, 1)
    objective = MatchObjective(failing_idea + "@{visits}", settings, openings, "tromp-taylor", 1)
    problem = objective.task(Duel(0, {"visits": 10}, {"visits": 20})).run().problem
    assert "source fails failed in ideas.py, line 2: ValueError('what now?')" in problem


def test_failed_source_during_a_choice_is_a_problem(failing_idea):
    players = failing_idea, f"{ENGINE} column=6"
    task = ReferenceTask(players, f"{ENGINE} likes=6", MatchSettings(9, 9), (), seed=1)
    assert "source fails failed" in task.run().problem


def test_run_aborts_when_all_games_crash(config, tmp_path):
    config.write_text(config.read_text().replace("stones={stones}", "stones={stones} crash=2"))
    with pytest.raises(TengenError, match="8 duels in a row failed: no game was finished"):
        main(["tune", str(config), "-o", str(tmp_path / "out")])


def test_failing_reference_engine_is_retried_once(tmp_path):
    players = f"{ENGINE} column=2", f"{ENGINE} column=6"
    once = tmp_path / "once"
    task = ReferenceTask(
        players, f"{ENGINE} likes=6 dies_once={once}", MatchSettings(9, 9), (), seed=1
    )
    assert task.run() == replace(task, command=f"{ENGINE} likes=6").run()
    assert once.exists()
    broken = replace(task, command=f"{ENGINE} likes=6 dies=1").run()
    assert (broken.score, broken.games) == (0.5, 0)
    assert "the reference engine failed: the engine exited" in broken.problem


def test_failing_reference_engine_aborts_the_run(tmp_path):
    duels = Spsa((Parameter("column", 1, 9, start=5, whole=True, spread=2),), SpsaSettings(50), 1)
    player, judge = f"{ENGINE} column={{column}}", f"{ENGINE} dies=1"
    games = (RecordedGame(0, (Move(BLACK, PASS),)),)
    objective = ReferenceObjective(player, judge, MatchSettings(9, 9), games, 1)
    log = TuneLog(tmp_path / "log", {})
    with pytest.raises(TengenError, match="8 duels in a row failed: the reference engine failed"):
        run_tuner(duels, objective, log, ThreadWorkers(), lambda t: None)
    log.close()


def test_games_are_truncated_at_illegal_moves(tmp_path):
    """Black captures two of its own stones."""
    games, settings = tmp_path / "games.sgf", MatchSettings(9, 9)
    games.write_text("(;SZ[9];B[aa];W[ba];B[ee];W[bb];B[ef];W[ac];B[ab];W[gg])")
    assert [len(record.moves) for record in read_games(games)] == [8]
    ((setup, moves),) = load_games(str(games), settings)
    assert (setup, len(moves)) == (0, 6)
    assert ReferenceTask((ENGINE, ENGINE), ENGINE, settings, moves, seed=1).run().score == 0.5


def test_engines_of_a_tuner_are_closed():
    judge = f"{ENGINE} likes=6 name=reference"
    players = f"{ENGINE} column=5", f"{ENGINE} column=6"
    ReferenceTask(players, judge, MatchSettings(9, 9), (), seed=1).run()
    assert REFERENCE_ENGINES._idle
    assert len(PLAYERS._idle) == 2
    InProcessWorkers().finish()
    assert not REFERENCE_ENGINES._idle
    assert not PLAYERS._idle


def test_tuner_keeps_only_the_players_of_one_duel():
    for column in range(1, 6):
        with PLAYERS.borrow(f"{ENGINE} column={column}"):
            pass
    assert len(PLAYERS._idle) == 2
    InProcessWorkers().stop()


def change(config, before, after):
    text = config.read_text()
    assert before in text
    config.write_text(text.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('"spsa"', '"magic"', "a player and a method"),
        ("iterations", "itertions", "unknown setting 'itertions'"),
        ("stones={stones}", "stones=3", "no {stones} in the player"),
        ("low = 1", "low = 9", "low must be below high"),
        ("low = 1", "lowest = 1", "needs name, low and high"),
        ('size = "7"', 'size = "70"', "unacceptable size"),
        ("{stones}", "{stones} start=die", "no license"),
        ("[[parameters]]", "[parameters]", r"write \[\[parameters\]\]"),
        ("iterations = 12", 'iterations = "12"', "iterations must be of type int"),
        ("iterations = 12", "window = 3", "unknown setting 'window': method spsa has"),
        ("komi = 0.5", "seed = -1", "seed must not be negative"),
        ('scoring = "tromp-taylor"', 'reference = {command = 5, positions = "."}', "both strings"),
        (
            'scoring = "tromp-taylor"',
            'reference = {command = "me", positions = []}',
            "both strings",
        ),
        ("low = 1", "low = 1\nera = 2", "without gaps"),
        ("low = 1", 'low = 1\nera = "two"', "without gaps"),
        ("low = 1", 'low = 1\nleast = "none"', "needs name, low and high"),
    ],
)
def test_rejects_invalid_tuning_config(config, tmp_path, before, after, complaint):
    change(config, before, after)
    with pytest.raises(TengenError, match=complaint):
        main(["tune", str(config), "-o", str(tmp_path / "out")])


@pytest.mark.parametrize(
    ("eras", "settings", "complaint"),
    [
        ((0, 1), {}, "without gaps"),
        ((1, 3), {}, "without gaps"),
        ((1, 2), {"era_tournaments": 5}, "era_tournaments must be of type tuple"),
        ((1, 2), {"era_tournaments": ["5", "6"]}, "integers"),
        ((1, 2), {"iterations": 5}, "unknown setting 'iterations': method population has"),
    ],
)
def test_rejects_invalid_eras(eras, settings, complaint):
    parameters = [{"name": f"p{n}", "low": 0, "high": 1, "era": e} for n, e in enumerate(eras)]
    table = {"method": "population", "player": "tengen", "parameters": parameters, **settings}
    with pytest.raises(TengenError, match=complaint):
        tune_config(table, "test").tuner()


def test_rejects_eras_of_spsa():
    parameters = [{"name": n, "low": 0, "high": 1, "era": e} for n, e in (("a", 1), ("b", 2))]
    with pytest.raises(TengenError, match="eras need method population"):
        tune_config({"method": "spsa", "player": "tengen", "parameters": parameters}, "test")


def test_population_plays_a_tournament_between_engines(config, tmp_path):
    change(config, '"spsa"', '"population"')
    change(config, "iterations = 12", "longest_period = 1\nwindow = 1\nera_periods = 1")
    change(config, "start = 3\n        spread = 1\n", "")
    folder = tmp_path / "out"
    assert main(["tune", str(config), "-o", str(folder)]) == 0
    assert len((folder / "log.jsonl").read_text().splitlines()) == 1 + 28
    assert "Era 1: 1 tournaments, 1 periods" in (folder / "report.html").read_text()


def test_parameters_are_admitted_in_their_era():
    table = {"method": "population", "player": "tengen"}
    parameters = [{"name": n, "low": 0, "high": 1, "era": e} for n, e in (("a", 1), ("b", 2))]
    tuner = tune_config({**table, "parameters": parameters}, "test").tuner()
    assert [interval.parameter.name for interval in tuner.intervals] == ["a"]


def test_reports_of_both_tuners(tmp_path):
    population = Population([[Parameter("a", 0, 16)]], PopulationSettings(), seed=1)
    for tuner in (spsa(), population):
        for _ in range(28):
            duel = tuner.next_duel()
            tuner.take(duel.number, HillObjective.hill.fight(duel))
        assert tuner_path(tuner)
        page = write_tune_report(tuner, tmp_path)[0].read_text()
        assert "<svg" in page
        assert "not finished" in page


@pytest.mark.parametrize(
    ("text", "sure", "rate"),
    [
        (
            "\ninfo move E4 visits 9 winrate 4802 prior 1 info move D4 winrate 1\nplay E4",
            LZ,
            0.4802,
        ),
        ("info move E4 visits 9 utility -0.04 winrate 0.480018 scoreMean 1\nplay E4", 1, 0.480018),
        ("info move A1 winrate 1 \ninfo move B1 visits 2 winrate 10000 pv\nplay B1", LZ, 1.0),
        ("info move E4 visits 9 winrate 5.12e-05 scoreMean 1\nplay E4", 1, 5.12e-5),
        ("info move E4 visits 9 winrate 1 scoreMean 1\nplay E4", 1, 1.0),
        ("info move E4 visits 9 winrate 1 scoreMean 1\nplay E4", LZ, 1e-4),
    ],
)
def test_parses_win_rates(text, sure, rate):
    assert last_win_rate(text, sure) == pytest.approx(rate)


@pytest.mark.parametrize(
    "text",
    ["play E4", "info move E4 winrate 5.12", "info move E4 winrate nan info move D4 winrate 0.5"],
)
def test_rejects_missing_win_rates(text):
    with pytest.raises(TengenError, match="no win rate"):
        last_win_rate(text, 1)


@pytest.mark.parametrize("rate", ["1", "5.12e-05"])
def test_kata_analyze_win_rates(rate):
    judge = ReferenceEngine(f"{ENGINE} kata={rate}")
    judge.new_game(MatchSettings(9, 9), 1)
    assert judge.win_rate(BLACK, 20) == float(rate)
    judge.close()


@pytest.mark.parametrize(
    ("score", "rates"), [("W+9", (0, 1)), ("B+2.5", (1, 0)), ("0", (0.5, 0.5))]
)
def test_reference_engine_without_report_is_asked_for_the_score(score, rates):
    judge = ReferenceEngine(f"{ENGINE} over=1 score={score}")
    judge.new_game(MatchSettings(9, 9), 1)
    assert (judge.win_rate(BLACK, 20), judge.win_rate(WHITE, 20)) == rates
    judge.close()


def test_positions_are_drawn_after_the_setup(tmp_path):
    games, settings = tmp_path / "games.sgf", MatchSettings(9, 9)
    games.write_text("(;SZ[9]HA[4]AB[cc][gg][cg][gc];W[ee];B[dd])")
    lines = load_games(str(games), settings)
    objective = ReferenceObjective(ENGINE, ENGINE, settings, lines, seed=1)
    drawn = [objective.task(Duel(number, {}, {})).moves for number in range(20)]
    assert {len(moves) for moves in drawn} == {4, 5}


def test_evaluated_players_get_a_clock():
    settings = MatchSettings(9, 9, time_control=TimeControl.parse("100ms/move"))
    task = ReferenceTask(("tengen threads=1", ENGINE), f"{ENGINE} likes=6", settings, (), seed=1)
    with PLAYERS.borrow(task.players[0]) as player:
        pass
    task.run()
    assert player._clock is not None


def test_number_of_loaded_games_is_limited(tmp_path, monkeypatch):
    games = tmp_path / "games.sgf"
    games.write_text("(;SZ[9];B[aa])(;SZ[19];B[aa])" + "(;SZ[9];B[bb])" * 3)
    monkeypatch.setattr("tengen.match.tuning.objective.MAX_GAMES", 3)
    assert len(load_games(str(games), MatchSettings(9, 9))) == 3


def test_example_config_names_known_settings():
    config = read_tune_config(EXAMPLES / "adaptive_terms.toml")
    names = [parameter.name for parameter in config.parameters]
    EngineSettings().with_overrides(f"{name}=0" for name in names)
    assert config.tuner().progress == (0, 4000)
