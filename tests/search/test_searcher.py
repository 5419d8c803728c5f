"""The searcher: memory limit, subtree reuse, threads, superko, algorithms, determinism."""

import dataclasses
import math

import numpy as np
import pytest
from search_helpers import PRIORS, SEEDS, board, engine_settings, point, search, searcher

from tengen.board import PASS, Ko, Position, Rules
from tengen.engine import create_engine
from tengen.playout.policy import LIGHT_POLICY
from tengen.search import (
    EvaluatorSet,
    Searcher,
    SearchLimit,
    SearchSettings,
    searcher as searcher_module,
    tree as tree_module,
)
from tengen.search.limit import SimulationBudget
from tengen.search.tree import MIN_NODES, ROOT
from tengen.sources import PythonSource, source_table
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

CAPTURE = """
    . . X . O . .
    . X X X O O .
    . X O O X O .
    . X O O . O .
    . X O O X O .
    . . X X O O .
    . . X . O . .
"""
"""Black E4 takes six stones and wins by about 13 points; White E4 saves them and wins by 5."""


# Determinism and threads


def test_same_seed_gives_the_same_search():
    reports = [search(Position(9), 700, seed=4) for _ in range(2)]
    assert reports[0].candidates == reports[1].candidates
    assert np.array_equal(reports[0].ownership, reports[1].ownership)


def test_split_runs_equal_one_run():
    """The boundaries of batches have no effect."""
    single, split = searcher(seed=2), searcher(seed=2)
    for engine in (single, split):
        engine.set_position(Position(7))
    single.run(SearchLimit(simulations=500))
    for total in (3, 130, 131, 500):
        split.run(SearchLimit(simulations=total))
    assert single.report().candidates == split.report().candidates


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("memory_mib", [1, 64])
def test_setting_the_same_position_continues_its_tree(threads, memory_mib):
    """Free memory must not be reset, or nodes would be allocated twice."""
    engine = searcher(seed=2, threads=threads, memory_mib=memory_mib)
    for _ in range(4):
        engine.set_position(Position(5))
        engine.run(SearchLimit(simulations=3000))
    tree = engine._tree
    seen, waiting = set(), [ROOT]
    while waiting:
        node = waiting.pop()
        assert node not in seen
        seen.add(node)
        waiting += tree.children(node)
    assert len(seen) <= tree.nodes_used(engine._workers)


def test_restricted_search_does_not_limit_the_next():
    engine = searcher()
    engine.set_position(Position(5), [point(Position(5), "C3")])
    engine.run(SearchLimit(simulations=50))
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=50))
    assert len(engine.report().candidates) == 26


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("simulations", [1, 100, 1000])
def test_runs_the_exact_number_of_simulations(threads, simulations):
    assert search(Position(9), simulations, threads=threads).simulations == simulations


def test_visits_of_children_add_up():
    report = search(board(CAPTURE, komi=4.5), 1500)
    assert sum(c.visits for c in report.candidates) == report.visits == 1500


def test_two_threads_choose_as_well_as_one():
    """A few updates may be lost."""
    position = board(CAPTURE, komi=4.5)
    one, two = (search(position, 4000, threads=threads) for threads in (1, 2))
    best = point(position, "E4")
    assert one.candidates[0].move == two.candidates[0].move == best
    assert two.simulations == 4000
    assert two.visits == pytest.approx(4000, rel=0.02)
    assert sum(c.visits for c in two.candidates) == pytest.approx(4000, rel=0.02)
    assert two.value == pytest.approx(one.value, abs=0.1)
    assert two.nodes > 1000


def test_budget():
    budget = SimulationBudget(10)
    assert [budget.take(4) for _ in range(4)] == [4, 4, 2, 0]
    budget.give_back(3)
    assert budget.take(4) == 3
    endless, odd = SimulationBudget(float("inf")), SimulationBudget(1.5)
    assert endless.take(128) == endless.take(128) == 128
    assert endless._left == float("inf")
    assert [odd.take(8), odd.take(8), odd._left] == [1, 0, 0]
    assert SimulationBudget(-5).take(1) == 0


