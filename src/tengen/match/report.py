"""The results of a match as one self-contained HTML page, a CSV table and an SGF collection.

The page needs nothing beside it: plots are SVG inside the page.
"""

import csv
import html
import io
from collections import Counter
from pathlib import Path

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.match.game import Dispute, Reason
from tengen.match.page import html_frame, html_table
from tengen.match.plots import svg_plots
from tengen.match.results import Results
from tengen.match.stats import (
    Z_95,
    bradley_terry,
    egf_ratings,
    elo_interval,
    pair_interval,
)
from tengen.match.store import GameRow, Store
from tengen.match.table import elo_text, percent
from tengen.match.tally import (
    black_scores,
    crippled,
    duplicates,
    games_between,
    pair_counts,
    reasons,
    score_of_colour,
    score_of_player,
    time_use,
)

EGF_START = 2100.0
"""Where every player starts in the EGF system: 1 dan."""
PRIOR_DRAWS = 0.1
"""A tenth of a draw between all players: keeps ratings finite and moves them next to nothing."""
HIDDEN_IN_CSV = ("sgf", "black_log", "white_log")


def write_report(store: Store, folder: Path) -> list[Path]:
    """Write `NAME.html`, `NAME.csv` and all games as `NAME.sgf`; return their paths."""
    results = Results(
        store.path.stem, store.players(), store.games(), store.terms(), store.handicap()
    )
    folder.mkdir(parents=True, exist_ok=True)
    stem = store.path.stem
    page, table, games = (folder / f"{stem}.{end}" for end in ("html", "csv", "sgf"))
    page.write_text(html_page(results), encoding="utf-8")
    table.write_text(csv_table(results), encoding="utf-8")
    games.write_text("".join(row.sgf for row in results.rows), encoding="utf-8")
    return [page, table, games]


def csv_table(results: Results) -> str:
    """Return one line a game; players and colours are separate columns, reasons are words."""
    columns = [name for name in GameRow._fields if name not in HIDDEN_IN_CSV]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in results.rows:
        cells = _readable(results, row)
        writer.writerow([cells[name] for name in columns])
    return text.getvalue()


def _readable(results: Results, row: GameRow) -> dict[str, object]:
    """Return a row with names for numbers."""
    colour = "" if row.winner_colour is None else Colour(row.winner_colour).name.lower()
    return {
        **row._asdict(),
        "black": results.label(row.black),
        "white": results.label(row.white),
        "winner": "" if row.winner is None else results.label(row.winner),
        "winner_colour": colour,
        "reason": Reason(row.reason).name.lower(),
        "black_dispute": Dispute(row.black_dispute).name.lower(),
        "white_dispute": Dispute(row.white_dispute).name.lower(),
    }


def html_page(results: Results) -> str:
    """Return the whole page."""
    parts = [
        f"<h1>{html.escape(results.title)}</h1>",
        f"<p>{_summary(results)} Intervals are of 95 %.</p>",
        _section("Players", _players(results)),
        _section("By engine, and by engine and colour", _by_engine(results)),
        _section("By colour, whoever had it", _by_colour(results)),
        _section("Pairs on one opening, colours swapped", _pairs(results)),
        _section("Ratings", _ratings(results)),
        _section("How games ended", _endings(results)),
        _section("Time and CPU a move", _times(results)),
        _section("Health", _health(results)),
        *(_section(title, picture) for title, picture in svg_plots(results)),
    ]
    return html_frame(results.title, parts)


def _summary(results: Results) -> str:
    """Return how many games there are, and how they were played."""
    terms = f": {html.escape(results.terms)}" if results.terms else ""
    return f"{len(results.rows)} games{terms}."


# Tables


def _section(title: str, content: str) -> str:
    return f"<h2>{html.escape(title)}</h2>\n{content}"


def _players(results: Results) -> str:
    rows = [(p.label, p.name, p.version, p.spec) for p in results.players]
    return html_table(["player", "name", "version", "command"], rows)


