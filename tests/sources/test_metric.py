"""The evaluations of paper 003: its tables and formulas, and an oracle."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from metric_oracle import abstract_colors as slow_abstract_colors, dimensional, metric

from tengen.board import BLACK, WHITE, Position, column_of, parse_vertex, row_of
from tengen.engine import parse_source
from tengen.lab.metric.sections import (
    CLOSED,
    INFINITY,
    MISPRINTED,
    OPEN,
    POSITIONS,
    BoardSection,
    Edge,
)
from tengen.sources import Metric, abstract_colors, changes, compiled_source, evaluate
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

PAPER = Metric.only(a0=1, a1=1, a2=1, b4=1, b8=1, infinity=INFINITY)
LETTERS = {"T": Edge.TOP, "B": Edge.BOTTOM, "L": Edge.LEFT, "R": Edge.RIGHT}


@pytest.mark.parametrize("printed", POSITIONS, ids=lambda p: f"table {p.table} {p.name}")
def test_values_of_tables_1_to_6(printed):
    ours = printed.piece.evaluate(PAPER)
    wrong = {(printed.name, name) for name in printed.differs(ours)}
    assert wrong <= MISPRINTED, ours


def test_misprint_in_the_paper():
    assert BoardSection.from_diagram(".X./OXO/.O.", OPEN).evaluate(PAPER).ed4 == -31644


# Colors and groups


def test_empty_regions_take_the_surrounding_color():
    closed = BoardSection.from_diagram(".X./X.O/OO.").abstract_colors()
    assert closed.tolist() == [[1, 1, 0], [1, 0, 2], [2, 2, 2]]
    half = BoardSection.from_diagram(".X./X.O/OO.", Edge.TOP).abstract_colors()
    assert half.tolist() == [[0, 1, 0], [1, 0, 2], [2, 2, 2]]


def test_groups_include_surrounded_points():
    groups = BoardSection.from_diagram(".X./XX./OO.").groups()
    assert [(color, len(points)) for color, points in groups] == [(1, 4), (2, 2)]


boards = st.integers(1, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2]), min_size=columns, max_size=columns),
        min_size=1,
        max_size=5,
    )
)
edge_sets = st.sets(st.sampled_from("TBLR"))


@settings(deadline=None, max_examples=150)
@given(boards, edge_sets, st.sampled_from([0.0, 3.0, 20.0, 1024.0]))
def test_evaluations_match_the_oracle(board, open_sides, infinity):
    """Distances by Floyd-Warshall, with open and closed edges and small infinities."""
    edges = CLOSED
    for side in open_sides:
        edges |= LETTERS[side]
    piece = BoardSection(np.array(board, dtype=np.uint8), edges)
    colors = slow_abstract_colors(board, open_sides)
    assert {p: int(c) for p, c in np.ndenumerate(piece.abstract_colors())} == colors
    ours = piece.evaluate(Metric.only(a2=1, ap=1, power=3, b4=1, b8=1, infinity=infinity))
    assert ours.e0 == dimensional(colors, 0)
    assert ours.e1 == dimensional(colors, 1)
    assert ours.e2 == dimensional(colors, 2)
    assert ours.ep == dimensional(colors, 3)
    assert ours.ed4 == metric(colors, 4, infinity)
    assert ours.ed8 == metric(colors, 8, infinity)


@pytest.mark.parametrize("shape", [(8, 8), (9, 9), (7, 19)], ids=str)
def test_distances_with_more_than_64_points(shape):
    """64 searches run in parallel: 8x8 fills one word, 9x9 two, 7x19 three."""
    board = np.random.default_rng(shape).choice([0, 0, 1, 2], size=shape).astype(np.uint8)
    colors = slow_abstract_colors(board.tolist(), "TR")
    ours = BoardSection(board, Edge.TOP | Edge.RIGHT).evaluate(PAPER)
    assert ours.ed4 == metric(colors, 4, INFINITY)
    if shape != (7, 19):
        assert ours.ed8 == metric(colors, 8, INFINITY)


def test_formula_13_without_neutral_points():
    random = np.random.default_rng(13)
    for _ in range(1000):
        shape = random.integers(1, 20, size=2)
        ours = BoardSection(random.integers(1, 3, size=shape, dtype=np.uint8)).evaluate(PAPER)
        assert ours.ed4 == INFINITY * ours.e2


def test_scratch_memory_does_not_leak_between_boards():
    from tengen.sources.kernels import metric as kernels

    scratch, values = kernels.new_scratch(), np.zeros(kernels.MEASURES)
    full = Position(19)
    full.setup([(point, BLACK) for point in full.points()[1:]], WHITE)
    corner = Position(7, 19)
    corner.setup([(corner.points()[-1], BLACK)], WHITE)
    for small in (corner, random_position(3, 5, 12)):
        kernels.evaluate_board(full.block, PAPER.vector(), scratch, values)
        kernels.evaluate_board(small.block, PAPER.vector(), scratch, values)
        assert tuple(values) == evaluate(small, PAPER)


# Symmetry


def random_position(seed, size, moves):
    random = np.random.default_rng(seed)
    position = Position(size)
    for _ in range(moves):
        legal = position.legal_moves()
        position.play(int(random.choice(legal)) if legal else 0)
    return position


@pytest.mark.parametrize("seed", range(6))
def test_evaluations_are_symmetric(seed):
    board = random_position(seed, 4 + seed, 5 * seed + 6).board()
    value = BoardSection(board).evaluate()
    for turned in (np.rot90(board), np.flipud(board), board.T):
        assert BoardSection(np.ascontiguousarray(turned)).evaluate() == value
    swapped = BoardSection(np.array([0, 2, 1], dtype=np.uint8)[board]).evaluate()
    assert tuple(-number for number in swapped) == value


# Unconditional life


def test_unconditional_life_colors_dead_stones():
    position = Position.from_diagram("O.X.X/XXXXX/OOOO./...../.....", BLACK)
    assert abstract_colors(position)[0].tolist() == [2, 0, 1, 1, 1]
    alive = abstract_colors(position, life=True)
    assert alive[0].tolist() == [1, 1, 1, 1, 1]
    plain = evaluate(position, Metric.only(a1=1))
    assert evaluate(position, Metric.only(a1=1, life=True)).e1 > plain.e1


def test_board_section_rejects_unconditional_life():
    with pytest.raises(TengenError, match="whole board"):
        BoardSection.from_diagram("X.X").evaluate(Metric(life=True))


# Depth one


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_changes_are_differences_of_evaluations(to_play):
    position = Position.from_diagram(".X.O./XO.O./X.OOX/.X.../.....", to_play)
    before = evaluate(position)
    maps = changes(position)
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        place = row_of(move), column_of(move)
        difference = [a - b for a, b in zip(evaluate(after), before, strict=True)]
        assert [field[place] for field in maps[:-1]] == difference
        assert maps.mix[place] == sum(difference), "every weight is one"
    illegal = set(position.points()) - set(position.legal_moves())
    assert all(np.isnan(maps.mix[row_of(p), column_of(p)]) for p in illegal)


def test_ko_move_has_no_change():
    position = Position.from_diagram(".XO./XO.O/.XO./....", BLACK)
    ko = parse_vertex("C3", 4, 4)
    position.play(ko)
    maps = changes(position)
    assert np.isnan(maps.mix[1, 1])
    assert not np.isnan(maps.mix[3, 0])


def test_superko_move_has_no_change():
    """The kernel checks simple ko only; A1 would repeat the board after five moves."""
    position = Position(2).after("A1 B2 A2 B1 A1 A2")
    assert not position.is_legal(parse_vertex("A1", 2, 2))
    assert np.isnan(changes(position).mix[1, 0])


def test_remark_4_connect_and_cut():
    """Position A: Ed8 ranks the cut first for White, Ed4 and Ed8 the connection for Black."""
    value = {p.name: p.piece.evaluate(PAPER) for p in POSITIONS if p.table == 5}
    assert value["C"].ed8 < min(value["A"].ed8, value["D"].ed8)
    assert value["B"].ed4 > value["D"].ed4 > value["A"].ed4


# The source


def test_source_value_is_the_share_of_worse_moves():
    board = ".X.O./XO.O./X.OOX/.X.../....."
    mix = Metric.only(b4=1)
    for to_play, sign in ((BLACK, 1), (WHITE, -1)):
        position = Position.from_diagram(board, to_play)
        change = sign * changes(position, mix).mix
        values = compiled_source("metric", 10.0, values={"a1": "0", "a2": "0", "b8": "0"}).values(
            position
        )
        best, worst = np.nanargmax(change), np.nanargmin(change)
        assert values.flat[best] == np.nanmax(values)
        assert values.flat[worst] == np.nanmin(values)
        known = change[~np.isnan(change)]
        share = np.mean(known < change.flat[best]) + np.mean(known == change.flat[best]) / 2
        assert values.flat[best] == pytest.approx(share)


def test_parses_weights():
    source = parse_source("metric@40,depth=0,b8=0,infinity=100")
    assert source.parameters == Metric(b8=0.0, infinity=100.0)
    assert (source.equivalent_visits, source.to_depth) == (40.0, 0)


def test_rejects_negative_infinity():
    with pytest.raises(TengenError, match="infinity"):
        Metric(infinity=-1.0)
