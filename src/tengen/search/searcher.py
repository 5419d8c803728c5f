"""The searcher: keeps a tree, runs simulations on it, tells what it found.

The hot part is compiled and runs without the GIL; this module hands out work to threads, watches
the limit, lets Python sources look at new nodes, and keeps the tree when a move is played.
"""

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tengen.board.kernels import layout
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.knowledge.kernels.registry import add_priors
from tengen.playout.policy import Policy
from tengen.search.arena import ROOT, Arena
from tengen.search.kernels import simulation as cells
from tengen.search.kernels.evaluation import settle
from tengen.search.kernels.leaves import NO_NET, Mixing
from tengen.search.kernels.simulation import Rollout, Worker, new_worker, run_simulations
from tengen.search.limit import Budget, Limit
from tengen.search.net import NetSide, nothing_said
from tengen.search.reading import read_report
from tengen.search.report import SearchReport
from tengen.search.settings import SearchSettings
from tengen.search.voices import Knowledge, Voices

BATCH = 128
"""Simulations in one call of the kernel: some milliseconds, between looks at the clock."""

MARGIN_UNIT = 0.7
"""Times the side of the board: the points that make a margin of 0.75 (see `margin_of`)."""

FEWEST = 16
"""Simulations that are run however late it is: a move must not be chosen blindly."""

MOST_VISITS = 2**23
"""Where a search ends by itself: beyond, 32 bits cannot count rewards of a part of one any more."""

KOMI_STEP = 3.0
"""Points: what was found with a komi further away is not gone on with."""

Progress = Callable[["Searcher"], None]