def test_stop_ends_a_search():
    engine = searcher()
    engine.set_position(Position(9))
    engine.run(SearchLimit(), progress=lambda running: running.stop())
    assert 0 < engine.simulations < 1000


def test_stops_when_no_move_can_overtake():
    engine = searcher()
    engine.set_position(board(CAPTURE, komi=4.5))
    engine.run(SearchLimit(simulations=20000, stop_when_decided=True))
    assert engine.simulations < 20000
    first, second = engine.report().candidates[:2]
    assert first.visits - second.visits > 20000 - engine.simulations - 200


# Algorithms


@pytest.mark.parametrize("kind", ["uct", "rave", "puct"])
@pytest.mark.parametrize("final", ["visits", "value", "lcb"])
def test_every_algorithm_finds_a_capture(kind, final):
    position = board(CAPTURE, komi=4.5)
    settings = {"algorithm": kind, "final_choice": final, "uct_exploration": 0.7, "fpu_value": 0.5}
    moves = [
        search(position, 2000, seed, policy=LIGHT_POLICY, sources=("even",), **settings)
        .candidates[0]
        .move
        for seed in SEEDS
    ]
    assert moves.count(point(position, "E4")) >= 2


def test_flat_search_finds_a_capture():
    position = board(CAPTURE, komi=4.5)
    engine = create_engine(engine_settings("algorithm=flat", "flat_playouts=200", "playouts=1"))
    report = engine.think(position).report
    assert position.vertex(report.candidates[0].move) == "E4"
    assert {c.visits for c in report.candidates} == {200}


def test_allowed_moves_are_the_only_candidates():
    position = board(CAPTURE, komi=4.5)
    allowed = [point(position, vertex) for vertex in ("A1", "G7")]
    engine = searcher()
    engine.set_position(position, allowed)
    engine.run(SearchLimit(simulations=300))
    assert {c.move for c in engine.report().candidates} == {PASS, *allowed}


def test_searches_beyond_two_passes():
    """As in a clean-up, where the capture is still possible."""
    position = board(CAPTURE, komi=4.5)
    position.play(PASS)
    position.play(PASS)
    engine = searcher(seed=1)
    engine.set_position(position)
    engine.run(SearchLimit(simulations=1000))
    best = engine.report().candidates[0]
    assert engine.simulations == 1000
    assert best.move == point(position, "E4")
    assert position.is_over, "the caller's position is not modified"


# Subtree reuse


@pytest.mark.parametrize("algorithm", ["rave", "puct"])
def test_reused_subtree_keeps_its_statistics(algorithm):
    position = Position(7)
    engine = searcher(algorithm=algorithm)
    engine.set_position(position)
    engine.run(SearchLimit(simulations=3000))
    tree = engine._tree
    best = engine.report().candidates[0].move
    child = tree.child_with_move(ROOT, best)
    before = {
        int(tree.arrays.move[n]): [float(field[n]) for field in filter(len, tree.arrays[3:])]
        for n in tree.children(child)
    }
    visits, wins = float(tree.arrays.visits[child]), float(tree.arrays.wins[child])
    position.play(best)
    engine.set_position(position)
    arrays = tree.arrays
    after = {
        int(arrays.move[n]): [float(field[n]) for field in filter(len, arrays[3:])]
        for n in tree.children(ROOT)
    }
    assert after == before
    assert (float(arrays.visits[ROOT]), float(arrays.wins[ROOT])) == (visits, wins)
    report = engine.report()
    assert report.simulations == 0
    assert report.visits == int(visits)
    assert report.value == pytest.approx(1 - wins / visits)


def test_subtree_is_reused_after_two_moves():
    position = Position(7)
    engine = searcher()
    engine.set_position(position)
    engine.run(SearchLimit(simulations=3000))
    line = engine.report().candidates[0].line[:2]
    for move in line:
        position.play(move)
    engine.set_position(position)
    kept = engine.report().visits
    assert kept > 20
    engine.run(SearchLimit(simulations=100))
    assert engine.report().visits == kept + 100


