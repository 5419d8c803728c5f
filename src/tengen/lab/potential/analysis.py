"""Statistics of a sweep: verdicts, borders, bands of switching points and no-worse curves.

The results of paper 002 and the formula behind its playout numbers come first.

The border of a filter is the lowest switching point at which it still wins more often than a plain
player (paper 002). A finite number of games determines it only up to an interval. Games of one
trunk share their opening, so intervals treat a trunk as one sample.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from math import ceil, hypot, inf, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


class RateVerdict(IntEnum):
    """A win rate compared with plain against plain."""

    OPEN = 0
    BELOW = 1
    ABOVE = 2


class Cell(NamedTuple):
    """Games of one filter with one switching point."""

    wins: int = 0
    games: int = 0


class RateTest(NamedTuple):
    """Sequential probability ratio test around the win rate of a plain player."""

    reference: float
    margin: float = 0.05
    """The hypotheses are `reference` minus and plus this margin."""
    risk: float = 0.05
    """Error probability if the true rate equals one of the hypotheses."""

    def verdict(self, cell: Cell) -> RateVerdict:
        """Return the verdict on the games of a cell."""
        low = max(self.reference - self.margin, 0.001)
        high = min(self.reference + self.margin, 0.999)
        losses = cell.games - cell.wins
        ratio = cell.wins * math.log(high / low) + losses * math.log((1 - high) / (1 - low))
        bound = math.log((1 - self.risk) / self.risk)
        return (
            RateVerdict.ABOVE
            if ratio >= bound
            else RateVerdict.BELOW
            if ratio <= -bound
            else RateVerdict.OPEN
        )


class Border(NamedTuple):
    """Interval of a border: above `low` and at most `high`; None where unknown."""

    low: int | None
    high: int | None

    def __str__(self) -> str:
        if self.high is None:
            return "none found" if self.low is None else f"none, or above {self.low}"
        return f"at most {self.high}" if self.low is None else f"{self.low + 1} to {self.high}"


def find_border(verdicts: Mapping[int, RateVerdict]) -> Border:
    """Return the border's interval from verdicts by switching point."""
    above = [switch for switch, verdict in verdicts.items() if verdict is RateVerdict.ABOVE]
    high = min(above, default=None)
    below = [
        switch
        for switch, verdict in verdicts.items()
        if verdict is RateVerdict.BELOW and (high is None or switch < high)
    ]
    return Border(max(below, default=None), high)


def is_inside(switch: int, border: Border) -> bool:
    """Return whether games at a switching point could narrow the border."""
    return (border.low is None or switch > border.low) and (
        border.high is None or switch < border.high
    )