class Searcher:
    """A tree search over one game. Only `stop` may be called from another thread."""

    def __init__(
        self, settings: SearchSettings, policy: Policy, knowledge: Knowledge, seed: int = 1
    ):
        self.settings = settings
        self.komi = 0.0
        """Points for White in the rewards."""
        self._playouts = policy
        self._policy = policy.thresholds()
        self._odds = knowledge.odds
        self._heard = Voices(knowledge, settings)
        threads, cells_kept = settings.threads or os.cpu_count() or 1, self._heard.memory_cells
        self._arena = Arena(settings.memory_mib, threads)
        self._workers = [new_worker(0, cells_kept, knowledge.odds) for _ in range(threads)]
        self._leaf_s = 0.0
        """What the net last took for a leaf: large ones take more than is to be overdrawn."""
        self._stop = np.zeros(1, dtype=np.uint32)
        self._position = Position(9)
        self._is_limited = False
        self._extra_komi = 0.0
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Forget the tree and all that was learned; draw random numbers from `seed` on."""
        self.hear_all()
        for number, worker in enumerate(self._workers):
            worker.playout.random[0] = seed * 7919 + number + 1
            worker.playout.replies[:] = 0
            worker.playout.rules[:] = 0
            worker.leaf.memory[:] = 0
        self._move_root(None)
        self.set_position(self._position)

    @property
    def hears_net(self) -> bool:
        """Whether a net has its say on the present board."""
        return self._heard.net is not None

    def hear_all(self) -> None:
        """Let the next position be looked at by sources and a net that failed before, too."""
        self._heard.hear_all()

    # The position

    def set_position(
        self,
        position: Position,
        allowed: Sequence[int] | None = None,
        komi: float | None = None,
        is_wide: bool = False,
    ) -> None:
        """Search this position from now on, keeping the tree if the game went on from the last.

        `allowed` limits the moves at the root; by default all that the rules allow. `komi` is what
        White gets in the search, by default what the rules say. A wide search obeys `wide_root`.
        """
        self._heard.choose(min(position.rows, position.columns), is_wide)
        bonus = position.area_bonus
        komi = bonus if komi is None else komi
        is_same_game = allowed is None and abs(komi - self.komi) <= KOMI_STEP
        kept = self._kept_node(position) if is_same_game else None
        if kept != ROOT:
            self._move_root(kept)
        if self._heard.net is not None:
            self._heard.net.set_position(position)
        self._position = _to_be_played_on(position)
        self._is_limited = allowed is not None
        self.komi, self._extra_komi = komi, komi - bonus
        moves = position.legal_moves() if allowed is None else list(allowed)
        for worker in self._workers:
            worker.leaf.allowed[:] = 0
            worker.leaf.allowed[moves] = 1
            worker.totals[:] = 0
            worker.owned[:] = 0
        if kept is not None and kept != ROOT and self._heard.net is None:
            self._ask_again(ROOT, position, 0)
        self._forbid_all_but(moves)

    def _move_root(self, node: int | None) -> None:
        """Keep what is below `node`, or nothing, and share out the rest of the memory anew.

        Never for the root itself: the workers go on where they are in their parts.
        """
        if node is None:
            self._arena.clear()
        else:
            self._arena.keep(node)
        self._arena.share_out(self._workers)

    def _kept_node(self, position: Position) -> int | None:
        """Return the node of `position` in the present tree, or None."""
        moves = position.continues(self._position) if self.settings.reuse else None
        if moves is None or (moves and self._heard.must_ask_anew):
            return None
        node: int | None = ROOT
        colour = self._position.to_play
        for move in moves:
            if node is None or move.colour != colour:
                return None
            node = self._arena.child_with(node, move.move)
            colour = colour.opponent
        if colour != position.to_play:
            return None  # whoever asked gave the turn to the other side: these are not its moves
        return None if node == ROOT and self._is_limited else node

    def _forbid_all_but(self, moves: list[int]) -> None:
        """Drop root moves of a kept tree that superko rules out: it knows simple ko only."""
        allowed = {PASS, *moves}
        tree = self._arena.tree
        for child in reversed(self._arena.children(ROOT)):
            if int(tree.move[child]) not in allowed:
                last = self._arena.children(ROOT)[-1]
                for field in tree:
                    field[child] = field[last]
                tree.children[ROOT] -= 1

    # Searching

    def run(self, limit: Limit, progress: Progress | None = None) -> None:
        """Run simulations until the limit, but a few even if its moment has passed.

        `progress` is called between batches, in this thread.
        """
        self._stop[0] = 0
        self._compare_net_with_playouts()
        self._expand_root()
        budget = Budget(limit.simulations - self.simulations)
        if self._is_late(limit) and (self.simulations == 0 or self._is_blind):
            self._run_batch(self._workers[0], budget.take(FEWEST))
            self._heard.python.answer(self._workers[0], self._arena, self._position)
        while not self._is_over(limit):
            self._run_threads(limit, budget, progress)
            if self._is_full():
                self._make_room()

    @property
    def _is_blind(self) -> bool:
        """Whether no move was tried so far: a net looks at the root before."""
        children = self._arena.children(ROOT)
        return not self._arena.tree.visits[children.start : children.stop].any()

    def stop(self) -> None:
        """End a running search soon; may be called from any thread or a signal handler."""
        self._stop[0] = 1

    def _run_threads(self, limit: Limit, budget: Budget, progress: Progress | None) -> None:
        """Let all workers run until the limit or until the memory is full."""
        others = [
            threading.Thread(target=self._work, args=(worker, limit, budget, None), daemon=True)
            for worker in self._workers[1:]
        ]
        for thread in others:
            thread.start()
        try:
            self._work(self._workers[0], limit, budget, progress)
        except BaseException:
            self.stop()
            raise
        finally:
            for thread in others:
                thread.join()

    def _work(
        self, worker: Worker, limit: Limit, budget: Budget, progress: Progress | None
    ) -> None:
        while not self._is_over(limit) and not self._is_full():
            count = budget.take(self._batch(limit))
            if count == 0:
                break
            budget.give_back(count - self._run_batch(worker, count))
            self._heard.python.answer(worker, self._arena, self._position)
            if progress is not None:
                progress(self)

    def _batch(self, limit: Limit) -> int:
        """Return how many simulations to run at once: with a net no more than there is time for."""
        if (net := self._heard.net) is None:
            return BATCH
        fitting = limit.seconds_left / max(self._leaf_s, 1e-6)
        return int(max(1, min(net.batch, fitting)))

    def _run_batch(self, worker: Worker, count: int) -> int:
        """Run up to `count` simulations; return how many were run."""
        before = int(worker.totals[cells.SIMULATIONS])
        if (net := self._heard.net) is None:
            self._simulate(worker, count)
        else:
            self._simulate_with(net, worker, count)
        return int(worker.totals[cells.SIMULATIONS]) - before

    def _simulate(self, worker: Worker, count: int, mixing: Mixing = NO_NET) -> None:
        run_simulations(
            self._arena.tree,
            np.uintp(ROOT),
            self._position.block,
            worker,
            self._heard.table,
            self._policy,
            self._heard.formula,
            self._rollout(),
            mixing,
            np.uintp(count),
            self._stop,
        )

    def _simulate_with(self, net: NetSide, worker: Worker, count: int) -> None:
        """Run a batch of simulations whose leaves the net looks at."""
        begun_s = time.monotonic()
        self._simulate(worker, min(count, net.batch), net.mixing)
        if (leaves := int(worker.leaves.count[0])) == 0:
            return
        try:
            said = net.ask(worker.leaves, self._arena, self._position, self.komi)
        except Exception as error:
            said = nothing_said(worker.leaves)
            self._heard.drop_net(error)
        colour = np.uintp(self._position.block[layout.TO_PLAY])
        tree, rollout = self._arena.tree, self._rollout()
        settle(tree, worker, self._heard.table, said, rollout, net.mixing, colour)
        self._leaf_s = (time.monotonic() - begun_s) / leaves

    def _compare_net_with_playouts(self) -> None:
        """Let the playouts count where they differ much from the net, if that is asked for."""
        if self._heard.net is not None:
            try:
                self._heard.net.compare(self._position, self._playouts, self._odds)
            except Exception as error:
                self._heard.drop_net(error)

    def _expand_root(self) -> None:
        """Expand the root, so that every source has spoken before the first simulation."""
        if len(self._arena.children(ROOT)):
            return
        worker = self._workers[0]
        if self._heard.net is not None:
            self._simulate_with(self._heard.net, worker, 1)
            self._heard.python.answer(worker, self._arena, self._position)
            return
        # Through the kernel that is there anyway: one of its own would take seconds to compile.
        self._simulate(worker, 0)
        self._heard.python.look(ROOT, self._position, 0, self._arena)

    def _ask_again(self, node: int, position: Position, depth: int) -> None:
        """Ask all sources anew about a kept node, down to where some are limited in depth.

        After a move, nodes have come nearer to the root, within reach of such sources. Not with
        a net (see `Voices.must_ask_anew`).
        """
        children = self._arena.children(node)
        if depth > self._heard.deepest_limit or not len(children):
            return
        leaf, tree = self._workers[0].leaf, self._arena.tree
        block, fields = position.block, (leaf.memory, leaf.wins, leaf.visits)
        add_priors(block, np.uintp(depth), self._heard.table, *fields)
        points = [child for child in children if int(tree.move[child]) != PASS]
        tree.prior_wins[points] = leaf.wins[tree.move[points]]
        # What is pruned now has a node already: as many visits as keep the search away from it.
        tree.prior_visits[points] = np.abs(leaf.visits[tree.move[points]])
        self._heard.python.look(node, position, depth, self._arena)
        for child in children:
            move = int(tree.move[child])
            if len(self._arena.children(child)) and position.is_legal(move):
                below = position.copy()
                below.play(move)
                self._ask_again(child, below, depth + 1)

    def _rollout(self) -> Rollout:
        points = self._position.rows * self._position.columns
        # A leaf that the net values is shown to it at once: playouts alone are too rough beside it.
        net, python = self._heard.net, self._heard.python
        is_valued = net is not None and net.mixing.playout_share < 1
        return Rollout(
            expand_at=1.0 if is_valued else float(self.settings.expand_at),
            komi=float(self.komi),
            score_weight=self.settings.score_weight,
            mercy=max(points // 3, 10),
            longest=3 * points,
            margin_unit=MARGIN_UNIT * points**0.5,
            ask_to_depth=python.deepest,
            ask_before_move=python.latest,
        )

    def _is_over(self, limit: Limit) -> bool:
        if self._stop[0] or self.simulations >= limit.simulations:
            return True
        if self._is_late(limit) or self._arena.tree.visits[ROOT] >= MOST_VISITS:
            return True
        return limit.stop_when_decided and self._is_decided(limit)

    def _is_late(self, limit: Limit) -> bool:
        """Tell whether there is no time for another leaf."""
        return limit.seconds_left <= (0.0 if self._heard.net is None else self._leaf_s)

    def _is_decided(self, limit: Limit) -> bool:
        """Tell whether the second move cannot overtake the first in what is left."""
        children = self._arena.children(ROOT)
        if len(children) < 2 or self.simulations == 0:
            return False
        visits = np.partition(self._arena.tree.visits[children.start : children.stop], -2)
        if visits[-1] - visits[-2] <= limit.simulations_left(self.simulations):
            return False
        # Where the final choice goes by something else, that must agree already.
        return self._final == "visits" or self.report().candidates[0].visits == int(visits[-1])

    @property
    def _final(self) -> str:
        return self.settings.final_choice(self._heard.net is not None)

    def _is_full(self) -> bool:
        return any(worker.totals[cells.REFUSED] > 0 for worker in self._workers)

    def _make_room(self) -> None:
        """Forget the children of nodes with few visits."""
        self._arena.keep(ROOT, 2.0 * self.settings.expand_at)
        self._arena.share_out(self._workers)
        for worker in self._workers:
            worker.totals[cells.REFUSED] = 0

    # Results

    @property
    def simulations(self) -> int:
        """How many simulations were run since the position was set."""
        return sum(int(worker.totals[cells.SIMULATIONS]) for worker in self._workers)

    @property
    def problems(self) -> list[str]:
        """What Python sources or the net raised; whoever failed is not asked again."""
        return self._heard.problems

    @property
    def rule_counts(self) -> npt.NDArray[np.int64]:
        """How often each `playout.policy.Rule` chose a playout move, since the start."""
        return np.asarray(np.sum([worker.playout.rules for worker in self._workers], axis=0))

    def report(self) -> SearchReport:
        """Return what the search found so far."""
        weight = self._heard.formula.lead_weight
        found = read_report(self._arena, self._workers, self._position, self._final, weight)
        return replace(found, extra_komi=self._extra_komi)


def _to_be_played_on(position: Position) -> Position:
    """Return a copy to search, in which the game goes on even after two passes.

    Whoever asks for a move then wants one: to clean up, or since they do not agree what is dead.
    """
    copy = position.copy()
    if copy.block[layout.PASSES] >= 2:
        copy.block[layout.PASSES] = 0
    return copy