@pytest.mark.parametrize("change", ["undo", "other game", "komi", "turn", "no reuse"])
def test_tree_is_discarded_when_invalid(change):
    position = Position(7)
    position.play(point(position, "D4"))
    engine = searcher(subtree_reuse=change != "no reuse")
    engine.set_position(position)
    engine.run(SearchLimit(simulations=500))
    if change == "undo":
        position.undo()
    elif change == "other game":
        position.undo()
        position.play(point(position, "C3"))
    elif change == "komi":
        position.rules = position.rules.with_komi(33.5)
    elif change == "turn":
        position.to_play = position.to_play.opponent
    else:
        position.play(engine.report().candidates[0].move)
    engine.set_position(position)
    assert engine.report().visits == 0


# Memory


def test_memory_limit_holds_and_the_choice_stays_good():
    position = board(CAPTURE, komi=4.5)
    engine = Searcher(
        SearchSettings(threads=1, memory_mib=1, expansion_visits=1),
        LIGHT_POLICY,
        EvaluatorSet(source_table(PRIORS.sources())),
        seed=1,
    )
    engine.set_position(position)
    capacity = engine._tree.capacity
    assert capacity < 2**20 / 36
    most = 0

    def watch(running):
        nonlocal most
        most = max(most, running.report().nodes)

    engine.run(SearchLimit(simulations=12000), watch)
    report = engine.report()
    assert most <= capacity
    assert most > capacity // 2, "the test must fill the memory"
    assert report.simulations == 12000
    assert report.candidates[0].move == point(position, "E4")
    assert sum(c.visits for c in report.candidates) == report.visits == 12000


def test_most_visited_nodes_are_kept_when_memory_is_full():
    engine = searcher(memory_mib=1, expansion_visits=4)
    engine.set_position(Position(5))
    tree = engine._tree
    while tree.nodes_used(engine._workers) < 0.8 * tree.capacity:
        engine.run(SearchLimit(simulations=engine.simulations + 10))
    before = tree.arrays.visits.copy(), tree.arrays.child_count.copy()
    nodes = np.arange(1, tree.nodes_used(engine._workers))
    opened = np.sort(before[0][nodes][before[1][nodes] > 0])[::-1]
    tree.keep_subtree(ROOT)
    tree.divide_free_nodes(engine._workers)
    used = tree.nodes_used(engine._workers)
    assert used <= tree.capacity // 2
    kept = tree.arrays.visits[1:used][tree.arrays.child_count[1:used] > 0]
    assert len(kept) > 10
    assert sorted(kept, reverse=True) == list(opened[: len(kept)]), "those with the most visits"


def test_two_threads_within_the_memory_limit():
    engine = searcher(threads=2, memory_mib=1, expansion_visits=1)
    engine.set_position(Position(9))
    engine.run(SearchLimit(simulations=6000))
    assert engine.simulations == 6000
    assert engine.report().nodes <= engine._tree.capacity


def test_smallest_memory_suffices_for_the_largest_board():
    engine = searcher(memory_mib=1)
    assert engine._tree.capacity >= MIN_NODES
    engine.set_position(Position(19))
    engine.run(SearchLimit(simulations=300))
    assert engine.simulations == 300


# Superko


def before_a_repetition(seed: int) -> tuple[Position, int]:
    """Return a position of a random game and a move that only superko forbids."""
    random = np.random.default_rng(seed)
    rules = Rules(komi=0.5, ko=Ko.POSITIONAL)
    while True:
        position = Position(2, 3, rules)
        for _ in range(60):
            legal = position.legal_moves()
            forbidden = set(legal_under_simple_ko(position)) - set(legal)
            if forbidden:
                return position, forbidden.pop()
            position.play(int(random.choice([*legal, PASS])))


def legal_under_simple_ko(position: Position) -> list[int]:
    """Return the root moves under simple ko, the only ko rule of the tree."""
    simple = Position.from_block(position.block)
    simple.rules = dataclasses.replace(position.rules, ko=Ko.SIMPLE)
    return simple.legal_moves()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["uct", "rave", "puct"])
