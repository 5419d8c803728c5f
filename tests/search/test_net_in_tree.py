"""Networks in the tree, with artificial networks: batches, mixing, values, failures."""

import math
import time

import numpy as np
import pytest
from hand_made_nets import REDUCTION, Broken, C, HashNet, Opinion, searched, searcher
from search_helpers import PRIORS, point

from tengen.board import BLACK, PASS, WHITE, Position, Rules
from tengen.board.kernels import layout
from tengen.board.kernels.area import area_balance
from tengen.engine import parse_source
from tengen.search import EvaluatorWeights, SearchLimit
from tengen.search.settings import GameStage
from tengen.search.tree import ROOT
from tengen.sources import PythonSource, source_table

pytestmark = pytest.mark.kernels

pytestmark = pytest.mark.kernels


# Reference search: plain PUCT, one leaf at a time.


class Node:
    def __init__(self, move, policy):
        self.move, self.policy, self.visits, self.wins, self.children = move, policy, 0, 0.0, []


def slow_puct(net, position, simulations, lead_weight=0.0):
    """Return the root after some simulations of plain PUCT; values are for the player who moved.

    `lead_weight` is the share of the score margin in the value.
    """
    unit = 0.7 * position.rows

    def mixed(win, lead):
        return (1 - lead_weight) * win + lead_weight * (0.5 + math.atan(lead / unit) / math.pi)

    root = Node(None, 1.0)
    for _ in range(simulations):
        board, path, line = position.copy(), [root], []
        while path[-1].children and not board.is_over:
            path.append(best_child(path[-1]))
            board.play(path[-1].move)
            line.append(path[-1].move)
        if board.is_over:
            lead = area_balance(board.block) - board.rules.komi
            lead *= 1 if board.to_play == 1 else -1
            win_to_play = mixed(float(lead > 0), lead)
        else:
            policy, values, leads = net.evaluate(position, [line], board.block[None], 0)
            expand(path[-1], board, policy[0])
            win_to_play = mixed(float(values[0]), float(leads[0]))
        for up, node in enumerate(reversed(path)):
            node.visits += 1
            node.wins += 1 - win_to_play if up % 2 == 0 else win_to_play
    return root


def expand(node, board, policy):
    moves = [m for m in board.legal_moves() if m != PASS and not fills_eye(board, m)] + [PASS]
    total = sum(float(policy[m]) for m in moves)
    node.children = [Node(m, float(policy[m]) / total) for m in moves]


def fills_eye(board, move):
    from tengen.board.kernels.tactics import is_eye

    return bool(is_eye(board.block, np.uintp(move), np.uintp(board.to_play)))


def best_child(node):
    # The search counts the visit before it selects.
    n = node.visits + 1
    unseen = 1 - node.wins / node.visits - REDUCTION

    def value(child):
        q = child.wins / child.visits if child.visits else unseen
        return q + C * child.policy * math.sqrt(n) / (1 + child.visits)

    return max(node.children, key=value)


@pytest.mark.parametrize("lead_weight", [0.0, 0.4])
def test_batches_of_one_are_plain_puct(lead_weight):
    position = Position(4, rules=Rules(komi=0.5))
    found = searched(
        HashNet(),
        150,
        position,
        net_batch=1,
        lead_weight=lead_weight,
        search={"score_weight": 0.0},
    )
    root = slow_puct(HashNet(), position, 150, lead_weight)
    visits = {child.move: child.visits for child in root.children if child.visits}
    assert {c.move: c.visits for c in found.candidates if c.visits} == visits


# Batches and threads


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [1, 8, 64])
@pytest.mark.parametrize("simulations", [1, 100, 777])
def test_runs_the_exact_number_of_simulations(threads, batch, simulations):
    """With two threads, a few updates of visit counts may be lost."""
    report = searched(HashNet(), simulations, threads=threads, net_batch=batch)
    assert report.simulations == simulations
    visits = sum(c.visits for c in report.candidates)
    allowed = 0 if threads == 1 else 0.05 * simulations
    assert visits == pytest.approx(simulations - 1, abs=allowed)


