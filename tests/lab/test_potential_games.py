"""Games of paper 002: kernels, trunks and branches."""

import dataclasses

import numpy as np
import pytest

from tengen.board import BLACK, WHITE, Position
from tengen.board.kernels.stones import play
from tengen.lab.potential.analysis import BORDERS, PLAIN, PLAYOUTS, playouts_by_formula
from tengen.lab.potential.kernels import game as kernels
from tengen.lab.potential.sweep import GameTrunk, play_trunk
from tengen.playout.kernels.light import run_light_playouts
from tengen.sources import Potential

pytestmark = pytest.mark.kernels

TRUNK = GameTrunk("pf8", 6, (31, 25, 15, 5), number=0, komi=0.5, playouts=10)
PLAYED_COLORS = slice(int(kernels.PLAYED) + 1, int(kernels.PLAYED) + 3)
COUNTED_COLORS = slice(int(kernels.COUNTED) + 1, int(kernels.COUNTED) + 3)


def numbers_of(name, switch):
    return Potential(filter=name, switch=switch).kernel_parameters()


def candidates(game, match):
    return np.uintp(kernels.find_candidates(game, match, numbers_of("random", 0)))


# Formula of the paper


@pytest.mark.parametrize(("size", "total"), [(9, 168_000), (13, 722_400), (19, 3_276_000)])
def test_formula_gives_the_paper_totals(size, total):
    assert playouts_by_formula(size * size, None).total == total
    assert playouts_by_formula(size * size, None).reduction == 0


@pytest.mark.parametrize(
    ("switch", "size", "name", "saved"),
    [
        (65, 9, "pf6", 0.174),
        (61, 9, "pf8", 0.211),
        (129, 13, "pf9", 0.206),
        (273, 19, "pf9", 0.213),
    ],
)
def test_formula_gives_the_paper_reductions(switch, size, name, saved):
    found = playouts_by_formula(size * size, switch)
    assert found.reduction == pytest.approx(saved, abs=0.002)
    assert found.total == pytest.approx(PLAYOUTS[name][size], rel=0.002)


MISPRINTS = {("pf1", 9), ("pf1", 19), ("pf2", 9), ("pf4", 9), ("pf6", 19)}


def test_formula_gives_all_printed_totals_at_the_printed_borders():
    wrong = {
        (name, size)
        for name, borders in BORDERS.items()
        for size, border in borders.items()
        if playouts_by_formula(size * size, border).total != PLAYOUTS[name][size]
    }
    assert wrong == MISPRINTS


# Choosing a move


def test_candidates_are_the_unpruned_legal_moves():
    game = kernels.new_game(6, 6, 5)
    match = kernels.FlatMatch(10, 0.5, int(BLACK), False)
    for switch, expected in ((35, 18), (36, 36)):
        count = int(kernels.find_candidates(game, match, numbers_of("pf8", switch)))
        assert count == expected
        assert len(set(game.moves[:count].tolist())) == count
    assert int(game.tally[kernels.FILTERED]) == 1


def test_other_side_keeps_all_moves():
    game = kernels.new_game(6, 6, 5)
    match = kernels.FlatMatch(10, 0.5, int(WHITE), False)
    assert int(kernels.find_candidates(game, match, numbers_of("pf8", 0))) == 36


def test_choice_has_the_most_wins_with_skipped_playouts():
    game = kernels.new_game(5, 5, 7)
    match = kernels.FlatMatch(100, 0.5, 0, False)
    for _ in range(10):
        count = candidates(game, match)
        before = game.tally.copy()
        move = int(kernels.choose_move(game, match, count))
        wins = game.wins[: int(count)]
        assert wins[list(game.moves[: int(count)]).index(move)] == wins.max()
        spent = game.tally - before
        assert spent[COUNTED_COLORS].sum() == 100 * int(count)
        assert 100 <= spent[PLAYED_COLORS].sum() <= 100 * int(count)


