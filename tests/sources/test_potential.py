"""Potential filters: the field, the ranks, the switching point."""

import math
import random

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from tengen.board import BLACK, PASS, WHITE, Ko, Position, Rules, point_at
from tengen.board.kernels.layout import POINTS
from tengen.engine import EngineSettings, create_engine, parse_source
from tengen.search import SearchLimit
from tengen.sources import FILTERS, STENCILS, Potential, survey
from tengen.sources.kernels import potential as kernels
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

NO_TABLES = np.zeros(0, dtype=np.float32)


def with_stones(size, black=(), white=(), to_play=BLACK):
    """Return a square board with stones at (row, column)."""
    position = Position(size)
    stones = [(point_at(*at), BLACK) for at in black] + [(point_at(*at), WHITE) for at in white]
    position.setup(stones, to_play)
    return position


def seen(position, name="pf6", **values):
    return survey(position, Potential(filter=name, **{"switch": 0, **values}))


def random_position(seed, rows, columns, moves):
    """Return a board after random moves with captures; colors do not strictly alternate."""
    chooser = random.Random(seed)
    position = Position(rows, columns)
    for _ in range(moves):
        legal = position.legal_moves()
        if not legal:
            break
        position.play(chooser.choice(legal))
    return position


def ask(position, parameters, memory=None):
    """Return the wins and visits that the source adds, by padded point."""
    wins, visits = np.zeros((2, int(POINTS)), dtype=np.float32)
    memory = np.zeros(kernels.MEMORY_CELLS) if memory is None else memory
    packed = parameters.kernel_parameters(10.0)
    kernels.add_potential(position.block, packed, NO_TABLES, memory, wins, visits)
    return wins, visits


def kept_moves(position, parameters):
    _, visits = ask(position, parameters)
    return [move for move in position.legal_moves() if visits[move] >= 0]


def slow_potential(position, m, row, column, own=1, other=-1):
    """Equations 2 to 4, stone by stone, also outside the board."""
    total = 0.0
    for (y, x), color in np.ndenumerate(position.board()):
        if color:
            sign = own if color == position.to_play else other
            total += sign / m ** math.hypot(row - y, column - x)
    return total


# The field


def test_potential_of_one_stone():
    potential = seen(with_stones(9, [(4, 4)])).potential
    assert potential[4, 4] == 1
    assert potential[4, 6] == pytest.approx(1 / 4, abs=1e-12)
    assert potential[7, 8] == pytest.approx(1 / 32, abs=1e-12)
    assert potential[3, 3] == pytest.approx(2 ** -math.sqrt(2), abs=1e-12)


def test_potential_is_a_signed_sum():
    position = with_stones(9, [(4, 2)], [(4, 6)])
    assert seen(position, "pf1").potential[4, 4] == 0
    assert seen(position, "pf1").potential[4, 3] == pytest.approx(1 / 2 - 1 / 8, abs=1e-12)
    assert seen(position, "pf4").potential[4, 3] == pytest.approx(1 / 2 + 1 / 8, abs=1e-12)
    position.to_play = WHITE
    assert seen(position, "pf1").potential[4, 3] == pytest.approx(1 / 8 - 1 / 2, abs=1e-12)


def test_slope_of_one_stone():
    position = with_stones(9, [(4, 4)])
    root5 = 2 ** -math.sqrt(5)
    # Next to the stone the vertical change is 0, and the columns left and right are
    # (1/2, 1, 1/2) and (root5, 1/4, root5), weighted 1, 2, 1.
    across = (1 / 2 + 2 + 1 / 2) - (root5 + 2 / 4 + root5)
    assert seen(position).slope[4, 5] == pytest.approx(across / 8, abs=1e-12)
    assert seen(position, stencil="four").slope[4, 5] == pytest.approx((1 - 1 / 4) / 2, abs=1e-12)
    assert seen(position, stencil="steepest").slope[4, 5] == pytest.approx(1 - 1 / 2, abs=1e-12)
    assert seen(position).slope[4, 4] == 0


def test_steepest_slope_may_be_diagonal():
    slope = seen(with_stones(9, [(4, 4)]), stencil="steepest").slope
    expected = (1 - 2 ** -math.sqrt(2)) / math.sqrt(2)
    straight = 1 / 2 - 2 ** -math.sqrt(2)
    assert expected > straight
    assert slope[3, 3] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("stencil", list(STENCILS))
