"""The plots of a match, as SVG text."""

import io
import math
from collections.abc import Callable, Iterable, Sequence

import matplotlib

matplotlib.use("Agg")  # no display is needed, and none may be opened
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tengen.board.colour import BLACK, WHITE
from tengen.match.results import Results
from tengen.match.stats import Interval, wilson
from tengen.match.store import GameRow
from tengen.match.tally import games_between, score_of_player


def svg_plots(results: Results) -> list[tuple[str, str]]:
    """Return the title and the picture of each plot."""
    return [(title, _svg(draw, results)) for title, draw in PLOTS if results.rows]


def _svg(draw: Callable[[Axes, Results], None], results: Results) -> str:
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    draw(figure.add_subplot(), results)
    return inside_page(svg_text(figure))


def svg_text(figure: Figure) -> str:
    """Return a figure as an SVG file."""
    text = io.StringIO()
    figure.savefig(text, format="svg")
    return text.getvalue()


def inside_page(svg: str) -> str:
    """Return an SVG file without its XML header: so it can stand inside a page."""
    return svg[svg.index("<svg") :]


def _plot_win_rate(axes: Axes, results: Results) -> None:
    """Draw the win rate of the first of each pairing over its games, with its band."""
    for first, second in results.pairings:
        rows = games_between(results.rows, first, second)
        label = f"{results.label(first)} – {results.label(second)}"
        _plot_running(axes, [_points(row, first) for row in rows], label)
    _finish_rates(axes, "games")


def _plot_by_colour(axes: Axes, results: Results) -> None:
    """Draw each player's win rate with Black and with White side by side."""
    for shift, colour in ((-0.2, BLACK), (0.2, WHITE)):
        rates = [score_of_player(results.rows, n, colour).rate for n in range(len(results.players))]
        places = [place + shift for place in range(len(rates))]
        shade = "#333333" if colour is BLACK else "#dddddd"
        heights = [0.0 if math.isnan(rate.value) else rate.value for rate in rates]
        spread = [[_down(rate) for rate in rates], [_up(rate) for rate in rates]]
        axes.bar(
            places,
            heights,
            0.4,
            yerr=spread,
            color=shade,
            edgecolor="#333333",
            ecolor="#cc4444",
            capsize=3,
            label=f"as {colour.name.capitalize()}",
        )
    axes.set_xticks(range(len(results.players)), [player.label for player in results.players])
    _finish_rates(axes, "")


def _plot_lengths(axes: Axes, results: Results) -> None:
    axes.hist([row.length for row in results.rows], bins=30, color="#4477aa")
    axes.set_xlabel("moves")
    axes.set_ylabel("games")


def _plot_times(axes: Axes, results: Results) -> None:
    """Draw seconds a move of each player; a box is the middle half of its games."""
    times = [_seconds_a_move(results.rows, number) for number in range(len(results.players))]
    axes.boxplot(times, tick_labels=[player.label for player in results.players], sym="")
    axes.set_ylabel("seconds a move")


def _plot_running(axes: Axes, points: Sequence[float], label: str) -> None:
    total, rates = 0.0, []
    for games, point in enumerate(points, 1):
        total += point
        rates.append(wilson(total, games))
    numbers = range(1, len(points) + 1)
    (line,) = axes.plot(numbers, [rate.value for rate in rates], label=label)
    low, high = [rate.low for rate in rates], [rate.high for rate in rates]
    axes.fill_between(numbers, low, high, alpha=0.2, color=line.get_color())


def _finish_rates(axes: Axes, x_label: str) -> None:
    axes.axhline(0.5, color="#999999", linewidth=0.8)
    axes.set_ylim(0, 1)
    axes.set_ylabel("win rate")
    axes.set_xlabel(x_label)
    axes.legend(fontsize="small")


def _points(row: GameRow, player: int) -> float:
    return 0.5 if row.winner is None else float(row.winner == player)


def _seconds_a_move(rows: Iterable[GameRow], player: int) -> list[float]:
    """Return the mean time a move in each game that the player made moves in."""
    found = []
    for row in rows:
        moves = max((row.length - row.opening_moves) / 2, 0.5)
        if row.black == player:
            found.append(row.black_time_s / moves)
        if row.white == player:
            found.append(row.white_time_s / moves)
    return found


def _down(rate: Interval) -> float:
    return 0.0 if math.isnan(rate.value) else max(rate.value - rate.low, 0.0)


def _up(rate: Interval) -> float:
    return 0.0 if math.isnan(rate.value) else max(rate.high - rate.value, 0.0)


PLOTS: list[tuple[str, Callable[[Axes, Results], None]]] = [
    ("Win rate over games", _plot_win_rate),
    ("Win rate by engine and colour", _plot_by_colour),
    ("Game lengths", _plot_lengths),
    ("Time use", _plot_times),
]
