"""Complete simulations, compared with a slow oracle for every field of the tree."""

import numpy as np
import pytest
from search_helpers import NO_SOURCES, PRIORS, board, cleared_tree, searcher

from tengen.board import BLACK, PASS, WHITE, Position
from tengen.board.kernels.area import area_balance, finished_area
from tengen.board.kernels.layout import POINTS
from tengen.playout.policy import LIGHT_POLICY
from tengen.search import SearchLimit, SearchSettings
from tengen.search.kernels.backup import reward_for_black
from tengen.search.kernels.expansion import PASS_VALUE, expand
from tengen.search.kernels.simulation import run_simulations
from tengen.search.kernels.tree import reset_node
from tengen.search.kernels.worker import (
    NO_NET,
    NODE_RANGE,
    SimulationParameters,
    new_expansion_scratch,
    new_worker,
)
from tengen.sources import evaluate_sources, source_table

pytestmark = pytest.mark.kernels

ROOT = 1
KOMI = 0.5


class Bench:
    """One worker with its own tree, whose fields can be inspected."""

    def __init__(
        self, position: Position, table=NO_SOURCES, seed: int = 5, expansion_visits: int = 1
    ):
        self.position = position
        self.table = table
        self.tree = cleared_tree(20000)
        self.worker = new_worker(seed, int(table.memory_starts[-1]))
        self.worker.node_range[0] = (2, 20000)
        reset_node(self.tree, np.uintp(ROOT), np.uintp(0))
        self.rollout = SimulationParameters(
            float(expansion_visits), KOMI, 0.0, 1000, 200, 6.3, 0.0, -1, 0
        )

    def simulate(self, count: int = 1) -> None:
        run_simulations(
            self.tree,
            np.uintp(ROOT),
            self.position.block,
            self.worker,
            self.table,
            LIGHT_POLICY.thresholds(),
            SearchSettings().selection(),
            self.rollout,
            NO_NET,
            np.uintp(count),
            np.zeros(1, dtype=np.uint32),
        )

    def path(self, length: int) -> list[int]:
        return [int(node) for node in self.worker.path[:length]]

    def children(self, node: int) -> range:
        first = int(self.tree.first_child[node])
        return range(first, first + int(self.tree.child_count[node]))


def first_players(moves: list[tuple[int, int]]) -> dict[int, int]:
    """Return who played each point first."""
    first: dict[int, int] = {}
    for color, move in moves:
        if move != PASS:
            first.setdefault(move, color)
    return first


class Oracle:
    """The statistics of a tree, kept in dictionaries."""

    def __init__(self) -> None:
        self.cells: dict[str, dict[int, float]] = {
            name: {}
            for name in ("visits", "results", "wins", "squares", "rave_visits", "rave_wins")
        }

    def add(self, name: str, node: int, amount: float) -> None:
        self.cells[name][node] = self.cells[name].get(node, 0.0) + amount

    def take(self, bench: Bench, path: list[int], record: list[int], reward: float) -> None:
        """Count one simulation: its path, the playout's moves, and Black's reward."""
        first = int(bench.position.to_play)
        moves = [int(bench.tree.move[node]) for node in path[1:]] + record
        game = [(first if n % 2 == 0 else 3 - first, move) for n, move in enumerate(moves)]
        for depth, node in enumerate(path):
            mover = 3 - first if depth % 2 == 0 else first
            gain = reward if mover == BLACK else 1 - reward
            self.add("visits", node, 1)
            self.add("results", node, 1)
            self.add("wins", node, gain)
            self.add("squares", node, gain * gain)
            if depth:
                self._rave(bench, path[depth - 1], first_players(game[depth - 1 :]), mover, gain)

    def _rave(self, bench: Bench, parent: int, played, mover: int, gain: float) -> None:
        for child in bench.children(parent):
            if played.get(int(bench.tree.move[child])) == mover:
                self.add("rave_visits", child, 1)
                self.add("rave_wins", child, gain)

    def check(self, bench: Bench) -> None:
        for name, known in self.cells.items():
            expected = np.zeros(len(bench.tree.visits))
            expected[list(known)] = list(known.values())
            assert np.array_equal(getattr(bench.tree, name), expected), name


def simulate_beside_oracle(bench: Bench, simulations: int) -> Oracle:
    """Run simulations one by one and update the oracle after each."""
    oracle = Oracle()
    totals = bench.worker.counters[0]
    for _ in range(simulations):
        depth, playout = int(totals["depth_sum"]), int(totals["playout_moves"])
        bench.simulate()
        path = bench.path(int(totals["depth_sum"]) - depth)
        length = int(totals["playout_moves"]) - playout
        record = [int(move) for move in bench.worker.playout.record[:length]]
        # Two passes in the tree end the game early.
        area = (finished_area if length else area_balance)(bench.worker.block)
        score = float(area) - KOMI
        oracle.take(bench, path, record, 1.0 if score > 0 else 0.0)
        oracle.check(bench)
    return oracle


