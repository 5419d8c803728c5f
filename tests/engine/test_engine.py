"""The engine: it repeats itself with a seed, ends games in time, and bears bad sources."""

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tengen.board.color import BLACK, WHITE
from tengen.board.points import PASS, fixed_handicap_points
from tengen.board.position import Position
from tengen.board.rules import Rules, rules_named
from tengen.engine import search_engine as engine_module
from tengen.engine.clock import Clock, TimeControl
from tengen.engine.endgame import is_late, is_open, may_be_over
from tengen.engine.engine import MoveReason, MoveRestrictions
from tengen.engine.search_engine import create_engine
from tengen.engine.settings import EngineSettings
from tengen.playout.scoring import score_by_playouts, score_position
from tengen.search.limit import SearchLimit
from tengen.sources.source import PythonSource, load_source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QUICK = ["threads=1", "seed=11", "memory_mib=8"]


def clock_of(text):
    return Clock(TimeControl.parse(text))


def engine(*words, sources=()):
    settings = EngineSettings().with_overrides([*QUICK, "playouts=100", *words])
    return create_engine(replace(settings, sources=tuple(sources)))


def played(position, decision):
    return position.vertex(decision.move)


# Repeating


def test_the_same_seed_gives_the_same_move_twice():
    reports = [engine("playouts=300").think(Position(9)).report for _ in range(2)]
    assert reports[0].candidates == reports[1].candidates
    assert np.array_equal(reports[0].ownership, reports[1].ownership)


def test_another_seed_searches_otherwise():
    first, second = (engine(f"seed={seed}").think(Position(9)).report for seed in (1, 2))
    assert first.candidates != second.candidates


