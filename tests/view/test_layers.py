"""Layers: values, missing values, descriptions, symmetry, required inputs and compilation."""

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tengen.board import (
    BLACK,
    PASS,
    WHITE,
    Position,
    column_of,
    eight_symmetries,
    parse_vertex,
    point_at,
    row_of,
)
from tengen.engine import EngineSettings
from tengen.sources import BigMove
from tengen.util import TengenError
from tengen.view import LAYERS, Layer, Need, Scale, ViewContext, find_layer, make_layer, registry

SIZES = [(9, 9), (13, 13), (19, 19), (7, 9), (5, 5), (2, 1)]
FREE = [name for name, info in LAYERS.items() if info.needs == Need.NOTHING]
RANDOM_TIES = {f"filter.{name}" for name in ("random", *(f"pf{n}" for n in range(1, 10)))}
"""Filters break ties at random, so they are not symmetric."""

CORNER = """
.........
..X......
.....O...
.........
...X..O..
.........
..O......
.....X...
.........
"""


def position_of(rows, columns, moves=12):
    """Return a pseudo-random position."""
    position = Position(rows, columns)
    rng = np.random.default_rng(rows * 20 + columns)
    for _ in range(moves):
        legal = position.legal_moves()
        position.play(int(rng.choice(legal)) if legal else PASS)
    return position


def transform(position, symmetry):
    """Return the position under a symmetry of a square board."""
    table = eight_symmetries(position.rows, position.columns)[symmetry]
    twin = Position(position.rows, position.columns, position.rules)
    stones = [(int(table[p]), position.color(p)) for p in position.points()]
    twin.setup(stones, position.to_play)
    return twin, table


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[1]}x{size[0]}")
@pytest.mark.parametrize("name", FREE)
def test_layers_on_all_board_sizes(name, size):
    position = position_of(*size)
    layer = make_layer(name, position)
    assert layer.values.shape == size
    assert layer.values.dtype == np.float64
    assert not np.isinf(layer.values).any()
    low, high = layer.limits()
    assert low < high
    assert all(position.on_board(point) for point in layer.marks)
    if layer.scale is Scale.MASK:
        assert set(np.unique(layer.values[~np.isnan(layer.values)])) <= {0.0, 1.0}
    encoded = json.loads(json.dumps(layer.as_dict(), allow_nan=False))
    assert len(encoded["values"]) == size[0]
    assert {len(row) for row in encoded["values"]} == {size[1]}
    assert all(
        (v is None) == bool(np.isnan(layer.values[r, c]))
        for r, row in enumerate(encoded["values"])
        for c, v in enumerate(row)
    )


@settings(max_examples=12, deadline=None)
@given(rows=st.integers(1, 9), columns=st.integers(1, 9), seed=st.integers(0, 10**6))
def test_marks_are_legal_moves_with_values(rows, columns, seed):
    position = Position(rows, columns)
    rng = np.random.default_rng(seed)
    for _ in range(int(rng.integers(0, 2 * rows * columns))):
        legal = position.legal_moves()
        position.play(int(rng.choice(legal)) if legal else PASS)
    before = position.block.copy()
    for name in FREE:
        layer = make_layer(name, position)
        assert set(layer.marks) <= set(position.legal_moves()), name
        if layer.scale is Scale.MASK:
            assert (np.isfinite(layer.values) <= position.legal_grid()).all(), name
        for point in layer.marks:
            assert np.isfinite(layer.values[row_of(point), column_of(point)]), name
        json.dumps(layer.as_dict(), allow_nan=False)
    np.testing.assert_array_equal(position.block, before)


@pytest.mark.parametrize("name", FREE)
def test_layers_have_descriptions(name):
    info = LAYERS[name]
    assert info.meaning.endswith(".") or "good" in info.meaning
    assert info.as_dict()["name"] == name
    assert info.title
    assert info.group


@pytest.mark.parametrize("name", [name for name in FREE if name not in RANDOM_TIES])
def test_layers_are_symmetric(name):
    position = Position.from_diagram(CORNER)
    values = make_layer(name, position).values
    for symmetry in range(8):
        twin, table = transform(position, symmetry)
        seen = make_layer(name, twin).values
        for point in position.points():
            image = int(table[point])
            there = seen[row_of(image), column_of(image)]
            here = values[row_of(point), column_of(point)]
            assert there == pytest.approx(here, rel=1e-4, abs=1e-4, nan_ok=True)


