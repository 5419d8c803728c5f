"""Neighbouring switching points put together, so that fewer games tell something.

The games of a trunk share their beginning, so they are no independent samples: a trunk counts once,
with the mean of its games.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import ceil, sqrt
from statistics import fmean, stdev

from tengen.lab.potential.paper import PLAIN

BANDS = (0.88, 0.73, 0.55, 0.0)
"""Where each band ends, as a share of the board's points; the first begins at all of them."""
SURE = 1.96
"""Standard errors in a 95% interval."""

Games = Mapping[tuple[str, int], list[tuple[int, int]]]
"""By filter and trunk: the switching point and whether the side that filters won."""


def games_by_trunk(rows: Iterable[Mapping[str, str]], size: int, is_black: bool) -> Games:
    """Return the games on one board; `is_black` tells who filters."""
    games: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        if int(row["size"]) == size:
            won = int(is_black == int(row["black_won"]))
            games[row["filter"], int(row["trunk"])].append((int(row["switch"]), won))
    return games


def band_row(games: Games, name: str, size: int) -> dict[str, object]:
    """Return a filter's win rate in each band, with its 95% interval."""
    row: dict[str, object] = {"filter": name}
    high = 1.0
    for low in BANDS:
        means = [
            fmean(won for _, won in inside)
            for (filter_name, _), trunk in games.items()
            if filter_name == name and (inside := _within(trunk, low, high, size))
        ]
        row[_title(low, high, size)] = _with_error(means)
        high = low
    return row


def band_rows(games: Games, size: int) -> list[dict[str, object]]:
    """Return a row for each filter that was played."""
    names = dict.fromkeys(name for name, _ in games if name != PLAIN)
    return [band_row(games, name, size) for name in sorted(names)]


def _within(
    trunk: list[tuple[int, int]], low: float, high: float, size: int
) -> list[tuple[int, int]]:
    return [game for game in trunk if low <= game[0] / size**2 < high]


def _title(low: float, high: float, size: int) -> str:
    """Return a band's limits as switching points: on 9x9, 72 to 80."""
    points = size * size
    return f"{ceil(low * points)} to {ceil(high * points) - 1}"


def _with_error(means: list[float]) -> str:
    if len(means) < 2:
        return "-"
    error = SURE * stdev(means) / sqrt(len(means))
    return f"{100 * fmean(means):.0f} ± {100 * error:.0f}% ({len(means)})"
