"""Tables and plots in documentation pages match the results files."""

import re
from pathlib import Path

import pytest

from tengen.lab import pages
from tengen.util import TengenError, current_command, read_results, write_results

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
PAGES = sorted((ROOT / "docs").rglob("*.md"))
MEASURED = [
    page
    for page in PAGES
    if page.parent.name == "research" or page.stem in ("strength", "performance")
]
"""Pages whose tables of numbers and plots all come from results files."""
FILES = sorted(RESULTS.rglob("*.csv"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_matches_results(page):
    assert pages.is_current(page, RESULTS), "outdated tables or plots: run `make results`"


@pytest.mark.parametrize("page", MEASURED, ids=lambda page: page.name)
def test_numbers_and_pictures_are_generated(page):
    text = re.sub(r"<!-- (?:results|plot): .*?<!-- end -->", "", page.read_text(), flags=re.S)
    cells = [
        cell.strip() for row in re.findall(r"^\|(.*)\|$", text, re.M) for cell in row.split("|")
    ]
    assert [cell for cell in cells if re.fullmatch(r"[-+±]?[\d., ]*\d[\d., %±+-]*", cell)] == []
    assert re.findall(r"!\[.*?\]\(.*?\)", text) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_results_file_records_its_command(path):
    assert read_results(path).command.startswith(("tengen ", "python -m tengen", "make "))


@pytest.fixture
def docs(tmp_path):
    rows = [{"method": "a|b", "size": 9, "ms": 1.5}, {"method": "c", "size": 19, "ms": 20}]
    path = tmp_path / "results" / "paper" / "times.csv"
    write_results(path, rows, "tengen bench x", {"seed": 1, "players": "one\ntwo"})
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


def page_with(docs, block):
    page = docs / "page.md"
    page.write_text(f"# Title\n\n{block}\n<!-- end -->\n\nText.\n")
    return page


def test_results_file_round_trip(docs):
    results = read_results(docs.parent / "results" / "paper" / "times.csv")
    assert results.properties == {"command": "tengen bench x", "seed": "1", "players": "one two"}
    assert results.rows[1] == {"method": "c", "size": "19", "ms": "20"}


def test_table_is_generated_between_markers(docs):
    page = page_with(docs, "<!-- results: paper/times.csv columns=method,ms where=size=9 -->")
    assert not pages.is_current(page, docs.parent / "results")
    pages.update(page, docs.parent / "results")
    assert (
        "| method | ms |\n| --- | ---: |\n| a\\|b | 1.5 |\n\nData: [times.csv]" in page.read_text()
    )
    assert "(../results/paper/times.csv), made by `tengen bench x`." in page.read_text()
    assert page.read_text().endswith("<!-- end -->\n\nText.\n")
    assert pages.is_current(page, docs.parent / "results")


def test_rows_meet_all_conditions(docs):
    for where, rows in (("size=19,method=c", 1), ("size=9,method=c", 0), ("size=9", 1)):
        page = page_with(docs, f"<!-- results: paper/times.csv columns=ms where={where} -->")
        pages.update(page, docs.parent / "results")
        assert page.read_text().count("\n| ") == rows + 2


def test_plot_is_redrawn_when_its_data_change(docs):
    options = "file=img/times.svg x=size y=ms xscale=log"
    page, results = (
        page_with(docs, f"<!-- plot: paper/times.csv {options} -->"),
        docs.parent / "results",
    )
    pages.update(page, results)
    assert "![ms by size](img/times.svg)" in page.read_text()
    assert pages.is_current(page, results)
    write_results(results / "paper" / "times.csv", [{"size": 5, "ms": 1}], "tengen bench x")
    assert not pages.is_current(page, results)


def test_bar_plot_with_error_bars(docs):
    results = docs.parent / "results"
    row = {"name": "x", "rate": 0.5, "low": 0.4, "high": 0.7}
    write_results(results / "rates.csv", [row], "tengen match")
    options = "file=rates.svg x=name y=rate low=low high=high kind=bar"
    pages.update(page_with(docs, f"<!-- plot: rates.csv {options} -->"), results)
    assert (docs / "rates.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("<!-- results: paper/none.csv -->", "cannot read"),
        ("<!-- results: paper/times.csv columns=speed -->", "no column 'speed'"),
        ("<!-- results: paper/times.csv rows=3 -->", "unknown option 'rows=3'"),
        ("<!-- plot: paper/times.csv x=size y=ms -->", "needs the option file="),
    ],
)
def test_wrong_marker_is_reported(docs, block, message):
    with pytest.raises(TengenError, match=message):
        pages.generated(page_with(docs, block), docs.parent / "results")


@pytest.mark.parametrize(
    ("cell", "number", "interval"),
    [
        ("1,234", 1234, (1234, 1234)),
        ("57.5% (54 to 61)", 57.5, (54, 61)),
        ("58.6 % (51.9 - 65.0)", 58.6, (51.9, 65.0)),
        ("+0.5 ± 0.25", 0.5, (0.25, 0.75)),
        ("-30 (-88 to +26)", -30, (-88, 26)),
    ],
)
def test_numbers_and_intervals_of_cells(cell, number, interval):
    assert pages._number(cell) == number
    assert pages._interval(cell) == interval


def test_file_without_command_is_rejected(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TengenError, match="no command"):
        read_results(tmp_path / "x.csv")


def test_command_omits_output_and_folders(tmp_path):
    words = ["lab", "bigmove", "predict", "--records", str(tmp_path), "-o", "out", "--games", "5"]
    assert current_command(words) == (
        f"tengen lab bigmove predict --records {tmp_path.name} --games 5"
    )