@pytest.mark.parametrize("name", [name for name in FREE if name not in RANDOM_TIES])
def test_swapped_colors_negate_diverging_layers(name):
    position = Position.from_diagram(CORNER, BLACK)
    swapped = Position.from_diagram(CORNER.translate(str.maketrans("XO", "OX")), WHITE)
    sign = -1 if LAYERS[name].scale is Scale.DIVERGING else 1
    ours, theirs = (make_layer(name, one).values for one in (position, swapped))
    np.testing.assert_allclose(ours, sign * theirs, rtol=1e-4, atol=1e-4)


def test_big_move():
    position = Position.from_diagram(CORNER)
    layer = make_layer("bigmove.p1", position)
    assert list(layer.marks) == BigMove(variants="p1").biggest(position)
    assert np.isnan(layer.values[position.board() > 0]).all()
    assert np.nanmax(layer.values) == pytest.approx(1.0)


def test_big_move_of_the_empty_board_is_the_center():
    layer = make_layer("bigmove.p1", Position(9))
    assert layer.marks == (point_at(4, 4),)
    np.testing.assert_allclose(layer.values, layer.values.T, atol=1e-5)


def test_big_move_marks_the_moves_of_both_variants():
    """The maximum of the mean of p2 and p3 is the biggest move of neither."""
    position = Position(19)
    marks = make_layer("bigmove", position).marks
    variants = [set(BigMove(variants=name).biggest(position)) for name in ("p2", "p3")]
    assert set(marks) == variants[0] | variants[1]
    assert len(marks) == 16


def test_potential_does_not_depend_on_the_side_to_move():
    for to_play in (BLACK, WHITE):
        position = Position.from_diagram(CORNER, to_play)
        values = make_layer("potential", position).values
        board = position.board()
        assert values[board == 1].min() > 0.5
        assert values[board == 2].max() < -0.5


def test_gradient_is_flat_without_stones():
    assert not make_layer("gradient", Position(9)).values.any()
    assert make_layer("gradient", Position(9)).marks == ()


def test_filter_keeps_half_of_the_legal_moves():
    position = Position.from_diagram(CORNER)
    layer = make_layer("filter.pf1", position)
    legal = position.legal_grid()
    np.testing.assert_array_equal(~np.isnan(layer.values), legal)
    assert np.nansum(layer.values) == (legal.sum() + 1) // 2
    assert f"{int(np.nansum(layer.values))} of {legal.sum()} moves kept" in layer.title


def test_shape_is_a_probability():
    layer = make_layer("shape", Position.from_diagram(CORNER))
    assert np.nansum(layer.values) == pytest.approx(1.0)
    row, column = np.unravel_index(np.nanargmax(layer.values), layer.values.shape)
    assert layer.marks == (point_at(row, column),)
    assert layer.labels[row][column] == f"{100 * layer.values[row, column]:.0f}"


def test_shape_notes_show_patterns():
    position = Position.from_diagram(CORNER)
    layer = make_layer("shape", position)
    noted = np.array([[text is not None for text in row] for row in layer.notes])
    np.testing.assert_array_equal(noted, position.legal_grid())
    *pattern, rates = layer.notes[0][1].splitlines()
    assert pattern == ["# # # # #", "# # # # #", "# . _ . .", "# . . X .", "# . . . ."]
    assert rates.startswith("3x3 ")
    known = make_layer("shape.3", position).values[0, 1]
    assert f"3x3 {known:.0%}" in rates
    assert layer.as_dict()["notes"][0][1] == layer.notes[0][1]
    twin = Position.from_diagram(CORNER, WHITE)
    assert make_layer("shape.3", twin).notes[0][1].splitlines()[3] == "# . . O ."


def test_metric_area():
    position = Position.from_diagram("XX.O\nX.O.\n....\n....")
    colors = make_layer("metric.color", position)
    assert colors.values[0, 0] == 1.0
    assert colors.values[0, 3] == -1.0
    assert f"E1 = {colors.values.sum():g}" in colors.title


def test_tactics_prefer_a_capture():
    position = Position.from_diagram(".X...\nXOX..\n.....\n.....\n.....")
    values = make_layer("tactics", position).values
    assert values[2, 1] == np.nanmax(values)
    assert values[2, 1] > 0.9


