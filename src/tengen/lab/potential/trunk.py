"""Games that share their opening: one trunk with a branch for each switching point.

A filter with switching point s is active while there are more than s legal moves, so two games that
differ only in s are identical until the larger s is reached. A trunk is played once with the filter
active; at each switching point a copy is played to the end without it. Each branch is a valid game
of its switching point, but branches of one trunk are not independent. On 9x9, ten branches cost as
much as five games.
"""

import zlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tengen.board import BLACK, Color
from tengen.lab.potential.kernels import game as kernels
from tengen.lab.potential.paper import PLAIN
from tengen.sources import Potential


@dataclass(frozen=True)
class GameTrunk:
    """A trunk to play, with everything a worker needs."""

    filter: str
    """Name of a filter, or PLAIN."""
    size: int
    switches: tuple[int, ...]
    """Switching points, descending; one arbitrary value for PLAIN."""
    number: int
    """Number of the trunk, unique by filter and size."""
    komi: float
    playouts: int = 100
    color: Color = BLACK
    """Filtering side."""
    fills_eyes: bool = False
    stencil: str = "horn"
    seed: int = 1


class TrunkBranch(NamedTuple):
    """Result of the game with one switching point."""

    switch: int
    area: int
    """Black's area minus White's."""
    black_won: int
    counted_black: int
    """Playouts of the paper's player: all for each candidate."""
    counted_white: int
    played: int
    """Playouts of both players that were actually played."""
    length: int
    filtered: int
    """Moves chosen with the filter active."""


def play_trunk(trunk: GameTrunk) -> list[TrunkBranch]:
    """Play a trunk and its branches."""
    match = kernels.FlatMatch(
        trunk.playouts,
        trunk.komi,
        0 if trunk.filter == PLAIN else int(trunk.color),
        trunk.fills_eyes,
    )
    stem = kernels.new_game(trunk.size, trunk.size, _seed(trunk, "stem"))
    endings = []
    for switch in trunk.switches:
        numbers = _numbers(trunk, switch)
        kernels.play_on(stem, match, numbers, True)
        branch = kernels.branch_of(stem, _seed(trunk, str(switch)))
        kernels.play_on(branch, match, numbers, False)
        endings.append(_ending(switch, branch, trunk.komi))
    return endings


def _seed(trunk: GameTrunk, part: str) -> int:
    """Return a distinct nonzero seed for each part of each trunk."""
    text = f"{trunk.seed} {trunk.filter} {trunk.size} {trunk.number} {part}"
    return zlib.crc32(text.encode()) * 2**32 + zlib.crc32(text[::-1].encode()) + 1


def _numbers(trunk: GameTrunk, switch: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    name = "random" if trunk.filter == PLAIN else trunk.filter
    seed = _seed(trunk, "lots") % 2**31
    parameters = Potential(filter=name, switch=switch, stencil=trunk.stencil, seed=seed)
    return parameters.kernel_parameters()


def _ending(switch: int, game: kernels.FlatGame, komi: float) -> TrunkBranch:
    area, tally = int(kernels.final_area(game)), game.tally
    counted, played = int(kernels.COUNTED), int(kernels.PLAYED)
    return TrunkBranch(
        switch=switch,
        area=area,
        black_won=int(area > komi),
        counted_black=int(tally[counted + 1]),
        counted_white=int(tally[counted + 2]),
        played=int(tally[played + 1] + tally[played + 2]),
        length=int(tally[kernels.LENGTH]),
        filtered=int(tally[kernels.FILTERED]),
    )
