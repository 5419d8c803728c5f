"""A review in SGF: comments, values, better lines; and nothing lost that stood there."""

import pytest
from review_helpers import FOUR_MOVES, Said, ScriptedEngine, four_outlooks, game_of

from tengen.records.writer import sgf_bytes
from tengen.review.annotate import annotated, lead_text
from tengen.review.review import review_game
from tengen.search.limit import Limit


def written(text=FOUR_MOVES, engine=None):
    """Return the record that a reader finds in what is written."""
    review = review_game(game_of(text), engine or four_outlooks(), Limit)
    return game_of(sgf_bytes(annotated(review)).decode())


def test_comments_say_what_was_found_and_keep_what_stood_there():
    nodes = list(written().root.main_line())
    assert nodes[0].text("C").startswith("Looked over by Tengen")
    assert "Black's largest mistakes: 3 B3 (-20%)" in nodes[0].text("C")
    assert nodes[1].text("C").startswith("Well met.\n\nBlack 50.0%, B+0.5\nThe engine's choice")
    mistake = "Black 28.0%, W+4\nMistake, loses 20.0% and 4.0 points. Better: D4 D2"
    assert nodes[3].text("C") == mistake


def test_a_comment_that_was_written_twice_stays_whole():
    twice = FOUR_MOVES.replace("C[Well met.]", "C[Well met.]C[Again.]")
    nodes = list(written(twice).root.main_line())
    assert nodes[1].text("C").startswith("Well met.\nAgain.\n\nBlack")


def test_values_for_other_programs():
    nodes = list(written().root.main_line())
    assert [node.text("SBKV") for node in nodes] == ["50.00", "50.00", "48.00", "28.00", "27.00"]
    assert [node.text("V") for node in nodes] == ["0.5", "0.5", "0.0", "-4.0", "-3.5"]


def test_the_better_line_is_a_variation_beside_the_mistake_only():
    nodes = list(written().root.main_line())
    assert [len(node.children) for node in nodes] == [1, 1, 2, 1, 0]
    better = list(nodes[2].children[1].main_line())
    assert [node.properties for node in better] == [
        {"B": ["db"], "C": ["Better: D4 D2"]},
        {"W": ["dd"]},
    ]


def test_the_game_itself_stays():
    before, after = game_of(FOUR_MOVES), written()
    assert after.moves == before.moves
    assert (after.black, after.white, after.result_text) == ("Ann", "Bob", "B+1.5")


def test_the_record_given_is_not_touched():
    game = game_of(FOUR_MOVES)
    text = sgf_bytes(game)
    annotated(review_game(game, four_outlooks(), Limit))
    assert sgf_bytes(game) == text


def test_several_moves_in_one_node():
    """Not FF[4], but such files exist; the writer makes a node of each move."""
    engine = ScriptedEngine([Said(rate, 0.0, "A1") for rate in (0.5, 0.5, 0.8, 0.8)])
    record = written("(;SZ[5];B[cc]W[bb];B[dd])", engine)
    comments = [node.text("C") for node in record.root.main_line()]
    assert len(record.moves) == 3
    assert "Black 50.0%" in comments[2]
    assert "Black 80.0%" in comments[2]


def test_an_illegal_end_stays_in_the_tree_without_comments():
    engine = ScriptedEngine([Said(0.5, 0.0, "A1"), Said(0.5, 0.0, "A1")])
    nodes = list(written("(;SZ[5];B[cc];W[cc];B[dd])", engine).root.main_line())
    assert [node.text("C") is not None for node in nodes] == [True, True, False, False]


@pytest.mark.parametrize(
    ("lead", "text"), [(2.44, "B+2.4"), (-0.5, "W+0.5"), (0.04, "even"), (-0.04, "even")]
)
def test_leads_in_words(lead, text):
    assert lead_text(lead) == text