def test_superko_moves_are_not_candidates(seed, kind):
    position, forbidden = before_a_repetition(seed)
    report = search(position, 200, algorithm=kind, uct_exploration=0.7)
    assert forbidden not in {c.move for c in report.candidates}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("sources", [("even",), ()])
@pytest.mark.parametrize("komi", [0.5, 100.5])
def test_superko_moves_of_a_reused_tree_are_not_chosen(seed, sources, komi):
    """Even if every move loses and there are no priors."""
    position, forbidden = before_a_repetition(seed)
    earlier = position.copy()
    earlier.undo()
    for game in (position, earlier):
        game.rules = game.rules.with_komi(komi)
    engine = searcher(sources=sources, expansion_visits=1, score_weight=0.0)
    engine.set_position(earlier)
    engine.run(SearchLimit(simulations=300))
    engine.set_position(position)
    engine.run(SearchLimit(simulations=300))
    visits = {c.move: c.visits for c in engine.report().candidates}
    assert visits.get(forbidden, 0) == 0
    assert engine.report().candidates[0].move != forbidden


# Sources in Python


def test_failing_source_is_reported_and_the_search_continues():
    calls = []

    def broken(position):
        calls.append(position)
        raise ValueError("no idea")

    source = PythonSource("broken", "nothing", broken)
    evaluators = EvaluatorSet(source_table(PRIORS.sources()), [source])
    engine = Searcher(SearchSettings(threads=1, memory_mib=64), LIGHT_POLICY, evaluators, 1)
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=200))
    (problem,) = engine.problems
    assert problem.startswith("source broken failed in test_searcher.py, line ")
    assert problem.endswith(": ValueError('no idea')")
    assert len(calls) == 1, "it is not called again"
    assert engine.report().simulations == 200


@pytest.mark.parametrize("threads", [1, 2])
def test_python_source_is_called_for_every_new_node(threads):
    calls = []

    def corner(position):
        calls.append(len(position.moves))
        values = np.full((position.rows, position.columns), np.nan)
        values[0, 0] = 1.0
        return values

    source = PythonSource("corner", "likes A5", corner, equivalent_visits=1000.0)
    evaluators = EvaluatorSet(source_table([]), [source])
    settings = SearchSettings(threads=threads, memory_mib=64, expansion_visits=1)
    engine = Searcher(settings, LIGHT_POLICY, evaluators, 1)
    position = Position(5)
    engine.set_position(position)
    engine.run(SearchLimit(simulations=100))
    report = engine.report()
    assert position.vertex(report.candidates[0].move) == "A5"
    assert report.candidates[0].prior_visits == 1000
    assert report.simulations == 100
    assert len(calls) > 50


def test_failing_source_does_not_affect_another_of_the_same_name():
    def raising(position):
        raise ValueError("no idea")

    calls = []
    good = PythonSource("idea", "", lambda p: calls.append(p) or np.ones((p.rows, p.columns)))
    sources = [PythonSource("idea", "", raising), good]
    settings = SearchSettings(threads=1, memory_mib=16)
    engine = Searcher(settings, LIGHT_POLICY, EvaluatorSet(source_table([]), sources), seed=1)
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=100))
    assert len(calls) > 1
    assert len(engine.problems) == 1


def test_python_source_respects_its_depth():
    depths = []

    def watch(position):
        depths.append(int((position.board() > 0).sum()))
        return np.full((position.rows, position.columns), np.nan)

    source = PythonSource("watch", "nothing", watch, to_depth=1)
    evaluators = EvaluatorSet(source_table([]), [source])
    engine = Searcher(
        SearchSettings(threads=1, memory_mib=64, expansion_visits=1), LIGHT_POLICY, evaluators, 1
    )
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=300))
    assert depths.count(0) >= 1
    assert set(depths) == {0, 1}


def test_many_threads_fit_in_little_memory():
    engine = searcher(threads=64, memory_mib=1)
    engine.set_position(Position(19))
    engine.run(SearchLimit(simulations=64))
    assert len(engine.report().candidates) == 362


