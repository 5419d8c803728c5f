"""The interface that all nets have, whatever they take in and whoever trained them.

A `Net` is made of two parts that know nothing of each other: `Features` turn positions into
numbers, a `Model` computes with the numbers. The net itself does what is the same for all:
batches, symmetries, the rules (no probability for an illegal move), and a cache.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tengen.board.colour import BLACK, WHITE
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.board.rules import Scoring
from tengen.core.errors import TengenError
from tengen.core.parameters import check, parameter
from tengen.network.evaluation import Evaluation, Floats, Outputs, to_evaluation
from tengen.network.memory import EvaluationCache
from tengen.network.orientation import (
    drawn_symmetries,
    symmetry_count,
    turn_each,
    turn_outputs_back,
)

SYMMETRIES = ("none", "draw", "average")
SMALLEST_BOARD = 7
"""Rows or columns; nets are not trained on anything smaller."""
MOVES_IN_KEY = 5
BOARDS_IN_KEY = 3
"""How much of the past features may look at: the last moves, the boards before them, and
`stones_paid`."""


class Features(Protocol):
    """How a position becomes the numbers that a kind of net takes in."""

    planes: int
    """Numbers a point."""
    numbers: int
    """Numbers for the position as a whole."""

    def encode(self, position: Position, planes: Floats, numbers: Floats) -> None:
        """Write a position into `planes` (planes, rows, columns) and `numbers`, all zero before.

        Of the past it sees no more than the last five moves, the last three boards, and
        `stones_paid`. A position mirrored or turned gives the same planes mirrored or turned, and
        the same numbers, but for the chance in playouts.
        """


class Model(Protocol):
    """What computes: a batch of numbers in, a batch of numbers out."""

    def run(self, planes: Floats, numbers: Floats) -> Outputs:
        """Compute a batch: planes (n, planes, rows, columns), numbers (n, numbers)."""


@dataclass(frozen=True)
class NetSettings:
    """How a net is run."""

    symmetry: str = parameter(
        "none",
        "the side from which the net sees the board: as it is, one drawn, or the mean of all",
        choices=SYMMETRIES,
    )
    batch: int = parameter(16, "most positions computed at once", low=1, high=1024)
    threads: int = parameter(1, "threads that compute one batch", low=1, high=256)
    cache_mib: int = parameter(64, "memory of evaluated positions, in MiB", low=0, high=10**5)

    def __post_init__(self) -> None:
        check(self)


class Net:
    """A net ready to use; several threads may use one."""

    def __init__(
        self, name: str, features: Features, model: Model, settings: NetSettings | None = None
    ) -> None:
        self.name = name
        self.features = features
        self.settings = settings or NetSettings()
        self.cache = EvaluationCache(self.settings.cache_mib << 20)
        self._model = model

    def evaluate(self, positions: Sequence[Position]) -> list[Evaluation]:
        """Return what the net says of each position, in their order.

        What is in the cache is not computed again. Raise TengenError for a board that is too small
        for nets.
        """
        views = [_View(position) for position in positions]
        known = {view.key: self.cache.get(view.key) for view in views}
        missing = {view.key: view for view in views if known[view.key] is None}
        for alike in _same_size(list(missing.values())):
            for begin in range(0, len(alike), self.settings.batch):
                batch = alike[begin : begin + self.settings.batch]
                for view, evaluation in zip(batch, self._compute(batch), strict=True):
                    self.cache.put(view.key, evaluation)
                    known[view.key] = evaluation
        return [found for view in views if (found := known[view.key]) is not None]

    def outputs(self, positions: Sequence[Position], symmetry: int) -> Outputs:
        """Compute positions of one size, seen under one symmetry; the cache is not asked.

        The outputs are turned back: they fit the board as it is.
        """
        return self._run(*self.encode(positions), [symmetry] * len(positions))

    def encode(self, positions: Sequence[Position]) -> tuple[Floats, Floats]:
        """Return planes and numbers of positions of one size, as the model wants them."""
        rows, columns = positions[0].rows, positions[0].columns
        if min(rows, columns) < SMALLEST_BOARD:
            raise TengenError(
                f"nets play on boards from {SMALLEST_BOARD}x{SMALLEST_BOARD} to 19x19,"
                f" not {columns}x{rows}"
            )
        planes = np.zeros((len(positions), self.features.planes, rows, columns), dtype=np.float32)
        numbers = np.zeros((len(positions), self.features.numbers), dtype=np.float32)
        for index, position in enumerate(positions):
            self.features.encode(position, planes[index], numbers[index])
        return planes, numbers

    def _compute(self, views: "list[_View]") -> list[Evaluation]:
        """Return the evaluations of positions of one size."""
        planes, numbers = self.encode([view.position for view in views])
        outputs = self.see(planes, numbers, (view.position.hash for view in views))
        return [to_evaluation(outputs, index, view.legal) for index, view in enumerate(views)]

    def see(self, planes: Floats, numbers: Floats, hashes: Iterable[int]) -> Outputs:
        """Compute boards of one size, from the side or the sides that the settings name.

        Which side is drawn for a board goes by its hash. The mean of several sides is that of the
        logits: of policies, the geometric one.
        """
        count = symmetry_count(*planes.shape[-2:])
        if self.settings.symmetry == "average":
            all_sides = [self._run(planes, numbers, [side] * len(planes)) for side in range(count)]
            return Outputs(*(np.mean(kind, axis=0) for kind in zip(*all_sides, strict=True)))
        is_drawn = self.settings.symmetry == "draw"
        sides = drawn_symmetries(hashes, count) if is_drawn else [0] * len(planes)
        return self._run(planes, numbers, sides)

    def _run(self, planes: Floats, numbers: Floats, symmetries: Sequence[int]) -> Outputs:
        """Compute a batch, each board seen under its symmetry; the outputs fit it as it is."""
        outputs = self._model.run(turn_each(planes, symmetries), numbers)
        return turn_outputs_back(outputs, symmetries, *planes.shape[-2:])


class _View:
    """A position with its legal moves, and the key that tells whether a net sees a difference."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.legal = position.legal_grid()
        self.key: Hashable = (
            position.rows,
            position.columns,
            position.to_play,
            position.rules,
            position.handicap,
            tuple(position.moves[-MOVES_IN_KEY:]),
            position.history()[-BOARDS_IN_KEY:].tobytes(),
            stones_paid(position),
            position.hash,
            self.legal.tobytes(),
        )


def stones_paid(position: Position) -> int:
    """Return the points that White gained by the stones played: those of Black less her own.

    Under territory scoring a stone costs a point, as prisoners and filled territory do in the end;
    under area scoring it costs nothing.
    """
    if position.rules.scoring is not Scoring.TERRITORY:
        return 0
    stones = [played.colour for played in position.moves if played.move != PASS]
    return stones.count(BLACK) - stones.count(WHITE)


def _same_size(views: list[_View]) -> list[list[_View]]:
    """Return the views in groups of one board size each."""
    groups: dict[tuple[int, int], list[_View]] = {}
    for view in views:
        groups.setdefault((view.position.rows, view.position.columns), []).append(view)
    return list(groups.values())
