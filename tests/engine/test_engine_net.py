"""The engine with a network: names, board sizes, complete games, errors."""

import numpy as np
import pytest

from tengen.board import PASS, Position
from tengen.engine import EngineSettings, create_engine
from tengen.engine.nets import DepthEvaluator, GameEvaluator, open_net
from tengen.nets import DEFAULT_NET, NetSettings
from tengen.nets.tengen_net import load_tengen_net
from tengen.search import SearchLimit, SearchSettings
from tengen.util import TengenError

pytestmark = pytest.mark.kernels


def engine(*words):
    usual = ["threads=1", "seed=3", "memory_mib=16", "playouts=40", "net=default"]
    return create_engine(EngineSettings().with_overrides([*usual, *words]))


def test_finds_net_by_name():
    assert open_net("none") is None
    assert open_net("default") is not None
    assert open_net(str(DEFAULT_NET)) is not None


def test_engines_share_a_net_unless_its_symmetry_differs():
    assert open_net("default") is open_net(str(DEFAULT_NET))
    assert open_net("default", "average") is not open_net("default")


@pytest.mark.parametrize("name", ["no/such/net.onnx", __file__])
def test_invalid_net_gives_a_one_line_error(name):
    with pytest.raises(TengenError) as error:
        create_engine(EngineSettings().with_overrides([f"net={name}"]))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "words", [(), ("algorithm=rave", "playout_share=0.5"), ("net_weight=0.5",)]
)
def test_complete_game(words):
    player = engine(*words)
    position = Position(7)
    while not position.is_over and len(position.moves) < 40:
        decision = player.think(position)
        assert position.is_legal(decision.move)
        position.play(decision.move)
    assert not player.problems


@pytest.mark.parametrize("size", [(5, 5), (9, 9), (7, 11)])
def test_board_sizes(size):
    decision = engine().think(Position(*size))
    assert decision.move != PASS


def test_same_seed_gives_the_same_move():
    moves = [engine().think(Position(9)).report.candidates for _ in range(2)]
    assert moves[0] == moves[1]


@pytest.mark.parametrize("symmetry", ["none", "random", "average"])
def test_evaluation_of_boards_and_positions_agrees(symmetry):
    """Tengen's networks evaluate boards; any network can evaluate positions."""
    settings = NetSettings(symmetry=symmetry)
    short, long = open_net("default", symmetry), GameEvaluator(load_tengen_net(settings=settings))
    root = Position(9)
    root.play(root.legal_moves()[30])
    lines = [[], [root.legal_moves()[50]], [root.legal_moves()[3], root.legal_moves()[40]]]
    boards = []
    for line in lines:
        board = root.copy()
        for move in line:
            board.play(move)
        boards.append(board.block)
    komi = root.rules.komi
    policy, win, lead = short.evaluate(root, lines, np.array(boards), komi)
    other_policy, other_win, other_lead = long.evaluate(root, lines, np.array(boards), komi)
    assert win == pytest.approx(other_win, abs=1e-4)
    assert lead == pytest.approx(other_lead, abs=1e-2)
    assert policy == pytest.approx(other_policy, abs=1e-4)


class ConstantNet:
    """A network with one win rate for all positions that records its calls."""

    smallest_board = 7

    def __init__(self, win):
        self.win, self.calls = win, []

    def evaluate(self, root, lines, blocks, komi):
        boards = [int(block[0]) for block in blocks]
        self.calls += zip(map(tuple, lines), boards, strict=True)
        win = np.full(len(lines), self.win)
        return np.full((len(lines), 424), self.win, np.float32), win, 10 * win


def test_two_nets_share_the_tree_by_depth():
    slow, fast = ConstantNet(0.25), ConstantNet(0.75)
    lines = [[1, 2], [], [1], [1, 2, 3]]
    blocks = np.arange(4, dtype=np.uint32)[:, None]
    policy, wins, leads = DepthEvaluator(slow, fast, 1).evaluate(Position(7), lines, blocks, 7.5)
    assert wins.tolist() == [0.75, 0.25, 0.25, 0.75]
    assert leads.tolist() == [7.5, 2.5, 2.5, 7.5]
    assert policy[:, 0].tolist() == wins.tolist()
    assert slow.calls == [((), 1), ((1,), 2)]
    assert fast.calls == [((1, 2), 0), ((1, 2, 3), 3)]


def test_same_net_at_both_depths_gives_the_same_search():
    """Compare with a single network."""
    one = engine().think(Position(9)).report
    two = engine("net_below=default", "net_depth=1").think(Position(9)).report
    assert [c.visits for c in one.candidates] == [c.visits for c in two.candidates]


def test_net_below_requires_a_first_net():
    with pytest.raises(TengenError, match="requires a first network"):
        create_engine(EngineSettings().with_overrides(["net=none", "net_below=default"]))


def test_net_of_full_weight_ignores_priors():
    """Without priors, the search is the same."""
    no_priors = ["even=0", "tactics=0", "patterns=0", "distance=0", "lines=0", "shape=0"]
    position = Position(9).after("E5 C3")
    with_priors, without_priors = (
        engine(*words).analyze(position, SearchLimit(simulations=60)).candidates
        for words in ([], no_priors)
    )
    assert [(c.move, c.visits) for c in with_priors] == [(c.move, c.visits) for c in without_priors]


@pytest.mark.parametrize(("net", "by"), [("default", "lcb"), ("none", "visits")])
def test_final_choice_is_lcb_with_a_net(net, by):
    """The bound is that of the utility: value mixed with lead."""
    report = engine(f"net={net}").analyze(Position(9).after("E5"), SearchLimit(simulations=60))
    fewest = SearchSettings().lcb_min_share * max(c.visits for c in report.candidates)
    candidates = [c for c in report.candidates if c.visits >= max(fewest, 1)]
    bounds = [c.utility_lcb() if by == "lcb" else c.visits for c in candidates]
    assert len(bounds) > 3
    assert bounds == sorted(bounds, reverse=True)
    explicit = engine(f"net={net}", f"final_choice={by}")
    same = explicit.analyze(Position(9).after("E5"), SearchLimit(simulations=60))
    assert [c.move for c in same.candidates] == [c.move for c in report.candidates]


def test_filter_applies_beside_a_net_of_full_weight():
    filtering = engine("prior=potential@20,filter=pf9,use=filter,switch=0.5")
    report = filtering.analyze(Position(9).after("E5 C3"), SearchLimit(simulations=20))
    assert len(report.candidates) < 50
