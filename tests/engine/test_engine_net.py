"""The engine with a net: by name, on every board, over whole games; clear words when it fails."""

import numpy as np
import pytest

from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.engine.nets import DepthEvaluator, GameEvaluator, open_net
from tengen.engine.search_engine import create_engine
from tengen.engine.settings import EngineSettings
from tengen.nets.net import NetSettings
from tengen.nets.tengen_net import DEFAULT_NET, load_tengen_net
from tengen.search.limit import SearchLimit
from tengen.search.settings import SearchSettings
from tengen.util.errors import TengenError

pytestmark = pytest.mark.kernels


def engine(*words):
    usual = ["threads=1", "seed=3", "memory_mib=16", "playouts=40", "net=default"]
    return create_engine(EngineSettings().with_overrides([*usual, *words]))


def test_a_net_is_found_by_name():
    assert open_net("none") is None
    assert open_net("default") is not None
    assert open_net(str(DEFAULT_NET)) is not None


def test_engines_share_a_net_unless_its_symmetry_differs():
    assert open_net("default") is open_net(str(DEFAULT_NET))
    assert open_net("default", "average") is not open_net("default")


@pytest.mark.parametrize("name", ["no/such/net.onnx", __file__])
def test_what_is_no_net_is_told_in_one_line(name):
    with pytest.raises(TengenError) as told:
        create_engine(EngineSettings().with_overrides([f"net={name}"]))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "words", [(), ("algorithm=rave", "playout_share=0.5"), ("net_weight=0.5",)]
)
def test_a_whole_game(words):
    player = engine(*words)
    position = Position(7)
    while not position.is_over and len(position.moves) < 40:
        decision = player.think(position)
        assert position.is_legal(decision.move)
        position.play(decision.move)
    assert not player.problems


@pytest.mark.parametrize("size", [(5, 5), (9, 9), (7, 11)])
def test_boards_of_every_shape(size):
    decision = engine().think(Position(*size))
    assert decision.move != PASS


def test_the_same_seed_gives_the_same_move():
    moves = [engine().think(Position(9)).report.candidates for _ in range(2)]
    assert moves[0] == moves[1]


@pytest.mark.parametrize("symmetry", ["none", "random", "average"])
def test_the_short_way_and_the_long_way_agree(symmetry):
    """Own nets are asked by their boards; any net can be asked by its positions."""
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


class Says:
    """A net that gives all positions one win rate, and remembers what it saw."""

    smallest_board = 7

    def __init__(self, win):
        self.win, self.seen = win, []

    def evaluate(self, root, lines, blocks, komi):
        boards = [int(block[0]) for block in blocks]
        self.seen += zip(map(tuple, lines), boards, strict=True)
        win = np.full(len(lines), self.win)
        return np.full((len(lines), 424), self.win, np.float32), win, 10 * win


def test_two_nets_share_the_tree_by_depth():
    slow, fast = Says(0.25), Says(0.75)
    lines = [[1, 2], [], [1], [1, 2, 3]]
    blocks = np.arange(4, dtype=np.uint32)[:, None]
    policy, wins, leads = DepthEvaluator(slow, fast, 1).evaluate(Position(7), lines, blocks, 7.5)
    assert wins.tolist() == [0.75, 0.25, 0.25, 0.75]
    assert leads.tolist() == [7.5, 2.5, 2.5, 7.5]
    assert policy[:, 0].tolist() == wins.tolist()
    assert slow.seen == [((), 1), ((1,), 2)]
    assert fast.seen == [((1, 2), 0), ((1, 2, 3), 3)]


def test_two_nets_play():
    """With the same net twice, it is the same search."""
    one = engine().think(Position(9)).report
    two = engine("net_below=default", "net_depth=1").think(Position(9)).report
    assert [c.visits for c in one.candidates] == [c.visits for c in two.candidates]


def test_a_net_below_needs_one_above():
    with pytest.raises(TengenError, match="requires a first network"):
        create_engine(EngineSettings().with_overrides(["net=none", "net_below=default"]))


def test_a_net_that_is_all_the_policy_needs_no_priors():
    """They would say nothing, so they are not asked: the same search, only faster."""
    silent = ["even=0", "tactics=0", "patterns=0", "distance=0", "lines=0", "shape=0"]
    position = Position(9).after("E5 C3")
    heard, unheard = (
        engine(*words).analyze(position, SearchLimit(simulations=60)).candidates
        for words in ([], silent)
    )
    assert [(c.move, c.visits) for c in heard] == [(c.move, c.visits) for c in unheard]


@pytest.mark.parametrize(("net", "by"), [("default", "lcb"), ("none", "visits")])
def test_with_a_net_the_lower_bound_decides(net, by):
    """That of what the search went by: the value, with its share of the lead."""
    report = engine(f"net={net}").analyze(Position(9).after("E5"), SearchLimit(simulations=60))
    fewest = SearchSettings().lcb_min_share * max(c.visits for c in report.candidates)
    candidates = [c for c in report.candidates if c.visits >= max(fewest, 1)]
    seen = [c.utility_lcb() if by == "lcb" else c.visits for c in candidates]
    assert len(seen) > 3
    assert seen == sorted(seen, reverse=True)
    asked = engine(f"net={net}", f"final_choice={by}")
    same = asked.analyze(Position(9).after("E5"), SearchLimit(simulations=60))
    assert [c.move for c in same.candidates] == [c.move for c in report.candidates]


def test_a_filter_is_heard_beside_a_net_that_is_all_the_policy():
    filtering = engine("prior=potential@20,filter=pf9,use=filter,switch=0.5")
    report = filtering.analyze(Position(9).after("E5 C3"), SearchLimit(simulations=20))
    assert len(report.candidates) < 50