def test_leaves_are_evaluated_in_batches():
    net = HashNet()
    searched(net, 800, Position(9), net_batch=8, net_batch_growth=0)
    assert max(net.sizes) == 8
    assert np.mean(net.sizes) > 6


@pytest.mark.parametrize("virtual_loss", [0.0, 1.0])
def test_batches_find_much_the_same_value_as_single_leaves(virtual_loss):
    search = {"virtual_loss": virtual_loss}
    single, batched = (searched(HashNet(), 2000, net_batch=b, search=search) for b in (1, 8))
    assert batched.value == pytest.approx(single.value, abs=0.015)


def test_batches_grow_with_the_visits_of_the_root():
    net = HashNet()
    searched(net, 60, Position(9), net_batch=4, net_batch_growth=10)
    assert net.sizes[:10] == [1] * 10, "up to ten visits"
    assert max(net.sizes[:15]) == 2
    assert max(net.sizes) == 4


def test_root_temperature_flattens_the_policy_of_the_root_only():
    plain, tempered = (
        searcher(HashNet(), search={"root_temperature": temperature}) for temperature in (1.0, 2.0)
    )
    policies = []
    for engine in (plain, tempered):
        engine.set_position(Position(5))
        engine.run(SearchLimit(simulations=1))
        policies.append({c.move: c.policy for c in engine.report().candidates})
    roots = {move: math.sqrt(share) for move, share in policies[0].items()}
    total = sum(roots.values())
    expected = {move: root / total for move, root in roots.items()}
    assert policies[1] == pytest.approx(expected, rel=1e-4)
    tempered.run(SearchLimit(simulations=50))
    best = tempered.report().candidates[0].move
    nodes = tempered._tree.children(tempered._tree.child_with_move(ROOT, best))
    below = tempered._tree.arrays.policy[nodes.start : nodes.stop].copy()
    tempered.set_position(Position(5).after(Position(5).vertex(best)))
    again = tempered._tree.arrays.policy[2 : 2 + len(below)]
    assert again == pytest.approx(np.sqrt(below) / np.sqrt(below).sum(), rel=1e-4)
    same = again.copy()
    tempered.set_position(Position(5).after(Position(5).vertex(best)))
    assert np.array_equal(same, tempered._tree.arrays.policy[2 : 2 + len(below)])


def test_small_memory_suffices():
    report = searched(HashNet(), 5000, Position(9), search={"memory_mib": 1})
    assert report.simulations == 5000


# Policy and value


def test_policy_attracts_visits():
    preferred = point(Position(5), "B2")
    report = searched(Opinion(preferred=preferred), 100)
    assert report.candidates[0].move == preferred
    assert report.candidates[0].policy > 0.9


@pytest.mark.parametrize("kind", ["puct", "rave", "uct"])
def test_value_decides(kind):
    good = point(Position(5), "B2")
    report = searched(Opinion(good=good), 600, search={"algorithm": kind})
    assert report.candidates[0].move == good
    assert report.candidates[0].value > 0.8


@pytest.mark.parametrize("kind", ["auto", "rave"])
def test_net_without_influence_is_not_evaluated(kind):
    net, search = HashNet(), {"algorithm": kind}
    words = {"net_weight": 0.0, "playout_share": 1.0}
    with_net = searched(net, 300, sources=PRIORS.sources(), search=search, **words)
    alone = searched(None, 300, sources=PRIORS.sources(), search=search)
    assert net.sizes == []
    assert with_net.candidates == alone.candidates


@pytest.mark.parametrize(
    "word", ["net_turn", "net_entropy", "playout_left", "playout_phase", "lead_weight"]
)
def test_net_with_influence_is_evaluated(word):
    net = HashNet()
    searched(net, 10, **{"net_weight": 0.0, "playout_share": 1.0, word: 0.01})
    assert net.sizes


