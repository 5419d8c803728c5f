"""The engine: reproducibility, passing, resigning, failing sources, time."""

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tengen.board import BLACK, PASS, WHITE, Position, Rules, fixed_handicap_points, rules_named
from tengen.engine import (
    Clock,
    EngineSettings,
    MoveReason,
    MoveRestrictions,
    TimeControl,
    create_engine,
    search_engine as engine_module,
)
from tengen.engine.endgame import is_late, is_open, may_be_over
from tengen.playout import score_by_playouts, score_position
from tengen.search import SearchLimit
from tengen.sources import PythonSource, load_source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QUICK = ["threads=1", "seed=11", "memory_mib=8"]


def clock_of(text):
    return Clock(TimeControl.parse(text))


def engine(*words, sources=()):
    settings = EngineSettings().with_overrides([*QUICK, "playouts=100", *words])
    return create_engine(replace(settings, sources=tuple(sources)))


def played(position, decision):
    return position.vertex(decision.move)


# Reproducibility


def test_same_seed_gives_the_same_move():
    reports = [engine("playouts=300").think(Position(9)).report for _ in range(2)]
    assert reports[0].candidates == reports[1].candidates
    assert np.array_equal(reports[0].ownership, reports[1].ownership)


def test_another_seed_gives_another_search():
    first, second = (engine(f"seed={seed}").think(Position(9)).report for seed in (1, 2))
    assert first.candidates != second.candidates


