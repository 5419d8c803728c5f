"""Match reports (HTML page with plots, CSV table, SGF collection) and verification of games."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

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
    score_of_color,
    score_of_player,
    time_use,
)
from tengen.match.stats import (
    Z_95,
    bradley_terry,
    egf_ratings,
    elo_interval,
    pair_interval,
)
from tengen.match.store import GameRow, Store, digest_of
from tengen.records import EndReason, GameRecord, GameResult, ignore_warning, read_bytes
from tengen.util import TengenError, missing_extra
from tengen.view import Section, html_table, render_report

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
        *_plots(results),
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


def _plots(results: MatchResults) -> list[Section]:
    """Return the plots, or how to install Matplotlib, which they need."""
    try:
        from tengen.match.report_plots import plot_sections
    except ModuleNotFoundError as error:
        reason = missing_extra(error)
        if reason is None:
            raise
        return [Section("Plots", note=f"No plots: {reason}.")]
    return plot_sections(results) if results.rows else []


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
