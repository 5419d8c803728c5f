"""The evaluations of paper 003: its tables, its formulas, and plain Python beside the kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_oracle import abstract_colours as slow_abstract_colours
from metric_oracle import dimensional, metric

from tengen.board.colour import BLACK, WHITE
from tengen.board.points import column_of, parse_vertex, row_of
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.source_text import parse_source
from tengen.knowledge.catalogue import compiled_source
from tengen.knowledge.metric import EVERY, Metric, Phases
from tengen.knowledge.metric_board import (
    CLOSED,
    OPEN,
    Edge,
    Piece,
    abstract_colours,
    changes,
    evaluate,
)
from tengen.lab.small_boards.positions import INFINITY, MISPRINTED, POSITIONS

pytestmark = pytest.mark.kernels

PAPER = Metric.only(a0=1, a1=1, a2=1, b4=1, b8=1, infinity=INFINITY)
LETTERS = {"T": Edge.TOP, "B": Edge.BOTTOM, "L": Edge.LEFT, "R": Edge.RIGHT}


@pytest.mark.parametrize("printed", POSITIONS, ids=lambda p: f"table {p.table} {p.name}")
def test_every_value_of_tables_1_to_6(printed):
    ours = printed.piece.evaluate(PAPER)
    wrong = {(printed.name, name) for name in printed.differs(ours)}
    assert wrong <= MISPRINTED, ours


def test_the_one_misprint():
    assert Piece.from_diagram(".X./OXO/.O.", OPEN).evaluate(PAPER).ed4 == -31644


# Colours and groups


def test_an_empty_region_has_the_colour_around_it_unless_an_edge_is_open():
    closed = Piece.from_diagram(".X./X.O/OO.").abstract_colours()
    assert closed.tolist() == [[1, 1, 0], [1, 0, 2], [2, 2, 2]]
    half = Piece.from_diagram(".X./X.O/OO.", Edge.TOP).abstract_colours()
    assert half.tolist() == [[0, 1, 0], [1, 0, 2], [2, 2, 2]]


def test_groups_take_in_the_points_they_surround():
    groups = Piece.from_diagram(".X./XX./OO.").groups()
    assert [(colour, len(points)) for colour, points in groups] == [(1, 4), (2, 2)]


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
def test_all_evaluations_against_the_formulas(board, open_sides, infinity):
    """Distances by Floyd and Warshall; open and closed edges, small infinities too."""
    edges = CLOSED
    for side in open_sides:
        edges |= LETTERS[side]
    piece = Piece(np.array(board, dtype=np.uint8), edges)
    colours = slow_abstract_colours(board, open_sides)
    assert {p: int(c) for p, c in np.ndenumerate(piece.abstract_colours())} == colours
    ours = piece.evaluate(Metric.only(a2=1, ap=1, power=3, b4=1, b8=1, infinity=infinity))
    assert ours.e0 == dimensional(colours, 0)
    assert ours.e1 == dimensional(colours, 1)
    assert ours.e2 == dimensional(colours, 2)
    assert ours.ep == dimensional(colours, 3)
    assert ours.ed4 == metric(colours, 4, infinity)
    assert ours.ed8 == metric(colours, 8, infinity)


@pytest.mark.parametrize("shape", [(8, 8), (9, 9), (7, 19)], ids=str)
def test_distances_on_boards_of_more_than_one_word(shape):
    """64 sources are searched at once: 8x8 fills one word, 9x9 takes two, 7x19 three."""
    board = np.random.default_rng(shape).choice([0, 0, 1, 2], size=shape).astype(np.uint8)
    colours = slow_abstract_colours(board.tolist(), "TR")
    ours = Piece(board, Edge.TOP | Edge.RIGHT).evaluate(PAPER)
    assert ours.ed4 == metric(colours, 4, INFINITY)
    if shape != (7, 19):
        assert ours.ed8 == metric(colours, 8, INFINITY)


def test_formula_13_on_a_thousand_positions_without_neutral_points():
    random = np.random.default_rng(13)
    for _ in range(1000):
        shape = random.integers(1, 20, size=2)
        ours = Piece(random.integers(1, 3, size=shape, dtype=np.uint8)).evaluate(PAPER)
        assert ours.ed4 == INFINITY * ours.e2


def test_scratch_of_a_large_board_does_not_show_on_a_small_one():
    from tengen.knowledge.kernels import metric as kernels

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
def test_turned_and_mirrored_boards_are_worth_the_same_and_swapped_ones_the_opposite(seed):
    board = random_position(seed, 4 + seed, 5 * seed + 6).board()
    value = Piece(board).evaluate()
    for turned in (np.rot90(board), np.flipud(board), board.T):
        assert Piece(np.ascontiguousarray(turned)).evaluate() == value
    swapped = Piece(np.array([0, 2, 1], dtype=np.uint8)[board]).evaluate()
    assert tuple(-number for number in swapped) == value


# Unconditional life


def test_benson_colours_what_is_dead_inside_living_chains():
    position = Position.from_diagram("O.X.X/XXXXX/OOOO./...../.....", BLACK)
    assert abstract_colours(position)[0].tolist() == [2, 0, 1, 1, 1]
    alive = abstract_colours(position, life=True)
    assert alive[0].tolist() == [1, 1, 1, 1, 1]
    plain = evaluate(position, Metric.only(a1=1))
    assert evaluate(position, Metric.only(a1=1, life=True)).e1 > plain.e1


def test_a_piece_knows_no_unconditional_life():
    with pytest.raises(TengenError, match="whole board"):
        Piece.from_diagram("X.X").evaluate(Metric(life=True))


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


def test_a_move_that_ko_forbids_has_no_change():
    position = Position.from_diagram(".XO./XO.O/.XO./....", BLACK)
    ko = parse_vertex("C3", 4, 4)
    position.play(ko)
    maps = changes(position)
    assert np.isnan(maps.mix[1, 1])
    assert not np.isnan(maps.mix[3, 0])


def test_a_move_that_repeats_a_whole_board_has_no_change():
    """The kernel knows simple ko only: A1 would bring back the board after five moves."""
    position = Position(2).after("A1 B2 A2 B1 A1 A2")
    assert not position.is_legal(parse_vertex("A1", 2, 2))
    assert np.isnan(changes(position).mix[1, 0])


def test_remark_4_connect_and_cut():
    """Position A: Ed8 sets the cut first for White, Ed4 and Ed8 the connection for Black."""
    value = {p.name: p.piece.evaluate(PAPER) for p in POSITIONS if p.table == 5}
    assert value["C"].ed8 < min(value["A"].ed8, value["D"].ed8)
    assert value["B"].ed4 > value["D"].ed4 > value["A"].ed4


# The source


def test_the_source_gives_the_share_of_worse_moves_for_either_side():
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


def test_the_source_is_named_with_its_weights_on_a_command_line():
    source = parse_source("metric@40,depth=0,b8=0,infinity=100")
    assert source.parameters == Metric(b8=0.0, infinity=100.0)
    assert (source.equivalent_visits, source.to_depth) == (40.0, 0)


# Phases


def test_phases_of_table_11():
    endgame = Metric(b4=12.0, b8=6.0)
    phases = Phases()
    assert phases.at(4) == (Metric(), 1)
    assert phases.at(5) == (Metric(), phases.depth)
    assert phases.at(10) == (endgame, phases.depth)
    assert Phases.same(EVERY, 3).at(1) == (EVERY, 3)


def test_weights_have_ranges():
    with pytest.raises(TengenError, match="infinity"):
        Metric(infinity=-1.0)
