"""Plots of match reports; they need Matplotlib."""

import math
from collections.abc import Callable, Iterable, Sequence

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tengen.board import BLACK, WHITE
from tengen.match.results import MatchResults, games_between, points_of, score_of_player
from tengen.match.stats import Interval, wilson
from tengen.match.store import GameRow
from tengen.view import Section, figure_svg, inline_svg

matplotlib.use("Agg")  # works without a display


def plot_sections(results: MatchResults) -> list[Section]:
    """Return the plots of a match."""
    return [Section(title, content=_plot(draw, results)) for title, draw in PLOTS]


def _plot(draw: Callable[[Axes, MatchResults], None], results: MatchResults) -> Markup:
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    draw(figure.add_subplot(), results)
    return inline_svg(figure_svg(figure))


def _plot_win_rate(axes: Axes, results: MatchResults) -> None:
    """Plot the running win rate of the first player of each pairing with its interval."""
    for first, second in results.pairings:
        rows = games_between(results.rows, first, second)
        label = f"{results.label(first)} – {results.label(second)}"
        _plot_running_rate(axes, [points_of(row, first) for row in rows], label)
    _label_rates(axes, "games")


def _plot_running_rate(axes: Axes, points: Sequence[float], label: str) -> None:
    total, rates = 0.0, []
    for games, point in enumerate(points, 1):
        total += point
        rates.append(wilson(total, games))
    numbers = range(1, len(points) + 1)
    (line,) = axes.plot(numbers, [rate.value for rate in rates], label=label)
    low, high = [rate.low for rate in rates], [rate.high for rate in rates]
    axes.fill_between(numbers, low, high, alpha=0.2, color=line.get_color())


def _plot_by_color(axes: Axes, results: MatchResults) -> None:
    """Plot each player's win rates as Black and as White side by side."""
    for shift, color in ((-0.2, BLACK), (0.2, WHITE)):
        rates = [score_of_player(results.rows, n, color).rate for n in range(len(results.players))]
        axes.bar(
            [place + shift for place in range(len(rates))],
            [0.0 if math.isnan(rate.value) else rate.value for rate in rates],
            0.4,
            yerr=[[_error_below(rate) for rate in rates], [_error_above(rate) for rate in rates]],
            color="#333333" if color is BLACK else "#dddddd",
            edgecolor="#333333",
            ecolor="#cc4444",
            capsize=3,
            label=f"as {color.name.capitalize()}",
        )
    axes.set_xticks(range(len(results.players)), [player.label for player in results.players])
    _label_rates(axes, "")


def _error_below(rate: Interval) -> float:
    return 0.0 if math.isnan(rate.value) else max(rate.value - rate.low, 0.0)


def _error_above(rate: Interval) -> float:
    return 0.0 if math.isnan(rate.value) else max(rate.high - rate.value, 0.0)


def _label_rates(axes: Axes, x_label: str) -> None:
    axes.axhline(0.5, color="#999999", linewidth=0.8)
    axes.set_ylim(0, 1)
    axes.set_ylabel("win rate")
    axes.set_xlabel(x_label)
    axes.legend(fontsize="small")


def _plot_lengths(axes: Axes, results: MatchResults) -> None:
    axes.hist([row.length for row in results.rows], bins=30, color="#4477aa")
    axes.set_xlabel("moves")
    axes.set_ylabel("games")


def _plot_times(axes: Axes, results: MatchResults) -> None:
    """Plot seconds per move; boxes show the middle half of the games."""
    times = [_move_times(results.rows, number) for number in range(len(results.players))]
    axes.boxplot(times, tick_labels=[player.label for player in results.players], sym="")
    axes.set_ylabel("seconds per move")


def _move_times(rows: Iterable[GameRow], player: int) -> list[float]:
    """Return a player's mean time per move in each game."""
    times = []
    for row in rows:
        moves = max((row.length - row.opening_moves) / 2, 0.5)
        if row.black == player:
            times.append(row.black_time_s / moves)
        if row.white == player:
            times.append(row.white_time_s / moves)
    return times


PLOTS: list[tuple[str, Callable[[Axes, MatchResults], None]]] = [
    ("Win rate over games", _plot_win_rate),
    ("Win rate by player and color", _plot_by_color),
    ("Game lengths", _plot_lengths),
    ("Time use", _plot_times),
]
