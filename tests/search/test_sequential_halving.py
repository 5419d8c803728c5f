"""Sequential halving at the root, computed by hand."""

import math
from collections import Counter

import numpy as np
import pytest
from hand_made_nets import HashNet, searcher
from search_helpers import ROOT, family, formula

from tengen.board import Position
from tengen.search import SearchLimit
from tengen.search.kernels.selection import NOT_PLANNED, PUCT, planned_child
from tengen.search.kernels.worker import new_root_plan
from tengen.search.sequential_halving import halving_targets

pytestmark = pytest.mark.kernels

VALUE_VISITS, VALUE_SCALE = 50.0, 0.5


@pytest.mark.parametrize(
    ("moves", "simulations", "targets"),
    [
        (1, 3, [0, 1, 2]),
        (2, 2, [0, 0]),
        (2, 5, [0, 0, 1, 1, 2]),
        (3, 5, [0, 0, 0, 1, 1]),
        (4, 8, [0, 0, 0, 0, 1, 1, 2, 2]),
        (8, 24, [0] * 8 + [1] * 4 + [2] * 4 + [3, 3, 4, 4, 5, 5, 6, 6]),
    ],
)
def test_targets_by_hand(moves, simulations, targets):
    assert halving_targets(moves, simulations) == targets


@pytest.mark.parametrize("moves", [1, 2, 3, 5, 16, 82])
def test_every_target_can_be_met(moves):
    """There is always a move with as many visits as the plan asks for."""
    for simulations in range(1, 130):
        visits = Counter({0: moves})
        for target in halving_targets(moves, simulations):
            assert visits[target] > 0
            visits[target] -= 1
            visits[target + 1] += 1


def plan_for(scores, targets, old_visits=()):
    plan = new_root_plan()
    plan.scores[: len(scores)] = scores
    plan.old_visits[: len(old_visits)] = old_visits
    plan.targets[: len(targets)] = targets
    plan.header[0] = len(targets), VALUE_VISITS, VALUE_SCALE
    return plan


def planned(tree, plan):
    child = int(planned_child(tree, np.uintp(ROOT), plan, formula(PUCT)))
    return None if child == NOT_PLANNED else child - ROOT - 1


def test_unvisited_moves_are_chosen_by_their_score():
    tree = family(1, [{}, {}, {}])
    assert planned(tree, plan_for([-2.0, -0.5, -1.0], [0, 0, 0])) == 1


def test_only_moves_with_the_planned_visits_are_chosen():
    tree = family(3, [{"visits": 1, "wins": 1}, {"visits": 1, "wins": 1}, {}])
    assert planned(tree, plan_for([0.0, 0.0, -9.0], [0, 0, 0])) == 2


@pytest.mark.parametrize(("difference", "expected"), [(2.59, 1), (2.61, 0)])
def test_scores_and_values_by_hand(difference, expected):
    """0.6 against 0.5 at (50 + 2) * 0.5 per unit of value: 2.6."""
    children = [{"visits": 2, "wins": 1.0}, {"visits": 2, "wins": 1.2}]
    plan = plan_for([difference, 0.0], [0, 0, 1, 1, 2, 2])
    assert planned(family(5, children), plan) == expected


@pytest.mark.parametrize(("difference", "expected"), [(5.39, 1), (5.41, 0)])
def test_unvisited_moves_have_the_value_of_the_root(difference, expected):
    """After reuse: the root is worth 0.7 here, the move with 4 old visits 0.5."""
    children = [{"visits": 4, "wins": 2.0}, {}]
    tree = family(10, children, wins=3.0)
    plan = plan_for([difference, 0.0], [0, 0], old_visits=[4, 0])
    assert planned(tree, plan) == expected


def test_after_the_plan_the_root_is_searched_by_puct():
    tree = family(3, [{"visits": 1}, {"visits": 1}])
    assert planned(tree, plan_for([0.0, 0.0], [0, 0])) is None


