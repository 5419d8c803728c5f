"""Tables of pages: what they leave out, and where numbers and words stand."""

from tengen.match.page import html_table


def test_a_column_that_nobody_filled_is_left_out():
    table = html_table(["net", "test", "wins"], [("a", "", 1), ("b", "", 2)])
    assert "test" not in table
    assert table.count("<th") == 2
    assert table.count("<td") == 4


def test_a_table_without_rows_has_its_headings():
    assert html_table(["net", "wins"], []) == "<table><tr><th>net</th><th>wins</th></tr></table>"


def test_numbers_stand_apart_from_names_and_words():
    rows = [("n4", "to depth 4", "40% (27 – 54)", 0.123456), ("n6", "to 6", "", 2)]
    table = html_table(["contest", "what", "score", "ratio"], rows)
    assert "<td>n4</td><td class=words>to depth 4</td>" in table
    assert "<td class=number>40% (27 – 54)</td><td class=number>0.1235</td>" in table


def test_every_cell_is_escaped():
    table = html_table(["<b>"], [("<script>",)])
    assert "<b>" not in table
    assert "<script>" not in table
