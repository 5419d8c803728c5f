"""The big-move source: matrix, mode, big moves, prior."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tengen.board import BLACK, Position, column_of, parse_vertex, row_of, symmetries
from tengen.board.kernels.layout import POINTS
from tengen.lab.bigmove.eigen_methods import Dirichlet, mode_by
from tengen.sources import BigMove, biggest_points, compiled_source, evaluate_sources, source_table
from tengen.sources.bigmove import variant_lines
from tengen.sources.kernels import mode as solver
from tengen.sources.kernels.bigmove import MEMORY, VARIANT, equivalent_visits
from tengen.sources.kernels.registry import add_priors
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

P1, P2, P3 = (BigMove(variants=name) for name in ("p1", "p2", "p3"))
EXACT = BigMove(variants="p1", tolerance=1e-11)


def scattered(seed: int, stones: int, size: int = 19) -> Position:
    """Return a board with up to `stones` random stones of both colors."""
    random = np.random.default_rng(seed)
    position = Position(size)
    placed = [(int(p), int(random.integers(1, 3))) for p in random.permutation(position.points())]
    while True:
        try:
            position.setup(placed[:stones], BLACK)
        except TengenError:
            stones -= stones // 4 + 1
            continue
        return position


def scores(position: Position, **values: str) -> dict[str, tuple[float, float]]:
    """Return (value, visits) by vertex of a source with 160 visits."""
    wins, visits = evaluate_sources([compiled_source("bigmove", 160.0, values=values)], position)
    return {
        position.vertex(point): (float(wins[place] / visits[place]), float(visits[place]))
        for point in position.points()
        if visits[place := (row_of(point), column_of(point))] > 0
    }


# The matrix


def test_matrix_matches_the_thesis():
    """Figure 13, entry by entry."""
    matrix = Dirichlet(P1.diagonal(Position(3))).dense
    assert matrix.tolist() == [
        [4, -1, 0, -1, 0, 0, 0, 0, 0],
        [-1, 4, -1, 0, -1, 0, 0, 0, 0],
        [0, -1, 4, 0, 0, -1, 0, 0, 0],
        [-1, 0, 0, 4, -1, 0, -1, 0, 0],
        [0, -1, 0, -1, 4, -1, 0, -1, 0],
        [0, 0, -1, 0, -1, 4, 0, 0, -1],
        [0, 0, 0, -1, 0, 0, 4, -1, 0],
        [0, 0, 0, 0, -1, 0, -1, 4, -1],
        [0, 0, 0, 0, 0, -1, 0, -1, 4],
    ]


def test_stones_and_lines_add_to_the_diagonal():
    position = Position(19)
    position.play(parse_vertex("D4", 19, 19))
    position.play(parse_vertex("N13", 19, 19))
    extra = P3.diagonal(position) - 4
    from_edge = np.minimum(np.arange(1, 20), np.arange(19, 0, -1))
    lines = np.minimum(from_edge[:, None], from_edge[None, :])
    expected = np.isin(lines, (6, 7)).astype(float)
    expected[15, 3] += 1
    expected[6, 12] += 1
    assert np.array_equal(extra, expected)


def test_stone_weights():
    position = Position.from_diagram(".....\n.XX..\n.....\n...O.\n.....", BLACK)
    weighed = BigMove(variants="p1", own=2, other=0.5).diagonal(position) - 4
    assert (weighed[1, 1], weighed[1, 2], weighed[3, 3], weighed.sum()) == (2, 2, 0.5, 4.5)
    liberties = BigMove(variants="p1", stone_weight="liberties").diagonal(position) - 4
    assert (liberties[1, 1], liberties[3, 3]) == (6 / 4, 1)
    strength = BigMove(variants="p1", stone_weight="strength").diagonal(position) - 4
    assert strength[1, 1] == pytest.approx(math.sqrt(12) / 3)
    assert strength[3, 3] == pytest.approx(2 / 3)


def test_fight_radius_damps_recent_moves():
    position = Position(9)
    position.play(parse_vertex("E5", 9, 9))
    extra = BigMove(variants="p1", fight_radius=2).diagonal(position) - 4
    assert extra.sum() == 1 + 5 * 4
    assert extra[4, 4] == 5
    assert extra[3, 4] == 4


def test_custom_variants():
    lines = variant_lines("p2+3:0.5/10:2")
    assert lines.tolist() == [[0] * 6 + [1, 0, 0, 0], [0, 0, 0.5, 0, 0, 0, 0, 0, 0, 2]]


@pytest.mark.parametrize("text", ["", "p4", "7", "0:1", "11:1", "7:-1", "7:x", "p2+", "7:nan"])
def test_rejects_invalid_variants(text):
    with pytest.raises(TengenError, match="unknown variant"):
        BigMove(variants=text)


# The mode


@pytest.mark.parametrize("size", [(n, n) for n in range(1, 20)] + [(1, 7), (7, 1), (5, 13)])
def test_empty_board_mode_is_a_product_of_sines(size):
    rows, columns = size
    waves = [np.sin(np.pi * np.arange(1, n + 1) / (n + 1)) for n in size]
    expected = np.outer(*waves) / np.linalg.norm(np.outer(*waves))
    eigenvalue = 4 - 2 * math.cos(math.pi / (rows + 1)) - 2 * math.cos(math.pi / (columns + 1))
    found = EXACT.mode(Position(rows, columns))
    assert np.abs(found.grid - expected).max() < 1e-9
    assert found.eigenvalue == pytest.approx(eigenvalue, abs=1e-9)
    assert found.residual <= 1e-11


def test_finds_the_empty_board_mode_from_any_start():
    """Starts from the mode of a crowded board, so that the solver has work to do."""
    for size in (5, 9, 19):
        position, mode = Position(size), np.zeros(int(POINTS))
        work = EXACT.matrix(position)
        position.on_grid(mode)[:] = np.random.default_rng(size).random((size, size))
        _, residual, steps = solver.find_mode(work, mode, np.uintp(size), 1e-11)
        assert residual <= 1e-11
        assert steps > 5
        assert np.abs(position.on_grid(mode) - EXACT.mode(position).grid).max() < 1e-9


@pytest.mark.parametrize("size", range(2, 20))
def test_center_is_biggest_without_potential(size):
    middle = {(size - 1) // 2, size // 2}
    found = {(row_of(p), column_of(p)) for p in P1.biggest(Position(size))}
    assert found == {(row, column) for row in middle for column in middle}


@pytest.mark.parametrize(
    ("source", "first"), [(P2, "F15"), (P3, "E16")], ids=["seventh", "sixth and seventh"]
)
def test_line_potentials_give_eight_equal_maxima(source, first):
    position = Position(19)
    points = source.biggest(position)
    assert len(points) == 8
    assert position.vertex(points[0]) == first
    images = {int(table[points[0]]) for table in symmetries(19, 19)}
    assert images == set(points)


@pytest.mark.parametrize("variant", ["p1", "p2", "p3"])
def test_mode_is_equivariant_under_symmetries(variant):
    position = scattered(7, 30)
    source = BigMove(variants=variant, tolerance=1e-10)
    grid = source.mode(position).grid
    for table in symmetries(19, 19):
        turned = Position(19)
        turned.setup([(int(table[p]), position.color(p)) for p in position.points()], BLACK)
        image = source.mode(turned).grid
        there = [(row_of(int(table[p])), column_of(int(table[p]))) for p in position.points()]
        assert np.abs(grid.ravel() - [image[place] for place in there]).max() < 1e-8


def test_modes_are_positive():
    random = np.random.default_rng(1)
    for seed in range(1000):
        size = int(random.integers(2, 20))
        position = scattered(seed, int(random.integers(0, size * size // 2)), size)
        found = (P1, P2, P3)[seed % 3].mode(position)
        assert found.residual <= 1e-6
        assert (found.grid > 0).all()
        assert np.linalg.norm(found.grid) == pytest.approx(1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), stones=st.integers(0, 300), variant=st.sampled_from("123"))
def test_mode_is_an_eigenvector_of_the_matrix(seed, stones, variant):
    position = scattered(seed, stones)
    source = BigMove(variants=f"p{variant}", tolerance=1e-10)
    exact = mode_by(Dirichlet(source.diagonal(position)), "numpy.linalg.eigh")
    assert np.abs(source.mode(position).grid - exact).max() < 1e-6


def test_biggest_move_is_never_a_stone():
    for seed in range(20):
        position = scattered(seed, 100)
        grid = P1.mode(position).grid
        assert position.board()[np.unravel_index(np.argmax(grid), grid.shape)] == 0


# The prior


def test_equivalent_visits_formula():
    """(paper 000, section 5.4)"""
    assert equivalent_visits(160.0, 3.0, 0.9, 0.0) == pytest.approx(160 * math.sqrt(0.9))
    assert equivalent_visits(160.0, 3.0, 0.9, 30.0) == pytest.approx(160 * math.sqrt(0.8))
    assert equivalent_visits(160.0, 1.0, 1.0, 100.0) == 0
    assert equivalent_visits(160.0, 1.0, 1.0, 101.0) == 0
    assert equivalent_visits(160.0, 0.01, 0.0, 10**6) == 0
    assert equivalent_visits(160.0, 3.0, 3.0, 0.0) == pytest.approx(160 * math.sqrt(3))


def test_each_variant_scores_its_biggest_move():
    both = scores(Position(19))
    visits = pytest.approx(160 * math.sqrt(0.9), rel=1e-6)
    assert both == {"F15": (1.0, visits), "E16": (1.0, visits)}


def test_visits_decay_to_zero():
    position = Position(19)
    for _ in range(30):
        position.play(0)
    assert scores(position)["E16"][1] == pytest.approx(160 * math.sqrt(0.8), rel=1e-6)
    assert scores(position, x="0.1") == {}


def test_all_biggest_moves_share_the_visits():
    shared = scores(Position(19), variants="p3", targets="all", y="1")
    assert len(shared) == 8
    assert set(shared.values()) == {(1.0, 20.0)}


def test_whole_board_shares_the_visits_by_the_mode():
    """(paper 000, section 6.1)"""
    whole = scores(Position(9), variants="p1", targets="whole", sharpness="1", y="1", value="0.7")
    modes = {
        f"{name}{row}": math.sin(math.pi * row / 10) * math.sin(math.pi * (column + 1) / 10)
        for column, name in enumerate("ABCDEFGHJ")
        for row in range(1, 10)
    }
    total = sum(modes.values())
    assert set(whole) == set(modes)
    assert sum(visits for _, visits in whole.values()) == pytest.approx(160, rel=1e-5)
    for vertex, mode in modes.items():
        assert whole[vertex] == pytest.approx((0.7 * mode, 160 * mode / total), rel=1e-3)


def test_whole_board_visits_follow_the_power_of_the_mode():
    whole = scores(Position(9), variants="p1", targets="whole", sharpness="4", y="1")
    edge = math.sin(math.pi / 10) ** 2
    assert sum(visits for _, visits in whole.values()) == pytest.approx(160, rel=1e-5)
    assert whole["A1"][1] / whole["E5"][1] == pytest.approx(edge**4, rel=1e-3)
    assert whole["A1"][0] == pytest.approx(edge, rel=1e-3)


def test_phantom_adds_no_visits():
    assert scores(Position(19), phantom="yes") == {}


def test_corner_and_side_weights():
    (sided,) = scores(Position(19), variants="p1", side="1")
    assert sided == "K15", "the first of the four points of the fifth line nearest to the center"
    (cornered,) = scores(Position(19), variants="p1", corner="3")
    assert cornered == "E15"
    for values in ({"side": 1.0}, {"corner": 3.0}):
        (first, *_) = BigMove(variants="p1", **values).biggest(Position(19))
        assert Position(19).vertex(first) == ("K15" if "side" in values else "E15")


def test_occupied_points_get_no_visits():
    position = Position(5)
    position.play(parse_vertex("C3", 5, 5))
    assert "C3" not in scores(position, variants="p1", targets="whole")


def test_warm_start_does_not_change_results():
    """A source that evaluated other boards before gives the same result as a new one."""
    source = compiled_source("bigmove", 160.0, values={"targets": "all", "tree_tolerance": "1e-8"})
    table = source_table([source])
    memory = np.zeros(MEMORY + 2 * int(VARIANT))
    for seed, size in ((1, 19), (2, 19), (3, 9), (4, 19), (5, 13)):
        position = scattered(seed, 40, size)
        fields = [np.zeros(424, dtype=np.float32) for _ in range(2)]
        add_priors(position.block, np.uintp(0), table, memory, *fields)
        fresh = evaluate_sources([source], position)
        for known, new in zip(fields, fresh, strict=True):
            assert np.allclose(position.on_grid(known), new, rtol=1e-4)


def test_warm_start_leaves_a_confined_mode():
    """Two nearly independent regions: the larger one fills up."""
    rooms = Position(9, 19)
    wall = [(point, 1) for point in rooms.points() if column_of(point) in (8, 9, 10)]
    rooms.setup(wall[1:], BLACK)
    table = source_table([compiled_source("bigmove", 160.0, values={"variants": "p1"})])
    memory = np.zeros(MEMORY + int(VARIANT))
    for stone in ("D5", "Q5"):
        position = rooms.copy()
        position.setup([(parse_vertex(stone, 9, 19), 1)], BLACK)
        fields = [np.zeros(424, dtype=np.float32) for _ in range(2)]
        add_priors(position.block, np.uintp(0), table, memory, *fields)
        (point,) = np.flatnonzero(fields[1])
        assert (column_of(int(point)) > 9) == (stone == "D5")


def test_values_for_heat_maps():
    position = scattered(3, 10)
    values = BigMove().values(position)
    assert np.isnan(values[position.board() > 0]).all()
    assert np.nanmin(values) > 0
    assert np.nanmax(values) <= 1


def test_biggest_points_of_any_grid():
    position = Position(3)
    grid = np.array([[1.0, 2, 3], [3, 2, 1], [0, 0, 0]])
    assert [position.vertex(p) for p in biggest_points(position, grid)] == ["C3", "A2"]


def test_corner_weight_minus_one_removes_all_visits():
    """With `corner=-1` no point of 9x9 gets visits, and none are NaN."""
    for targets in ("first", "all", "whole"):
        source = compiled_source("bigmove", 100.0, values={"corner": "-1", "targets": targets})
        wins, visits = evaluate_sources([source], Position(9).after("E5"))
        assert not wins.any()
        assert not visits.any()
