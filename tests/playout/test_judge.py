"""Judging finished boards: seki, dead stones, both scorings, and boards of real games."""

import io
import json
import tarfile

import numpy as np
import pytest

from tengen.board.colour import BLACK, WHITE
from tengen.board.points import column_of, parse_vertex, row_of
from tengen.board.position import Position
from tengen.board.rules import Rules, Scoring, rules_named
from tengen.core.errors import TengenError
from tengen.playout.judge import Status, judge, judge_with_dead, score_text

pytestmark = pytest.mark.kernels

SPLIT = """
    . X O . .
    . X O . .
    X X O O O
    . X O . .
    . X O . .
"""

DEAD_STONE = """
    . . X O . .
    . O X O . .
    . . X O O O
    X X X O . .
    . . X O . .
    . . X O . .
"""

SEKI = """
    O O X . O X X X
    O O X . O X X X
    O O X X O X X X
    O O O O X X . X
    . O . O X X X X
    O O O O X . X X
"""

BENT_FOUR = """
    . O X . .
    O O X . .
    X O X X .
    X X X . .
    . . . . .
"""


def status_at(position, vertex, judgement):
    point = parse_vertex(vertex, position.rows, position.columns)
    first = min(position.chain(point))
    return judgement.status[first]


def test_a_settled_board():
    position = Position.from_diagram(SPLIT, rules=Rules(komi=0.5))
    judgement = judge(position)
    assert set(judgement.status.values()) == {Status.ALIVE}
    assert judgement.result == "W+5.5"
    assert (judgement.owner[:, 0] == BLACK).all()


def test_a_dead_stone_under_both_scorings():
    area = Position.from_diagram(DEAD_STONE, rules=Rules(komi=0))
    territory = Position.from_diagram(DEAD_STONE, rules=Rules(Scoring.TERRITORY, komi=0))
    assert status_at(area, "B5", judge(area)) is Status.DEAD
    assert judge(area).score == 0
    # By hand: Black has 10 empty points and one under the dead stone, which is a prisoner too.
    assert judge(territory).score == (9 + 1 + 1) - 10


def test_prisoners_count_under_territory_scoring():
    position = Position.from_diagram("OX./.../...", BLACK, Rules(Scoring.TERRITORY, komi=0))
    position.play(parse_vertex("A2", 3, 3))
    assert judge_with_dead(position, []).score == 7 + 1


def test_seki_lives_and_the_shared_points_are_nobodys():
    position = Position.from_diagram(SEKI, rules=Rules(komi=0))
    judgement = judge(position)
    assert status_at(position, "E6", judgement) is Status.SEKI
    assert status_at(position, "C6", judgement) is Status.SEKI
    assert judgement.owner[0, 3] == judgement.owner[1, 3] == 0
    assert status_at(position, "A6", judgement) is Status.ALIVE


def test_bent_four_in_the_corner_is_not_scored_as_a_black_loss():
    """Black can start a ko for the white corner; White can do nothing: White is dead."""
    position = Position.from_diagram(BENT_FOUR, rules=Rules(komi=0))
    assert judge(position).score == position.rows * position.columns


def test_agreed_dead_stones():
    position = Position.from_diagram(DEAD_STONE, rules=Rules(komi=0))
    stone = parse_vertex("B5", 6, 6)
    assert judge_with_dead(position, [stone]).score == judge(position).score
    assert judge_with_dead(position, []).score < judge(position).score


def test_list_ownership_and_score_agree(shared):
    for position, _, _ in ogs_boards(shared):
        judgement = judge(position, playouts=100)
        black = int((judgement.owner == BLACK).sum())
        white = int((judgement.owner == WHITE).sum())
        assert judgement.score == black - white - position.rules.komi
        for chain in judgement.stones(Status.DEAD):
            owners = {judgement.owner[row_of(s), column_of(s)] for s in chain}
            assert position.colour(chain[0]) not in owners


def test_handicap_compensation():
    position = Position.from_diagram(SPLIT, rules=rules_named("chinese").with_komi(0.5))
    position.handicap = 3
    assert judge(position).score == -5 - 3.5


def test_an_empty_board_is_a_draw_without_komi():
    assert judge(Position(5, rules=Rules(komi=0)), playouts=20).score == 0


@pytest.mark.parametrize(("score", "text"), [(0, "0"), (3.5, "B+3.5"), (-2, "W+2")])
def test_score_text(score, text):
    assert score_text(score) == text


def test_the_same_position_is_judged_the_same():
    position = Position.from_diagram(SEKI)
    assert np.array_equal(judge(position).owner, judge(position).owner)


def ogs_boards(shared):
    """Yield (position, right owners, name) of the OGS boards."""
    with tarfile.open(shared / "suites" / "ogs-autoscore.tar.xz") as archive:
        for member in archive.getmembers():
            if member.name.endswith(".json"):
                data = json.load(io.TextIOWrapper(archive.extractfile(member)))
                rows = [row.translate(str.maketrans(" bW", ".XO")) for row in data["board"]]
                position = Position.from_diagram("\n".join(rows), rules=Rules(komi=0))
                yield position, data["correct_ownership"], member.name


def test_boards_of_real_games(shared):
    """Five of the 31 boards have a corner whose fate hangs on who moves; the rest must be right."""
    right_points = points = 0
    wrong_boards = []
    for position, owners, name in ogs_boards(shared):
        ours = judge(position).owner
        settled = [
            (row, column)
            for row in range(position.rows)
            for column in range(position.columns)
            if owners[row][column] in "BW"
        ]
        right = sum(" BW"[ours[row, column]] == owners[row][column] for row, column in settled)
        points += len(settled)
        right_points += right
        if right < len(settled):
            wrong_boards.append(name)
    assert points > 5000
    assert right_points / points > 0.99
    assert len(wrong_boards) <= 5, wrong_boards


def test_a_judge_wants_a_playout_for_each_side():
    with pytest.raises(TengenError, match="two playouts"):
        judge(Position(9), playouts=1)