def halved(simulations, position=None, engine=None, **search):
    engine = engine or searcher(HashNet(), net_batch=1, search={"algorithm": "gumbel", **search})
    engine.set_position(position or Position(5))
    engine.run(SearchLimit(simulations=simulations))
    return engine.report()


def test_a_search_visits_the_moves_of_the_plan():
    """The root takes one simulation of nine; four moves get one, the better two three."""
    report = halved(9, gumbel_moves=4)
    assert sorted(c.visits for c in report.candidates)[-5:] == [0, 1, 1, 3, 3]
    visited = {c.move for c in report.candidates if c.visits}
    best = sorted(report.candidates, key=lambda c: -c.policy)[:4]
    assert visited == {c.move for c in best}


@pytest.mark.parametrize("scale", [0.0, 0.1, 100.0])
def test_the_choice_is_among_the_moves_of_the_last_phase(scale):
    report = halved(33, gumbel_moves=8, gumbel_value_scale=scale)
    most = max(c.visits for c in report.candidates)
    last = [c for c in report.candidates if c.visits >= most - 1]

    def score(candidate):
        weight = (50 + most) * scale
        return math.log(candidate.policy) + weight * candidate.value

    assert report.candidates[0] == max(last, key=score)


@pytest.mark.parametrize("simulations", [1, 2, 3, 4, 8, 16, 32, 64])
@pytest.mark.parametrize("batch", [1, 8])
def test_any_number_of_simulations(simulations, batch):
    engine = searcher(HashNet(), net_batch=batch, search={"algorithm": "gumbel"})
    report = halved(simulations, engine=engine)
    assert report.simulations == simulations
    assert sum(c.visits for c in report.candidates) == simulations - 1
    if simulations == 1:
        assert report.candidates[0].policy == max(c.policy for c in report.candidates)
    else:
        assert report.candidates[0].visits > 0


def test_the_choice_is_deterministic_unless_there_is_noise():
    def chosen(noise):
        engine = searcher(HashNet(), search={"algorithm": "gumbel", "gumbel_noise": noise})
        moves = set()
        for seed in range(12):
            engine.restart(seed)
            moves.add(halved(8, engine=engine).candidates[0].move)
        return moves

    assert len(chosen(0.0)) == 1
    assert len(chosen(3.0)) > 1


def test_reused_visits_are_not_part_of_the_plan():
    engine = searcher(HashNet(), net_batch=1, search={"algorithm": "gumbel", "gumbel_moves": 4})
    position = Position(5)
    move = halved(60, position, engine).candidates[0].move
    position.play(move)
    engine.set_position(position)
    old = {c.move: c.visits for c in engine.report().candidates}
    assert sum(old.values()) > 5
    report = halved(8, position, engine)
    new = sorted(c.visits - old.get(c.move, 0) for c in report.candidates)
    assert new[-5:] == [0, 1, 1, 3, 3]


def test_a_time_limit_is_planned_by_the_speed():
    engine = searcher(HashNet(), net_batch=1, search={"algorithm": "gumbel"})
    engine.set_position(Position(5))
    engine.run(SearchLimit.after(0.3))
    report = engine.report()
    assert report.simulations > 4
    assert report.candidates[0].visits >= max(c.visits for c in report.candidates) - 1


@pytest.mark.parametrize("simulations", [2, 9, 33, 64])
def test_batches_of_a_round_change_nothing(simulations):
    def visits(batch):
        net = HashNet()
        engine = searcher(net, net_batch=batch, search={"algorithm": "gumbel", "gumbel_moves": 8})
        report = halved(simulations, engine=engine)
        return [(c.move, c.visits, c.value) for c in report.candidates], max(net.sizes)

    (single, _), (batched, largest) = visits(1), visits(16)
    assert batched == single
    assert largest == min(8, simulations - 1)


def test_puct_is_not_planned():
    report = halved(100, algorithm="puct", gumbel_moves=2)
    assert sum(c.visits > 0 for c in report.candidates) > 2
