"""Sources written in Python: they look at nodes in batches, after the kernel made them."""

from collections.abc import Sequence

import numpy as np

from tengen.board.kernels import layout
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.knowledge.source import PythonSource
from tengen.search.arena import Arena
from tengen.search.kernels.simulation import WAITING, Worker


class PythonSources:
    """The Python sources of a search. One that raises is remembered and not asked again."""

    def __init__(self, sources: Sequence[PythonSource]):
        self._sources = sources
        self._problems: dict[int, str] = {}
        """By the source's place: several may have one name."""

    @property
    def problems(self) -> list[str]:
        """What sources raised, each once."""
        return list(self._problems.values())

    @property
    def names(self) -> list[str]:
        """What the sources are called."""
        return [source.name for source in self._sources]

    def hear_all(self) -> None:
        """Ask those that raised again."""
        self._problems.clear()

    @property
    def depths(self) -> list[int]:
        """The depths down to which the sources want to look."""
        return [source.to_depth for source in self._sources]

    @property
    def deepest(self) -> int:
        """The depth down to which some source wants to look; -1 if there is none."""
        return max(self.depths, default=-1)

    @property
    def latest(self) -> int:
        """The move number before which some source wants to look."""
        return max((source.before_move for source in self._sources), default=0)

    def answer(self, worker: Worker, arena: Arena, root: Position) -> None:
        """Look at the nodes that a worker put on its list, and clear the list."""
        for index in range(int(worker.totals[WAITING])):
            position = Position.from_block(worker.asked_blocks[index], root.rules)
            position.handicap = root.handicap
            depth = int(position.block[layout.MOVES]) - int(root.block[layout.MOVES])
            self.look(int(worker.asked[index]), position, depth, arena)
        worker.totals[WAITING] = 0

    def look(self, node: int, position: Position, depth: int, arena: Arena) -> None:
        """Add what each source says of a position to the children of its node."""
        number = int(position.block[layout.MOVES])
        for place, source in enumerate(self._sources):
            wanted = number < source.before_move and depth <= source.to_depth
            if wanted and place not in self._problems:
                try:
                    self._add(source, node, position, arena)
                except TengenError as error:
                    self._problems[place] = str(error)

    def _add(self, source: PythonSource, node: int, position: Position, arena: Arena) -> None:
        values = source.values(position)
        field = np.full(int(layout.POINTS), np.nan)
        position.on_grid(field)[:] = values
        children = arena.children(node)
        cells = slice(children.start, children.stop)
        given = field[arena.tree.move[cells]]
        visits = np.where(np.isnan(given), 0.0, source.equivalent_visits)
        arena.tree.prior_visits[cells] += visits
        arena.tree.prior_wins[cells] += np.nan_to_num(given) * visits
