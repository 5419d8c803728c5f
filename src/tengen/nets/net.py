"""The network interface: a `Net` evaluates positions with any features and any model.

`Features` encode positions as arrays and a `Model` computes on the arrays. `Net` adds batching,
symmetries, masking of illegal moves and a cache.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tengen.board import WHITE, Position, Scoring
from tengen.nets.evaluation import (
    Evaluation,
    EvaluationCache,
    Floats,
    Outputs,
    check_finite,
    to_evaluation,
)
from tengen.nets.symmetry import (
    inverse_transform_outputs,
    random_symmetries,
    symmetry_count,
    transform_each,
)
from tengen.util import TengenError, check, parameter

SYMMETRIES = ("none", "random", "average")
MIN_BOARD_SIZE = 7
"""Fewest rows or columns of a board that networks support."""
MOVES_IN_KEY = 5
BOARDS_IN_KEY = 3
"""How much of the past features may depend on: the last moves, the boards before them, and
`stones_paid`."""


class Features(Protocol):
    """Encodes positions as the input of a network."""

    planes: int
    """Number of feature planes."""
    numbers: int
    """Number of global features."""

    def encode(self, position: Position, planes: Floats, numbers: Floats) -> None:
        """Write a position into `planes` (planes, rows, columns) and `numbers`, both zeroed.

        The encoding may depend on the last five moves, the last three boards and `stones_paid`, not
        on earlier history. A symmetry of the board applied to the position gives the same symmetry
        of the planes and equal numbers, except for random playouts.
        """


class Model(Protocol):
    """Computes the outputs of a batch."""

    def run(self, planes: Floats, numbers: Floats) -> Outputs:
        """Compute a batch: planes (n, planes, rows, columns), numbers (n, numbers), float32."""


@dataclass(frozen=True)
class NetSettings:
    """Settings for running a network."""

    symmetry: str = parameter(
        "none",
        "board symmetry applied to inputs: none, a random one, or the average of all",
        choices=SYMMETRIES,
    )
    batch: int = parameter(16, "maximum batch size, in positions", low=1, high=1024)
    threads: int = parameter(1, "threads per batch", low=1, high=256)
    profile: str = parameter(
        "", "players that a human-like network imitates, such as rank_5k or proyear_1985"
    )
    cache_mib: int = parameter(64, "size of the evaluation cache, in MiB", low=0, high=10**5)

    def __post_init__(self) -> None:
        check(self)


class Net:
    """A network ready for evaluation; safe to share between threads."""

    def __init__(
        self, name: str, features: Features, model: Model, settings: NetSettings | None = None
    ) -> None:
        self.name = name
        self.features = features
        self.settings = settings or NetSettings()
        self.cache = EvaluationCache(self.settings.cache_mib << 20)
        self._model = model

    def evaluate(self, positions: Sequence[Position]) -> list[Evaluation]:
        """Return the evaluation of each position, in order.

        Cached evaluations are reused. Raise TengenError for a board that is too small, and
        NonFiniteOutputsError for outputs that are not finite, which are not cached.
        """
        views = [_View(position) for position in positions]
        known = {view.key: self.cache.get(view.key) for view in views}
        missing = {view.key: view for view in views if known[view.key] is None}
        for group in _same_size(list(missing.values())):
            for begin in range(0, len(group), self.settings.batch):
                batch = group[begin : begin + self.settings.batch]
                for view, evaluation in zip(batch, self._compute(batch), strict=True):
                    self.cache.put(view.key, evaluation)
                    known[view.key] = evaluation
        return [found for view in views if (found := known[view.key]) is not None]

    def outputs(self, positions: Sequence[Position], symmetry: int) -> Outputs:
        """Compute positions of one size under one symmetry, without the cache.

        The outputs are transformed back to the original orientation.
        """
        return self._run(*self.encode(positions), [symmetry] * len(positions))

    def encode(self, positions: Sequence[Position]) -> tuple[Floats, Floats]:
        """Return planes and numbers of positions of one size."""
        rows, columns = positions[0].rows, positions[0].columns
        if min(rows, columns) < MIN_BOARD_SIZE:
            raise TengenError(
                f"networks support boards from {MIN_BOARD_SIZE}x{MIN_BOARD_SIZE} to 19x19,"
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
        outputs = self.compute(planes, numbers, (view.position.hash for view in views))
        check_finite(self.name, outputs)
        return [to_evaluation(outputs, index, view.legal) for index, view in enumerate(views)]

    def compute(self, planes: Floats, numbers: Floats, hashes: Iterable[int]) -> Outputs:
        """Compute boards of one size under the symmetries of the settings.

        A random symmetry is chosen by the hash of a board. Averages are over logits, so policies
        are averaged geometrically.
        """
        count = symmetry_count(*planes.shape[-2:])
        if self.settings.symmetry == "average":
            outputs = [self._run(planes, numbers, [each] * len(planes)) for each in range(count)]
            return Outputs(*(np.mean(kind, axis=0) for kind in zip(*outputs, strict=True)))
        is_random = self.settings.symmetry == "random"
        symmetries = random_symmetries(hashes, count) if is_random else [0] * len(planes)
        return self._run(planes, numbers, symmetries)

    def _run(self, planes: Floats, numbers: Floats, symmetries: Sequence[int]) -> Outputs:
        """Compute a batch with one symmetry per board; outputs keep the original orientation."""
        outputs = self._model.run(transform_each(planes, symmetries), numbers)
        return inverse_transform_outputs(outputs, symmetries, *planes.shape[-2:])


class _View:
    """A position with its legal moves and its cache key."""

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
    """Return the points White gained by stones placed: Black's stones minus White's.

    Under territory scoring every stone costs a point, as a prisoner or in filled territory,
    handicap and setup stones included; under area scoring it costs nothing.
    """
    if position.rules.scoring is not Scoring.TERRITORY:
        return 0
    return position.territory_adjustment + (position.to_play is WHITE)


def _same_size(views: list[_View]) -> list[list[_View]]:
    """Group the views by board size."""
    groups: dict[tuple[int, int], list[_View]] = {}
    for view in views:
        groups.setdefault((view.position.rows, view.position.columns), []).append(view)
    return list(groups.values())
