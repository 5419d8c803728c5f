"""Terminal display of a running match."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tengen.board import BLACK, WHITE
from tengen.match.game import FAILURES, Dispute
from tengen.match.results import (
    MatchScore,
    component_failures,
    duplicates,
    end_reasons,
    games_between,
    pair_counts,
    score_of_color,
    score_of_player,
)
from tengen.match.runner import MatchStatus, Observer
from tengen.match.stats import Interval, SprtDecision, elo_interval, pair_interval
from tengen.records import EndReason

_REFRESHES_PER_S = 2
_LINE_INTERVAL_S = 30
_DECISIONS = {
    SprtDecision.OPEN: "open",
    SprtDecision.H0: "H0 accepted",
    SprtDecision.H1: "H1 accepted",
}


@contextmanager
def live_table(console: Console) -> Iterator[Observer]:
    """Yield an observer: a live table on a terminal, otherwise progress lines and a final table."""
    if console.is_terminal:
        with Live(console=console, refresh_per_second=_REFRESHES_PER_S) as live:
            yield lambda status: live.update(status_view(status))
        return
    lines = _ProgressLines(console)
    yield lines.observe
    if lines.last is not None:
        console.print(status_view(lines.last))


class _ProgressLines:
    """Prints a progress line at regular intervals, for logs."""

    def __init__(self, console: Console):
        self.last: MatchStatus | None = None
        self._console = console
        self._next_s = time.monotonic() + _LINE_INTERVAL_S

    def observe(self, status: MatchStatus) -> None:
        self.last = status
        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + _LINE_INTERVAL_S
            self._console.print(Text(progress_line(status)), soft_wrap=True)


def progress_line(status: MatchStatus) -> str:
    """Return win rates and throughput in one line."""
    rates = (
        f"{entrant.label} {percent(score_of_player(status.rows, number).rate)}"
        for number, entrant in enumerate(status.plan.entrants)
    )
    return f"{_count(status)} games: {'; '.join(rates)}; {_throughput(status)}"


def _count(status: MatchStatus) -> str:
    """Return `3/20`; a file may hold more games than requested."""
    return f"{len(status.rows)}/{max(status.limits.games, len(status.rows))}"


def _throughput(status: MatchStatus) -> str:
    left_s = status.time_left_s
    left = "?" if left_s is None else str(timedelta(seconds=round(left_s)))
    return f"{status.games_per_hour:.0f} games/h, {status.running} running, {left} left"


def status_view(status: MatchStatus) -> RenderableType:
    """Return tables, progress bar and warnings."""
    parts: list[RenderableType] = [player_table(status), pairing_table(status), _progress(status)]
    return Group(*parts, *(Text(line, style="yellow") for line in warnings(status)))


def player_table(status: MatchStatus) -> Table:
    """Return wins by player, and by player and color; the last row is by color only."""
    table = Table(title="Win rate by player and color")
    for heading in ("player", "games", "W-D-L", "wins", "as Black", "as White", "failures"):
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for number, entrant in enumerate(status.plan.entrants):
        score = score_of_player(status.rows, number)
        lost = end_reasons(status.rows, number, won=False)
        table.add_row(
            Text(entrant.label),
            str(score.games),
            f"{score.wins}-{score.draws}-{score.losses}",
            percent(score.rate),
            _short(score_of_player(status.rows, number, BLACK)),
            _short(score_of_player(status.rows, number, WHITE)),
            str(sum(lost[reason] for reason in FAILURES)),
        )
    table.add_section()
    black, white = (score_of_color(status.rows, color) for color in (BLACK, WHITE))
    table.add_row("any", str(black.games), "", "", _short(black), _short(white), "")
    return table


def pairing_table(status: MatchStatus) -> Table:
    """Return one row per pairing: Elo of the first player over the second, and the SPRT."""
    table = Table(title="Game pairs (same opening, colors swapped)")
    for heading in ("pairing", "pairs", "0-½-1-1½-2", "score", "Elo", "LLR"):
        table.add_column(heading, justify="left" if heading == "pairing" else "right")
    for first, second in status.plan.pairings:
        counts = pair_counts(games_between(status.rows, first, second), first)
        rate = pair_interval(counts)
        names = f"{status.plan.entrants[first].label} – {status.plan.entrants[second].label}"
        table.add_row(
            Text(names),
            str(sum(counts)),
            "-".join(map(str, counts)),
            percent(rate),
            elo_text(elo_interval(rate)),
            _llr(status, counts),
        )
    return table


def warnings(status: MatchStatus) -> list[str]:
    """Return reasons to distrust the results, one per line."""
    lines = []
    repeated = duplicates(status.rows)
    if repeated:
        lines.append(f"{repeated} games repeat another game exactly: use openings or seeds")
    disputed = sum(
        max(row.black_dispute, row.white_dispute) == Dispute.WINNER for row in status.rows
    )
    if disputed:
        lines.append(f"{disputed} games in which an engine reports another winner than the scoring")
    stopped = sum(row.reason == EndReason.LENGTH for row in status.rows)
    if stopped:
        lines.append(f"{stopped} games reached the move limit")
    return lines + component_failures(status.plan.entrants, status.rows)


def percent(rate: Interval) -> str:
    """Format a rate as `55.0% (45.2 – 64.4)`."""
    if math.isnan(rate.value):
        return "–"
    return f"{rate.value:.1%} ({100 * rate.low:.1f} – {100 * rate.high:.1f})"


def elo_text(elo: Interval) -> str:
    """Format Elo as `+35 (-33 … +103)`."""
    if math.isnan(elo.value):
        return "–"
    return f"{elo.value:+.0f} ({elo.low:+.0f} … {elo.high:+.0f})"


def _short(score: MatchScore) -> str:
    return f"{score.rate.value:.1%} of {score.games}" if score.games else "–"


def _llr(status: MatchStatus, counts: list[int]) -> str:
    sprt = status.limits.sprt
    if sprt is None:
        return "–"
    low, high = sprt.bounds
    return f"{sprt.llr(counts):+.2f} ({low:.2f} … {high:.2f}) {_DECISIONS[status.decision]}"


def _progress(status: MatchStatus) -> Table:
    line = Table.grid(padding=(0, 1))
    done, games = len(status.rows), status.limits.games
    bar = ProgressBar(games, min(done, games), width=40)
    line.add_row(bar, _count(status), _throughput(status))
    return line
