import html
import io

from match_helpers import plan_of, row_of
from rich.console import Console

from tengen.match.report import html_page
from tengen.match.results import Results
from tengen.match.runner import Limits, Status
from tengen.match.stats import Decision, Sprt
from tengen.match.table import live_table, picture, plain_line, warnings

ROWS = [row_of(n, n % 2, 1 - n % 2, 2) for n in range(20)]


def status(rows=ROWS, sprt=None):
    return Status(plan_of("a", "b"), Limits(40, sprt), rows, Decision.OPEN)


def shown(*args):
    console = Console(file=io.StringIO(), width=200)
    console.print(picture(status(*args)))
    return console.file.getvalue()


def test_engine_and_colour_are_different_columns():
    """White wins every game: by engine that is a half, by colour it is all."""
    rows = [line for line in shown().splitlines() if line.startswith("│") and " of " in line]
    lines = {line.split()[1]: line for line in rows}
    assert "50.0% (29.9 – 70.1)" in lines["p0"]
    assert "0.0% of 10" in lines["p0"]
    assert "100.0% of 10" in lines["p0"]
    assert "0.0% of 20" in lines["any"]
    assert "100.0% of 20" in lines["any"]


def test_the_test_and_its_bounds_are_shown():
    assert "(-2.94 … 2.94) open" in shown(ROWS, Sprt(0, 20))


def test_nothing_played_yet_is_fine():
    assert "0/40" in shown([])


def test_a_log_gets_plain_lines():
    assert plain_line(status()).startswith("20/40 games: p0 50.0% (29.9 – 70.1); p1 50.0%")
    console = Console(file=io.StringIO(), width=120)
    with live_table(console) as watch:
        watch(status())
    assert "20/40" in console.file.getvalue()


def test_doubtful_results_are_pointed_out():
    doubtful = [row._replace(digest="same", white_dispute=2, reason=6) for row in ROWS]
    lines = warnings(status(doubtful))
    assert [line.split()[0] for line in lines] == ["18", "20", "20"], (
        "of each pairing of colours one is no repetition"
    )
    assert warnings(status()) == []


def test_who_played_without_its_net_is_pointed_out():
    """What programs write to standard error is their own affair."""
    plan = plan_of("tengen net=default", "other --verbose")
    quiet = [row._replace(black_log="", white_log="") for row in ROWS]
    assert warnings(Status(plan, Limits(40, None), quiet, Decision.OPEN)) == []
    logs = {0: "a source failed\nthe net failed: ValueError('nan')", 1: "loading"}
    noisy = [
        row._replace(black_log=logs[row.black], white_log=logs[row.white]) for row in quiet[:6]
    ]
    (line,) = warnings(Status(plan, Limits(40, None), [*noisy, *quiet[6:]], Decision.OPEN))
    said = "p0 played 6 games without what failed: the net failed: ValueError('nan')"
    assert line == said
    scored = [row._replace(reason=1) for row in noisy]
    page = html_page(Results("test", list(plan.entrants), scored))
    assert html.escape(said) in page
    assert "loading" not in page
