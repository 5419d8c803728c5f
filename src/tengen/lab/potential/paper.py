"""Results of paper 002 and the formula behind its playout numbers."""

from typing import NamedTuple

PLAIN = "plain"
"""Name of the player without filter."""

PLAIN_RATES = {9: 0.57, 13: 0.51, 19: 0.50}
"""Black's win rate between two plain players, by board size."""

BORDERS: dict[str, dict[int, int | None]] = {
    "random": {9: None, 13: None, 19: None},
    "pf1": {9: 77, 13: 157, 19: 333},
    "pf2": {9: 73, 13: 153, 19: 325},
    "pf3": {9: None, 13: None, 19: None},
    "pf4": {9: 65, 13: 135, 19: 285},
    "pf5": {9: 77, 13: 159, 19: 343},
    "pf6": {9: 65, 13: 135, 19: 283},
    "pf7": {9: 63, 13: 131, 19: 277},
    "pf8": {9: 61, 13: 131, 19: 275},
    "pf9": {9: 61, 13: 129, 19: 273},
}
"""Figures 3 and 4: lowest switching point at which a filter helps; None for never."""

PLAYOUTS: dict[str, dict[int, int]] = {
    "random": {9: 168_000, 13: 722_400, 19: 3_276_000},
    "pf1": {9: 160_000, 13: 673_500, 19: 3_032_400},
    "pf2": {9: 152_400, 13: 658_000, 19: 2_967_300},
    "pf3": {9: 168_000, 13: 722_400, 19: 3_276_000},
    "pf4": {9: 138_400, 13: 593_200, 19: 2_662_300},
    "pf5": {9: 160_100, 13: 681_400, 19: 3_117_600},
    "pf6": {9: 138_800, 13: 593_200, 19: 3_648_100},
    "pf7": {9: 135_600, 13: 579_900, 19: 2_606_100},
    "pf8": {9: 132_500, 13: 579_900, 19: 2_592_300},
    "pf9": {9: 132_500, 13: 573_400, 19: 2_578_600},
}
"""Figures 3 and 4, "Play Out Number" as printed; PF 6 on 19x19 is a misprint for 2,648,100."""


class Playouts(NamedTuple):
    """Playouts of one player in one game by the paper's formula."""

    total: int
    plain: int

    @property
    def reduction(self) -> float:
        """Share of playouts saved by the filter."""
        return 1 - self.total / self.plain


def playouts_by_formula(points: int, switch: int | None, playouts: int = 100) -> Playouts:
    """Return the playouts of the paper's tables; `switch` is None for a filter that is never
    active.

    The formula assumes n = points, points - 2, ..., 3 legal moves per turn; half of them, rounded
    up, are tried while n exceeds the switching point.
    """
    turns = range(points, 2, -2)
    tried = [(n + 1) // 2 if switch is not None and n > switch else n for n in turns]
    return Playouts(playouts * sum(tried), playouts * sum(turns))