@pytest.mark.parametrize(("kind", "keeps_visits"), [("rave", 1), ("puct", 0)])
def test_policy_weights_zero_and_one(kind, keeps_visits):
    """PUCT uses the policy only; otherwise sources keep their equivalent visits."""
    preferred, search = point(Position(5), "B2"), {"algorithm": kind}
    alone = searcher(None, sources=PRIORS.sources(), search=search)
    alone.set_position(Position(5))
    alone.run(SearchLimit(simulations=1))
    for weight, words in ((0.0, "engine"), (1.0, "net"), (0.5, "both")):
        use = {"net_weight": weight, "net_visits": 0}
        report = searched(
            Opinion(preferred=preferred), 1, sources=PRIORS.sources(), search=search, **use
        )
        by_move = {c.move: c for c in report.candidates}
        engine = {c.move: c for c in alone.report().candidates}
        for move, candidate in by_move.items():
            net = (1000 if move == preferred else 1) / 1025
            wanted = (1 - weight) * engine[move].policy + weight * net
            assert candidate.policy == pytest.approx(wanted, rel=1e-4), words
            prior = keeps_visits * (1 - weight) * engine[move].prior_visits
            assert candidate.prior_visits == pytest.approx(prior, rel=1e-4)


def test_policy_as_equivalent_visits():
    preferred = point(Position(5), "B2")
    report = searched(Opinion(preferred=preferred), 1, net_visits=50, search={"algorithm": "rave"})
    prior = {c.move: c for c in report.candidates}[preferred]
    assert prior.prior_visits == pytest.approx(50 * math.sqrt(1000 / 1025), rel=1e-4)
    assert prior.prior_value == pytest.approx(1.0)


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_leaf_value_is_a_mix_of_net_and_playout(share):
    """The network's value is always 0.5; Black owns the board and wins every playout."""
    board = "X . X X\nX X X .\nX X X X\nX X X X"
    position = Position.from_diagram(board, rules=Rules(komi=0.5))
    report = searched(Opinion(), 1, position, playout_share=share, search={"score_weight": 0.0})
    assert report.value == pytest.approx((1 - share) * 0.5 + share)


def test_ownership_is_recorded_without_playouts_in_the_value():
    board = "X . X X\nX X X .\nX X X X\nX X X X"
    position = Position.from_diagram(board, rules=Rules(komi=0.5))
    assert searched(Opinion(), 50, position).ownership.min() == 1


@pytest.mark.parametrize("simulations", [1, math.inf])
def test_policy_is_followed_late_in_the_game(simulations):
    preferred = point(Position(9), "F4")
    engine = searcher(Opinion(preferred=preferred), net_batch=8)
    engine.set_position(Position(9))
    engine.run(SearchLimit(simulations=simulations, until_s=0.0))
    assert engine.report().candidates[0].move == preferred
    assert engine.simulations <= simulations
    assert engine.report().candidates[0].visits == (0 if simulations == 1 else 1)


class Slow(HashNet):
    """Takes a fixed time per position."""

    LEAF_S = 0.02

    def evaluate(self, root, lines, blocks, komi):
        time.sleep(self.LEAF_S * len(blocks))
        return super().evaluate(root, lines, blocks, komi)


def test_slow_net_gets_smaller_batches_when_time_is_short():
    net = Slow()
    engine = searcher(net, net_batch=16)
    engine.set_position(Position(9))
    engine.run(SearchLimit.after(25 * Slow.LEAF_S))
    assert max(net.sizes) <= 16
    assert net.sizes[-1] < 16, "batches fit into the remaining time"


def test_threads_share_few_simulations():
    engine = searcher(Slow(), threads=4, net_batch=4)
    engine.set_position(Position(9))
    engine.run(SearchLimit(simulations=65))
    assert engine.simulations == 65
    shares = [int(worker.counters["simulations"][0]) for worker in engine._workers]
    assert min(shares) > 4


def test_python_sources_are_inactive_beside_a_net_of_full_weight():
    calls = []
    source = PythonSource("loud", "", lambda position: calls.append(position) or np.ones((9, 9)))
    engine = searcher(Opinion(), python=[source])
    engine.set_position(Position(9))
    engine.run(SearchLimit(simulations=50))
    assert not calls
    (problem,) = engine.problems
    assert problem.startswith(
        "source loud is not used because the network's policy replaces all priors"
    )
    both = searcher(Opinion(), python=[source], net_weight=0.5)
    both.set_position(Position(9))
    both.run(SearchLimit(simulations=50))
    assert calls
    assert both.problems == []


