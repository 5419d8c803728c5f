"""Tests of the HTML layer: tables, sections and inline figures."""

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from tengen.view import Section, html_table, inline_svg, render, render_report


def test_omits_empty_columns():
    table = html_table(["net", "test", "wins"], [("a", "", 1), ("b", "", 2)])
    assert "test" not in table
    assert table.count("<th") == 2
    assert table.count("<td") == 4


def test_table_without_rows_keeps_its_headings():
    assert html_table(["net", "wins"], []) == "<table><tr><th>net</th><th>wins</th></tr></table>"


def test_table_without_headings_has_no_header_row():
    assert html_table([], [("a", 1)]) == (
        '<table><tr><td>a</td><td class="number">1</td></tr></table>'
    )


def test_marks_number_and_word_columns():
    rows = [("n4", "to depth 4", "40% (27 – 54)", 0.123456), ("n6", "to 6", "", 2)]
    table = html_table(["contest", "what", "score", "ratio"], rows)
    assert '<td>n4</td><td class="words">to depth 4</td>' in table
    assert '<td class="number">40% (27 – 54)</td><td class="number">0.1235</td>' in table


def test_escapes_every_cell():
    table = html_table(["<b>"], [("<script>",)])
    assert "<b>" not in table
    assert "<script>" not in table


def test_report_escapes_text_and_keeps_markup():
    sections = [Section("<h>", ["<p1>"], Markup("<svg></svg>"), "<note>")]
    page = render_report("<title>", sections, "<summary>")
    for text in ("<h>", "<p1>", "<note>", "<title><", "<summary>"):
        assert text not in page
    assert "<svg></svg>" in page
    assert "<title>&lt;title&gt;</title>" in page


def test_inline_svg_has_no_xml_header():
    assert inline_svg('<?xml version="1.0"?>\n<svg></svg>') == "<svg></svg>"


def test_undefined_template_variables_raise():
    with pytest.raises(UndefinedError):
        render("report.html", title="only a title")
