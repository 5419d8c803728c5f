"""A net in the tree: what the search wants of it, and how much its word counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import MOVES, POINTS
from tengen.board.position import Position
from tengen.core.parameters import check, parameter
from tengen.search.arena import ROOT, Arena
from tengen.search.kernels.evaluation import Said
from tengen.search.kernels.leaves import MOST_LEAVES, Leaves, Mixing
from tengen.search.kernels.selection import PUCT


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
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return, for positions below `root`, the policy by move and the win rate to play.

        A position is the moves that lead to it, and its board. The policy is [positions, POINTS],
        the pass among the points as move 0; `komi` is what White gets. May be called from
        several threads.
        """


@dataclass(frozen=True)
class NetUse:
    """How much the word of a net counts in the tree.

    The weight of its policy beside the engine's own priors is `net_turn * turn + net_value * value
    + net_weight` (paper 001, eq. 3.1), from 0 to `net_cap`: fixed unless the first two are given.
    """

    net_weight: float = parameter(
        1.0, "share of the net's policy beside the engine's priors", low=-10, high=10
    )
    net_turn: float = parameter(
        0.0, "how that share grows with every move of the game", low=-1, high=1, origin="paper 001"
    )
    net_value: float = parameter(
        0.0, "how it grows with the win rate at the root", low=-10, high=10, origin="paper 001"
    )
    net_cap: float = parameter(
        1.0, "the largest share", low=0, high=1, origin="paper 001: 0.25 in its version 2"
    )
    net_visits: float = parameter(
        100.0, "equivalent visits of a move the net is sure of; not for puct", low=0, high=10**4
    )
    playout_share: float = parameter(
        0.0,
        "share of the playout in the value of a leaf (lambda)",
        low=0,
        high=1,
        origin="paper 000, section 2.3.3",
    )
    net_batch: int = parameter(8, "leaves the net looks at together", low=1, high=MOST_LEAVES)

    def __post_init__(self) -> None:
        check(self)

    def mixing(self, kind: int) -> Mixing:
        """Return what the kernels want to know."""
        return Mixing(
            True, float(self.playout_share), 0.0 if kind == PUCT else float(self.net_visits)
        )

    def weights(self, turns: npt.NDArray[np.integer], value: float) -> npt.NDArray[np.float32]:
        """Return the share of the net's policy at positions of these move numbers."""
        share = self.net_turn * turns + self.net_value * value + self.net_weight
        return np.asarray(np.clip(share, 0.0, self.net_cap), dtype=np.float32)


class NetSide:
    """The net of a search, with how its word counts."""

    def __init__(self, net: Evaluator, settings: NetUse, kind: int):
        self._net = net
        self._settings = settings
        self.smallest_board = net.smallest_board
        self.mixing = settings.mixing(kind)
        self.batch = settings.net_batch

    def ask(self, leaves: Leaves, arena: Arena, root: Position, komi: float) -> Said:
        """Let the net see the leaves that wait, of which there is at least one."""
        count = int(leaves.count[0])
        blocks = leaves.blocks[:count]
        lines = [_line(leaves, index, arena) for index in range(count)]
        policy, win_to_play = self._net.evaluate(root, lines, blocks, komi)
        visits = max(float(arena.tree.visits[ROOT]), 1.0)
        value = 1 - float(arena.tree.wins[ROOT]) / visits
        return Said(policy, win_to_play, self._settings.weights(blocks[:, int(MOVES)], value))


def nothing_said(leaves: Leaves) -> Said:
    """Return what stands for the word of a net that failed: an even game, no policy."""
    count = int(leaves.count[0])
    policy = np.ones((count, int(POINTS)), dtype=np.float32)
    return Said(policy, np.full(count, 0.5, np.float32), np.zeros(count, np.float32))


def _line(leaves: Leaves, index: int, arena: Arena) -> list[int]:
    """Return the moves from the root to a leaf."""
    path = leaves.paths[index, 1 : leaves.lengths[index]]
    moves: list[int] = arena.tree.move[path].tolist()
    return moves