def halfway(border: Border, known: Mapping[int, object]) -> int | None:
    """Return an untried switching point inside the border's interval, or None.

    Only every second number is used, because a player's legal moves decrease by two per turn.
    """
    if border.low is None or border.high is None or border.high - border.low <= 2:
        return None
    if any(border.low < switch < border.high for switch in known):
        return None
    return border.low + 2 * ((border.high - border.low + 2) // 4)


BANDS = (0.88, 0.73, 0.55, 0.0)
"""Lower ends of the bands as shares of the board's points; the first band starts at 1."""
GROUPS = (("pf6", "pf7", "pf8", "pf9"), ("pf1", "pf2", "pf5"), ("random", "pf3"))
"""Filters with similar behavior, also evaluated together."""
SURE = 1.96
"""Standard errors in a 95% interval."""

Games = Mapping[tuple[str, int], list[tuple[int, int]]]
"""Switching point and win of the filtering side, by filter and trunk."""


def games_by_trunk(rows: Iterable[Mapping[str, str]], size: int, is_black: bool) -> Games:
    """Return the games on one board size; `is_black` is the color of the filtering side."""
    games: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        if int(row["size"]) == size:
            won = int(is_black == int(row["black_won"]))
            games[row["filter"], int(row["trunk"])].append((int(row["switch"]), won))
    return games


def band_row(games: Games, names: Sequence[str], size: int) -> dict[str, object]:
    """Return the win rate of one or more filters in each band.

    Cells contain the 95% interval, the difference to plain play if available, and the number of
    trunks.
    """
    plain = _means(games, (PLAIN,), 0.0, inf, size)
    row: dict[str, object] = {"filter": ", ".join(names)}
    high = 1.0
    for low in BANDS:
        row[_title(low, high, size)] = _cell(_means(games, names, low, high, size), plain)
        high = low
    return row


def band_rows(games: Games, size: int) -> list[dict[str, object]]:
    """Return a row for each filter with games, and for each complete group."""
    played = {name for name, _ in games}
    rows: list[Sequence[str]] = [(name,) for name in sorted(played - {PLAIN})]
    rows += [names for names in GROUPS if played.issuperset(names)]
    return [band_row(games, names, size) for names in rows]


def _means(
    games: Games, names: Sequence[str], low: float, high: float, size: int
) -> Sequence[float]:
    """Return the win rates of the trunks of some filters in a band."""
    return [
        fmean(won for _, won in inside)
        for (name, _), trunk in games.items()
        if name in names and (inside := [g for g in trunk if low <= g[0] / size**2 < high])
    ]


def _title(low: float, high: float, size: int) -> str:
    """Return the switching points of a band, e.g. 72 to 80 on 9x9."""
    points = size * size
    return f"{ceil(low * points)} to {ceil(high * points) - 1}"


def _cell(means: Sequence[float], plain: Sequence[float]) -> str:
    if len(means) < 2:
        return "-"
    error = _error(means)
    text = f"{100 * fmean(means):.0f} ± {100 * error:.0f}%"
    if len(plain) >= 2:
        more, apart = fmean(means) - fmean(plain), hypot(error, _error(plain))
        text += f", {100 * more:+.0f} ± {100 * apart:.0f}"
    return f"{text} ({len(means)})"


def _error(means: Sequence[float]) -> float:
    return SURE * stdev(means) / sqrt(len(means))


Numbers = NDArray[np.float64]

SAMPLES, SEED = 1000, 1
"""Samples and seed of the bootstrap."""
STEPS = 12
"""Newton iterations; eight suffice for rates between 1% and 99%."""
STIFFNESS = 0.01
"""Ridge penalty that keeps the curve finite for a filter that won every game."""


class NoWorse(NamedTuple):
    """Lowest switching point that loses at most the margin, with its 95% interval.

    None if even the highest switching point loses more. `last` is the lowest one tried.
    """

    best: int | None
    low: int | None
    high: int | None
    last: int

    def __str__(self) -> str:
        if self.low == self.high:
            return self._text(self.best)
        return f"{self._text(self.best)} ({self._text(self.low)} to {self._text(self.high)})"

    def _text(self, switch: int | None) -> str:
        if switch is None:
            return "none"
        return f"{switch} or less" if switch == self.last else str(switch)


def no_worse(games: Games, name: str, size: int, margin: float) -> NoWorse | None:
    """Return the switching point down to which a filter loses at most `margin` to plain play.

    A logistic curve is fitted to all games of the filter; the interval is a bootstrap over plain
    games and trunks. None without plain games or with fewer than three switching points.
    """
    wins, played, switches = _by_trunk(games, name)
    plain = [won for (other, _), trunk in games.items() if other == PLAIN for _, won in trunk]
    if len(switches) < 3 or not plain:
        return None
    drawn = np.random.default_rng(SEED)
    weights = _drawn_weights(drawn, len(wins))
    rates = _drawn_rates(drawn, np.array(plain))
    # At the whole board a filter is never active, so the curve starts at plain play.
    all_wins = np.column_stack([rates * len(plain), weights @ wins])
    all_played = np.column_stack([np.full(len(rates), len(plain)), weights @ played])
    tried = np.arange(max(switches), min(switches) - 1, -2)
    known = np.array([size**2, *switches])
    curves = _fit(all_wins, all_played, known / size**2, tried / size**2)
    holds = np.logical_and.accumulate(curves >= (rates - margin)[:, None], axis=1).sum(axis=1)
    low, high = np.quantile(holds[1:], (0.975, 0.025), method="nearest")
    best, low, high = (int(tried[count - 1]) if count else None for count in (holds[0], low, high))
    return NoWorse(best, low, high, int(tried[-1]))


def _drawn_weights(drawn: np.random.Generator, trunks: int) -> Numbers:
    """Return bootstrap weights of trunks; the first row has weight 1 for each."""
    samples = drawn.multinomial(trunks, np.full(trunks, 1 / trunks), size=SAMPLES)
    return np.vstack([np.ones(trunks), samples])


def _drawn_rates(drawn: np.random.Generator, plain: NDArray[np.int64]) -> Numbers:
    """Return the win rate of the plain games, then bootstrap rates."""
    samples = drawn.binomial(len(plain), plain.mean(), size=SAMPLES)
    return np.append(plain.mean(), samples / len(plain))


def _by_trunk(games: Games, name: str) -> tuple[Numbers, Numbers, list[int]]:
    """Return wins and games by trunk and switching point, and the switching points."""
    trunks = [trunk for (other, _), trunk in games.items() if other == name]
    switches = sorted({switch for trunk in trunks for switch, _ in trunk}, reverse=True)
    place = {switch: index for index, switch in enumerate(switches)}
    wins, played = np.zeros((2, len(trunks), len(switches)))
    for row, trunk in enumerate(trunks):
        for switch, won in trunk:
            wins[row, place[switch]] += won
            played[row, place[switch]] += 1
    return wins, played, switches


def _fit(wins: Numbers, played: Numbers, known: Numbers, queried: Numbers) -> Numbers:
    """Return the rates at `queried` of quadratic logistic curves, one per row of wins and games."""
    shapes = np.vander(2 * known - 1, 3)
    numbers = np.zeros((len(wins), 3))
    for _ in range(STEPS):
        rates = _logistic(numbers @ shapes.T)
        slope = (wins - played * rates) @ shapes - STIFFNESS * numbers
        spread = (played * rates * (1 - rates))[:, :, None, None]
        hessian = (spread * shapes[None, :, :, None] * shapes[None, :, None, :]).sum(axis=1)
        numbers += np.linalg.solve(hessian + STIFFNESS * np.eye(3), slope[:, :, None])[:, :, 0]
    return _logistic(numbers @ np.vander(2 * queried - 1, 3).T)


def _logistic(values: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))
