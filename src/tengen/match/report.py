"""Match reports (HTML page with plots, CSV table, SGF collection) and verification of games."""

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tengen.board import BLACK, WHITE, Color
from tengen.match.display import elo_text, percent
from tengen.match.game import Dispute
from tengen.match.results import (
    MatchResults,
    black_scores,
    component_failures,
    duplicates,
    end_reasons,
    games_between,
    pair_counts,
    points_of,
    score_of_color,
    score_of_player,
    time_use,
)
from tengen.match.stats import (
    Z_95,
    Interval,
    bradley_terry,
    egf_ratings,
    elo_interval,
    pair_interval,
    wilson,
)
from tengen.match.store import GameRow, Store, digest_of
from tengen.records import EndReason, GameRecord, GameResult, ignore_warning, read_bytes
from tengen.util import TengenError
from tengen.view import Section, figure_svg, html_table, inline_svg, render_report

matplotlib.use("Agg")

EGF_START = 2100.0
"""Initial EGF rating of every player: 1 dan."""
PRIOR_DRAWS = 0.1
"""Prior of the rating fit: keeps ratings finite with negligible bias."""
_NOT_IN_CSV = ("sgf", "black_log", "white_log")


def write_report(store: Store, folder: Path) -> list[Path]:
    """Write `NAME.html`, `NAME.csv` and `NAME.sgf` with all games; return their paths."""
    results = MatchResults.from_store(store)
    folder.mkdir(parents=True, exist_ok=True)
    stem = store.path.stem
    page, table, games = (folder / f"{stem}.{end}" for end in ("html", "csv", "sgf"))
    page.write_text(html_page(results), encoding="utf-8")
    table.write_text(csv_table(results), encoding="utf-8")
    games.write_text("".join(row.sgf for row in results.rows), encoding="utf-8")
    return [page, table, games]


def csv_table(results: MatchResults) -> str:
    """Return one line per game, with labels and words instead of numbers."""
    columns = [name for name in GameRow._fields if name not in _NOT_IN_CSV]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in results.rows:
        cells = _readable(results, row)
        writer.writerow([cells[name] for name in columns])
    return text.getvalue()


def _readable(results: MatchResults, row: GameRow) -> dict[str, object]:
    color = "" if row.winner_color is None else Color(row.winner_color).name.lower()
    return {
        **row._asdict(),
        "black": results.label(row.black),
        "white": results.label(row.white),
        "winner": "" if row.winner is None else results.label(row.winner),
        "winner_color": color,
        "reason": EndReason(row.reason).name.lower(),
        "black_dispute": Dispute(row.black_dispute).name.lower(),
        "white_dispute": Dispute(row.white_dispute).name.lower(),
    }


def html_page(results: MatchResults) -> str:
    """Return the report page."""
    settings = f": {results.summary}" if results.summary else ""
    summary = f"{len(results.rows)} games{settings}. Intervals are 95% confidence intervals."
    sections = [
        Section("Players", content=_players(results)),
        Section("By player and color", content=_by_player(results)),
        Section("By color", content=_by_color(results)),
        Section("Game pairs (same opening, colors swapped)", content=_pairs(results)),
        _ratings(results),
        Section("Reasons for wins and losses", content=_endings(results)),
        Section("Time per move", content=_times(results)),
        _checks(results),
        *(Section(title, content=_plot(draw, results)) for title, draw in PLOTS if results.rows),
    ]
    return render_report(results.title, sections, summary)


# Tables


def _players(results: MatchResults) -> Markup:
    rows = [(p.label, p.name, p.version, p.spec) for p in results.players]
    return html_table(["player", "name", "version", "command"], rows)


def _by_player(results: MatchResults) -> Markup:
    rows = []
    for number, player in enumerate(results.players):
        scores = [score_of_player(results.rows, number, side) for side in (None, BLACK, WHITE)]
        record = f"{scores[0].wins}-{scores[0].draws}-{scores[0].losses}"
        rates = [f"{percent(score.rate)} of {score.games}" for score in scores]
        rows.append((player.label, record, *rates))
    return html_table(["player", "W-D-L", "wins", "as Black", "as White"], rows)


def _by_color(results: MatchResults) -> Markup:
    rows = []
    for color in (BLACK, WHITE):
        score = score_of_color(results.rows, color)
        rows.append((color.name.capitalize(), score.wins, score.draws, percent(score.rate)))
    return html_table(["color", "wins", "draws", "rate"], rows)