def test_same_seed_gives_the_same_game_in_other_processes():
    words = ["gtp", *QUICK, "playouts=60"]
    typed = "boardsize 7\n" + "genmove b\ngenmove w\n" * 3
    outputs = [
        subprocess.run(
            [sys.executable, "-m", "tengen.cli.main", *words],
            input=typed,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count("=") == 7


@pytest.mark.kernels
@pytest.mark.parametrize("kind", ["rave", "uct", "puct", "flat"])
def test_every_algorithm_plays(kind):
    position = Position(5)
    decision = engine(f"algorithm={kind}", "flat_playouts=4").think(position)
    assert position.is_legal(decision.move)


def test_position_is_not_modified():
    position = Position.from_diagram("..X../.O.../...../...../.....", WHITE)
    before = position.copy()
    engine().think(position)
    assert np.array_equal(position.block, before.block)
    assert position.moves == before.moves


# The end of the game

SETTLED = """
    . X X O O . O
    X X . X O O .
    . X X X O . O
    X . X X O O O
    X X X X O O .
    X X . X O . O
    . X X X O O O
"""
WITH_DAME = """
    . X . X . O .
    X X X X . O O
    . . X X O O .
    X X X . O O O
    X . X X O . O
    X X X X O O O
    . X . X O . O
"""
WITH_CAPTURE = """
    . X . X O . O
    X X X X O O O
    X X O . O . O
    X X O X O O O
    X X X X O . O
    X . X X O O O
    X X . X O O .
"""


def test_passes_when_nothing_is_left():
    for to_play in (BLACK, WHITE):
        komi = 1.0 if to_play is BLACK else 20.0
        position = Position.from_diagram(SETTLED, to_play, Rules(komi=komi))
        decision = engine().think(position)
        assert (decision.move, decision.reason) == (PASS, MoveReason.GAME_OVER)


DEAD_INSIDE = """
    . X . X O . O
    X X X X O O O
    X X X X O X .
    X X X X O . O
    X . X X O O O
    X X X X O . O
    . X . X O O O
"""


@pytest.mark.parametrize("words", [("net=none",), ("net=default",)])
def test_captures_dead_stones_if_rules_require_it(words):
    """Black has 28 points to 21, or 29 to 18 while a dead stone is on the board."""
    rules = {name: rules_named(name).with_komi(8.5) for name in ("chinese", "tromp-taylor")}
    settled = Position.from_diagram(DEAD_INSIDE, WHITE, rules["chinese"])
    player = engine("resign=0", *words)
    assert player.think(settled).move == PASS
    position = Position.from_diagram(DEAD_INSIDE, WHITE, rules["tromp-taylor"])
    assert score_position(position).score > 0, "with the dead stone"
    assert score_by_playouts(position).score < 0
    for _ in range(8):
        move = player.think(position).move
        position.play(move)
        if move == PASS:
            break
        position.play(PASS)
    assert position.prisoners(BLACK) == 1
    assert score_position(position).score < 0
    assert position.is_over


@pytest.mark.parametrize("time", ["1s/move", "1x1s"])
def test_passes_at_one_second_per_move(time):
    """Playing on would fill own territory."""
    position = Position.from_diagram(SETTLED, BLACK, rules_named("japanese").with_komi(1.0))
    clock = clock_of(time)
    assert engine("resign=0").think(position, clock).move == PASS


def test_endgame_assessment_needs_time():
    player = engine()

    def has_time(size, clock):
        return player._has_time_to_score(Position(size), clock)

    assert has_time(19, None)
    assert has_time(19, clock_of("1.1s"))
    assert not has_time(19, clock_of("0.9s"))
    assert has_time(9, clock_of("0.3s"))
    assert has_time(19, clock_of("3x0.8s"))
    assert has_time(19, clock_of("1s/move"))
    assert not has_time(19, clock_of("2s/5"))


def test_fills_the_last_dame_under_area_scoring():
    position = Position.from_diagram(WITH_DAME, BLACK, Rules(komi=0.5))
    decision = engine().think(position)
    assert played(position, decision) in ("E7", "E6", "D4")


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_finds_the_decisive_capture_or_escape(to_play):
    """Two white stones can be captured or saved at one point, which decides the game."""
    position = Position.from_diagram(WITH_CAPTURE, to_play, Rules(komi=4.5))
    assert played(position, engine("playouts=200").think(position)) == "D5"


def test_both_sides_pass_on_a_settled_board():
    """The losing side passes too."""
    for komi in (1.0, -1.0):
        position = Position.from_diagram(SETTLED, BLACK, Rules(komi=komi))
        decision = engine("resign=0").think(position)
        assert (decision.move, decision.reason) == (PASS, MoveReason.GAME_OVER)


def test_does_not_pass_if_restricted():
    """The board is settled, so the engine would pass."""
    position = Position.from_diagram(MORE_STONES.replace("X . X O . O", "X X X O O O"), BLACK)
    player = engine("resign=0")
    assert player.think(position).move == PASS
    assert player.think(position, restrictions=MoveRestrictions(frozenset([PASS]))).move != PASS


def test_passes_on_a_full_board():
    assert engine().think(Position(1)).move == PASS
    filled = Position.from_diagram(".X.X./XXXXX/.XXX./XXXXX/X.X.X", WHITE)
    decision = engine("resign=0").think(filled)
    assert filled.is_legal(decision.move)


# Resigning


def hopeless_game():
    """Return a long game in which White owns nothing."""
    position = Position(9, rules=Rules(komi=0.5))
    stones = [point for point in position.points() if (point // 20) % 2 == 0]
    for point in stones:
        position.play(point, BLACK)
    position.to_play = WHITE
    return position


def test_resigns_in_a_hopeless_game():
    position = hopeless_game()
    decision = engine("playouts=400").think(position)
    assert decision.resigns
    assert not engine("playouts=400", "resign=0").think(position).resigns


@pytest.mark.parametrize(("net", "resigns"), [("none", False), ("default", True)])
def test_resigns_with_few_simulations_of_a_net(net, resigns):
    """Otherwise a slow network would never resign on 19x19."""
    position = Position(7, rules=rules_named("chinese").with_komi(60.5))
    words = ("playouts=30", "resign_after=0", "dynamic_komi=no", f"net={net}")
    assert engine(*words).think(position).resigns is resigns


@pytest.mark.parametrize("before", [(), ("E5", "C5")])
def test_early_pass_is_not_answered_by_a_pass(before):
    """White would win by komi alone."""
    position = Position(9, rules=rules_named("chinese"))
    position = position.after(" ".join([*before, "pass"]))
    assert engine("playouts=20").think(position).move != PASS


def test_does_not_resign_early_in_a_handicap_game():
    position = Position(19, rules=rules_named("chinese").with_komi(0.5))
    position.place_handicap(fixed_handicap_points(19, 19, 9))
    player = engine("playouts=60")
    for _ in range(6):
        decision = player.think(position)
        assert not decision.resigns
        assert decision.move != PASS
        position.play(decision.move)


@pytest.mark.parametrize(("extra_komi", "resigns"), [(0.0, True), (12.0, True), (-12.0, False)])
def test_dynamic_komi_does_not_cause_resignation(extra_komi, resigns):
    """White is to play: below 0 the dynamic komi is worse for White than the real one."""
    position = hopeless_game()
    player = engine("playouts=400", "resign=0")
    report = replace(player.think(position).report, extra_komi=extra_komi)
    willing = engine("playouts=400")
    assert willing._decide(position, report, None).resigns is resigns


@pytest.mark.parametrize("komi", [50.0, -50.0])
def test_plays_with_any_komi(komi):
    position = Position(9, rules=Rules(komi=komi))
    player = engine("playouts=60")
    for _ in range(6):
        decision = player.think(position)
        assert decision.reason is MoveReason.SEARCHED
        assert decision.move != PASS
        position.play(decision.move)


# Territory


MORE_STONES = """
    . . . X O . .
    . X . X O . .
    . X . X O . O
    . X . X O . .
    . X . X O . O
    . X . X O . .
    . . . X O . .
"""
"""Areas are 28 to 21; Black has placed three more stones."""


@pytest.mark.parametrize("words", [("net=none",), ("net=default",), ("algorithm=flat",)])
def test_extra_stones_do_not_count_as_territory(words):
    """The search counts areas; under Japanese rules an extra stone is not an extra point."""
    player = engine("playouts=400", *words)
    rates = {}
    for rules in ("japanese", "tromp-taylor"):
        position = Position.from_diagram(MORE_STONES, BLACK, rules_named(rules).with_komi(5.5))
        rates[rules] = player.analyze(position, SearchLimit(simulations=400)).value
        assert (score_position(position).score > 0) == (rates[rules] > 0.5)
    assert rates["japanese"] < 0.5 < rates["tromp-taylor"]


@pytest.mark.parametrize("rules", ["japanese", "chinese"])
def test_territory_adjustment_does_not_depend_on_the_side_to_move(rules):
    position = Position(9, rules=rules_named(rules))
    position.place_handicap(fixed_handicap_points(9, 9, 4))
    bonuses = []
    for move in position.legal_moves()[:6]:
        bonuses.append(position.area_komi)
        position.play(move)
    assert bonuses == [{"japanese": 6.5 + 3, "chinese": 7.5 + 4}[rules]] * 6


# Flat search


def test_flat_search_respects_clock_and_stop():
    player = engine("algorithm=flat", "flat_playouts=100000")
    clock = clock_of("500ms")
    decision = player.think(Position(5), clock)
    assert 0 < decision.report.simulations < 25 * 100000
    shares = {candidate.visits for candidate in decision.report.candidates}
    assert len(shares) == 1, "all moves have equally many playouts"
    threading.Timer(0.2, player.stop).start()
    assert player.think(Position(5)).report.simulations < 25 * 100000


def test_flat_search_reports_progress_and_can_be_stopped():
    player, counts = engine("algorithm=flat", "flat_playouts=1000"), []

    def progress(report):
        counts.append(report().simulations)
        if len(counts) == 3:
            player.stop()

    report = player.analyze(Position(5), SearchLimit(), progress)
    assert counts == [250, 500, 750]
    assert report.simulations == 750


def test_flat_search_works_with_every_seed():
    """A generator with state 0 would stay at 0."""
    player = engine("algorithm=flat", "flat_playouts=20")
    player.restart(0)
    found = {c.value for c in player.analyze(Position(5), SearchLimit()).candidates}
    assert len(found) > 6


# Clean-up

UNCLEAN = """
    . X . X . X O . O
    X X X X X X O O .
    . . . . . X O . O
    . O . . . X O O O
    . . . . . X O . .
    . . . . . X O X .
    X X X X X X O . .
    . X . X . X O O O
    X . X . X X O . O
"""


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_clean_up_captures_dead_stones(to_play):
    position = Position.from_diagram(UNCLEAN, to_play, Rules(komi=0.5))
    enemy = "O" if to_play is BLACK else "X"
    before = position.diagram().count(enemy)
    player = engine("playouts=60")
    for _ in range(20):
        decision = player.clean_up(position)
        assert not decision.resigns
        if decision.move == PASS:
            break
        position.play(decision.move)
        position.play(PASS)
    assert position.diagram().count(enemy) == before - 1
    assert position.diagram().count("X" if enemy == "O" else "O") > 0
    assert position.prisoners(to_play) == 0, "no own stones were lost"


# Sources in Python


def corner_lover(visits=1000.0, **limits):
    return load_source(f"{EXAMPLES / 'corner_lover.py'}:corner_lover", visits, **limits)


def test_example_source_plays_in_the_corner():
    position = Position(9)
    decision = engine("playouts=200", sources=(corner_lover(),)).think(position)
    assert played(position, decision) in ("A1", "A9", "J1", "J9")
    assert played(position, engine("playouts=200").think(position)) not in ("A1", "A9", "J1", "J9")


def test_example_source_on_the_command_line():
    spec = f"{EXAMPLES / 'corner_lover.py'}:corner_lover"
    words = ["gtp", *QUICK, "playouts=200", "--prior", spec, "--equivalent-visits", "1000"]
    done = subprocess.run(
        [sys.executable, "-m", "tengen.cli.main", *words],
        input="boardsize 9\ngenmove b\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] in ("A1", "A9", "J1", "J9")


def test_failing_source_is_reported_and_a_move_is_played():
    calls = []

    def unlucky(position):
        calls.append(position)
        raise ValueError("no idea")

    def wrong_shape(position):
        return np.zeros(3)

    bad = (PythonSource("unlucky", "", unlucky), PythonSource("wrong", "", wrong_shape))
    player = engine(sources=bad)
    position = Position(9)
    assert position.is_legal(player.think(position).move)
    failed, wrong = player.problems
    assert failed.startswith("source unlucky failed in test_engine.py, line ")
    assert failed.endswith(": ValueError('no idea')")
    assert wrong == "source wrong returned shape (3,), not 9x9"
    player.think(position)
    assert len(calls) == 1, "it is not called again"


def watched(**limits):
    """Return a source without scores, and the list of positions it is called for."""
    calls = []

    def look(position):
        calls.append(position.copy())
        return np.full((position.rows, position.columns), np.nan)

    return PythonSource("watched", "", look, 20.0, **limits), calls


def test_source_is_called_down_to_its_depth():
    for depth in (0, 1):
        source, calls = watched(to_depth=depth)
        engine("playouts=300", "expansion_visits=1", sources=(source,)).think(Position(5))
        stones = {sum(c != "." for c in p.diagram().replace("\n", "")) for p in calls}
        assert max(stones) == depth
        assert (len(calls) == 1) is (depth == 0)


def test_source_is_called_before_its_move_limit():
    source, calls = watched(before_move=2, to_depth=0)
    player = engine(sources=(source,))
    position = Position(5)
    for number in range(4):
        player.think(position)
        assert len(calls) == min(number + 1, 2)
        position.play(position.legal_moves()[0])


def test_root_source_is_called_at_every_move():
    source, calls = watched(to_depth=0)
    player = engine("playouts=300", sources=(source,))
    position = Position(5)
    for number in range(4):
        decision = player.think(position)
        assert len(calls) == number + 1
        position.play(decision.move)


def test_source_is_called_for_reused_nodes_within_its_depth():
    source, calls = watched(to_depth=1)
    player = engine("playouts=300", sources=(source,))
    position = Position(5)
    decision = player.think(position)
    position.play(decision.move)
    before = len(calls)
    player.think(position)
    assert len(calls) > before + 1, "the new root and its reused children"


# Time


def test_endgame_is_not_assessed_after_the_time_is_used(monkeypatch):
    """Assessment takes long on 19x19 and could lose the game on time."""
    calls = []
    real = engine_module.assess_endgame

    def count(position):
        calls.append("assessed")
        return real(position)

    player = engine()
    search = player._search

    def searched(*arguments):
        calls.append("searched")
        return search(*arguments)

    monkeypatch.setattr(engine_module, "assess_endgame", count)
    monkeypatch.setattr(player, "_search", searched)
    position = Position.from_diagram(WITH_DAME, WHITE, Rules(komi=1.0))
    player.think(position, clock_of("3x10s"))
    player.think(position, clock_of("3x50ms"))
    assert calls == ["assessed", "searched", "searched"]


def test_late_but_open_board_is_not_assessed(monkeypatch):
    """The quick check saves the time of the assessment."""
    position = Position(9)
    random = np.random.default_rng(3)
    while not is_late(position):
        position.play(int(random.choice(position.legal_moves())))
    player, assessed = engine(), []
    monkeypatch.setattr(engine_module, "assess_endgame", assessed.append)
    player.think(position)
    assert is_open(position)
    assert not assessed
    monkeypatch.undo()
    position.play(PASS)
    assert may_be_over(position), "after a pass the game may be over"


def test_finished_board_is_not_open():
    position = Position.from_diagram(WITH_DAME, WHITE, Rules(komi=1.0))
    assert may_be_over(position)


# Pondering


def test_pondering_starts_and_stops():
    player = engine("ponder=yes")
    position = Position(5)
    for _ in range(3):
        player.ponder(position)
        player.ponder(position)
        position.play(position.legal_moves()[0])
        decision = player.think(position)
        assert position.is_legal(decision.move)
        position.play(decision.move)
    player.ponder(position)
    player.stop_pondering()
    player.stop_pondering()
    report = player.analyze(position, SearchLimit(simulations=50))
    assert report.simulations >= 50


def test_no_pondering_by_default():
    player = engine()
    player.ponder(Position(5))
    player.stop_pondering()
    assert player.analyze(Position(5), SearchLimit(simulations=1)).visits < 50


def test_no_pondering_when_the_game_is_over():
    player = engine("ponder=yes")
    position = Position(5)
    position.play(PASS)
    position.play(PASS)
    player.ponder(position)
    assert player._pondering is None


def test_finds_a_move_without_any_time():
    player = engine()
    late = SearchLimit(until_s=0.0)
    report = player.analyze(Position(9), late)
    assert report.simulations > 0
    assert report.candidates[0].move != PASS
    player._limit = lambda *arguments: late
    decision = player.think(Position(9))
    assert decision.move != PASS
    assert decision.reason is MoveReason.SEARCHED
