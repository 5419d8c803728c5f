import csv
import io
import sqlite3
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from match_helpers import SETTING, plan_of, row_of

from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.match.clock import parse_time
from tengen.match.plan import Entrant
from tengen.match.report import csv_table, html_page, write_report
from tengen.match.results import Results
from tengen.match.store import Store

PLAYERS = [Entrant("<one>", "cmd --one", "one", "1"), Entrant("two", "cmd2", "two", "2")]


@pytest.fixture
def results():
    rows = [row_of(n, n % 2, 1 - n % 2, 2)._replace(reason=1, length=30 + n) for n in range(20)]
    return Results("test", PLAYERS, rows)


def test_engine_and_colour_are_different_columns(results):
    lines = list(csv.DictReader(io.StringIO(csv_table(results))))
    assert len(lines) == 20
    assert (lines[0]["black"], lines[0]["white"]) == ("<one>", "two")
    assert {line["winner_colour"] for line in lines} == {"white"}
    assert [line["winner"] for line in lines[:2]] == ["two", "<one>"]
    assert lines[0]["reason"] == "score"


def test_the_page_stands_alone(results):
    page = html_page(results)
    assert page.count("<svg") == 4
    assert "src=" not in page
    assert "<one>" not in page
    assert "100.0%" in page


def test_pictures_are_well_formed(results):
    page = html_page(results)
    start = page.index("<svg")
    ElementTree.fromstring(page[start : page.index("</svg>") + 6])


def test_the_page_tells_how_the_games_were_played(tmp_path):
    store = Store(tmp_path / "match.sqlite")
    store.adopt(plan_of("a", "b", setting=replace(SETTING, control=parse_time("10m+3x30s"))))
    page = write_report(store, tmp_path)[0].read_text()
    store.close()
    assert "0 games: 5x5, custom rules, komi 0.5, 10m+3x30s clock." in page


def test_ratings_know_of_handicaps(tmp_path):
    store = Store(tmp_path / "match.sqlite")
    store.adopt(plan_of("a", "b", setting=replace(SETTING, rows=9, columns=9, handicap=2)))
    store.finish(row_of(0, 0, 1, 1)._replace(reason=1))
    page = write_report(store, tmp_path)[0].read_text()
    store.close()
    assert "2 stones count" in page
    assert "2105" in page, "24 points times 1 - 0.810, what two stones let one expect"


def test_a_report_of_nothing_says_so():
    assert "0 games" in html_page(Results("none", PLAYERS, []))


def test_the_command_writes_page_and_table(tmp_path, capsys):
    Store(tmp_path / "match.sqlite").close()
    assert main(["report", str(tmp_path / "match.sqlite"), "-o", str(tmp_path / "out")]) == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["match.csv", "match.html", "match.sgf"]


def test_another_database_is_no_match(tmp_path):
    path = tmp_path / "other.sqlite"
    sqlite3.connect(path).execute("CREATE TABLE other (x)").connection.close()
    with pytest.raises(TengenError, match="as a match file"):
        main(["report", str(path)])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(TengenError, match="no such file"):
        main(["report", str(tmp_path / "none.sqlite")])