def test_first_simulation_by_hand():
    """On 1x2 Black plays either point or passes; nothing else can happen."""
    bench = Bench(Position(1, 2))
    bench.simulate()
    root_children = bench.children(ROOT)
    assert sorted(int(bench.tree.move[c]) for c in root_children) == [PASS, 21, 22]
    path = bench.path(int(bench.worker.counters["depth_sum"][0]))
    assert path[0] == ROOT
    assert bench.tree.visits[ROOT] == 1
    assert bench.tree.visits[path[1]] == 1
    assert bench.worker.counters["simulations"][0] == 1
    black = float(bench.tree.wins[path[1]])
    assert black in (0.0, 1.0)
    assert bench.tree.wins[ROOT] == 1 - black, "the root's wins are White's"


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
@pytest.mark.parametrize("size", [(2, 2), (3, 3), (2, 5)])
def test_backup_and_rave_match_the_oracle(size, to_play):
    position = Position(*size)
    position.to_play = to_play
    oracle = simulate_beside_oracle(Bench(position), 150)
    assert oracle.cells["visits"][ROOT] == 150
    assert sum(oracle.cells["rave_visits"].values()) > 150


def test_leaves_are_expanded_after_expansion_visits():
    bench = Bench(Position(3, 3), expansion_visits=4)
    opened = set()
    for _ in range(60):
        bench.simulate()
        for node in range(2, int(bench.worker.node_range["next"][0])):
            if len(bench.children(node)):
                assert bench.tree.visits[node] >= 4
                opened.add(node)
    assert opened


def test_children_start_with_the_priors():
    position = board("...../.XO../.OX../...../.....")
    sources = PRIORS.sources()
    table = source_table(sources)
    bench = Bench(position, table)
    bench.simulate()
    wins, visits = evaluate_sources(sources, position)
    children = {int(bench.tree.move[c]): c for c in bench.children(ROOT)}
    assert set(children) == {PASS, *position.legal_moves()}
    for move, child in children.items():
        if move != PASS:
            row, column = move // 20 - 1, move % 20 - 1
            assert bench.tree.prior_wins[child] == pytest.approx(wins[row, column])
            assert bench.tree.prior_visits[child] == pytest.approx(visits[row, column])
    passed = children[PASS]
    value = bench.tree.prior_wins[passed] / bench.tree.prior_visits[passed]
    assert value == pytest.approx(float(PASS_VALUE))
    assert np.sum(bench.tree.policy[list(children.values())]) == pytest.approx(1)


def test_simulations_do_not_change_priors():
    """Priors are added to the visits in Q and n."""
    position = board("...../.XO../.OX../...../.....")
    bench = Bench(position, source_table(PRIORS.sources()))
    bench.simulate()
    cells_of = [bench.tree.prior_wins, bench.tree.prior_visits]
    root = bench.children(ROOT)
    before = [field[root.start : root.stop].copy() for field in cells_of]
    bench.simulate(200)
    after = [field[root.start : root.stop] for field in cells_of]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_eyes_suicide_and_ko_get_no_children():
    eyes = ".XXX./XXXXX/...../OOOOO/.O.O."
    moves = _root_moves(board(eyes))
    assert moves == {"C3", "A3", "B3", "D3", "E3"} | {"pass"}, "no eye filling, no suicide"
    ko = board(".XO./X.XO/.XO./....", WHITE)
    ko.play(_at(ko, "B3"))
    assert "C3" not in _root_moves(ko)


def _at(position: Position, vertex: str) -> int:
    return {position.vertex(p): p for p in position.points()}[vertex]


def _root_moves(position: Position) -> set[str]:
    tree = cleared_tree(1000)
    node_range = np.array([(2, 1000)], dtype=NODE_RANGE)
    sources = NO_SOURCES
    root = np.uintp(ROOT)
    assert expand(
        tree, root, position.block, np.uintp(0), sources, node_range, new_expansion_scratch(0)
    )
    count, first = int(tree.child_count[ROOT]), int(tree.first_child[ROOT])
    return {position.vertex(int(tree.move[c])) for c in range(first, first + count)}


def test_no_children_without_memory():
    tree = cleared_tree(1000)
    node_range = np.array([(2, 2 + 9)], dtype=NODE_RANGE)
    position = Position(3)
    arguments = (np.uintp(0), NO_SOURCES, node_range, new_expansion_scratch(0))
    assert not expand(tree, np.uintp(ROOT), position.block, *arguments), "nine points and a pass"
    assert tree.child_count[ROOT] == 0
    assert node_range["next"] == 2


@pytest.mark.parametrize(
    ("score", "weight", "reward"),
    [
        (0.5, 0.0, 1.0),
        (-0.5, 0.0, 0.0),
        (0, 0.0, 0.5),
        (10, 0.2, 0.8 + 0.2 * 0.625),
        (-10, 0.2, 0.2 * 0.375),
        (400, 0.2, 1.0),
        (-400, 0.2, 0.0),
    ],
)
def test_rewards(score, weight, reward):
    assert float(reward_for_black(float(score), weight)) == pytest.approx(reward)


def test_two_passes_are_scored_without_playout():
    """One pass was played; the tree's pass ends the game without a playout."""
    position = board("XX.OO/XX.OO/XX.OO", komi=0)
    position.play(PASS)
    engine = searcher(sources=())
    engine.set_position(position)
    engine.run(SearchLimit(simulations=300))
    ended = next(c for c in engine.report().candidates if c.move == PASS)
    assert ended.visits > 0
    assert ended.value == 0.5, "a draw, six points each"


def test_ownership_of_a_finished_board():
    position = board(".XOO./XXOOO/.XO.O")
    engine = searcher()
    engine.set_position(position)
    engine.run(SearchLimit(simulations=200))
    owned = engine.report().ownership
    assert (owned[:, :2] == 1).all()
    assert (owned[:, 2:] == -1).all()


def test_rave_memory_covers_all_points():
    assert len(new_worker(1, 0).playout.first_by) == int(POINTS)
