"""A net in the tree: what the search wants of it, and what it is asked."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board.colour import BLACK
from tengen.board.kernels.layout import EMPTIES, MOVES, POINTS, TO_PLAY
from tengen.board.position import Position
from tengen.playout.ownership import playout_owners
from tengen.playout.policy import Policy
from tengen.search.arena import ROOT, Arena
from tengen.search.kernels.evaluation import Said
from tengen.search.kernels.leaves import Leaves, Mixing
from tengen.search.net_use import Moment, NetUse, Stage

Floats = npt.NDArray[np.float32]
Odds = npt.NDArray[np.uint32]

DOUBTING_PLAYOUTS = 48
"""Enough to see fifty points; from an empty board they take 6 ms on 19x19 and 1.5 on 9x9."""


class Opinion(NamedTuple):
    """What a net says of some positions, for the side to move."""

    policy: Floats
    """[positions, POINTS]: by move, the pass among the points as move 0."""
    win: Floats
    """[positions]: the win rate."""
    lead: Floats
    """[positions]: points."""


class Evaluator(Protocol):
    """A net as the search sees it."""

    smallest_board: int
    """Rows or columns; smaller boards are searched without it."""

    def evaluate(
        self,
        root: Position,
        lines: Sequence[list[int]],
        blocks: npt.NDArray[np.uint32],
        komi: float,
    ) -> Opinion:
        """Return what the net says of positions below `root`.

        A position is the moves that lead to it, and its board; `komi` is what White gets. May be
        called from several threads.
        """


class NetSide:
    """The net of a search, with how its word counts."""

    def __init__(self, net: Evaluator, settings: NetUse, kind: int):
        self._net = net
        self._settings = settings
        self._kind = kind
        self.smallest_board = net.smallest_board
        self.batch = settings.net_batch
        self.mixing: Mixing = settings.mixing(kind)

    def set_position(self, root: Position) -> None:
        """Mix as it is right for a search from that position."""
        self.mixing = self._settings.mixing(self._kind, _stage(root))

    def compare(self, root: Position, policy: Policy, odds: Odds) -> None:
        """Mix as it is right where the net and a few playouts differ as they do at the root.

        Both speak of the board alone, without komi: a net knows komis of real games only.
        """
        if self._settings.doubt_points > 0:
            difference = abs(self._board_score(root) - _playout_score(root, policy, odds))
            self.mixing = self._settings.mixing(self._kind, _stage(root, difference))

    def _board_score(self, root: Position) -> float:
        """Return by how many points Black is ahead on the board, as the net says."""
        _, _, lead = self._net.evaluate(root, [[]], root.block[None], komi=0.0)
        return float(lead[0]) if root.block[TO_PLAY] == BLACK else -float(lead[0])

    def ask(self, leaves: Leaves, arena: Arena, root: Position, komi: float) -> Said:
        """Let the net see the leaves that wait, of which there is at least one."""
        count = int(leaves.count[0])
        blocks = leaves.blocks[:count]
        lines = [_line(leaves, index, arena) for index in range(count)]
        policy, win_to_play, lead_to_play = self._net.evaluate(root, lines, blocks, komi)
        if not np.isfinite(policy.sum() + win_to_play.sum() + lead_to_play.sum()):
            raise ValueError("what it says is no number")
        below = blocks[:, int(MOVES)] - int(root.block[MOVES])
        moment = Moment(below + _stage(root).played, root.area)
        if not self._settings.is_fixed:  # reading it all costs 4 to 8% of a small net's time
            first = float(win_to_play[0]) if leaves.lengths[0] == 1 else 0.5
            unknown = 1 - self.mixing.playout_share
            values = _root_values(arena, leaves, first, unknown)
            moment = Moment(*moment[:2], *values, _entropy(policy))
        return Said(policy, win_to_play, lead_to_play, self._settings.weights(moment))


def _stage(root: Position, difference_points: float = 0.0) -> Stage:
    # Of a position that was set up, the stones tell how far it is; of a game, captures do not.
    stones = root.area - int(root.block[EMPTIES])
    return Stage(max(len(root.moves), stones), root.area, difference_points)


def _playout_score(root: Position, policy: Policy, odds: Odds) -> float:
    """Return by how many points Black is ahead on the board after playouts, on the average."""
    first, seed = int(root.block[TO_PLAY]), 2 * len(root.moves) + 1
    owned, _ = playout_owners(root.block, first, DOUBTING_PLAYOUTS, seed, policy, odds)
    return float(owned.sum())


def _root_values(
    arena: Arena, leaves: Leaves, otherwise: float, unknown: float
) -> tuple[float, float, float]:
    """Return the win rate to play at the root, that of its best move, and the moves' spread.

    Leaves that wait count as visits already, but that share of them is `unknown` which is the
    net's to tell; their playouts have been counted. `otherwise` stands for the win rate if nothing
    is known. (Those of other threads are not known here, and are few.)
    """
    tree, children = arena.tree, arena.children(ROOT)
    waiting = int(leaves.count[0])
    done = float(tree.visits[ROOT]) - unknown * waiting
    value = 1 - float(tree.wins[ROOT]) / done if done > 0 else otherwise
    tried = leaves.paths[:waiting, 1][leaves.lengths[:waiting] > 1].astype(np.int64)
    waits = np.bincount(tried - children.start, minlength=len(children))
    visits = tree.visits[children.start : children.stop] - unknown * waits
    known = visits > 0
    if not known.any():
        return value, value, 0.0
    wins = tree.wins[children.start : children.stop]
    rates = np.divide(wins, visits, where=known, out=np.zeros(len(children)))
    return value, float(rates[visits.argmax()]), float(rates[known].std())


def _entropy(policy: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Return the entropy of each policy, 1 where all moves that it names are alike."""
    shares = policy / np.maximum(policy.sum(axis=1, keepdims=True), 1e-9)
    logs = np.log(shares, where=shares > 0, out=np.zeros_like(shares))
    most = np.log(np.maximum((shares > 0).sum(axis=1), 2))
    return np.asarray(-(shares * logs).sum(axis=1) / most, dtype=np.float64)


def nothing_said(leaves: Leaves) -> Said:
    """Return what stands for the word of a net that failed: an even game, no policy."""
    count = int(leaves.count[0])
    policy = np.ones((count, int(POINTS)), dtype=np.float32)
    nothing = np.zeros(count, np.float32)
    return Said(policy, np.full(count, 0.5, np.float32), nothing, nothing)


def _line(leaves: Leaves, index: int, arena: Arena) -> list[int]:
    """Return the moves from the root to a leaf."""
    path = leaves.paths[index, 1 : leaves.lengths[index]]
    moves: list[int] = arena.tree.move[path].tolist()
    return moves
