"""Questions answered by proof-number search, and the verification of their proofs."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tengen.board import BLACK, WHITE, Ko, Position
from tengen.cli.main import main
from tengen.solver import (
    Answer,
    ProofSearcher,
    ProofSettings,
    Question,
    Solver,
    SolverSettings,
    board_of,
    load_states,
    play_games,
    save_states,
    verify_proof,
)
from tengen.solver.kernels.proof_moves import secure_points
from tengen.solver.verification import ProofError, area_score
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

VALUES = [((1, 3), 3), ((1, 4), 4), ((2, 4), 8), ((3, 3), 9), ((2, 5), 10), ((3, 4), 4)]
SMALL = ProofSettings(table_bits=18)


def ask(position: Position, question: Question, proof_settings: ProofSettings = SMALL):
    searcher = ProofSearcher(position.rows, position.columns, proof_settings)
    return searcher, searcher.answer(position, question)


@pytest.mark.parametrize(("shape", "value"), VALUES)
def test_lower_bounds_are_proved_and_higher_ones_are_not(shape, value):
    searcher, answer = ask(Position(*shape), Question.at_least(value))
    assert answer is Answer.PROVED
    if value < shape[0] * shape[1]:
        assert searcher.answer(Position(*shape), Question.at_least(value + 1)) is Answer.NOT_PROVED


def test_upper_bound_is_proved_for_white():
    white_first = Position(3).after("pass")
    assert ask(white_first, Question.at_most(-9))[1] is Answer.PROVED
    assert ask(Position(3), Question.at_most(8))[1] is Answer.NOT_PROVED


def test_value_that_depends_on_superko_is_not_proved():
    """2x2 is 1 with superko and 0 with the draw rule."""
    assert ask(Position(2), Question.at_least(1))[1] is Answer.NOT_PROVED
    values = {
        rule: Solver(2, 2, SolverSettings(table_bits=12, repetition=rule)).solve(Position(2)).low
        for rule in ("positional", "situational", "draw")
    }
    assert values == {"positional": 1, "situational": 1, "draw": 0}


@pytest.mark.parametrize(
    "switch", ["weak", "ordering", "life", "interior", "symmetry", "refresh", "replacement"]
)
def test_enhancements_do_not_change_answers(switch):
    for shape, value in [((2, 4), 8), ((3, 3), 9)]:
        changed = ProofSettings(table_bits=18, **{switch: False})
        assert ask(Position(*shape), Question.at_least(value), changed)[1] is Answer.PROVED
    changed = ProofSettings(table_bits=18, **{switch: False})
    assert ask(Position(2, 3), Question.at_least(1), changed)[1] is Answer.NOT_PROVED


@pytest.mark.parametrize(("shape", "value"), [((2, 4), 8), ((3, 3), 9), ((2, 5), 10)])
def test_proofs_hold_against_all_moves(shape, value):
    question = Question.at_least(value)
    searcher, _ = ask(Position(*shape), question)
    result = verify_proof(searcher, Position(*shape), question)
    assert result.states > 100
    assert result.repeated_boards == 0


@pytest.mark.parametrize("ko", list(Ko))
def test_proofs_hold_in_random_games_under_every_ko_rule(ko):
    question = Question.at_least(4)
    searcher, _ = ask(Position(3, 4), question)
    assert play_games(searcher, Position(3, 4), question, 10, ko) > 10


def test_verification_finds_a_wrong_table():
    """A table that claims too much has no moves that reach the target."""
    question = Question.at_least(9)
    searcher, _ = ask(Position(3), question)
    corner = Position(3).after("A1")
    root = searcher._write_root(corner)
    table = searcher.state.table
    table[table["key"] == root["key"]] = (root["key"], np.uint64(0xFFFFFF) << np.uint64(24))
    assert searcher.is_stored(corner)
    with pytest.raises(ProofError):
        verify_proof(searcher, corner, question)


def test_proof_survives_a_tiny_table():
    question = Question.at_least(9)
    searcher, answer = ask(Position(3), question, ProofSettings(table_bits=9))
    assert answer is Answer.PROVED
    assert verify_proof(searcher, Position(3), question).states > 100


def test_ko_ban_belongs_to_the_state():
    position = Position.from_diagram(".XO.\nXO.O\n.XO.\n....")
    position.play(position.parse_move("C3"))
    searcher = ProofSearcher(4, 4, SMALL)
    searcher.set_question(Question.at_least(1))
    banned = int(searcher._write_root(position)["key"])
    again = Position.from_diagram(position.diagram(), to_play=WHITE)
    assert board_of(position) == board_of(again)
    assert banned != int(searcher._write_root(again)["key"])


SECURE = [
    ("X.X./XXXX/..../....", True, 8),  # the lower half has room for two eyes
    ("X.X./XXXX/OOOO/O.O.", True, 8),
    (".X.X./XXXXX/.O.O./.OO..", False, 10),
    (".X.X/XXXX/XO.X/XXXX", False, 16),
    (".X.X/XXXX/X.OX/X..X", True, 16),  # every inner point touches a living chain
    (".X.X./XXXXX/X...X/X...X/X...X", True, 25),  # two adjacent points touch none
    (".X.X./XXXXX/X...X/X...X/X...X", False, 16),
]


@pytest.mark.parametrize(("rows", "use_interior", "count"), SECURE)
def test_secure_points(rows, use_interior, count):
    position = Position.from_diagram(rows.replace("/", "\n"))
    searcher = ProofSearcher(position.rows, position.columns, SMALL)
    own = np.uint64(board_of(position) & 0xFFFFFFFF)
    secure = int(secure_points(searcher.state.geometry[0], own, use_interior))
    assert secure.bit_count() == count


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_secure_points_are_kept_against_random_attacks(seed):
    """White moves at will in a region with two inner points; Black conquers it under superko."""
    position = Position.from_diagram(".X.X.\nXXXXX\nX...X\nX...X\nX...X", to_play=WHITE)
    question = Question.at_least(25)
    searcher = SECURE_SEARCHER
    searcher.set_question(question)
    assert searcher.is_decided(position)
    play_games(searcher, position, question, 1, Ko.POSITIONAL, seed)


SECURE_SEARCHER = ProofSearcher(5, 5, SMALL)


def test_table_on_disk_resumes_a_search(tmp_path):
    path = tmp_path / "table.npz"
    question = Question.at_least(4)
    searcher, _ = ask(Position(3, 4), question)
    assert save_states(searcher, path) > 1000
    again = ProofSearcher(3, 4, ProofSettings(table_bits=20))
    load_states(again, question, path)
    assert again.answer(Position(3, 4), question) is Answer.PROVED
    assert again.progress.nodes < 100
    with pytest.raises(TengenError, match="another board or question"):
        load_states(again, Question.at_least(5), path)
    path.write_bytes(b"no table")
    with pytest.raises(TengenError, match="not a table"):
        load_states(again, question, path)


def test_interrupted_search_can_be_resumed():
    searcher = ProofSearcher(3, 4, SMALL)

    def stop() -> None:
        raise KeyboardInterrupt

    searcher.poll = stop
    with pytest.raises(KeyboardInterrupt):
        searcher.answer(Position(3, 4), Question.at_least(4))
    searcher.poll = lambda: None
    assert searcher.answer(Position(3, 4), Question.at_least(4)) is Answer.PROVED


def test_area_score_counts_stones_and_surrounded_points():
    assert area_score(Position.from_diagram(".X.\nXOO\n.O.")) == 1 + 2 - 3 - 1
    assert Question.at_most(-3).prover == WHITE
    assert Question.at_least(3).prover == BLACK


def test_command_line(capsys, tmp_path):
    table = str(tmp_path / "t.npz")
    words = ["solve", "3x3", "--at-least", "9", "table_bits=16"]
    assert main([*words, "--verify", "--games", "2", "--table", table]) == 0
    text = capsys.readouterr().out
    assert ">= +9 proved" in text
    assert "valid with and without superko" in text
    assert main([*words, "--first-moves", "--table", table]) == 1
    assert "B2  >= +9 proved" in capsys.readouterr().out
    assert main([*words, "--after", "B2", "--json"]) == 0
    assert '"answer": "proved"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["3x3", "--at-least", "10"], "not a score"),
        (["3x3", "--at-least", "1", "--at-most", "1"], "one at a time"),
        (["3x3", "--verify"], "requires a question"),
        (["3x3", "--at-least", "1", "--after", "B2", "--first-moves"], "exclude"),
        (["3x3", "--at-least", "1", "bits=3"], "unknown parameter"),
    ],
)
def test_command_line_errors(words, message):
    with pytest.raises(TengenError, match=message):
        main(["solve", *words])