def wins_after(game, move):
    """Return Black's wins in ten playouts after its move."""
    block, scratch, result = game.block.copy(), game.block.copy(), np.zeros(3, dtype=np.int64)
    play(block, np.uintp(move))
    run_light_playouts(block, scratch, game.random, 10, result)
    return result[0]


@pytest.mark.parametrize(
    ("rows", "columns", "most"),
    [
        (3, 3, 26),
        # Too wide for simultaneous playouts, as 19x19.
        (1, 17, 39),
    ],
)
def test_choice_is_distributed_as_with_all_playouts(rows, columns, most):
    """Choices have the same distribution as with all playouts for all candidates.

    `most` is what chi-squared, of one degree less than there are points, exceeds once in a
    thousand times.
    """
    match, rounds = kernels.FlatMatch(10, 0.5, 0, False), 600
    game = kernels.new_game(rows, columns, 17)
    quick, full = np.zeros((2, 424))
    for _ in range(rounds):
        count = candidates(game, match)
        quick[kernels.choose_move(game, match, count)] += 1
        wins = np.array([wins_after(game, move) for move in game.moves[: int(count)]])
        best = np.flatnonzero(wins == wins.max())
        full[game.moves[best]] += 1 / len(best)
    tried = (quick + full) > 0
    difference = (quick - full)[tried] ** 2 / (quick + full)[tried]
    assert tried.sum() == rows * columns
    assert difference.sum() < most
    assert quick.max() > 2 * quick[tried].min()


def test_ties_are_broken_at_random():
    """With an unreachable komi every playout is lost and all candidates are equal."""
    match = kernels.FlatMatch(4, 100.5, 0, False)
    chosen = set()
    for seed in range(1, 60):
        game = kernels.new_game(3, 3, seed * 2**40)
        chosen.add(int(kernels.choose_move(game, match, candidates(game, match))))
    assert len(chosen) == 9


def test_game_is_legal_and_ends_when_only_eyes_are_left():
    game = kernels.new_game(5, 5, 11)
    assert kernels.play_on(
        game, kernels.FlatMatch(8, 0.5, 0, False), numbers_of("random", 0), False
    )
    position = Position.from_block(game.block)
    assert position.is_over
    board = position.board()
    area = int(kernels.final_area(game))
    empty = int((board == 0).sum())
    stones = int((board == 1).sum()) - int((board == 2).sum())
    assert abs(area - stones) <= empty
    assert len(set(game.history[: int(game.tally[kernels.LENGTH])].tolist())) >= 20


# Trunks


def test_trunk_is_reproducible():
    assert play_trunk(TRUNK) == play_trunk(TRUNK)
    assert play_trunk(TRUNK) != play_trunk(dataclasses.replace(TRUNK, number=1))


def test_filter_is_active_down_to_the_switching_point():
    filtered = np.array(
        [[e.filtered for e in play_trunk(dataclasses.replace(TRUNK, number=n))] for n in range(4)]
    )
    assert np.all(filtered[:, 0] >= 3)
    assert np.all(np.diff(filtered.mean(axis=0)) > 0)


def test_playouts_of_a_branch_add_up():
    for ending in play_trunk(TRUNK):
        assert ending.counted_black % 10 == ending.counted_white % 10 == 0
        assert 0 < ending.played <= ending.counted_black + ending.counted_white
        assert ending.black_won == (ending.area > 0.5)


def test_filter_saves_playouts():
    endings = [play_trunk(dataclasses.replace(TRUNK, number=number)) for number in range(6)]
    least = [sum(game[place].counted_black for game in endings) for place in (0, 3)]
    assert least[1] < least[0]


def test_plain_players_never_filter():
    (ending,) = play_trunk(GameTrunk(PLAIN, 5, (25,), number=0, komi=0.5, playouts=5))
    assert ending.filtered == 0


def test_white_can_filter():
    trunk = dataclasses.replace(TRUNK, color=WHITE, switches=(0,))
    endings = [play_trunk(dataclasses.replace(trunk, number=number))[0] for number in range(6)]
    black, white = (sum(getattr(e, f"counted_{c}") for e in endings) for c in ("black", "white"))
    assert white < 0.75 * black
