import io

from markupsafe import escape
from match_helpers import plan_of, row_of
from rich.console import Console

from tengen.match import Sprt, SprtDecision, live_table
from tengen.match.display import progress_line, status_view, warnings
from tengen.match.plan import MatchLimits
from tengen.match.report import html_page
from tengen.match.results import MatchResults
from tengen.match.runner import MatchStatus

ROWS = [row_of(n, n % 2, 1 - n % 2, 2) for n in range(20)]


def status(rows=ROWS, sprt=None):
    return MatchStatus(plan_of("a", "b"), MatchLimits(40, sprt), rows, SprtDecision.OPEN)


def shown(*args):
    console = Console(file=io.StringIO(), width=200)
    console.print(status_view(status(*args)))
    return console.file.getvalue()


def test_player_and_color_are_separate_columns():
    """White wins every game: half of the games of each player, all games of White."""
    rows = [line for line in shown().splitlines() if line.startswith("│") and " of " in line]
    lines = {line.split()[1]: line for line in rows}
    assert "50.0% (29.9 – 70.1)" in lines["p0"]
    assert "0.0% of 10" in lines["p0"]
    assert "100.0% of 10" in lines["p0"]
    assert "0.0% of 20" in lines["any"]
    assert "100.0% of 20" in lines["any"]


def test_sprt_bounds_are_shown():
    assert "(-2.94 … 2.94) open" in shown(ROWS, Sprt(0, 20))


def test_status_without_games():
    assert "0/40" in shown([])


def test_progress_lines_without_a_terminal():
    assert progress_line(status()).startswith("20/40 games: p0 50.0% (29.9 – 70.1); p1 50.0%")
    console = Console(file=io.StringIO(), width=120)
    with live_table(console) as observe:
        observe(status())
    assert "20/40" in console.file.getvalue()


def test_warnings_about_doubtful_results():
    doubtful = [row._replace(digest="same", white_dispute=2, reason=6) for row in ROWS]
    lines = warnings(status(doubtful))
    assert [line.split()[0] for line in lines] == ["18", "20", "20"], (
        "one game per assignment of colors is no repetition"
    )
    assert warnings(status()) == []


def test_warning_about_failed_components():
    """Standard error of GTP engines is not considered."""
    plan = plan_of("tengen net=default", "other --verbose")
    quiet = [row._replace(black_log="", white_log="") for row in ROWS]
    assert warnings(MatchStatus(plan, MatchLimits(40, None), quiet, SprtDecision.OPEN)) == []
    logs = {0: "a source failed\nthe net failed: ValueError('nan')", 1: "loading"}
    noisy = [
        row._replace(black_log=logs[row.black], white_log=logs[row.white]) for row in quiet[:6]
    ]
    (line,) = warnings(
        MatchStatus(plan, MatchLimits(40, None), [*noisy, *quiet[6:]], SprtDecision.OPEN)
    )
    expected = (
        "p0: a component failed in 6 games, which continued without it: "
        "the net failed: ValueError('nan')"
    )
    assert line == expected
    scored = [row._replace(reason=1) for row in noisy]
    page = html_page(MatchResults("test", list(plan.entrants), scored))
    assert escape(expected) in page
    assert "loading" not in page
