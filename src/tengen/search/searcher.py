"""The searcher: runs simulations on a tree in several threads.

The kernels run without the GIL. This module distributes simulations to threads, checks the limit,
evaluates queued nodes with networks and Python sources, and reuses subtrees.
"""

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, PASS, Position
from tengen.board.kernels import layout
from tengen.playout import PlayoutPolicy
from tengen.search.evaluators import (
    ActiveEvaluators,
    EvaluatorSet,
    WeightedNet,
    neutral_evaluations,
)
from tengen.search.kernels.evaluation import LeafEvaluations, apply_net_outputs
from tengen.search.kernels.simulation import run_simulations
from tengen.search.kernels.worker import (
    NO_NET,
    NetWeights,
    SimulationParameters,
    Worker,
    new_worker,
)
from tengen.search.limit import NEVER, SearchLimit, SimulationBudget
from tengen.search.report import SearchReport, read_report
from tengen.search.sequential_halving import clear_plan, order_by_plan, plan_root, round_left
from tengen.search.settings import GUMBEL, FinalChoice, SearchSettings
from tengen.search.subtree import with_estimates
from tengen.search.tree import ROOT, SearchTree
from tengen.sources.kernels.registry import add_priors

BATCH = 128
"""Simulations per kernel call without a network: some milliseconds."""
MARGIN_UNIT = 0.7
"""Score that scales to a margin of 0.75 (see `scaled_margin`), per row of the board."""
MIN_SIMULATIONS = 16
"""Minimum number of simulations, even without time, so that the move is not chosen at random."""
MAX_VISITS = 2**23
"""Visits at which a search ends: float32 cannot add fractional rewards beyond."""
MAX_KOMI_CHANGE = 3.0
"""Largest change of komi, in points, after which the tree is still reused."""

Progress = Callable[["Searcher"], None]