def test_slope_at_the_edge(stencil):
    position = with_stones(5, [(0, 2), (3, 3)], [(2, 0)])

    def at(row, column):
        return slow_potential(position, 2.0, row, column)

    for row, column in [(0, 0), (0, 4), (4, 2), (2, 4)]:
        around = np.array([[at(row + y, column + x) for x in (-1, 0, 1)] for y in (-1, 0, 1)])
        if stencil == "horn":
            weights = np.array([1, 2, 1])
            across = (around[:, 2] - around[:, 0]) @ weights / 8
            down = weights @ (around[2] - around[0]).T / 8
            expected = math.hypot(across, down)
        elif stencil == "four":
            expected = math.hypot(around[1, 2] - around[1, 0], around[2, 1] - around[0, 1]) / 2
        else:
            away = np.array([[2**0.5, 1, 2**0.5], [1, np.inf, 1], [2**0.5, 1, 2**0.5]])
            expected = np.max(np.abs(around - around[1, 1]) / away)
        found = seen(position, stencil=stencil).slope[row, column]
        assert found == pytest.approx(expected, abs=1e-12)


def test_incremental_update_equals_recomputation():
    captures = 0
    for seed, (rows, columns) in enumerate([(9, 9), (5, 7), (19, 19), (3, 3)]):
        memory = np.zeros(kernels.MEMORY_CELLS)
        chooser, position = random.Random(seed), Position(rows, columns)
        for _ in range(3 * rows * columns):
            legal = position.legal_moves()
            position.play(chooser.choice(legal) if legal else PASS)
            if chooser.random() < 0.7:  # sometimes several stones
                kernels.update_potential(position.block, 1.5, memory)
        fresh = np.zeros(kernels.MEMORY_CELLS)
        kernels.update_potential(position.block, 1.5, memory)
        kernels.update_potential(position.block, 1.5, fresh)
        cells = slice(int(kernels.FIELDS), int(kernels.COMBINED))
        assert np.array_equal(memory[cells].view(np.int64), fresh[cells].view(np.int64))
        potential = seen(position, "pf7").potential
        for row, column in [(0, 0), (rows - 1, columns // 2)]:
            expected = slow_potential(position, 1.5, row, column)
            assert potential[row, column] == pytest.approx(expected, abs=1e-9)
        captures += position.prisoners(BLACK) + position.prisoners(WHITE)
    assert captures > 100


def test_memory_is_reset_for_another_board_or_m():
    memory = np.zeros(kernels.MEMORY_CELLS)
    ask(random_position(1, 19, 19, 80), Potential(filter="pf9", switch=0), memory)
    small = random_position(2, 9, 9, 20)
    for name in ("pf9", "pf5"):
        again = ask(small, Potential(filter=name, switch=0), memory)[1]
        assert np.array_equal(again, ask(small, Potential(filter=name, switch=0))[1])


# The ranking


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([(9, 9), (5, 5), (7, 4), (13, 13)]),
    share=st.floats(0, 2.5),
    name=st.sampled_from(list(FILTERS)),
)
@example(seed=655, size=(7, 4), share=1.1875, name="pf1")
def test_every_filter_keeps_half_rounded_up(seed, size, share, name):
    """Legality is by simple ko: a source sees no history, so no superko."""
    game = random_position(seed, *size, int(share * size[0] * size[1]))
    position = Position.from_block(game.block, Rules(ko=Ko.SIMPLE))
    legal = position.legal_moves()
    kept = kept_moves(position, Potential(filter=name, switch=0, seed=seed))
    assert len(kept) == (len(legal) + 1) // 2
    assert sum(survey(position, Potential(filter=name, switch=0, seed=seed)).kept.ravel()) == len(
        kept
    )


@pytest.mark.parametrize("name", [name for name in FILTERS if name != "random"])
def test_kept_ranks_match_the_paper(name):
    position = random_position(5, 9, 9, 24)
    parts, found = FILTERS[name], seen(position, name)
    values = found.potential if parts.ranking == "potential" else found.slope
    legal = found.rank > 0
    ordered = np.sort(values[legal])[::-1]
    assert np.allclose(values[legal][np.argsort(found.rank[legal])], ordered, atol=1e-9)
    pruned = legal & ~found.kept
    if parts.top == 0:
        assert values[found.kept].min() >= values[pruned].max() - 1e-9
    elif parts.bottom == 0:
        assert values[found.kept].max() <= values[pruned].min() + 1e-9
    else:
        assert values[pruned].max() >= values[found.kept].max() - 1e-9
        assert values[pruned].min() <= values[found.kept].min() + 1e-9


def test_pf1_keeps_own_stones_and_pf2_the_opponents():
    position = with_stones(9, [(4, 1)], [(4, 7)])
    assert seen(position, "pf1").kept[4, 0]
    assert not seen(position, "pf1").kept[4, 8]
    assert seen(position, "pf2").kept[4, 8]
    assert not seen(position, "pf2").kept[4, 0]


def test_midpoint_rises_from_pf5_to_pf9():
    position = with_stones(9, [(4, 1)], [(4, 7)])
    ranks = [seen(position, f"pf{number}").rank[4, 4] for number in range(5, 10)]
    assert ranks == sorted(set(ranks), reverse=True)


@pytest.mark.parametrize("name", list(FILTERS))
def test_filters_are_color_symmetric(name):
    position = random_position(9, 9, 9, 30)
    swapped = position.copy()
    colors = [(point, 3 - position.color(point)) for point in position.points()]
    position.setup([(p, position.color(p)) for p in position.points()], BLACK)
    swapped.setup([(p, c) for p, c in colors if c < 3], WHITE)
    ours, theirs = seen(position, name, seed=4), seen(swapped, name, seed=4)
    assert np.array_equal(ours.rank, theirs.rank)
    assert np.array_equal(ours.kept, theirs.kept)
    assert not np.array_equal(ours.kept, ours.rank > 0)


def test_ties_are_broken_at_random():
    empty = Position(9)
    kept = [seen(empty, "pf1", seed=seed).kept for seed in range(40)]
    share = np.mean(kept, axis=0)
    assert np.all((share > 0.2) & (share < 0.85))
    assert np.array_equal(kept[3], seen(empty, "pf1", seed=3).kept)


# The switching point


@pytest.mark.parametrize("name", ["random", "pf2", "pf9"])
def test_active_only_above_the_switching_point(name):
    position = random_position(3, 9, 9, 30)
    legal = len(position.legal_moves())
    assert len(kept_moves(position, Potential(filter=name, switch=legal - 1))) < legal
    assert len(kept_moves(position, Potential(filter=name, switch=legal))) == legal
    assert seen(position, name, switch=legal).kept.sum() == legal


def test_switching_point_as_a_share_of_the_board():
    position = random_position(4, 9, 9, 21)
    legal = len(position.legal_moves())
    below, above = (legal - 0.5) / 81, (legal + 0.5) / 81
    assert len(kept_moves(position, Potential(switch=below))) < legal
    assert len(kept_moves(position, Potential(switch=above))) == legal


# As a source


def test_prior_scores_by_rank_without_pruning():
    position = random_position(6, 9, 9, 20)
    wins, visits = ask(position, Potential(filter="pf4", use="prior", switch=0))
    legal = position.legal_moves()
    assert np.all(visits[legal] == 10)
    rank = seen(position, "pf4").rank
    best = {int(rank.flat[i]): wins[move] / 10 for i, move in enumerate(position.points())}
    assert best[1] == pytest.approx(1)
    assert best[len(legal)] == pytest.approx(0)
    assert [best[n] for n in range(1, len(legal) + 1)] == sorted(
        (best[n] for n in range(1, len(legal) + 1)), reverse=True
    )


def test_prior_favors_kept_moves():
    position = random_position(6, 9, 9, 20)
    for name in ("pf1", "pf2", "pf3"):
        found = seen(position, name, use="prior")
        pruned = (found.rank > 0) & ~found.kept
        assert found.values[found.kept].min() >= found.values[pruned].max()


@pytest.mark.parametrize("kind", ["uct", "rave"])
def test_tree_contains_only_kept_moves_and_pass(kind):
    position = random_position(8, 9, 9, 12)
    word = "prior=potential@20,filter=pf6,switch=0"
    words = [f"algorithm={kind}", "threads=1", "memory_mib=8", "seed=1", word]
    report = create_engine(EngineSettings().with_overrides(words)).analyze(
        position, SearchLimit(simulations=200)
    )
    kept = kept_moves(position, Potential(filter="pf6", switch=0))
    assert {candidate.move for candidate in report.candidates} == {*kept, PASS}


def test_free_filter_parameters():
    source = parse_source("potential@20,filter=free,ranking=potential,m=3,other=1,bottom=0.8")
    position = random_position(8, 9, 9, 12)
    legal = len(position.legal_moves())
    assert len(kept_moves(position, source.parameters)) == legal - int(0.8 * legal)
    assert source.parameters.parts().m == 3


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("potential@20,filter=pf10", "filter must be one of"),
        ("potential@20,m=3", "pf9 has fixed parts"),
        ("potential@20,filter=free,top=0.5,bottom=0.5", "must be below 1, got 1"),
        ("potential@20,filter=free,m=1", "m must be"),
        ("potential@20,stencil=sobel", "stencil must be one of"),
    ],
)
def test_rejects_invalid_parameters(word, complaint):
    with pytest.raises(TengenError, match=complaint):
        parse_source(word)