def test_the_same_seed_gives_the_same_game_in_other_processes():
    words = ["gtp", *QUICK, "playouts=60"]
    typed = "boardsize 7\n" + "genmove b\ngenmove w\n" * 3
    said = [
        subprocess.run(
            [sys.executable, "-m", "tengen.cli.main", *words],
            input=typed,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert said[0] == said[1]
    assert said[0].count("=") == 7


@pytest.mark.kernels
@pytest.mark.parametrize("kind", ["rave", "uct", "puct", "flat"])
def test_every_kind_of_search_plays(kind):
    position = Position(5)
    decision = engine(f"algorithm={kind}", "flat_playouts=4").think(position)
    assert position.is_legal(decision.move)


def test_the_position_is_left_alone():
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


def test_it_passes_when_nothing_is_left():
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
def test_where_nobody_agrees_dead_stones_are_captured(words):
    """Black has 28 points to 21; with a dead stone that still stands 29 to 18."""
    rules = {name: rules_named(name).with_komi(8.5) for name in ("chinese", "tromp-taylor")}
    settled = Position.from_diagram(DEAD_INSIDE, WHITE, rules["chinese"])
    player = engine("resign=0", *words)
    assert player.think(settled).move == PASS
    position = Position.from_diagram(DEAD_INSIDE, WHITE, rules["tromp-taylor"])
    assert score_position(position).score > 0, "as it stands"
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
    """Under territory rules it would fill its own."""
    position = Position.from_diagram(SETTLED, BLACK, rules_named("japanese").with_komi(1.0))
    clock = clock_of(time)
    assert engine("resign=0").think(position, clock).move == PASS


def test_judging_is_left_out_where_it_would_take_too_long():
    player = engine()

    def judges(size, clock):
        return player._has_time_to_score(Position(size), clock)

    assert judges(19, None)
    assert judges(19, clock_of("1.1s"))
    assert not judges(19, clock_of("0.9s"))
    assert judges(9, clock_of("0.3s"))
    assert judges(19, clock_of("3x0.8s"))
    assert judges(19, clock_of("1s/move"))
    assert not judges(19, clock_of("2s/5"))


def test_it_fills_the_last_dame_under_area_scoring():
    position = Position.from_diagram(WITH_DAME, BLACK, Rules(komi=0.5))
    decision = engine().think(position)
    assert played(position, decision) in ("E7", "E6", "D4")


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_it_takes_or_saves_what_decides(to_play):
    """Two white stones can be taken or saved at one point, and the game hangs on them."""
    position = Position.from_diagram(WITH_CAPTURE, to_play, Rules(komi=4.5))
    assert played(position, engine("playouts=200").think(position)) == "D5"


def test_a_settled_board_is_passed_by_winner_and_loser():
    """Playing on would only annoy the opponent."""
    for komi in (1.0, -1.0):
        position = Position.from_diagram(SETTLED, BLACK, Rules(komi=komi))
        decision = engine("resign=0").think(position)
        assert (decision.move, decision.reason) == (PASS, MoveReason.GAME_OVER)


def test_a_pass_that_is_not_wished_is_not_played():
    """The board is settled: it would pass, searched or not."""
    position = Position.from_diagram(MORE_STONES.replace("X . X O . O", "X X X O O O"), BLACK)
    player = engine("resign=0")
    assert player.think(position).move == PASS
    assert player.think(position, restrictions=MoveRestrictions(frozenset([PASS]))).move != PASS


def test_a_full_board_leaves_only_the_pass():
    assert engine().think(Position(1)).move == PASS
    filled = Position.from_diagram(".X.X./XXXXX/.XXX./XXXXX/X.X.X", WHITE)
    decision = engine("resign=0").think(filled)
    assert filled.is_legal(decision.move)


# Resigning


def hopeless_game():
    """Return a game in which White has nothing, and has had many moves."""
    position = Position(9, rules=Rules(komi=0.5))
    stones = [point for point in position.points() if (point // 20) % 2 == 0]
    for point in stones:
        position.play(point, BLACK)
    position.to_play = WHITE
    return position


def test_it_resigns_when_it_is_hopeless():
    position = hopeless_game()
    decision = engine("playouts=400").think(position)
    assert decision.resigns
    assert not engine("playouts=400", "resign=0").think(position).resigns


@pytest.mark.parametrize(("net", "resigns"), [("none", False), ("default", True)])
def test_a_net_needs_few_simulations_to_know_that_all_is_lost(net, resigns):
    """Else `strong`, which has a hundred of them on 19x19, would never resign."""
    position = Position(7, rules=rules_named("chinese").with_komi(60.5))
    words = ("playouts=30", "resign_after=0", "dynamic_komi=no", f"net={net}")
    assert engine(*words).think(position).resigns is resigns


@pytest.mark.parametrize("before", [(), ("E5", "C5")])
def test_an_early_pass_ends_no_game(before):
    """Komi alone would win it for White."""
    position = Position(9, rules=rules_named("chinese"))
    position = position.after(" ".join([*before, "pass"]))
    assert engine("playouts=20").think(position).move != PASS


def test_it_does_not_resign_at_once_in_a_handicap_game():
    position = Position(19, rules=rules_named("chinese").with_komi(0.5))
    position.place_handicap(fixed_handicap_points(19, 19, 9))
    player = engine("playouts=60")
    for _ in range(6):
        decision = player.think(position)
        assert not decision.resigns
        assert decision.move != PASS
        position.play(decision.move)


@pytest.mark.parametrize(("extra_komi", "resigns"), [(0.0, True), (12.0, True), (-12.0, False)])
def test_it_does_not_resign_what_is_lost_by_a_led_komi_only(extra_komi, resigns):
    """White is to play: below 0 the komi of the search is worse for White than the real one."""
    position = hopeless_game()
    player = engine("playouts=400", "resign=0")
    report = replace(player.think(position).report, extra_komi=extra_komi)
    willing = engine("playouts=400")
    assert willing._decide(position, report, None).resigns is resigns


@pytest.mark.parametrize("komi", [50.0, -50.0])
def test_any_komi_is_played_on(komi):
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
"""As areas 28 to 21; Black has put three stones more on the board."""


@pytest.mark.parametrize("words", [("net=none",), ("net=default",), ("algorithm=flat",)])
def test_stones_are_no_territory(words):
    """The search counts areas; under Japanese rules a stone more on the board is no point more."""
    player = engine("playouts=400", *words)
    rates = {}
    for rules in ("japanese", "tromp-taylor"):
        position = Position.from_diagram(MORE_STONES, BLACK, rules_named(rules).with_komi(5.5))
        rates[rules] = player.analyze(position, SearchLimit(simulations=400)).value
        assert (score_position(position).score > 0) == (rates[rules] > 0.5)
    assert rates["japanese"] < 0.5 < rates["tromp-taylor"]


@pytest.mark.parametrize("rules", ["japanese", "chinese"])
def test_whose_turn_it_is_does_not_change_what_stones_are_worth(rules):
    position = Position(9, rules=rules_named(rules))
    position.place_handicap(fixed_handicap_points(9, 9, 4))
    bonuses = []
    for move in position.legal_moves()[:6]:
        bonuses.append(position.area_komi)
        position.play(move)
    assert bonuses == [{"japanese": 6.5 + 3, "chinese": 7.5 + 4}[rules]] * 6


# The flat search


def test_the_flat_search_obeys_the_clock_and_stop():
    player = engine("algorithm=flat", "flat_playouts=100000")
    clock = clock_of("500ms")
    decision = player.think(Position(5), clock)
    assert 0 < decision.report.simulations < 25 * 100000
    shares = {candidate.visits for candidate in decision.report.candidates}
    assert len(shares) == 1, "all moves have as many"
    threading.Timer(0.2, player.stop).start()
    assert player.think(Position(5)).report.simulations < 25 * 100000


def test_the_flat_search_tells_how_far_it_is_and_may_be_ended_there():
    player, told = engine("algorithm=flat", "flat_playouts=1000"), []

    def progress(report):
        told.append(report().simulations)
        if len(told) == 3:
            player.stop()

    report = player.analyze(Position(5), SearchLimit(), progress)
    assert told == [250, 500, 750]
    assert report.simulations == 750


def test_every_seed_of_the_flat_search_is_as_good():
    """Random numbers that start at 0 stay there."""
    player = engine("algorithm=flat", "flat_playouts=20")
    player.restart(0)
    found = {c.value for c in player.analyze(Position(5), SearchLimit()).candidates}
    assert len(found) > 6


# Cleaning up

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
def test_cleaning_up_takes_dead_stones_off(to_play):
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
    assert position.prisoners(to_play) == 0, "nothing of its own was lost"


# Sources in Python


def corner_lover(visits=1000.0, **limits):
    return load_source(f"{EXAMPLES / 'corner_lover.py'}:corner_lover", visits, **limits)


def test_the_example_source_plays_in_the_corner():
    position = Position(9)
    decision = engine("playouts=200", sources=(corner_lover(),)).think(position)
    assert played(position, decision) in ("A1", "A9", "J1", "J9")
    assert played(position, engine("playouts=200").think(position)) not in ("A1", "A9", "J1", "J9")


def test_the_example_plays_from_the_command_line():
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


def test_a_source_that_raises_is_named_and_the_move_is_played():
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
    assert len(calls) == 1, "it is not asked again"


def watched(**limits):
    """Return a source without opinions, and the list of positions it was asked about."""
    asked = []

    def look(position):
        asked.append(position.copy())
        return np.full((position.rows, position.columns), np.nan)

    return PythonSource("watched", "", look, 20.0, **limits), asked


def test_a_source_is_asked_down_to_its_depth():
    for depth in (0, 1):
        source, asked = watched(to_depth=depth)
        engine("playouts=300", "expansion_visits=1", sources=(source,)).think(Position(5))
        stones = {sum(c != "." for c in p.diagram().replace("\n", "")) for p in asked}
        assert max(stones) == depth
        assert (len(asked) == 1) is (depth == 0)


def test_a_source_is_asked_before_its_move():
    source, asked = watched(before_move=2, to_depth=0)
    player = engine(sources=(source,))
    position = Position(5)
    for number in range(4):
        player.think(position)
        assert len(asked) == min(number + 1, 2)
        position.play(position.legal_moves()[0])


def test_a_source_for_the_root_is_asked_at_every_move():
    source, asked = watched(to_depth=0)
    player = engine("playouts=300", sources=(source,))
    position = Position(5)
    for number in range(4):
        decision = player.think(position)
        assert len(asked) == number + 1
        position.play(decision.move)


def test_a_source_for_root_and_children_reaches_nodes_that_come_nearer():
    source, asked = watched(to_depth=1)
    player = engine("playouts=300", sources=(source,))
    position = Position(5)
    decision = player.think(position)
    position.play(decision.move)
    before = len(asked)
    player.think(position)
    assert len(asked) > before + 1, "the new root, and its kept children"


# Time


def test_nothing_is_judged_after_the_time_of_a_move_is_used(monkeypatch):
    """Judging takes long on 19x19; after the search it could cost the game."""
    calls = []
    real = engine_module.assess_endgame

    def count(position):
        calls.append("judged")
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
    assert calls == ["judged", "searched", "searched"]


def test_a_late_board_where_much_is_open_is_not_judged(monkeypatch):
    """A glance tells it: judging would take a good part of a quick move."""
    position = Position(9)
    random = np.random.default_rng(3)
    while not is_late(position):
        position.play(int(random.choice(position.legal_moves())))
    player, judged = engine(), []
    monkeypatch.setattr(engine_module, "assess_endgame", judged.append)
    player.think(position)
    assert is_open(position)
    assert not judged
    monkeypatch.undo()
    position.play(PASS)
    assert may_be_over(position), "the opponent passed: it may be over all the same"


def test_a_finished_board_is_not_open():
    position = Position.from_diagram(WITH_DAME, WHITE, Rules(komi=1.0))
    assert may_be_over(position)


# Thinking on the opponent's time


def test_pondering_begins_and_ends():
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


def test_pondering_only_when_asked():
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


def test_a_move_is_found_even_if_the_time_is_over_before_it_began():
    player = engine()
    late = SearchLimit(until_s=0.0)
    report = player.analyze(Position(9), late)
    assert report.simulations > 0
    assert report.candidates[0].move != PASS
    player._limit = lambda *arguments: late
    decision = player.think(Position(9))
    assert decision.move != PASS
    assert decision.reason is MoveReason.SEARCHED