class Searcher:
    """A tree search. Only `stop` may be called from another thread."""

    def __init__(
        self,
        settings: SearchSettings,
        policy: PlayoutPolicy,
        evaluators: EvaluatorSet,
        seed: int = 1,
    ):
        self.settings = settings
        self.komi = 0.0
        """Points for White."""
        self._playout_policy = policy
        self._thresholds = policy.thresholds()
        self._odds = evaluators.odds
        self._evaluators = ActiveEvaluators(evaluators, settings)
        threads, memory_cells = (
            settings.threads or os.cpu_count() or 1,
            self._evaluators.memory_cells,
        )
        self._tree = SearchTree(settings.memory_mib, threads, self._evaluators.need_puct)
        self._workers = [new_worker(0, memory_cells, evaluators.odds) for _ in range(threads)]
        self._plan_start = 0
        """Simulations before the plan of sequential halving."""
        self._lead_center = 0.0
        """Black's lead that the score utility is centered at."""
        self._seconds_per_leaf = 0.0
        """Duration of the last network evaluation."""
        self._stop = np.zeros(1, dtype=np.uint32)
        self._position = Position(9)
        self._is_restricted = self._is_analysis = False
        self._extra_komi = 0.0
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Discard the tree and everything learned, and reseed the random generators."""
        self.reactivate_evaluators()
        self._rng = np.random.default_rng(seed)
        for number, worker in enumerate(self._workers):
            worker.playout.random[0] = seed * 7919 + number + 1
            worker.playout.replies[:] = 0
            worker.playout.rules[:] = 0
            worker.expansion.memory[:] = 0
        self._move_root(None)
        self.set_position(self._position)

    @property
    def uses_net(self) -> bool:
        """Whether a network is active on the current board."""
        return self._evaluators.net is not None

    def reactivate_evaluators(self) -> None:
        """Reactivate sources and a network that failed, from the next position on."""
        self._evaluators.reactivate()

    # Position and subtree reuse

    def set_position(
        self,
        position: Position,
        allowed: Sequence[int] | None = None,
        komi: float | None = None,
        is_analysis: bool = False,
    ) -> None:
        """Set the position to search, reusing the subtree if it continues the last position.

        `allowed` restricts the root moves (default: all legal moves). `komi` is what White gets
        in the search (default: by the rules). `wide_root_noise` applies only to analysis.
        """
        evaluators = self._evaluators
        evaluators.select(min(position.rows, position.columns), is_analysis)
        self._is_analysis = is_analysis
        real_komi = position.area_komi
        komi = real_komi if komi is None else komi
        can_reuse = allowed is None and abs(komi - self.komi) <= MAX_KOMI_CHANGE
        node = self._find_node(position) if can_reuse else None
        if node != ROOT:
            self._move_root(node)
        if evaluators.net is not None:
            evaluators.net.set_position(position)
        self._position = _without_passes(position)
        self._is_restricted = allowed is not None
        self.komi, self._extra_komi = komi, komi - real_komi
        moves = position.legal_moves() if allowed is None else list(allowed)
        for worker in self._workers:
            worker.expansion.allowed[:] = 0
            worker.expansion.allowed[moves] = 1
            worker.counters[:] = 0
            worker.ownership[:] = 0
        if node is not None and node != ROOT and evaluators.net is None:
            self._update_priors(ROOT, position, 0)
        self._remove_root_moves_except(moves)
        for worker in self._workers:
            clear_plan(worker.root_plan)
        if node is not None and node != ROOT:
            self._apply_root_temperature()

    def _move_root(self, node: int | None) -> None:
        """Keep the subtree of `node`, or nothing, and divide the free memory among the workers.

        Not for the root itself, where workers continue in their parts of the memory.
        """
        if node is None:
            self._tree.clear()
        else:
            self._tree.keep_subtree(node)
        self._tree.divide_free_nodes(self._workers)

    def _find_node(self, position: Position) -> int | None:
        """Return the node of `position` in the current tree, or None if it cannot be reused."""
        moves = position.moves_since(self._position) if self.settings.subtree_reuse else None
        if moves is None or (moves and self._evaluators.prevents_reuse):
            return None
        node: int | None = ROOT
        color = self._position.to_play
        for move in moves:
            if node is None or move.color != color:
                return None
            node = self._tree.child_with_move(node, move.move)
            color = color.opponent
        if color != position.to_play:
            return None  # the caller changed the side to move
        return None if node == ROOT and self._is_restricted else node

    def _remove_root_moves_except(self, moves: list[int]) -> None:
        """Remove reused root moves that superko forbids; the tree checks simple ko only."""
        allowed = {PASS, *moves}
        arrays = self._tree.arrays
        for child in reversed(self._tree.children(ROOT)):
            if int(arrays.move[child]) not in allowed:
                last = self._tree.children(ROOT)[-1]
                for field in filter(len, arrays):
                    field[child] = field[last]
                arrays.child_count[ROOT] -= 1

    # Running

    def run(self, limit: SearchLimit, progress: Progress | None = None) -> None:
        """Run simulations until the limit, but at least a few.

        `progress` is called between batches, in this thread.
        """
        self._stop[0] = 0
        self._compare_net_with_playouts()
        self._expand_root()
        self._plan_root(limit)
        left = limit.visits - float(self._tree.arrays.visits[ROOT])
        budget = SimulationBudget(min(limit.simulations - self.simulations, left))
        if self._is_out_of_time(limit) and (self.simulations == 0 or self._has_no_visited_move):
            self._run_batch(self._workers[0], budget.take(MIN_SIMULATIONS))
            self._evaluators.python.evaluate_queue(self._workers[0], self._tree, self._position)
        while not self._is_over(limit):
            self._run_threads(limit, budget, progress)
            if self._is_memory_full():
                self._free_memory()

    @property
    def _has_no_visited_move(self) -> bool:
        """Whether no root move was visited: a network evaluates the root first."""
        children = self._tree.children(ROOT)
        return not self._tree.arrays.visits[children.start : children.stop].any()

    def stop(self) -> None:
        """End a running search soon; callable from any thread or signal handler."""
        self._stop[0] = 1

    def _run_threads(
        self, limit: SearchLimit, budget: SimulationBudget, progress: Progress | None
    ) -> None:
        """Run all workers until the limit or until the memory is full."""
        others = [
            threading.Thread(target=self._run_worker, args=(worker, limit, budget), daemon=True)
            for worker in self._workers[1:]
        ]
        for thread in others:
            thread.start()
        try:
            self._run_worker(self._workers[0], limit, budget, progress)
        except BaseException:
            self.stop()
            raise
        finally:
            for thread in others:
                thread.join()

    def _run_worker(
        self,
        worker: Worker,
        limit: SearchLimit,
        budget: SimulationBudget,
        progress: Progress | None = None,
    ) -> None:
        while not self._is_over(limit) and not self._is_memory_full():
            count = budget.take(self._batch_size(limit))
            if count == 0:
                break
            budget.give_back(count - self._run_batch(worker, count))
            self._evaluators.python.evaluate_queue(worker, self._tree, self._position)
            if progress is not None:
                progress(self)

    def _batch_size(self, limit: SearchLimit) -> int:
        """Return the number of simulations per batch; with a network, at most what time allows."""
        if (net := self._evaluators.net) is None:
            return BATCH
        in_time = limit.seconds_left / max(self._seconds_per_leaf, 1e-6)
        in_round = round_left(self._workers[0].root_plan, self.simulations - self._plan_start)
        if in_round is None:
            batch = net.batch_size(float(self._tree.arrays.visits[ROOT]))
        else:
            batch = min(in_round, net.max_batch_size)
        return int(max(1, min(batch, in_time)))

    def _run_batch(self, worker: Worker, count: int) -> int:
        """Run up to `count` simulations; return how many were run."""
        before = int(worker.counters["simulations"][0])
        if (net := self._evaluators.net) is None:
            self._simulate(worker, count)
        else:
            self._simulate_with_net(net, worker, count)
        return int(worker.counters["simulations"][0]) - before

    def _simulate(self, worker: Worker, count: int, weights: NetWeights = NO_NET) -> None:
        run_simulations(
            self._tree.arrays,
            np.uintp(ROOT),
            self._position.block,
            worker,
            self._evaluators.compiled,
            self._thresholds,
            self._evaluators.selection,
            self._parameters(),
            weights,
            np.uintp(count),
            self._stop,
        )

    def _simulate_with_net(self, net: WeightedNet, worker: Worker, count: int) -> None:
        """Run a batch of simulations and evaluate its leaves with the network."""
        start_s = time.monotonic()
        self._simulate(worker, count, net.weights)
        if (leaves := int(worker.leaves.count[0])) == 0:
            return
        try:
            outputs = net.evaluate(worker.leaves, self._tree, self._position, self.komi)
        except Exception as error:
            outputs = neutral_evaluations(worker.leaves)
            self._evaluators.disable_net(error)
        color = np.uintp(self._position.block[layout.TO_PLAY])
        if worker.leaves.lengths[0] == 1 and net.lead_centering > 0:
            lead = float(outputs.lead_to_play[0])
            self._lead_center = net.lead_centering * (lead if color == layout.BLACK else -lead)
        arrays, compiled = self._tree.arrays, self._evaluators.compiled
        self._record_net_values(worker, outputs)
        apply_net_outputs(arrays, worker, compiled, outputs, self._parameters(), net.weights, color)
        self._seconds_per_leaf = (time.monotonic() - start_s) / leaves

    def _record_net_values(self, worker: Worker, outputs: LeafEvaluations) -> None:
        """Store win rate and lead of the queued leaves in the tree, for Black."""
        leaves, count = worker.leaves, int(worker.leaves.count[0])
        nodes = leaves.paths[np.arange(count), leaves.lengths[:count] - 1]
        is_black = leaves.blocks[:count, int(layout.TO_PLAY)] == BLACK
        win = np.where(is_black, outputs.win_to_play, 1 - outputs.win_to_play)
        lead = np.where(is_black, outputs.lead_to_play, -outputs.lead_to_play)
        self._tree.record_net_values(nodes, np.stack([win, lead], axis=1).astype(np.float32))

    def _compare_net_with_playouts(self) -> None:
        if self._evaluators.net is not None:
            try:
                self._evaluators.net.compare_with_playouts(
                    self._position, self._playout_policy, self._odds
                )
            except Exception as error:
                self._evaluators.disable_net(error)

    def _expand_root(self) -> None:
        """Expand the root, so that all priors are there before the first simulation."""
        if len(self._tree.children(ROOT)):
            return
        worker, python = self._workers[0], self._evaluators.python
        if self._evaluators.net is not None:
            self._simulate_with_net(self._evaluators.net, worker, 1)
            self._evaluators.python.evaluate_queue(worker, self._tree, self._position)
            self._apply_root_temperature()
            return
        # Use the simulation kernel: a separate one would take seconds to compile.
        self._simulate(worker, 0)
        python.evaluate(ROOT, self._position, 0, self._tree)

    def _apply_root_temperature(self) -> None:
        if self.settings.root_temperature != 1 and self.uses_net:
            self._tree.temper_root_policy(self.settings.root_temperature)

    def _plan_root(self, limit: SearchLimit) -> None:
        """Plan sequential halving for the rest of the search, if it has an end."""
        in_time = limit.seconds_left / max(self._seconds_per_leaf, 1e-6)
        simulations = min(limit.simulations - self.simulations, in_time)
        if self._is_gumbel and 0 < simulations < NEVER:
            self._plan_start = self.simulations
            for worker in self._workers:
                plan_root(worker.root_plan, self._tree, ceil(simulations), self.settings, self._rng)

    @property
    def _is_gumbel(self) -> bool:
        return self.settings.algorithm == GUMBEL and self.uses_net

    def _update_priors(self, node: int, position: Position, depth: int) -> None:
        """Recompute the priors of reused nodes that came within the depth limits of sources.

        Not with a network (see `ActiveEvaluators.prevents_reuse`).
        """
        children = self._tree.children(node)
        if depth > self._evaluators.max_limited_depth or not len(children):
            return
        scratch, arrays = self._workers[0].expansion, self._tree.arrays
        compiled = self._evaluators.compiled
        add_priors(
            position.block, np.uintp(depth), compiled, scratch.memory, scratch.wins, scratch.visits
        )
        nodes = [child for child in children if int(arrays.move[child]) != PASS]
        arrays.prior_wins[nodes] = scratch.wins[arrays.move[nodes]]
        # Moves that are pruned now have nodes already; many visits without wins deter the search.
        arrays.prior_visits[nodes] = np.abs(scratch.visits[arrays.move[nodes]])
        self._evaluators.python.evaluate(node, position, depth, self._tree)
        for child in children:
            move = int(arrays.move[child])
            if len(self._tree.children(child)) and position.is_legal(move):
                below = position.copy()
                below.play(move)
                self._update_priors(child, below, depth + 1)

    def _parameters(self) -> SimulationParameters:
        points = self._position.rows * self._position.columns
        # A leaf with a network value is expanded at once: single playouts are too noisy beside it.
        net, python = self._evaluators.net, self._evaluators.python
        has_net_value = net is not None and net.weights.playout_share < 1
        return SimulationParameters(
            expansion_visits=1.0 if has_net_value else float(self.settings.expansion_visits),
            komi=float(self.komi),
            score_weight=self.settings.score_weight,
            mercy=max(points // 3, 10),
            max_playout_moves=3 * points,
            margin_unit=MARGIN_UNIT * points**0.5,
            lead_center=self._lead_center,
            python_max_depth=python.max_depth,
            python_before_move=python.before_move,
        )

    # Limits

    def _is_over(self, limit: SearchLimit) -> bool:
        if self._stop[0] or self.simulations >= limit.simulations:
            return True
        max_visits = min(limit.visits, MAX_VISITS)
        if self._is_out_of_time(limit) or self._tree.arrays.visits[ROOT] >= max_visits:
            return True
        return limit.stop_when_decided and self._is_decided(limit)

    def _is_out_of_time(self, limit: SearchLimit) -> bool:
        """Return whether there is no time for another leaf."""
        leaf_s = 0.0 if self._evaluators.net is None else self._seconds_per_leaf
        return limit.seconds_left <= leaf_s

    def _is_decided(self, limit: SearchLimit) -> bool:
        """Return whether the second most visited move cannot overtake the first."""
        children = self._tree.children(ROOT)
        if len(children) < 2 or self.simulations == 0 or self._is_gumbel:
            return False
        visits = np.partition(self._tree.arrays.visits[children.start : children.stop], -2)
        if visits[-1] - visits[-2] <= limit.simulations_left(self.simulations):
            return False
        # Another criterion for the final move must agree.
        is_by_visits = self._final_choice.criterion == "visits"
        return is_by_visits or self.report().candidates[0].visits == int(visits[-1])

    @property
    def _final_choice(self) -> FinalChoice:
        return self.settings.final(self.uses_net)

    def _is_memory_full(self) -> bool:
        return any(worker.counters["refused"][0] > 0 for worker in self._workers)

    def _free_memory(self) -> None:
        """Discard the children of nodes with few visits."""
        self._tree.keep_subtree(ROOT, 2.0 * self.settings.expansion_visits)
        self._tree.divide_free_nodes(self._workers)
        for worker in self._workers:
            worker.counters["refused"] = 0

    # Results

    @property
    def simulations(self) -> int:
        """Simulations since the position was set."""
        return sum(int(worker.counters["simulations"][0]) for worker in self._workers)

    @property
    def problems(self) -> list[str]:
        """Error messages of evaluators that failed, and warnings about inactive sources."""
        return self._evaluators.problems

    @property
    def rule_counts(self) -> npt.NDArray[np.int64]:
        """Number of playout moves per `PlayoutRule`, since the last restart."""
        return np.asarray(np.sum([worker.playout.rules for worker in self._workers], axis=0))

    def report(self) -> SearchReport:
        """Return the current state of the search."""
        report = read_report(
            self._tree,
            self._workers,
            self._position,
            self._final_choice,
            self._evaluators.selection.lead_weight,
        )
        candidates, plan = report.candidates, self._workers[0].root_plan
        if plan.header["simulations"][0] > 0:
            candidates = order_by_plan(plan, self._tree, candidates)
        report = replace(report, candidates=candidates, extra_komi=self._extra_komi)
        net = self._evaluators.net if self._is_analysis else None
        if net is None:
            return report
        return with_estimates(report, self._tree, self._position, 1 - net.weights.playout_share)


def _without_passes(position: Position) -> Position:
    """Return a copy in which two passes do not end the game.

    Callers may request moves of a finished game, for example to capture dead stones.
    """
    copy = position.copy()
    if copy.block[layout.PASSES] >= 2:
        copy.block[layout.PASSES] = 0
    return copy
