"""Editing of records: marks, assessments of moves, variations, properties of the game."""

import pytest

from tengen.records import read_bytes
from tengen.util import TengenError
from tengen.web.editing import annotation_of, record_marks, set_annotation, set_info, toggle_mark
from tengen.web.editing_messages import SetAnnotation, SetInfo, SetMark
from tengen.web.tree import GameTree

RECORD = "(;GM[1]SZ[9]KM[6.5]PB[Ann]TR[aa:ba]LB[cc:A][dd:x\\]](;B[ee]BM[1])(;B[gc];W[cg]))"


@pytest.fixture
def tree():
    return GameTree(next(iter(read_bytes(RECORD.encode(), "game.sgf"))))


def saved(page, client):
    """Return the record as it is saved."""
    text = client.get(f"/games/{page.newest['game']['id']}.sgf").content
    return next(iter(read_bytes(text, "saved.sgf")))


def load(page, client):
    client.post(f"/games/{page.newest['game']['id']}", content=RECORD.encode())
    page.receive("game", lambda game: game["is_loaded"])
    page.receive("state")


def test_marks_are_toggled(tree):
    toggle_mark(tree, SetMark(0, "E5", "square"))
    assert ("E5", "square", "") in record_marks(tree, 0)
    toggle_mark(tree, SetMark(0, "E5", "square"))
    assert "E5" not in {where for where, _, _ in record_marks(tree, 0)}
    assert tree.change_count == 2


def test_a_mark_replaces_another(tree):
    toggle_mark(tree, SetMark(0, "C7", "triangle"))
    toggle_mark(tree, SetMark(0, "A9", "label", "1"))
    marks = record_marks(tree, 0)
    wanted = {("B9", "triangle", ""), ("C7", "triangle", ""), ("A9", "label", "1")}
    assert wanted | {("D6", "label", "x]")} == set(marks)
    assert tree.node(0).sgf.properties["LB"] == ["dd:x\\]", "aa:1"]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (SetMark(0, "pass", "circle"), "pass"),
        (SetMark(0, "T19", "circle"), "T19"),
        (SetMark(0, "A1", "label", " "), "text"),
        (SetMark(9, "A1", "circle"), "no node 9"),
    ],
)
def test_invalid_marks(tree, message, reason):
    with pytest.raises(TengenError, match=reason):
        toggle_mark(tree, message)
    assert tree.change_count == 0


def test_assessment_of_a_move(tree):
    assert annotation_of(tree, 1) == "bad"
    set_annotation(tree, SetAnnotation(1, "interesting"))
    assert annotation_of(tree, 1) == "interesting"
    assert "BM" not in tree.node(1).sgf.properties
    set_annotation(tree, SetAnnotation(1, ""))
    assert annotation_of(tree, 1) == ""
    with pytest.raises(TengenError, match="only moves"):
        set_annotation(tree, SetAnnotation(0, "good"))


def test_properties_of_a_loaded_game(tree):
    set_info(tree, SetInfo({"KM": "0.5", "RU": "Chinese", "EV": "Cup"}), is_loaded=True)
    assert (tree.record.text("EV"), tree.record.komi) == ("Cup", 0.5)
    assert (tree.rules.name, tree.rules.komi) == ("chinese", 0.5)
    set_info(tree, SetInfo({"KM": ""}), is_loaded=True)
    assert tree.rules.komi == 7.5


@pytest.mark.parametrize("properties", [{"KM": "much"}, {"SZ": "13"}, {"C": "text"}])
def test_invalid_properties_change_nothing(tree, properties):
    with pytest.raises(TengenError):
        set_info(tree, SetInfo({"PB": "Eve", **properties}), is_loaded=True)
    assert tree.record.black == "Ann"
    assert tree.change_count == 0


def test_rules_of_a_game_in_progress_stay(tree):
    with pytest.raises(TengenError, match="KM"):
        set_info(tree, SetInfo({"KM": "0.5"}), is_loaded=False)


def test_requests_of_the_page(client, page):
    load(page, client)
    page.request("go_to", node=0)
    state = page.request("mark", node=0, vertex="E5", shape="cross")
    assert ["E5", "cross", ""] in state["marks"]
    page.request("annotate", node=2, annotation="good")
    assert page.request("go_to", node=2)["annotation"] == "good"
    page.request("promote", node=2)
    info = page.request("set_info", "info", properties={"PW": "Bob", "KM": "7.5"})
    assert (info["white"], info["komi"]) == ("Bob", 7.5)
    record = saved(page, client)
    assert [len(record.moves), record.white, record.komi] == [2, "Bob", 7.5]
    assert record.root.properties["MA"] == ["ee"]
    assert record.root.children[0].properties["TE"] == ["1"]