def _pairs(results: MatchResults) -> Markup:
    rows = []
    for first, second in results.pairings:
        counts = pair_counts(games_between(results.rows, first, second), first)
        rate = pair_interval(counts)
        names = f"{results.label(first)} – {results.label(second)}"
        rows.append((names, sum(counts), *counts, percent(rate), elo_text(elo_interval(rate))))
    return html_table(["pairing", "pairs", "0", "½", "1", "1½", "2", "score", "Elo"], rows)


def _ratings(results: MatchResults) -> Section:
    """Return maximum-likelihood and EGF ratings of all players."""
    games = black_scores(results.rows)
    if not games:
        return Section("Ratings", note="No games between different players.")
    fit = bradley_terry(len(results.players), games, PRIOR_DRAWS)
    egf = egf_ratings([EGF_START] * len(results.players), games, results.handicap)
    rows = [
        (player.label, f"{elo:+.0f} ± {Z_95 * error:.0f}", f"{rating:.0f}")
        for player, elo, error, rating in zip(
            results.players, fit.elo, fit.errors, egf, strict=True
        )
    ]
    stones = f", with {results.handicap} handicap stones" if results.handicap else ""
    note = (
        f"Elo: maximum likelihood (Bradley-Terry), mean 0; Black's advantage is "
        f"{fit.first_elo:+.0f} ± {Z_95 * fit.first_error:.0f} Elo. EGF: updated game by game from "
        f"{EGF_START:.0f} by the rules of 1998 to 2021{stones}."
    )
    return Section("Ratings", content=html_table(["player", "Elo", "EGF"], rows), note=note)


def _endings(results: MatchResults) -> Markup:
    """Return the reasons for each player's wins and losses."""
    found = sorted({row.reason for row in results.rows})
    rows = []
    for number, player in enumerate(results.players):
        won, lost = (end_reasons(results.rows, number, won) for won in (True, False))
        rows.append((f"{player.label} won by", *(won[reason] for reason in found)))
        rows.append((f"{player.label} lost by", *(lost[reason] for reason in found)))
    return html_table(["", *(EndReason(reason).name.lower() for reason in found)], rows)


def _times(results: MatchResults) -> Markup:
    """Return wall-clock and CPU time per move; a large difference means a busy machine."""
    rows = []
    for number, player in enumerate(results.players):
        moves, time_s, cpu_s = time_use(results.rows, number)
        cpu = "–" if cpu_s is None else f"{cpu_s / max(moves, 1):.3f}"
        rows.append((player.label, f"{time_s / max(moves, 1):.3f}", cpu))
    return html_table(["player", "seconds", "CPU seconds"], rows)


def _checks(results: MatchResults) -> Section:
    """Return counts that show how far the results can be trusted."""
    disputes = Counter(max(row.black_dispute, row.white_dispute) for row in results.rows)
    pairs = sum(
        sum(pair_counts(games_between(results.rows, *pairing), pairing[0]))
        for pairing in results.pairings
    )
    rows = [
        ("games that repeat another game exactly", duplicates(results.rows)),
        ("games with a disputed winner", disputes[Dispute.WINNER]),
        ("games with a disputed margin only", disputes[Dispute.MARGIN]),
        ("complete pairs", pairs),
    ]
    failed = component_failures(results.players, results.rows)
    return Section("Checks", text=failed, content=html_table(["check", "count"], rows))


# Plots


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


def verify_games(store: Store) -> list[str]:
    """Replay all stored games and return how they differ from their rows, one line each."""
    problems = [f"game {number}: does not match its checksum" for number in store.damaged_games()]
    try:
        store.players()
    except TengenError as error:
        problems.append(str(error))
    for row in store.stored_games():
        problems += [f"game {row.number}: {problem}" for problem in _problems(row)]
    return problems


def _problems(row: GameRow) -> Iterator[str]:
    """Yield the differences between the SGF of a game and its columns."""
    record = _record(row)
    if record is None:
        yield "the SGF holds no game"
        return
    if len(record.moves) != row.length:
        yield f"{len(record.moves)} legal moves in the SGF, {row.length} stored"
    if digest_of(record.moves) != row.digest:
        yield "the moves do not match the digest"
    expected = _result_text(row)
    if record.result_text != expected:
        yield f"result {record.result_text!r} in the SGF, {expected!r} stored"


def _record(row: GameRow) -> GameRecord | None:
    """Return the game in the SGF of a row, or None if there is none."""
    return next(read_bytes(row.sgf.encode(errors="replace"), "", ignore_warning), None)


def _result_text(row: GameRow) -> str:
    """Return the result of a row as SGF text."""
    try:
        winner = None if row.winner_color is None else Color(row.winner_color)
        margin = None if row.margin is None else abs(row.margin)
        return str(GameResult(winner, margin, EndReason(row.reason)))
    except ValueError as error:
        return str(error)
