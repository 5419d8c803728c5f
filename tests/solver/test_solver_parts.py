"""Solver kernels: geometry, evaluation, unconditional life, table entries."""

import random

import numpy as np
import pytest
from solver_oracle import Oracle

from tengen.board import BLACK, WHITE, Position
from tengen.solver import Geometry, SolverSettings, board_of
from tengen.solver.kernels import memory
from tengen.solver.kernels.evaluation import alive_chains, evaluate, safe_points
from tengen.solver.kernels.table import history_allows, pack
from tengen.solver.searcher import AlphaBetaSearcher
from tengen.util import TengenError

pytestmark = pytest.mark.kernels


def searcher(rows: int, columns: int) -> AlphaBetaSearcher:
    return AlphaBetaSearcher(rows, columns, SolverSettings(table_bits=6))


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


def test_symmetries_rotate_and_reflect_the_board():
    board = int(word("X.O/.../.XO"))
    images = {
        int(word(text)) for text in ("X.O/.../.XO", "O.X/.../OX.", ".XO/.../X.O", "OX./.../O.X")
    }
    assert images <= set(Geometry(3, 3).all_symmetries(board))


def test_rejects_boards_with_too_many_points():
    with pytest.raises(TengenError, match="up to 30 points"):
        Geometry(6, 6)


@pytest.mark.parametrize("shape", [(1, 5), (3, 4), (4, 4), (5, 6)])
def test_evaluation_matches_the_oracle(shape):
    draw = random.Random(7)
    oracle, geometry = Oracle(*shape), searcher(*shape).state.geometry[0]
    for _ in range(200):
        colors = [draw.choice((0, 0, 1, 2)) for _ in range(shape[0] * shape[1])]
        black = sum(1 << p for p, c in enumerate(colors) if c == 1)
        white = sum(1 << p for p, c in enumerate(colors) if c == 2)
        board = np.uint64(black | white << 32)
        assert evaluate(geometry, board, 1) == oracle.score((black, white))


@pytest.mark.parametrize(
    ("text", "value"), [(".OO./XOOX/XOOX/XXXX", 28), ("XX/.O", 3), ("XXX/X.X/XXX", 81)]
)
def test_e2_of_table_4(text, value):
    position = Position.from_diagram(text.replace("/", "\n"))
    geometry = searcher(position.rows, position.columns).state.geometry[0]
    assert evaluate(geometry, word(text), 2) == value


LIFE = [
    (".X./XXX/.X.", 9),
    ("X.X/XXX/XXX", 0),
    (".X.X./XXXXX/...../.....", 10),
    ("XXXX/.XX./XXXX", 12),
    (".X.O/XXXO/....", 0),
    (".OX./XXXX/....", 12),
]
"""Diagrams and the number of Black's safe points."""


@pytest.mark.parametrize(("text", "count"), LIFE)
def test_safe_points(text, count):
    position = Position.from_diagram(text.replace("/", "\n"))
    geometry = searcher(position.rows, position.columns).state.geometry[0]
    alive = alive_chains(geometry, word(text) & memory.LOW_HALF)
    safe = safe_points(geometry, alive) if alive else 0
    assert int(safe).bit_count() == count


def test_safe_points_survive_random_attacks():
    """White plays at random; Black only answers in regions with white stones, or passes."""
    draw = random.Random(3)
    boards = 0
    for _ in range(1500):
        position = random_board(draw)
        geometry = searcher(position.rows, position.columns).state.geometry[0]
        alive = alive_chains(geometry, np.uint64(board_of(position)) & memory.LOW_HALF)
        if alive:
            safe = int(safe_points(geometry, alive))
            attack(position, safe, int(alive), draw)
            boards += 1
    assert boards > 20


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
    assert all(position.color(p) != WHITE for p in inside)
    assert all(position.color(p) == BLACK for i, p in enumerate(points) if alive >> i & 1)


def answers(position: Position, inside: list[int]) -> list[int]:
    """Return Black's moves in regions that contain white stones."""
    regions = [set(region) for region in white_regions(position, inside)]
    return [p for p in position.legal_moves(BLACK) if any(p in region for region in regions)]


def white_regions(position: Position, inside: list[int]):
    """Yield the connected safe regions without black stones that contain a white stone."""
    left = {p for p in inside if position.color(p) != BLACK}
    while left:
        region, waiting = set(), [left.pop()]
        while waiting:
            point = waiting.pop()
            region.add(point)
            around = {point - 1, point + 1, point - 20, point + 20} & left
            left -= around
            waiting.extend(around)
        if any(position.color(p) == WHITE for p in region):
            yield region


def test_bound_is_not_used_if_the_history_contains_the_shared_stones():
    one = searcher(2, 2)
    position = Position(2, 2)
    for move in (0, 3):
        position.play(position.points()[move])
    one.set_position(position)
    root = int(one.state.control[0]["root"])
    zero = np.uint64(0)
    assert not history_allows(one.state, root, zero, np.uint64(1))
    assert history_allows(one.state, root, zero, np.uint64(2))
    assert history_allows(one.state, root, zero, np.uint64(1 | 1 << 35))


def test_data_word_stores_extreme_values():
    from tengen.solver.kernels import table

    for low, up, depth, move in [(-(2**17), 2**17 - 1, 255, 31), (-1, 0, 0, 0), (5, 7, 63, 12)]:
        data = np.uint64(pack(low, up, depth, 255 - depth, move, 40))
        assert (table.low_value(data), table.up_value(data)) == (low, up)
        assert (table.low_depth(data), table.up_depth(data)) == (depth, 255 - depth)
        assert (table.stored_move(data), table.stored_work(data)) == (move, 40)