@pytest.mark.parametrize("settings", [{"net_weight": 0.5}, {}])
def test_root_filter_applies_beside_a_net_at_every_move(settings):
    """It cannot be applied to a reused subtree."""
    filters = parse_source("potential@20,filter=pf4,use=filter,switch=0.5,depth=0")
    engine = searcher(HashNet(), sources=[filters], beside=source_table([filters]), **settings)
    position = Position(9)
    for _ in range(3):
        engine.set_position(position)
        engine.run(SearchLimit(simulations=100))
        kept = [c for c in engine.report().candidates if c.move != PASS]
        assert len(kept) == (len(position.legal_moves()) + 1) // 2
        position.play(kept[0].move)


def test_playout_share_grows_during_the_game():
    use = EvaluatorWeights(playout_share=0.2, playout_phase=0.5)
    shares = [
        use.net_weights(0, GameStage(played, 100)).playout_share for played in (0, 60, 100, 200)
    ]
    assert shares == [0.2, 0.5, 0.7, 1.0]
    engine = searcher(Opinion(), playout_share=0.0, playout_phase=1.0)
    position = Position(5)
    for vertex in ("C3", "D3", "C2", "D2", "C4"):
        position.play(point(position, vertex))
    engine.set_position(position)
    assert engine._evaluators.net.weights.playout_share == pytest.approx(0.2)


def test_playout_share_grows_as_fewer_points_are_left():
    use = EvaluatorWeights(playout_share=1.2, playout_left=0.02)
    for points in (81, 361):
        stages = [GameStage(points - left, points) for left in (60, 40, 20, 5, 0, -30)]
        shares = [use.net_weights(0, stage).playout_share for stage in stages]
        assert shares == pytest.approx([0, 0.4, 0.8, 1, 1, 1])


def test_disagreement_raises_the_playout_share_linearly():
    use = EvaluatorWeights(disagreement_points=50)
    shares = [
        use.net_weights(0, GameStage(9, 81, gap)).playout_share for gap in (0, 50, 75, 100, 300)
    ]
    assert shares == [0, 0, 0.5, 1, 1]
    assert EvaluatorWeights().net_weights(0, GameStage(9, 81, 300)).playout_share == 0, (
        "disabled by default"
    )
    late = EvaluatorWeights(disagreement_points=50, playout_share=0.2)
    shares = [late.net_weights(0, GameStage(9, 81, gap)).playout_share for gap in (0, 55, 75)]
    assert shares == [0.2, 0.2, 0.5]


class Leading(Opinion):
    """Reports a fixed lead of Black for every board."""

    def __init__(self, points):
        super().__init__()
        self.points = points

    def evaluate(self, root, lines, blocks, komi):
        policy, wins, _ = super().evaluate(root, lines, blocks, komi)
        black = blocks[:, int(layout.TO_PLAY)] == int(layout.BLACK)
        return policy, wins, np.where(black, self.points, -self.points).astype(np.float32)


