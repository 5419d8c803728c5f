"""Rules and vertices: names, komi, nonsense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.board.points import PASS, board_points, parse_size, parse_vertex, vertex
from tengen.board.rules import ALIASES, NAMED_RULES, Compensation, Ko, Rules, Scoring, rules_named
from tengen.core.errors import TengenError


@pytest.mark.parametrize("name", [*NAMED_RULES, *ALIASES])
def test_every_name_is_known(name):
    assert rules_named(name.upper()) == rules_named(name.replace("-", "_"))


def test_a_set_knows_its_name():
    for name, rules in NAMED_RULES.items():
        assert rules.with_komi(0.5).name == name
    assert Rules(suicide=True, compensation=Compensation.STONES).name == "custom"


def test_unknown_rules_are_refused_by_name():
    with pytest.raises(TengenError, match="unknown rules 'martian'"):
        rules_named("martian")


@pytest.mark.parametrize("komi", [0, -3.5, 6, 7.5, 375])
def test_komi_may_be_any_half(komi):
    assert Rules().with_komi(komi).komi == komi


@pytest.mark.parametrize("komi", [0.25, float("nan"), float("inf"), 1000])
def test_other_komi_is_refused(komi):
    with pytest.raises(TengenError, match="komi"):
        Rules(komi=komi)


def test_compensation():
    assert rules_named("chinese").with_komi(0.5).white_bonus(4) == 4.5
    assert rules_named("aga").with_komi(0.5).white_bonus(4) == 3.5
    assert rules_named("japanese").with_komi(0.5).white_bonus(4) == 0.5
    assert rules_named("chinese").with_komi(0.5).white_bonus(0) == 0.5


def test_the_sets_are_what_their_books_say():
    assert rules_named("japanese").scoring is Scoring.TERRITORY
    assert rules_named("new-zealand").suicide
    assert rules_named("aga").ko is Ko.SITUATIONAL


@given(st.integers(1, 19), st.integers(1, 19), st.data())
def test_vertices_round_trip(rows, columns, data):
    point = data.draw(st.sampled_from([*board_points(rows, columns), PASS]))
    assert parse_vertex(vertex(point, rows).lower(), rows, columns) == point


@given(st.text(max_size=6))
def test_no_text_crashes_the_vertex_reader(text):
    try:
        move = parse_vertex(text, 9, 9)
    except TengenError:
        return
    assert move == PASS or move in board_points(9, 9)


@pytest.mark.parametrize("text", ["I5", "A0", "A10", "K1", "", "5A", "AA", "A-1", "A1²"])
def test_wrong_vertices(text):
    with pytest.raises(TengenError):
        parse_vertex(text, 9, 9)


def test_sizes():
    assert parse_size("9") == (9, 9)
    assert parse_size("7x5") == (5, 7)
    for wrong in ("0", "20", "x", "9x", "nine", "-3"):
        with pytest.raises(TengenError):
            parse_size(wrong)
