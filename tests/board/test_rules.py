"""Tests of rule sets, komi, vertices and board sizes."""

import pytest
from hypothesis import given, strategies as st

from tengen.board import (
    ALIASES,
    NAMED_RULES,
    PASS,
    Compensation,
    Ko,
    Rules,
    Scoring,
    board_points,
    parse_size,
    parse_vertex,
    rules_named,
    vertex,
)
from tengen.util import TengenError


@pytest.mark.parametrize("name", [*NAMED_RULES, *ALIASES])
def test_accepts_rule_names(name):
    assert rules_named(name.upper()) == rules_named(name.replace("-", "_"))


def test_rules_have_a_name():
    for name, rules in NAMED_RULES.items():
        assert rules.with_komi(0.5).name == name
    assert Rules(suicide=True, compensation=Compensation.STONES).name == "custom"


def test_rejects_unknown_rules():
    with pytest.raises(TengenError, match="unknown rules 'martian'"):
        rules_named("martian")


@pytest.mark.parametrize("komi", [0, -3.5, 6, 7.5, 375])
def test_accepts_multiples_of_half_a_point(komi):
    assert Rules().with_komi(komi).komi == komi


@pytest.mark.parametrize("komi", [0.25, float("nan"), float("inf"), 1000])
def test_rejects_other_komi(komi):
    with pytest.raises(TengenError, match="komi"):
        Rules(komi=komi)


def test_compensation():
    assert rules_named("chinese").with_komi(0.5).white_bonus(4) == 4.5
    assert rules_named("aga").with_komi(0.5).white_bonus(4) == 3.5
    assert rules_named("japanese").with_komi(0.5).white_bonus(4) == 0.5
    assert rules_named("chinese").with_komi(0.5).white_bonus(0) == 0.5


def test_named_rule_sets():
    assert rules_named("japanese").scoring is Scoring.TERRITORY
    assert rules_named("new-zealand").suicide
    assert rules_named("aga").ko is Ko.SITUATIONAL


@given(st.integers(1, 19), st.integers(1, 19), st.data())
def test_vertices_round_trip(rows, columns, data):
    point = data.draw(st.sampled_from([*board_points(rows, columns), PASS]))
    assert parse_vertex(vertex(point, rows).lower(), rows, columns) == point


@given(st.text(max_size=6))
def test_parse_vertex_accepts_any_text(text):
    try:
        move = parse_vertex(text, 9, 9)
    except TengenError:
        return
    assert move == PASS or move in board_points(9, 9)


@pytest.mark.parametrize("text", ["I5", "A0", "A10", "K1", "", "5A", "AA", "A-1", "A1²"])
def test_rejects_invalid_vertices(text):
    with pytest.raises(TengenError):
        parse_vertex(text, 9, 9)


def test_sizes():
    assert parse_size("9") == (9, 9)
    assert parse_size("7x5") == (5, 7)
    for wrong in ("0", "20", "x", "9x", "nine", "-3"):
        with pytest.raises(TengenError):
            parse_size(wrong)