@pytest.mark.parametrize("centering", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_score_utility_is_centered_at_the_lead_of_the_root(centering, to_play):
    """The net says 14 points everywhere; the utility of its win rate is 0.5."""
    position = Position(5)
    position.to_play = to_play
    report = searched(Leading(14), 20, position, lead_weight=0.4, lead_centering=centering)
    sign = 1 if to_play == BLACK else -1
    margin = 0.5 + math.atan(sign * (14 - centering * 14) / (0.7 * 5)) / math.pi
    expected = 0.6 * 0.5 + 0.4 * margin
    visited = [c for c in report.candidates if c.visits and c.move != PASS]
    assert visited
    assert all(c.utility == pytest.approx(expected, abs=1e-5) for c in visited)


def test_the_center_of_the_score_utility_stays_with_the_tree():
    position = Position(5)
    engine = searcher(Leading(14), lead_weight=0.4, lead_centering=1.0)
    for _ in range(2):
        engine.set_position(position)
        engine.run(SearchLimit(simulations=40))
        visited = [c for c in engine.report().candidates if c.visits and c.move != PASS]
        assert all(c.utility == pytest.approx(0.5, abs=1e-5) for c in visited)
        position.play(visited[0].move)


def won_by_black(komi, whites_turn):
    """Return a 5x5 board with two black walls: all of it is Black's."""
    position = Position(5, rules=Rules(komi=komi))
    for vertex in [f"{column}{row}" for row in (2, 4) for column in "ABCDE"]:
        position.play(point(position, vertex))
        position.play(PASS)
    if whites_turn:
        position.play(PASS)
        position.block[layout.PASSES] = 0
    return position


@pytest.mark.parametrize("whites_turn", [False, True])
@pytest.mark.parametrize(("lead", "share"), [(25, 0), (10, 0.5), (-10, 1), (50, 1)])
def test_net_lead_is_compared_with_playouts(lead, share, whites_turn):
    """An unusual komi is not a disagreement."""
    engine = searcher(Leading(lead), disagreement_points=10)
    engine.set_position(won_by_black(107.5, whites_turn))
    assert engine._evaluators.net.weights.playout_share == 0
    engine.run(SearchLimit(simulations=8))
    assert engine._evaluators.net.weights.playout_share == pytest.approx(share, abs=0.2)


def test_setup_stones_count_as_moves():
    """Few points are left, as in a game with the same stones."""
    played = won_by_black(7.5, whites_turn=False)
    set_up = Position.from_diagram(played.diagram(), rules=played.rules)
    shares = []
    for position in (played, set_up):
        engine = searcher(Leading(0), playout_share=1, playout_left=0.04)
        engine.set_position(position)
        shares.append(engine._evaluators.net.weights.playout_share)
    assert shares == pytest.approx([0.8, 0.4])


def test_playouts_overrule_a_net_they_disagree_with():
    class Wrong(Leading):
        def evaluate(self, root, lines, blocks, komi):
            policy, _, leads = super().evaluate(root, lines, blocks, komi)
            return policy, np.where(leads > 0, 0.99, 0.01).astype(np.float32), leads

    position = won_by_black(0.5, whites_turn=True)
    assert searched(Wrong(-20), 16, position).value > 0.9, "the network decides by default"
    assert searched(Wrong(-20), 16, position, disagreement_points=10).value < 0.1


# Failures


@pytest.mark.parametrize("threads", [1, 2])
def test_net_that_raises_is_reported_and_the_search_continues(threads):
    engine = searcher(Broken(), threads=threads, sources=PRIORS.sources())
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=200))
    assert engine.report().simulations == 200
    assert any("out of neurons" in problem for problem in engine.problems)


class InvalidNet(HashNet):
    """Returns an invalid number from some call on."""

    def __init__(self, calls, output):
        super().__init__()
        self.calls, self.output = calls, output

    def evaluate(self, root, lines, blocks, komi):
        opinion = super().evaluate(root, lines, blocks, komi)
        if len(self.sizes) > self.calls:
            for part in opinion:
                part[0] = self.output
        return opinion


@pytest.mark.parametrize("output", [math.nan, math.inf, -math.inf])
def test_non_finite_output_is_reported_and_the_search_continues(output):
    engine = searcher(InvalidNet(3, output))
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=100))
    assert engine.problems == ["the network failed: ValueError('outputs are not finite')"]
    values = [c.value for c in engine.report().candidates]
    assert all(math.isfinite(value) for value in values)


def test_failed_net_is_reactivated_in_the_next_game():
    net = InvalidNet(3, math.nan)
    engine = searcher(net)
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=100))
    assert engine.problems
    net.calls = 10**6
    engine.restart(2)
    assert engine.problems == []
    count = len(net.sizes)
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=100))
    assert len(net.sizes) > count
    assert engine.problems == []


def test_net_that_raises_in_the_comparison_is_reported():
    engine = searcher(Broken(), sources=PRIORS.sources(), disagreement_points=10)
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=50))
    assert engine.report().simulations == 50
    assert any("out of neurons" in problem for problem in engine.problems)


def test_small_board_is_searched_without_the_net():
    net = HashNet()
    net.smallest_board = 5
    engine = searcher(net, sources=PRIORS.sources())
    for size, is_used in ((4, False), (5, True), (4, True)):
        engine.set_position(Position(size))
        engine.run(SearchLimit(simulations=20))
        assert engine.report().simulations == 20
        assert bool(net.sizes) is is_used
