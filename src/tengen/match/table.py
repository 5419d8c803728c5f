"""The live picture of a match in the terminal."""

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

from tengen.board.colour import BLACK, WHITE
from tengen.match.game import FAILURES, Reason
from tengen.match.runner import Status, Watcher
from tengen.match.stats import Decision, Interval, elo_interval, pair_interval, wilson
from tengen.match.tally import (
    Score,
    crippled,
    duplicates,
    games_between,
    pair_counts,
    reasons,
    score_of_colour,
    score_of_player,
)

REFRESHES_PER_S = 2
LINE_EVERY_S = 30
DECISIONS = {
    Decision.OPEN: "open",
    Decision.H0: "H0 accepted",
    Decision.H1: "H1 accepted",
}


@contextmanager
def live_table(console: Console) -> Iterator[Watcher]:
    """Yield a watcher: a table kept up to date on a terminal, else plain lines and a last table."""
    if console.is_terminal:
        with Live(console=console, refresh_per_second=REFRESHES_PER_S) as live:
            yield lambda status: live.update(picture(status))
        return
    lines = _PlainLines(console)
    yield lines.watch
    if lines.last is not None:
        console.print(picture(lines.last))


class _PlainLines:
    """Writes a line now and then, for logs."""

    def __init__(self, console: Console):
        self.last: Status | None = None
        self._console = console
        self._next_s = time.monotonic() + LINE_EVERY_S

    def watch(self, status: Status) -> None:
        self.last = status
        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + LINE_EVERY_S
            self._console.print(Text(plain_line(status)), soft_wrap=True)


def plain_line(status: Status) -> str:
    """Return where a match stands in one line: by engine, and the pace."""
    rates = (
        f"{entrant.label} {percent(score_of_player(status.rows, number).rate)}"
        for number, entrant in enumerate(status.plan.entrants)
    )
    return f"{_count(status)} games: {'; '.join(rates)}; {_pace(status)}"


def _count(status: Status) -> str:
    """Return `3/20`; a file may hold more games than were asked for now."""
    return f"{len(status.rows)}/{max(status.limits.games, len(status.rows))}"


def _pace(status: Status) -> str:
    left_s = status.time_left_s
    left = "?" if left_s is None else str(timedelta(seconds=round(left_s)))
    return f"{status.games_per_hour:.0f} games/h, {status.running} running, {left} left"


def picture(status: Status) -> RenderableType:
    """Return tables, progress and warnings as they stand."""
    parts: list[RenderableType] = [engine_table(status), pairing_table(status), _progress(status)]
    return Group(*parts, *(Text(line, style="yellow") for line in warnings(status)))


def engine_table(status: Status) -> Table:
    """Return wins by engine, by engine and colour, and, in the last row, by colour alone."""
    table = Table(title="Win rate by engine, and by engine and colour")
    for heading in ("engine", "games", "W-D-L", "wins", "as Black", "as White", "failures"):
        table.add_column(heading, justify="left" if heading == "engine" else "right")
    for number, entrant in enumerate(status.plan.entrants):
        score = score_of_player(status.rows, number)
        lost = reasons(status.rows, number, won=False)
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
    black = score_of_colour(status.rows, BLACK)
    table.add_row("any", str(black.games), "", "", _short(black), _short(_turned(black)), "")
    return table


def pairing_table(status: Status) -> Table:
    """Return one row a pairing: Elo of the first over the second, and the sequential test."""
    table = Table(title="Pairs on one opening, colours swapped")
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


def warnings(status: Status) -> list[str]:
    """Return what makes the results less believable, a line each."""
    lines = []
    same = duplicates(status.rows)
    if same:
        lines.append(f"{same} games repeat another move for move: use openings or seeds")
    disputed = sum(max(row.black_dispute, row.white_dispute) == 2 for row in status.rows)
    if disputed:
        lines.append(f"{disputed} games in which an engine names another winner than the judge")
    capped = sum(row.reason == Reason.LENGTH for row in status.rows)
    if capped:
        lines.append(f"{capped} games were stopped for their length")
    return lines + crippled(status.plan.entrants, status.rows)


def percent(rate: Interval) -> str:
    """Return a rate as `55.0 % (45.2 – 64.4)`."""
    if math.isnan(rate.value):
        return "–"
    return f"{rate.value:.1%} ({100 * rate.low:.1f} – {100 * rate.high:.1f})"


def elo_text(elo: Interval) -> str:
    """Return Elo as `+35 (-33 … +103)`."""
    if math.isnan(elo.value):
        return "–"
    return f"{elo.value:+.0f} ({elo.low:+.0f} … {elo.high:+.0f})"


def _short(score: Score) -> str:
    if not score.games:
        return "–"
    return f"{wilson(score.points, score.games).value:.1%} of {score.games}"


def _turned(score: Score) -> Score:
    return Score(score.losses, score.draws, score.wins)


def _llr(status: Status, counts: list[int]) -> str:
    sprt = status.limits.sprt
    if sprt is None:
        return "–"
    low, high = sprt.bounds
    return f"{sprt.llr(counts):+.2f} ({low:.2f} … {high:.2f}) {DECISIONS[status.decision]}"


def _progress(status: Status) -> Table:
    line = Table.grid(padding=(0, 1))
    done, games = len(status.rows), status.limits.games
    bar = ProgressBar(games, min(done, games), width=40)
    line.add_row(bar, _count(status), _pace(status))
    return line
