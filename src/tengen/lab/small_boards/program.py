"""The paper's programs: a mix of evaluations for each phase, searched within a number of nodes."""

from collections.abc import Callable
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
        self._size = (0, 0)

    def search(self, position: Position, mix: Metric, deepest: int, nodes: int) -> Found:
        """Search a position; the same one always gives the same move."""
        tree = self._tree
        known = len(position.history())
        self._set_size(position)
        tree.blocks[0] = position.block
        tree.history[:known] = position.history()
        depth = min(deepest, PLIES, LONGEST_GAME - known)
        move, value, reached = deepen(
            tree, np.uintp(known), mix.vector(), np.uintp(depth), np.uint64(nodes)
        )
        return Found(int(move), float(value), int(reached), int(tree.counters[NODES]))

    def _set_size(self, position: Position) -> None:
        """Put walls around the boards of all plies: the search copies only what lies inside."""
        size = position.rows, position.columns
        if self._size != size:
            self._tree.blocks[:] = position.block
            self._size = size


@dataclass(frozen=True)
class Program:
    """A player of the paper's tournaments."""

    phases: Phases
    nodes: int = 2000
    opening_nodes: int | None = None
    """For moves of the opening, if not the same: what is limited there is the depth."""

    def chooser(self, searcher: Searcher) -> Callable[[Position], int]:
        """Return the player: it searches with the mix and depth of the game's phase."""

        def choose(position: Position) -> int:
            number = len(position.moves) + 1
            mix, depth = self.phases.at(number)
            opening = number <= self.phases.end_opening
            nodes = self.opening_nodes if opening and self.opening_nodes else self.nodes
            return searcher.search(position, mix, depth, nodes).move

        return choose
