"""The evaluators of a search: compiled sources, Python sources and a network.

Compiled sources run inside the kernels. Python sources and networks evaluate queued nodes in
batches between kernel calls.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, Position
from tengen.board.kernels.layout import EMPTY_COUNT, MOVES, POINTS, TO_PLAY
from tengen.playout import PlayoutPolicy, playout_ownership
from tengen.playout.kernels.heavy import NO_ODDS
from tengen.search.kernels.evaluation import LeafEvaluations
from tengen.search.kernels.selection import PUCT
from tengen.search.kernels.worker import LeafQueue, NetWeights, Worker
from tengen.search.settings import EvaluatorWeights, GameStage, LeafContext, SearchSettings
from tengen.search.tree import ROOT, SearchTree
from tengen.sources import NO_LIMIT, DeferredSources, PythonSource
from tengen.sources.kernels.registry import TO_DEPTH, Sources
from tengen.util import TengenError

Floats = npt.NDArray[np.float32]
Odds = npt.NDArray[np.uint32]

DISAGREEMENT_PLAYOUTS = 48
"""Playouts at the root that the network's score is compared with."""


class NetOutputs(NamedTuple):
    """Network outputs for a batch of positions, for the side to move."""

    policy: Floats
    """[positions, POINTS]: by move; the pass is move 0."""
    win: Floats
    """[positions]: win rate."""
    lead: Floats
    """[positions]: score lead in points."""


class NetEvaluator(Protocol):
    """The interface of a network for the search."""

    smallest_board: int
    """Minimum number of rows and columns; smaller boards are searched without the network."""

    def evaluate(
        self,
        root: Position,
        lines: Sequence[list[int]],
        blocks: npt.NDArray[np.uint32],
        komi: float,
    ) -> NetOutputs:
        """Evaluate positions below `root`.

        Parameters
        ----------
        root: the position of the root.
        lines: the moves from the root to each position.
        blocks: uint32 [positions, CELLS], the boards of the positions.
        komi: points for White.

        May be called from several threads.
        """


class EvaluatorSet(NamedTuple):
    """All evaluators given to a search."""

    compiled: Sources | DeferredSources
    """Compiled sources."""
    python: Sequence[PythonSource] = ()
    net: NetEvaluator | None = None
    weights: EvaluatorWeights = EvaluatorWeights()
    compiled_with_net: Sources | None = None
    """Replaces `compiled` if the network's policy replaces the priors."""
    odds: Odds = NO_ODDS
    """Pattern odds of the playouts."""


class ActiveEvaluators:
    """The evaluators that are active on the current board.

    A network is active on boards of sufficient size. If its policy replaces the priors, Python
    sources are inactive and compiled sources are limited to `compiled_with_net`.
    """

    def __init__(self, evaluators: EvaluatorSet, settings: SearchSettings):
        self._settings = settings
        self._ignores_priors = evaluators.weights.ignores_priors
        self._all_compiled = self._compiled_with_net = evaluators.compiled
        self.net: WeightedNet | None = None
        self._all_python = PythonSources(evaluators.python)
        self._given_net: WeightedNet | None = None
        self._net_problem: str | None = None
        self.memory_cells = _memory_cells(evaluators.compiled)
        """Memory of the compiled sources per worker, in float64 numbers."""
        if evaluators.compiled_with_net is not None and self._ignores_priors:
            # Separate memory, since the sources may change while threads run.
            starts = self.memory_cells + evaluators.compiled_with_net.memory_starts
            self._compiled_with_net = evaluators.compiled_with_net._replace(memory_starts=starts)
            self.memory_cells = int(starts[-1])
        if evaluators.net is not None and not evaluators.weights.ignores_net:
            algorithm = settings.selection(has_net=True).algorithm
            self._given_net = WeightedNet(evaluators.net, evaluators.weights, algorithm)
        self.reactivate()

    def reactivate(self) -> None:
        """Reactivate evaluators that failed."""
        self._available_net, self._net_problem = self._given_net, None
        self._all_python.reactivate()
        self.select(0)

    def select(self, board_size: int, is_analysis: bool = False) -> None:
        """Select the evaluators for a board; `board_size` is the smaller of rows and columns.

        `wide_root_noise` applies only to analysis.
        """
        net = self._available_net
        self.net = net if net is not None and board_size >= net.smallest_board else None
        lead_weight = self.net.weights.lead_weight if self.net else 0.0
        noise = self._settings.wide_root_noise if is_analysis else 0.0
        selection = self._settings.selection(self.net is not None)
        self.selection = selection._replace(lead_weight=lead_weight, wide_root_noise=noise)
        self.python = PythonSources(()) if self._is_python_inactive else self._all_python

    def disable_net(self, error: Exception) -> None:
        """Deactivate a network that failed and record the error."""
        self._net_problem = f"the network failed: {error!r}"
        self._available_net = None
        self.select(0)

    @property
    def need_puct(self) -> bool:
        """Whether the nodes need the fields for PUCT, now or on another board."""
        return (
            self._given_net is not None
            or self._settings.lcb_sample
            or self._settings.selection().algorithm == PUCT
        )

    @property
    def compiled(self) -> Sources:
        """The active compiled sources; their kernels are compiled when they are first needed."""
        found = self._all_compiled if self.net is None else self._compiled_with_net
        return found.table if isinstance(found, DeferredSources) else found

    @property
    def max_limited_depth(self) -> int:
        """Maximum depth limit of the sources that have one; -1 if none has."""
        limits = [*self.compiled.limits[:, TO_DEPTH], *self.python.depths]
        return max((int(depth) for depth in limits if depth < NO_LIMIT), default=-1)

    @property
    def prevents_reuse(self) -> bool:
        """Whether a subtree cannot be reused after a move.

        Nodes come within the depth limits of sources, whose priors cannot be added to those that
        a network was mixed into.
        """
        return self.net is not None and self.max_limited_depth >= 0

    @property
    def _is_python_inactive(self) -> bool:
        return self.net is not None and self._ignores_priors and bool(self._all_python.names)

    @property
    def problems(self) -> list[str]:
        """Error messages of evaluators that failed, and warnings about inactive sources."""
        problems = [*self._all_python.problems]
        if self._net_problem:
            problems.append(self._net_problem)
        if self._is_python_inactive:
            names = ", ".join(self._all_python.names)
            problems.append(
                f"source {names} is not used because the network's policy replaces all priors:"
                " set net=none or net_weight=0.5"
            )
        return problems


