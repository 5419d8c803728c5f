"""Flat search: filters, eyes, and playout counts."""

import pytest

from tengen.board import BLACK, PASS, Position, parse_vertex
from tengen.engine import EngineSettings, create_engine
from tengen.search import SearchLimit

pytestmark = pytest.mark.kernels

WORDS = ("algorithm=flat", "flat_playouts=7", "threads=1", "memory_mib=4", "seed=3")
KEEPS_ALL = "prior=potential@20,filter=free,bottom=0,switch=0"
KEEPS_HALF = "prior=potential@20,filter=pf8,switch=0"


def flat(*words):
    return create_engine(EngineSettings().with_overrides([*WORDS, *words]))


def search(engine, position):
    return engine.analyze(position, SearchLimit(simulations=1))


def test_filter_that_keeps_all_moves_changes_nothing():
    plain, filtered = flat(), flat(KEEPS_ALL)
    position = Position(7)
    for _ in range(40):
        ours, theirs = search(plain, position), search(filtered, position)
        assert ours.candidates == theirs.candidates
        assert ours.simulations == theirs.simulations
        position.play(ours.candidates[0].move)


def test_filter_halves_candidates_and_playouts():
    position = Position(7)
    for expected in (25, 24, 24):
        report = search(flat(KEEPS_HALF), position)
        assert len(report.candidates) == expected
        assert report.simulations == 7 * expected
        position.play(report.candidates[0].move)


def test_playout_counts_add_up():
    report = search(flat(), Position(6))
    assert report.simulations == sum(candidate.visits for candidate in report.candidates)
    assert report.simulations == 7 * 36


def test_filter_is_inactive_below_its_switching_point():
    report = search(flat("prior=potential@20,filter=pf8,switch=36"), Position(6))
    assert len(report.candidates) == 36
    report = search(flat("prior=potential@20,filter=pf8,switch=35"), Position(6))
    assert len(report.candidates) == 18


TWO_EYES = """
.X.X
XXXX
OOOO
.O.O
"""


def test_own_eyes_are_filled_only_on_request():
    position = Position.from_diagram(TWO_EYES, BLACK)
    assert [c.move for c in search(flat(), position).candidates] == [PASS]
    eyes = {parse_vertex(text, 4, 4) for text in ("A4", "C4")}
    found = {c.move for c in search(flat("flat_fill_eyes=yes"), position).candidates}
    assert found == eyes


def test_all_moves_are_kept_if_a_filter_leaves_only_eyes():
    board = "\n".join([".XX.XX", "XXXXXX", "......", "......", "OOOOOO", ".OO.OO"])
    position = Position.from_diagram(board, BLACK)
    # PF 1 keeps points near own stones; with so few kept, only the eyes remain.
    word = "prior=potential@20,filter=free,ranking=potential,m=2,bottom=0.88,switch=0"
    report = search(flat(word), position)
    open_points = {parse_vertex(f"{c}{r}", 6, 6) for c in "ABCDEF" for r in (3, 4)}
    assert {candidate.move for candidate in report.candidates} == open_points
