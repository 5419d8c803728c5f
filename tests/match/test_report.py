import csv
import io
import sqlite3
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from match_helpers import SETTINGS, plan_of, row_of

from tengen.cli.main import main
from tengen.engine import TimeControl
from tengen.match import Entrant, Store, write_report
from tengen.match.report import csv_table, html_page
from tengen.match.results import MatchResults
from tengen.util import TengenError

PLAYERS = [Entrant("<one>", "cmd --one", "one", "1"), Entrant("two", "cmd2", "two", "2")]


@pytest.fixture
def results():
    rows = [row_of(n, n % 2, 1 - n % 2, 2)._replace(reason=1, length=30 + n) for n in range(20)]
    return MatchResults("test", PLAYERS, rows)


def test_player_and_color_are_separate_columns(results):
    lines = list(csv.DictReader(io.StringIO(csv_table(results))))
    assert len(lines) == 20
    assert (lines[0]["black"], lines[0]["white"]) == ("<one>", "two")
    assert {line["winner_color"] for line in lines} == {"white"}
    assert [line["winner"] for line in lines[:2]] == ["two", "<one>"]
    assert lines[0]["reason"] == "score"


def test_page_is_self_contained(results):
    page = html_page(results)
    assert page.count("<svg") == 4
    assert "src=" not in page
    assert "<one>" not in page
    assert "100.0%" in page


def test_plots_are_well_formed(results):
    page = html_page(results)
    start = page.index("<svg")
    ElementTree.fromstring(page[start : page.index("</svg>") + 6])


def test_page_shows_match_settings(tmp_path):
    store = Store(tmp_path / "match.sqlite")
    store.adopt(
        plan_of("a", "b", settings=replace(SETTINGS, time_control=TimeControl.parse("10m+3x30s")))
    )
    page = write_report(store, tmp_path)[0].read_text()
    store.close()
    assert "0 games: 5x5, custom rules, komi 0.5, 10m+3x30s clock." in page


def test_ratings_account_for_handicap(tmp_path):
    store = Store(tmp_path / "match.sqlite")
    store.adopt(plan_of("a", "b", settings=replace(SETTINGS, rows=9, columns=9, handicap=2)))
    store.finish(row_of(0, 0, 1, 1)._replace(reason=1))
    page = write_report(store, tmp_path)[0].read_text()
    store.close()
    assert "with 2 handicap stones" in page
    assert "2105" in page, "24 points times (1 - 0.810), the expectation with two stones"


def test_report_without_games():
    assert "0 games" in html_page(MatchResults("none", PLAYERS, []))


def test_report_command_writes_files(tmp_path, capsys):
    Store(tmp_path / "match.sqlite").close()
    assert main(["report", str(tmp_path / "match.sqlite"), "-o", str(tmp_path / "out")]) == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["match.csv", "match.html", "match.sgf"]


def test_rejects_another_database(tmp_path):
    path = tmp_path / "other.sqlite"
    sqlite3.connect(path).execute("CREATE TABLE other (x)").connection.close()
    with pytest.raises(TengenError, match="not a match file"):
        main(["report", str(path)])


def test_rejects_a_missing_file(tmp_path):
    with pytest.raises(TengenError, match="no such file"):
        main(["report", str(tmp_path / "none.sqlite")])