def _memory_cells(sources: Sources | DeferredSources) -> int:
    if isinstance(sources, DeferredSources):
        return sources.memory_cells
    return int(sources.memory_starts[-1])


class WeightedNet:
    """The network of a search with the weights of its outputs."""

    def __init__(self, net: NetEvaluator, settings: EvaluatorWeights, algorithm: int):
        self._net = net
        self._settings = settings
        self._algorithm = algorithm
        self.smallest_board = net.smallest_board
        self.lead_centering = settings.lead_centering
        self.weights: NetWeights = settings.net_weights(algorithm)

    @property
    def max_batch_size(self) -> int:
        """The maximum number of leaves per evaluation."""
        return self._settings.net_batch

    def batch_size(self, visits: float) -> int:
        """Return the number of leaves per evaluation when the root has some visits."""
        growth = self._settings.net_batch_growth
        if growth == 0:
            return self.max_batch_size
        return min(self.max_batch_size, 1 + int(visits / growth))

    def set_position(self, root: Position) -> None:
        """Set the weights for a search from `root`."""
        self.weights = self._settings.net_weights(self._algorithm, _game_stage(root))

    def compare_with_playouts(self, root: Position, policy: PlayoutPolicy, odds: Odds) -> None:
        """Set the weights by the disagreement of network and playouts about the score at the root.

        Both scores are without komi, since networks know only usual values of komi.
        """
        if self._settings.disagreement_points > 0:
            points = abs(self._score_without_komi(root) - _playout_score(root, policy, odds))
            stage = _game_stage(root)._replace(disagreement_points=points)
            self.weights = self._settings.net_weights(self._algorithm, stage)

    def _score_without_komi(self, root: Position) -> float:
        """Return Black's lead on the board by the network."""
        _, _, lead = self._net.evaluate(root, [[]], root.block[None], komi=0.0)
        return float(lead[0]) if root.block[TO_PLAY] == BLACK else -float(lead[0])

    def evaluate(
        self, leaves: LeafQueue, tree: SearchTree, root: Position, komi: float
    ) -> LeafEvaluations:
        """Evaluate the queued leaves; raise if the network fails."""
        count = int(leaves.count[0])
        blocks = leaves.blocks[:count]
        lines = [_leaf_moves(leaves, index, tree) for index in range(count)]
        policy, win_to_play, lead_to_play = self._net.evaluate(root, lines, blocks, komi)
        if not np.isfinite(policy.sum() + win_to_play.sum() + lead_to_play.sum()):
            raise ValueError("outputs are not finite")
        depths = blocks[:, int(MOVES)] - int(root.block[MOVES])
        context = LeafContext(depths + _game_stage(root).moves, root.area)
        if not self._settings.is_constant:  # computing the other fields takes measurable time
            first = float(win_to_play[0]) if leaves.lengths[0] == 1 else 0.5
            values = _root_values(tree, first)
            context = LeafContext(*context[:2], *values, _entropy(policy))
        weights = self._settings.policy_weights(context)
        return LeafEvaluations(policy, win_to_play, lead_to_play, weights)


