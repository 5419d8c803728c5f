"""The paper's programs: a mix of evaluations for each phase, searched within a number of nodes."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tengen.board.position import Position
from tengen.knowledge.metric import Metric, Phases
from tengen.lab.small_boards.kernels.alphabeta import (
    LONGEST_GAME,
    NODES,
    PLIES,
    Tree,
    deepen,
    new_tree,
)

AREA = Metric.only(a1=1)
"""E1 alone: the score by area."""


class Found(NamedTuple):
    """What a search found."""

    move: int
    value: float
    """For the side to move."""
    depth: int
    nodes: int


class Searcher:
    """Searches positions under positional superko; keeps its memory, but nothing it learnt."""

    def __init__(self) -> None:
        self._tree: Tree = new_tree()

    def search(self, position: Position, mix: Metric, deepest: int, nodes: int) -> Found:
        """Search a position; the same one always gives the same move."""
        tree = self._tree
        known = len(position.history())
        tree.blocks[0] = position.block
        tree.history[:known] = position.history()
        depth = min(deepest, PLIES, LONGEST_GAME - known)
        move, value, reached = deepen(
            tree, np.uintp(known), mix.vector(), np.uintp(depth), np.uint64(nodes)
        )
        return Found(int(move), float(value), int(reached), int(tree.counters[NODES]))


@dataclass(frozen=True)
class Program:
    """A player of the paper's tournaments."""

    phases: Phases
    nodes: int = 2000

    def choose(self, searcher: Searcher, position: Position) -> Found:
        """Return its move in a position, by the phase of the game."""
        mix, depth = self.phases.at(len(position.moves) + 1)
        return searcher.search(position, mix, depth, self.nodes)