def test_reports_insufficient_memory(monkeypatch):
    def refuse(nodes, has_puct):
        raise MemoryError

    monkeypatch.setattr(tree_module, "new_tree", refuse)
    with pytest.raises(TengenError, match="not enough memory for a tree of 300000 MiB"):
        searcher(memory_mib=300_000)


def test_search_ends_before_visits_overflow(monkeypatch):
    monkeypatch.setattr(searcher_module, "MAX_VISITS", 300)
    engine = searcher()
    engine.set_position(Position(5))
    engine.run(SearchLimit())
    assert 300 <= engine.simulations < 600


def test_lcb_ignores_moves_with_few_visits():
    """Its bound is higher than that of the most visited move, but too few visits support it."""
    engine = searcher(final_choice="lcb")
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=200))
    tree, children = engine._tree.arrays, engine._tree.children(1)
    tree.visits[children.start : children.stop] = tree.results[children.start : children.stop] = 0
    well_known, lucky = children.start, children.start + 1
    tree.visits[well_known], tree.results[well_known], tree.wins[well_known] = 500, 500, 300
    tree.visits[lucky], tree.results[lucky], tree.wins[lucky] = 1, 1, 1.0
    best, second = engine.report().candidates[:2]
    assert best.visits == 500
    assert second.lcb > best.lcb


def with_two_moves(first, second, **settings):
    """Return a report in which two root moves have (visits, wins, squares) and the rest none."""
    engine = searcher(final_choice="lcb", **settings)
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=10))
    tree, children = engine._tree.arrays, engine._tree.children(1)
    tree.visits[children.start : children.stop] = tree.results[children.start : children.stop] = 0
    for node, (visits, wins, squares) in zip(children, (first, second), strict=False):
        tree.visits[node] = tree.results[node] = visits
        tree.wins[node] = wins
        if len(tree.squares):
            tree.squares[node] = squares
    return engine.report().candidates[:2]


@pytest.mark.parametrize(("stdevs", "most"), [(0.5, 40), (5.0, 100)])
def test_lower_confidence_bound_by_hand(stdevs, most):
    """0.60 of 40 is 0.1 better than 0.50 of 100; their standard errors are 0.0775 and 0.05."""
    best, _ = with_two_moves((100, 50, 50), (40, 24, 24), lcb_stdevs=stdevs)
    bounds = [0.5 - stdevs * 0.05, 0.6 - stdevs * math.sqrt(0.24 / 40)]
    assert best.visits == most == (100, 40)[int(np.argmax(bounds))]


def test_lower_confidence_bound_from_the_variance_of_the_rewards():
    """Rewards of 0.7 or 0.3 have a fifth of the variance of wins and losses."""
    squares = [visits * (mean**2 + 0.04) for visits, mean in ((100, 0.5), (40, 0.6))]
    first, second = (100, 50, squares[0]), (40, 24, squares[1])
    plain, _ = with_two_moves(first, second, lcb_stdevs=4.0)
    sampled, other = with_two_moves(first, second, lcb_stdevs=4.0, lcb_sample=True)
    assert plain.visits == 100
    assert sampled.visits == 40
    assert sampled.standard_error == pytest.approx(math.sqrt(0.04 / 40), rel=0.01)
    assert other.standard_error == pytest.approx(math.sqrt(0.04 / 100), rel=0.01)


def test_moves_with_a_small_share_of_the_visits_are_not_chosen():
    first, second = (100, 50, 50), (40, 36, 36)
    assert with_two_moves(first, second, lcb_min_share=0.39)[0].visits == 40
    assert with_two_moves(first, second, lcb_min_share=0.41)[0].visits == 100


def test_wide_root_noise_applies_only_to_analysis():
    position, limit = Position(9).after("E5 C3"), SearchLimit(simulations=400)

    def tried(wide_root_noise, is_dynamic):
        engine = create_engine(engine_settings(f"wide_root_noise={wide_root_noise}"))
        report = engine.analyze(position, limit, is_dynamic=is_dynamic)
        return [candidate.visits for candidate in report.candidates]

    assert max(tried(0.3, False)) < 0.7 * max(tried(0.0, False))
    assert tried(0.3, True) == tried(0.0, True)
