"""The solver's parts: geometry, moves, life, the table's words."""

import random

import numpy as np
import pytest
from solver_oracle import Oracle

from tengen.board.colour import BLACK, WHITE
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.solver.boards import board_of
from tengen.solver.geometry import Geometry
from tengen.solver.kernels import memory
from tengen.solver.kernels.evaluation import evaluate
from tengen.solver.kernels.life import alive_chains, safe_points
from tengen.solver.kernels.table import history_allows, pack
from tengen.solver.searcher import Searcher
from tengen.solver.settings import SolverSettings

pytestmark = pytest.mark.kernels


def searcher(rows: int, columns: int) -> Searcher:
    return Searcher(rows, columns, SolverSettings(table_bits=6))


def word(text: str) -> np.uint64:
    return np.uint64(board_of(Position.from_diagram(text.replace("/", "\n"))))


@pytest.mark.parametrize(("rows", "columns", "count"), [(1, 5, 2), (2, 3, 4), (4, 4, 8), (1, 1, 1)])
def test_symmetries(rows, columns, count):
    geometry = Geometry(rows, columns)
    assert len(geometry.symmetries) == count
    assert geometry.symmetries[0] == list(range(rows * columns))
    for symmetry, images in enumerate(geometry.symmetries):
        back = geometry.symmetries[geometry.inverse(symmetry)]
        assert [back[image] for image in images] == list(range(rows * columns))


def test_symmetric_boards_are_the_turned_diagrams():
    board = int(word("X.O/.../.XO"))
    turned = {
        int(word(text)) for text in ("X.O/.../.XO", "O.X/.../OX.", ".XO/.../X.O", "OX./.../O.X")
    }
    assert turned <= set(Geometry(3, 3).all_symmetries(board))


def test_boards_beyond_the_words_are_refused():
    with pytest.raises(TengenError, match="up to 30 points"):
        Geometry(6, 6)


@pytest.mark.parametrize("shape", [(1, 5), (3, 4), (4, 4), (5, 6)])
def test_evaluation_by_the_oracle(shape):
    draw = random.Random(7)
    oracle, words = Oracle(*shape), searcher(*shape).words
    for _ in range(200):
        colours = [draw.choice((0, 0, 1, 2)) for _ in range(shape[0] * shape[1])]
        black = sum(1 << p for p, c in enumerate(colours) if c == 1)
        white = sum(1 << p for p, c in enumerate(colours) if c == 2)
        assert evaluate(words, np.uint64(black | white << 32), 1) == oracle.score((black, white))


@pytest.mark.parametrize(
    ("text", "value"), [(".OO./XOOX/XOOX/XXXX", 28), ("XX/.O", 3), ("XXX/X.X/XXX", 81)]
)
def test_e2_of_table_4(text, value):
    position = Position.from_diagram(text.replace("/", "\n"))
    words = searcher(position.rows, position.columns).words
    assert evaluate(words, word(text), 2) == value


LIFE = [
    (".X./XXX/.X.", 9),
    ("X.X/XXX/XXX", 0),
    (".X.X./XXXXX/...../.....", 10),
    ("XXXX/.XX./XXXX", 12),
    (".X.O/XXXO/....", 0),
    (".OX./XXXX/....", 12),
]
"""Black's safe points: two eyes, one, eyes with a dead stone, and what is not enclosed."""


@pytest.mark.parametrize(("text", "count"), LIFE)
def test_safe_points(text, count):
    position = Position.from_diagram(text.replace("/", "\n"))
    words = searcher(position.rows, position.columns).words
    alive = alive_chains(words, word(text) & memory.LOW_HALF)
    safe = safe_points(words, alive) if alive else 0
    assert int(safe).bit_count() == count


def test_what_is_safe_is_kept_against_an_owner_who_only_answers():
    """Random attacks on random safe boards: the owner fills where White stands, or passes."""
    draw = random.Random(3)
    looked_at = 0
    for _ in range(1500):
        position = random_board(draw)
        words = searcher(position.rows, position.columns).words
        alive = alive_chains(words, np.uint64(board_of(position)) & memory.LOW_HALF)
        if alive:
            safe = int(safe_points(words, alive))
            attack(position, safe, int(alive), draw)
            looked_at += 1
    assert looked_at > 20


def random_board(draw: random.Random) -> Position:
    position = Position(3, 4)
    stones = [(p, draw.choice((0, BLACK, BLACK, WHITE))) for p in position.points()]
    try:
        position.setup(stones, WHITE)
    except TengenError:
        return Position(3, 4)
    return position


def attack(position: Position, safe: int, alive: int, draw: random.Random) -> None:
    points = position.points()
    inside = [p for i, p in enumerate(points) if safe >> i & 1]
    for _ in range(30):
        moves = position.legal_moves(WHITE)
        if moves:
            position.play(draw.choice(moves), WHITE)
        fill = answers(position, inside)
        if fill:
            position.play(draw.choice(fill), BLACK)
    while fill := answers(position, inside):
        position.play(draw.choice(fill), BLACK)
    assert all(position.colour(p) != WHITE for p in inside)
    assert all(position.colour(p) == BLACK for i, p in enumerate(points) if alive >> i & 1)


def answers(position: Position, inside: list[int]) -> list[int]:
    """Return Black's moves in regions where White stands."""
    regions = [set(region) for region in white_regions(position, inside)]
    return [p for p in position.legal_moves(BLACK) if any(p in region for region in regions)]


def white_regions(position: Position, inside: list[int]):
    """Yield the connected parts of the safe points without black stones that hold a white one."""
    left = {p for p in inside if position.colour(p) != BLACK}
    while left:
        region, waiting = set(), [left.pop()]
        while waiting:
            point = waiting.pop()
            region.add(point)
            beside = {point - 1, point + 1, point - 20, point + 20} & left
            left -= beside
            waiting.extend(beside)
        if any(position.colour(p) == WHITE for p in region):
            yield region


def test_histories_that_contain_the_shared_stones_forbid_a_bound():
    one = searcher(2, 2)
    position = Position(2, 2)
    for move in (0, 3):
        position.play(position.points()[move])
    one.set_position(position)
    root = int(one.numbers[memory.ROOT])
    zero = np.uint64(0)
    assert not history_allows(one.words, root, zero, np.uint64(1))
    assert history_allows(one.words, root, zero, np.uint64(2))
    assert history_allows(one.words, root, zero, np.uint64(1 | 1 << 35))


def test_data_words_hold_the_extremes():
    from tengen.solver.kernels import table

    for low, up, depth, move in [(-(2**17), 2**17 - 1, 255, 31), (-1, 0, 0, 0), (5, 7, 63, 12)]:
        data = np.uint64(pack(low, up, depth, 255 - depth, move, 40))
        assert (table.low_value(data), table.up_value(data)) == (low, up)
        assert (table.low_depth(data), table.up_depth(data)) == (depth, 255 - depth)
        assert (table.stored_move(data), table.stored_work(data)) == (move, 40)
