"""Tests of scoring: seki, dead stones, area and territory, and boards of real games."""

import io
import json
import tarfile

import numpy as np
import pytest

from tengen.board import (
    BLACK,
    WHITE,
    Position,
    Rules,
    Scoring,
    column_of,
    parse_vertex,
    row_of,
    rules_named,
)
from tengen.playout import ChainStatus, format_score, score_position, score_with_dead_stones
from tengen.util import TengenError

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


def status_at(position, vertex, final):
    point = parse_vertex(vertex, position.rows, position.columns)
    first = min(position.chain(point))
    return final.status[first]


def test_settled_board():
    position = Position.from_diagram(SPLIT, rules=Rules(komi=0.5))
    final = score_position(position)
    assert set(final.status.values()) == {ChainStatus.ALIVE}
    assert final.result == "W+5.5"
    assert (final.owner[:, 0] == BLACK).all()


def test_dead_stone_under_area_and_territory_scoring():
    area = Position.from_diagram(DEAD_STONE, rules=Rules(komi=0))
    territory = Position.from_diagram(DEAD_STONE, rules=Rules(Scoring.TERRITORY, komi=0))
    assert status_at(area, "B5", score_position(area)) is ChainStatus.DEAD
    assert score_position(area).score == 0
    # Black has 10 points of territory, one of them under the dead stone, and one prisoner.
    assert score_position(territory).score == (9 + 1 + 1) - 10


def test_prisoners_count_under_territory_scoring():
    position = Position.from_diagram("OX./.../...", BLACK, Rules(Scoring.TERRITORY, komi=0))
    position.play(parse_vertex("A2", 3, 3))
    assert score_with_dead_stones(position, []).score == 7 + 1


def test_seki_is_alive_and_shared_liberties_are_neutral():
    position = Position.from_diagram(SEKI, rules=Rules(komi=0))
    final = score_position(position)
    assert status_at(position, "E6", final) is ChainStatus.SEKI
    assert status_at(position, "C6", final) is ChainStatus.SEKI
    assert final.owner[0, 3] == final.owner[1, 3] == 0
    assert status_at(position, "A6", final) is ChainStatus.ALIVE


def test_bent_four_in_the_corner_is_not_scored_as_a_black_loss():
    """Black can start a ko for the corner, White cannot do anything: White is dead."""
    position = Position.from_diagram(BENT_FOUR, rules=Rules(komi=0))
    assert score_position(position).score == position.rows * position.columns


def test_given_dead_stones():
    position = Position.from_diagram(DEAD_STONE, rules=Rules(komi=0))
    stone = parse_vertex("B5", 6, 6)
    assert score_with_dead_stones(position, [stone]).score == score_position(position).score
    assert score_with_dead_stones(position, []).score < score_position(position).score


def test_dead_list_ownership_and_score_are_consistent(reference_data):
    for position, _, _ in ogs_boards(reference_data):
        final = score_position(position, playouts=100)
        black = int((final.owner == BLACK).sum())
        white = int((final.owner == WHITE).sum())
        assert final.score == black - white - position.rules.komi
        for chain in final.stones(ChainStatus.DEAD):
            owners = {final.owner[row_of(s), column_of(s)] for s in chain}
            assert position.color(chain[0]) not in owners


def test_handicap_compensation():
    position = Position.from_diagram(SPLIT, rules=rules_named("chinese").with_komi(0.5))
    position.handicap = 3
    assert score_position(position).score == -5 - 3.5


def test_empty_board_is_a_draw_without_komi():
    assert score_position(Position(5, rules=Rules(komi=0)), playouts=20).score == 0


@pytest.mark.parametrize(("score", "text"), [(0, "0"), (3.5, "B+3.5"), (-2, "W+2")])
def test_format_score(score, text):
    assert format_score(score) == text


def test_scoring_is_deterministic():
    position = Position.from_diagram(SEKI)
    assert np.array_equal(score_position(position).owner, score_position(position).owner)


def ogs_boards(reference_data):
    """Yield (position, correct owners, name) of boards from OGS."""
    with tarfile.open(reference_data / "suites" / "ogs-autoscore.tar.xz") as archive:
        for member in archive.getmembers():
            if member.name.endswith(".json"):
                data = json.load(io.TextIOWrapper(archive.extractfile(member)))
                rows = [row.translate(str.maketrans(" bW", ".XO")) for row in data["board"]]
                position = Position.from_diagram("\n".join(rows), rules=Rules(komi=0))
                yield position, data["correct_ownership"], member.name


def test_boards_of_real_games(reference_data):
    """At most five of the 31 boards may have errors: corners that depend on the side to move."""
    right_points = points = 0
    wrong_boards = []
    for position, owners, name in ogs_boards(reference_data):
        ours = score_position(position).owner
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


def test_rejects_a_single_playout():
    with pytest.raises(TengenError, match="at least 2 playouts"):
        score_position(Position(9), playouts=1)
