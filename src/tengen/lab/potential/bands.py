"""Neighbouring switching points put together, so that fewer games tell something.

The games of a trunk share their beginning, so they are no independent samples: a trunk counts once,
with the mean of its games.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, hypot, inf, sqrt
from statistics import fmean, stdev

from tengen.lab.potential.paper import PLAIN

BANDS = (0.88, 0.73, 0.55, 0.0)
"""Where each band ends, as a share of the board's points; the first begins at all of them."""
GROUPS = (("pf6", "pf7", "pf8", "pf9"), ("pf1", "pf2", "pf5"), ("random", "pf3"))
"""Filters that behaved alike in the first 3,500 games of all, and are looked at together since."""
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


def band_row(games: Games, names: Sequence[str], size: int) -> dict[str, object]:
    """Return the win rate of one filter, or of several together, in each band.

    With its 95% interval, the difference to plain play where that was played, and the number of
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
    """Return a row for each filter that was played, and for each group that was played whole."""
    played = {name for name, _ in games}
    rows: list[Sequence[str]] = [(name,) for name in sorted(played - {PLAIN})]
    rows += [names for names in GROUPS if played.issuperset(names)]
    return [band_row(games, names, size) for names in rows]


def _means(
    games: Games, names: Sequence[str], low: float, high: float, size: int
) -> Sequence[float]:
    """Return how often each trunk of these filters won in a band."""
    return [
        fmean(won for _, won in inside)
        for (name, _), trunk in games.items()
        if name in names and (inside := [g for g in trunk if low <= g[0] / size**2 < high])
    ]


def _title(low: float, high: float, size: int) -> str:
    """Return a band's limits as switching points: on 9x9, 72 to 80."""
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