def _by_engine(results: Results) -> str:
    rows = []
    for number, player in enumerate(results.players):
        scores = [score_of_player(results.rows, number, side) for side in (None, BLACK, WHITE)]
        record = f"{scores[0].wins}-{scores[0].draws}-{scores[0].losses}"
        rates = [f"{percent(score.rate)} of {score.games}" for score in scores]
        rows.append((player.label, record, *rates))
    return html_table(["engine", "W-D-L", "wins", "as Black", "as White"], rows)


def _by_colour(results: Results) -> str:
    rows = []
    for colour in (BLACK, WHITE):
        score = score_of_colour(results.rows, colour)
        rows.append((colour.name.capitalize(), score.wins, score.draws, percent(score.rate)))
    return html_table(["colour", "wins", "draws", "rate"], rows)


def _pairs(results: Results) -> str:
    rows = []
    for first, second in results.pairings:
        counts = pair_counts(games_between(results.rows, first, second), first)
        rate = pair_interval(counts)
        names = f"{results.label(first)} – {results.label(second)}"
        rows.append((names, sum(counts), *counts, percent(rate), elo_text(elo_interval(rate))))
    return html_table(["pairing", "pairs", "0", "½", "1", "1½", "2", "score", "Elo"], rows)


def _ratings(results: Results) -> str:
    """Return maximum-likelihood and EGF ratings of all players."""
    games = black_scores(results.rows)
    if not games:
        return "<p class=note>No games between different players yet.</p>"
    fit = bradley_terry(len(results.players), games, PRIOR_DRAWS)
    egf = egf_ratings([EGF_START] * len(results.players), games, results.handicap)
    rows = [
        (player.label, f"{elo:+.0f} ± {Z_95 * error:.0f}", f"{rating:.0f}")
        for player, elo, error, rating in zip(
            results.players, fit.elo, fit.errors, egf, strict=True
        )
    ]
    stones = f"; {results.handicap} stones count as the EGF counts them" if results.handicap else ""
    note = (
        f"Maximum likelihood (Bradley-Terry), the mean of all is 0. To take Black is worth "
        f"{fit.first_elo:+.0f} ± {Z_95 * fit.first_error:.0f} Elo. EGF ratings start at "
        f"{EGF_START:.0f} and follow the games in order, by the table of 1998 to 2021{stones}."
    )
    return html_table(["player", "Elo", "EGF"], rows) + f"<p class=note>{note}</p>"


def _endings(results: Results) -> str:
    """Return why each player won and lost."""
    found = sorted({row.reason for row in results.rows})
    rows = []
    for number, player in enumerate(results.players):
        won, lost = (reasons(results.rows, number, won) for won in (True, False))
        rows.append((f"{player.label} won by", *(won[reason] for reason in found)))
        rows.append((f"{player.label} lost by", *(lost[reason] for reason in found)))
    return html_table(["", *(Reason(reason).name.lower() for reason in found)], rows)


def _times(results: Results) -> str:
    """Return seconds and CPU seconds a move: where they differ much, the machine was too busy."""
    rows = []
    for number, player in enumerate(results.players):
        moves, time_s, cpu_s = time_use(results.rows, number)
        cpu = "–" if cpu_s is None else f"{cpu_s / max(moves, 1):.3f}"
        rows.append((player.label, f"{time_s / max(moves, 1):.3f}", cpu))
    return html_table(["engine", "seconds", "CPU seconds"], rows)


def _health(results: Results) -> str:
    """Return what tells how far to believe the rest."""
    disputes = Counter(max(row.black_dispute, row.white_dispute) for row in results.rows)
    rows = [
        ("games that repeat another move for move", duplicates(results.rows)),
        ("games with a dispute on the winner", disputes[Dispute.WINNER]),
        ("games with a dispute on the margin only", disputes[Dispute.MARGIN]),
        (
            "whole pairs",
            sum(sum(pair_counts(games_between(results.rows, *p), p[0])) for p in results.pairings),
        ),
    ]
    table = html_table(["what", "count"], rows)
    failed = crippled(results.players, results.rows)
    return table + "".join(f"<p>{html.escape(line)}</p>" for line in failed)