def test_unknown_names():
    with pytest.raises(TengenError, match=r"unknown source 'bigmoove'.*did you mean 'bigmove"):
        make_layer("bigmoove", Position(9))
    with pytest.raises(TengenError, match="no such file"):
        make_layer("nowhere.py:idea", Position(9))
    with pytest.raises(TengenError, match="unknown source 'nothing'"):
        make_layer("nothing@20", Position(9))


def test_missing_inputs(tmp_path):
    with pytest.raises(TengenError, match="no search"):
        make_layer("search.visits", Position(9))
    with pytest.raises(TengenError, match="no game database"):
        make_layer("experts", Position(9))
    with pytest.raises(TengenError, match=r"no game database at .*none.sqlite"):
        make_layer("experts", Position(9), ViewContext(games=tmp_path / "none.sqlite"))
    with pytest.raises(TengenError, match="7x7 to 19x19"):
        make_layer("net.policy", Position(5))
    missing = EngineSettings().with_overrides([f"net={tmp_path / 'no.onnx'}"])
    with pytest.raises(TengenError, match=r"no\.onnx"):
        make_layer("net.policy", Position(9), ViewContext(missing))


def test_user_sources(tmp_path):
    file = tmp_path / "ideas.py"
    file.write_text(
        "import numpy as np\n"
        "def corner(position):\n"
        "    'Prefers one corner.'\n"
        "    values = np.full((position.rows, position.columns), np.nan)\n"
        "    values[0, 0] = 1.0\n"
        "    return values\n"
        "def broken(position):\n"
        "    return np.zeros(3)\n"
    )
    layer = make_layer(f"{file}:corner", Position(9))
    assert layer.title == "corner"
    assert "Prefers one corner" in layer.meaning
    assert layer.marks == (point_at(0, 0),)
    assert np.isnan(layer.values[1:]).all()
    with pytest.raises(TengenError, match="source broken returned shape"):
        make_layer(f"{file}:broken", Position(9))


def test_source_with_parameters():
    word = "bigmove@20,variants=6:1/7:1"
    own = make_layer(word, Position(19)).values
    np.testing.assert_allclose(own, make_layer("bigmove.p3", Position(19)).values)
    assert find_layer(word).group == "own"


def test_limits_of_constant_values():
    for scale in Scale:
        for value in (0.0, 3.0, np.nan):
            layer = Layer("x", "x", "x", np.full((2, 2), value), scale)
            low, high = layer.limits()
            assert low < high


@pytest.mark.parametrize("size", [(9, 9), (19, 19), (7, 9)])
def test_network_policy_and_ownership(size):
    position = position_of(*size, moves=7)
    policy = make_layer("net.policy", position)
    np.testing.assert_array_equal(~np.isnan(policy.values), position.legal_grid())
    assert 0.5 < np.nansum(policy.values) <= 1.0 + 1e-6
    assert "Black wins" in policy.title
    owner = make_layer("net.ownership", position)
    assert np.abs(owner.values).max() <= 1.0
    assert owner.limits() == (-1.0, 1.0)


def test_network_ownership_does_not_depend_on_the_side_to_move():
    rows = ["XXXX.OOOO"] * 9
    rows[3], rows[6] = ".XX.X.OO.", "X.XX.OO.O"
    for to_play in (BLACK, WHITE):
        position = Position.from_diagram("\n".join(rows), to_play)
        owner = make_layer("net.ownership", position).values
        assert owner[:, 0].mean() > 0.3
        assert owner[:, 8].mean() < -0.3


def test_marks_are_vertices_in_json():
    encoded = make_layer("bigmove.p1", Position(9)).as_dict()
    assert encoded["marks"] == ["E5"]
    assert parse_vertex(encoded["marks"][0], 9, 9) == point_at(4, 4)


# Compilation in the background


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_warm_up_computes_all_layers_once(cache, monkeypatch):
    computed = []
    monkeypatch.setattr(registry, "make_layer", lambda name, position: computed.append(name))
    registry.warm_up()
    assert {"bigmove.p1", "potential", "shape", "net.policy", "metric.ed4"} < set(computed)
    assert not {"search.visits", "experts"} & set(computed)
    assert registry.start_warm_up() is None


def test_warm_up_runs_in_a_process(cache, monkeypatch):
    monkeypatch.setattr(registry.sys, "executable", "true")
    process = registry.start_warm_up()
    assert process is not None
    assert process.wait(timeout=60) == 0


def test_no_warm_up_without_a_cache(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert registry.start_warm_up() is None
