"""Games that share their beginning: one trunk, one ending for each switching point.

A filter with switching point s is on while there are more than s legal moves. So two games that
differ in nothing but s are the same game until the larger s is reached. A trunk is played once
with the filter on; where it first falls to a switching point, a copy is played to the end with
that switching point. Each ending is an honest game of its switching point; only that endings of
one trunk are no independent games. On 9x9 ten endings cost as much as five games.
"""

import zlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tengen.board.colour import BLACK, Colour
from tengen.knowledge.potential import Potential
from tengen.lab.potential.kernels import game as kernels
from tengen.lab.potential.paper import PLAIN


@dataclass(frozen=True)
class Trunk:
    """A trunk to play: everything a worker needs to know."""

    filter: str
    """A filter's name, or PLAIN."""
    size: int
    switches: tuple[int, ...]
    """Descending; for PLAIN one of any value."""
    number: int
    """Different for each trunk of a filter and size."""
    komi: float
    playouts: int = 100
    colour: Colour = BLACK
    """Who filters."""
    fills_eyes: bool = False
    stencil: str = "horn"
    seed: int = 1


class Ending(NamedTuple):
    """How a game with one switching point ended."""

    switch: int
    area: int
    """Black's minus White's."""
    black_won: int
    counted_black: int
    """Playouts as the paper's player spends them: all for each candidate."""
    counted_white: int
    played: int
    """Playouts of both that were really played."""
    length: int
    filtered: int
    """Moves chosen with the filter on."""


def play_trunk(trunk: Trunk) -> list[Ending]:
    """Play a trunk and its endings."""
    match = kernels.Match(
        trunk.playouts,
        trunk.komi,
        0 if trunk.filter == PLAIN else int(trunk.colour),
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


def _seed(trunk: Trunk, part: str) -> int:
    """Return a seed of its own for each part of each trunk: never 0, where xorshift stays."""
    text = f"{trunk.seed} {trunk.filter} {trunk.size} {trunk.number} {part}"
    return zlib.crc32(text.encode()) * 2**32 + zlib.crc32(text[::-1].encode()) + 1


def _numbers(trunk: Trunk, switch: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    name = "random" if trunk.filter == PLAIN else trunk.filter
    seed = _seed(trunk, "lots") % 2**31
    parameters = Potential(filter=name, switch=switch, stencil=trunk.stencil, seed=seed)
    return np.array([1.0, *parameters.numbers()])


def _ending(switch: int, game: kernels.Game, komi: float) -> Ending:
    area, tally = int(kernels.final_area(game)), game.tally
    counted, played = int(kernels.COUNTED), int(kernels.PLAYED)
    return Ending(
        switch=switch,
        area=area,
        black_won=int(area > komi),
        counted_black=int(tally[counted + 1]),
        counted_white=int(tally[counted + 2]),
        played=int(tally[played + 1] + tally[played + 2]),
        length=int(tally[kernels.LENGTH]),
        filtered=int(tally[kernels.FILTERED]),
    )