def neutral_evaluations(leaves: LeafQueue) -> LeafEvaluations:
    """Return evaluations that replace those of a failed network: an even game without policy."""
    count = int(leaves.count[0])
    policy = np.ones((count, int(POINTS)), dtype=np.float32)
    zeros = np.zeros(count, np.float32)
    return LeafEvaluations(policy, np.full(count, 0.5, np.float32), zeros, zeros)


def _game_stage(root: Position) -> GameStage:
    # The number of stones, for positions that were set up; the number of moves after captures.
    stones = root.area - int(root.block[EMPTY_COUNT])
    return GameStage(max(len(root.moves), stones), root.area)


def _playout_score(root: Position, policy: PlayoutPolicy, odds: Odds) -> float:
    """Return Black's mean lead on the board after playouts."""
    first, seed = int(root.block[TO_PLAY]), 2 * len(root.moves) + 1
    owned, _ = playout_ownership(root.block, first, DISAGREEMENT_PLAYOUTS, seed, policy, odds)
    return float(owned.sum())


def _root_values(tree: SearchTree, default: float) -> tuple[float, float, float]:
    """Return the win rate to play at the root, that of its best move, and the moves' spread.

    `default` is the win rate if nothing is known.
    """
    arrays, children = tree.arrays, tree.children(ROOT)
    done = float(arrays.results[ROOT])
    value = 1 - float(arrays.wins[ROOT]) / done if done > 0 else default
    results = arrays.results[children.start : children.stop]
    known = results > 0
    if not known.any():
        return value, value, 0.0
    wins = arrays.wins[children.start : children.stop]
    rates = np.divide(wins, results, where=known, out=np.zeros(len(children)))
    return value, float(rates[results.argmax()]), float(rates[known].std())


def _entropy(policy: Floats) -> npt.NDArray[np.float64]:
    """Return the normalized entropy of each policy: 1 if uniform over its moves."""
    shares = policy / np.maximum(policy.sum(axis=1, keepdims=True), 1e-9)
    logs = np.log(shares, where=shares > 0, out=np.zeros_like(shares))
    maximum = np.log(np.maximum((shares > 0).sum(axis=1), 2))
    return np.asarray(-(shares * logs).sum(axis=1) / maximum, dtype=np.float64)


def _leaf_moves(leaves: LeafQueue, index: int, tree: SearchTree) -> list[int]:
    """Return the moves from the root to a leaf."""
    path = leaves.paths[index, 1 : leaves.lengths[index]]
    moves: list[int] = tree.arrays.move[path].tolist()
    return moves


class PythonSources:
    """The Python sources of a search. A source that raises is deactivated."""

    def __init__(self, sources: Sequence[PythonSource]):
        self._sources = sources
        self._problems: dict[int, str] = {}
        """By index of the source, since names may not be unique."""

    @property
    def problems(self) -> list[str]:
        """Error messages of the sources that failed."""
        return list(self._problems.values())

    @property
    def names(self) -> list[str]:
        """Names of the sources."""
        return [source.name for source in self._sources]

    def reactivate(self) -> None:
        """Reactivate sources that failed."""
        self._problems.clear()

    @property
    def depths(self) -> list[int]:
        """Depth limits of the sources."""
        return [source.to_depth for source in self._sources]

    @property
    def max_depth(self) -> int:
        """Maximum depth at which a source applies; -1 without sources."""
        return max(self.depths, default=-1)

    @property
    def before_move(self) -> int:
        """Move number before which a source applies."""
        return max((source.before_move for source in self._sources), default=0)

    def evaluate_queue(self, worker: Worker, tree: SearchTree, root: Position) -> None:
        """Evaluate the nodes that a worker queued and clear the queue."""
        for index in range(int(worker.counters["queued_nodes"][0])):
            position = Position.from_block(worker.queued_blocks[index], root.rules)
            position.handicap = root.handicap
            depth = int(position.block[MOVES]) - int(root.block[MOVES])
            self.evaluate(int(worker.queued_nodes[index]), position, depth, tree)
        worker.counters["queued_nodes"] = 0

    def evaluate(self, node: int, position: Position, depth: int, tree: SearchTree) -> None:
        """Add the values of each source to the priors of the node's children."""
        number = int(position.block[MOVES])
        for index, source in enumerate(self._sources):
            applies = number < source.before_move and depth <= source.to_depth
            if applies and index not in self._problems:
                try:
                    self._add_prior(source, node, position, tree)
                except TengenError as error:
                    self._problems[index] = str(error)

    def _add_prior(
        self, source: PythonSource, node: int, position: Position, tree: SearchTree
    ) -> None:
        by_point = np.full(int(POINTS), np.nan)
        position.on_grid(by_point)[:] = source.values(position)
        children = tree.children(node)
        nodes = slice(children.start, children.stop)
        values = by_point[tree.arrays.move[nodes]]
        visits = np.where(np.isnan(values), 0.0, source.equivalent_visits)
        tree.arrays.prior_visits[nodes] += visits
        tree.arrays.prior_wins[nodes] += np.nan_to_num(values) * visits
