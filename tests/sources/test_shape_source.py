"""The shape source: playing probabilities and the prior."""

import numpy as np
import pytest
from shape_oracle import random_position

from tengen.board import Position, column_of, parse_vertex, row_of
from tengen.sources import Shape, ShapeTables, compiled_source, evaluate_sources, save_tables
from tengen.util import TengenError

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("size", [5, 9, 19])
def test_probabilities_sum_to_one_over_legal_moves(size):
    position = random_position(4, size, moves=size * 3)
    probabilities = Shape().probabilities(position)
    assert probabilities.sum() == pytest.approx(1.0)
    legal = {(row_of(point), column_of(point)) for point in position.legal_moves()}
    liked = {(int(r), int(c)) for r, c in np.argwhere(probabilities > 0)}
    assert liked == legal


def test_prior_visits_are_the_root_of_the_probability():
    """sqrt(P) * visits at value 1 (paper 000, section 5.4.1)."""
    position = random_position(2)
    probabilities = Shape().probabilities(position)
    for value in (1.0, 0.7):
        source = compiled_source("shape", 160.0, values={"value": str(value)})
        wins, visits = evaluate_sources([source], position)
        assert visits == pytest.approx(160 * np.sqrt(probabilities), rel=1e-4)
        assert wins == pytest.approx(value * visits, rel=1e-4)


def test_first_moves_are_in_the_corners():
    likely = Shape().values(Position(19))
    best = np.unravel_index(np.nanargmax(likely), likely.shape)
    assert tuple(int(n) for n in best) in {(3, 3), (3, 15), (15, 3), (15, 15)}
    assert likely[0, 0] < 1e-3


def test_position_without_legal_moves():
    suicide = Position(1)
    assert suicide.legal_moves() == []
    assert Shape().probabilities(suicide).sum() == 0.0


def test_custom_tables(tmp_path):
    path = tmp_path / "empty.bin"
    save_tables(ShapeTables(), path)
    position = random_position(6)
    probabilities = Shape(str(path)).probabilities(position)
    # Empty tables: all legal moves are equally likely.
    assert np.unique(probabilities[probabilities > 0]) == pytest.approx(
        1 / len(position.legal_moves())
    )
    with pytest.raises(TengenError, match="cannot read"):
        Shape(str(tmp_path / "none")).code()


def test_rates_by_size():
    position = Position(19)
    rates = Shape().rates(position, parse_vertex("Q16", 19, 19))
    assert [rate.size for rate in rates] == [3, 5, 7, 9]
    # Up to 7x7 the square is empty; 9x9 reaches the corner.
    assert rates[2].combined < 0.5 < rates[3].combined
    assert all(rate.seen > 10_000 for rate in rates)


@pytest.mark.parametrize("vertex", ["E5", "pass"])
def test_rejects_rates_of_occupied_points(vertex):
    position = Position(9).after("E5 C3")
    with pytest.raises(TengenError, match="around an empty point"):
        Shape().rates(position, position.parse_move(vertex))
