"""SGF annotation: comments, evaluations, variations; existing properties are kept."""

import base64
import gzip
import json
from dataclasses import replace

import pytest
from review_helpers import FOUR_MOVES, ScriptedEngine, ScriptedReport, four_move_engine, game_of

from tengen.records import Node, sgf_bytes
from tengen.review import read_review, review_game
from tengen.review.annotation import annotate_game, lead_text
from tengen.search import SearchLimit


def annotated(text=FOUR_MOVES, engine=None):
    """Return the annotated record after writing and reading it."""
    review = review_game(game_of(text), engine or four_move_engine(), SearchLimit)
    return game_of(sgf_bytes(annotate_game(review)).decode())


def test_comments():
    nodes = list(annotated().root.main_line())
    assert nodes[0].text("C").startswith("Reviewed by Tengen")
    assert "Black's largest mistakes in points: 3 B3 (-4.0)" in nodes[0].text("C")
    first = "Well met.\n\nBlack 50.0%, B+0.5 (1,000 visits)\nThe engine's choice."
    assert nodes[1].text("C") == first
    loss = "Mistake, loses 4.0 ± 0.7 points and 20.0% win rate for Black. Better: D4 D2"
    mistake = f"Black 28.0%, W+4 (1,000 visits)\n{loss}"
    assert nodes[3].text("C") == mistake


def test_repeated_comment_property():
    twice = FOUR_MOVES.replace("C[Well met.]", "C[Well met.]C[Again.]")
    nodes = list(annotated(twice).root.main_line())
    assert nodes[1].text("C").startswith("Well met.\nAgain.\n\nBlack")


def test_evaluation_properties():
    nodes = list(annotated().root.main_line())
    assert [node.text("SBKV") for node in nodes] == ["50.00", "50.00", "48.00", "28.00", "27.00"]
    assert [node.text("V") for node in nodes] == ["0.5", "0.5", "0.0", "-4.0", "-3.5"]


def katrain_analysis(node):
    """Return ownership, policy and analysis as KaTrain decodes them."""
    parts = node.properties["KT"]
    ownership, policy, data = (gzip.decompress(base64.b64decode(part)) for part in parts)
    return ownership, policy, json.loads(data)


def test_analysis_for_katrain():
    nodes = list(annotated().root.main_line())
    assert nodes[0].text("KTV") == "1.0"
    ownership, policy, found = katrain_analysis(nodes[2])
    assert ownership == policy == b""
    assert found["completed"] is True
    assert found["root"] == {"winrate": 0.48, "scoreLead": 0.0, "visits": 1000}
    assert list(found["moves"]) == ["D4", "B3"]
    best, played = found["moves"].values()
    assert best["order"] == 0 < played["order"]
    assert best["pv"] == ["D4", "D2"]
    assert best["scoreLead"] - played["scoreLead"] == 4.0
    assert list(katrain_analysis(nodes[0])[2]["moves"]) == ["C3"]  # the engine's choice


def test_analysis_by_katrain_is_kept():
    record = annotated("(;SZ[5]KM[0.5]KT[own];B[cc];W[bb];B[bc];W[dd])")
    assert record.root.properties["KT"] == ["own"]


def test_variation_only_at_the_mistake():
    nodes = list(annotated().root.main_line())
    assert [len(node.children) for node in nodes] == [1, 1, 2, 1, 0]
    better = list(nodes[2].children[1].main_line())
    assert [node.properties for node in better] == [
        {"B": ["db"], "C": ["Better: D4 D2"]},
        {"W": ["dd"]},
    ]


def test_review_is_restored_from_the_record():
    review = review_game(game_of(FOUR_MOVES), four_move_engine(), SearchLimit, mistake_points=3.0)
    restored = read_review(game_of(sgf_bytes(annotate_game(review)).decode()))
    assert restored.estimates == review.estimates
    assert restored.mistake_points == 3.0


def test_record_without_a_review():
    assert read_review(game_of(FOUR_MOVES)) is None


@pytest.mark.parametrize("damage", ["{", "[]", '{"winrate": 2}'])
def test_damaged_estimates_end_the_review(damage):
    record = annotated()
    list(record.root.main_line())[2].set_text("TENGEN", damage)
    assert len(read_review(record).estimates) == 2


def test_changed_moves_end_the_review():
    record = annotated()
    nodes = list(record.root.main_line())
    nodes[2].children[0] = Node({"B": ["aa"]})
    restored = read_review(game_of(sgf_bytes(record).decode()))
    assert len(restored.estimates) == 3
    assert restored.estimates[-1].played is None


def test_second_review_replaces_the_first():
    first = annotated()
    review = review_game(game_of(FOUR_MOVES), four_move_engine(), SearchLimit)
    again = game_of(sgf_bytes(annotate_game(replace(review, game=first))).decode())
    assert sgf_bytes(again) == sgf_bytes(first)


def test_game_is_unchanged():
    before, after = game_of(FOUR_MOVES), annotated()
    assert after.moves == before.moves
    assert (after.black, after.white, after.result_text) == ("Ann", "Bob", "B+1.5")


def test_input_is_not_modified():
    game = game_of(FOUR_MOVES)
    text = sgf_bytes(game)
    annotate_game(review_game(game, four_move_engine(), SearchLimit))
    assert sgf_bytes(game) == text


def test_several_moves_in_one_node():
    """Invalid in FF[4], but such files exist; the writer makes a node of each move."""
    engine = ScriptedEngine([ScriptedReport(rate, 0.0, "A1") for rate in (0.5, 0.5, 0.8, 0.8)])
    record = annotated("(;SZ[5];B[cc]W[bb];B[dd])", engine)
    comments = [node.text("C") for node in record.root.main_line()]
    assert len(record.moves) == 3
    assert "Black 50.0%" in comments[2]
    assert "Black 80.0%" in comments[2]


def test_moves_after_an_illegal_one_have_no_comments():
    engine = ScriptedEngine([ScriptedReport(0.5, 0.0, "A1"), ScriptedReport(0.5, 0.0, "A1")])
    nodes = list(annotated("(;SZ[5];B[cc];W[cc];B[dd])", engine).root.main_line())
    assert [node.text("C") is not None for node in nodes] == [True, True, False, False]


@pytest.mark.parametrize(
    ("lead", "text"), [(2.44, "B+2.4"), (-0.5, "W+0.5"), (0.04, "even"), (-0.04, "even")]
)
def test_lead_text(lead, text):
    assert lead_text(lead) == text
