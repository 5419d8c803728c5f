"""The built-in sources on diagrams and against slow oracles."""

import numpy as np
import pytest

from tengen.board.colour import BLACK, WHITE
from tengen.board.kernels.layout import POINTS
from tengen.board.points import PASS, column_of, parse_vertex, row_of
from tengen.board.position import Position
from tengen.board.rules import rules_named
from tengen.core.errors import TengenError
from tengen.knowledge.catalogue import compiled_source
from tengen.knowledge.compiled import evaluate
from tengen.knowledge.kernels.distance import FAR, stone_distances

pytestmark = pytest.mark.kernels

BASIC = ("even", "tactics", "patterns", "distance", "lines")


def said(name: str, position: Position) -> dict[str, tuple[float, float]]:
    """Return (value, visits) by vertex, where a source of ten visits has an opinion."""
    wins, visits = evaluate([compiled_source(name, 10.0)], position)
    return {
        position.vertex(p): (
            float(wins[row_of(p), column_of(p)] / visits[row_of(p), column_of(p)]),
            float(visits[row_of(p), column_of(p)]),
        )
        for p in position.points()
        if visits[row_of(p), column_of(p)] > 0
    }


def at(position: Position, vertex: str) -> int:
    return parse_vertex(vertex, position.rows, position.columns)


def random_position(seed: int, size: int = 9, moves: int = 45) -> Position:
    random = np.random.default_rng(seed)
    position = Position(size)
    for _ in range(moves):
        legal = position.legal_moves()
        position.play(int(random.choice(legal)) if legal else PASS)
    return position


# All of them


@pytest.mark.parametrize("name", BASIC)
def test_values_lie_between_bad_and_good_on_empty_points(name):
    for seed in range(3):
        position = random_position(seed)
        values = compiled_source(name, 10.0).values(position)
        known = values[~np.isnan(values)]
        assert ((known >= 0) & (known <= 1)).all()
        assert np.isnan(values[position.board() > 0]).all(), "no opinion on stones"


@pytest.mark.parametrize("name", BASIC)
def test_sources_see_no_difference_between_the_colours(name):
    position = random_position(4)
    swapped = Position(9)
    colours = [(p, (0, 2, 1)[position.colour(p)]) for p in position.points()]
    swapped.setup(colours, position.to_play.opponent)
    alone = Position(9)
    alone.setup([(p, position.colour(p)) for p in position.points()], position.to_play)
    ours, theirs = (compiled_source(name, 10.0).values(p) for p in (alone, swapped))
    assert np.array_equal(ours, theirs, equal_nan=True)


@pytest.mark.parametrize("name", BASIC)
def test_sources_see_no_difference_between_the_sides(name):
    position = random_position(5)
    stones = [(p, position.colour(p)) for p in position.points()]
    mirrored = [((p // 20) * 20 + 10 - p % 20, colour) for p, colour in stones]
    values = []
    for placed in (stones, mirrored):
        board = Position(9)
        board.setup(placed, BLACK)
        values.append(compiled_source(name, 10.0).values(board))
    assert np.array_equal(values[0], values[1][:, ::-1], equal_nan=True)


def test_sources_add_up():
    position = random_position(6)
    apart = [evaluate([compiled_source(name, 10.0)], position) for name in BASIC]
    sources = [compiled_source(name, 10.0) for name in BASIC]
    for index, together in enumerate(evaluate(sources, position)):
        assert np.allclose(together, sum(fields[index] for fields in apart))


def test_sources_are_silent_after_their_last_move():
    position = Position(5)
    position.play(at(position, "C3"))
    early = compiled_source("even", 10.0, before_move=1)
    assert np.isnan(early.values(position)).all()
    assert not np.isnan(compiled_source("even", 10.0, before_move=2).values(position)).all()


def test_unknown_sources():
    with pytest.raises(TengenError, match="unknown source 'evne': there are even"):
        compiled_source("evne", 1.0)


def test_even_game():
    position = Position.from_diagram("X.O/.../...")
    empties = {position.vertex(p) for p in position.points() if not position.colour(p)}
    assert said("even", position) == dict.fromkeys(empties, (0.5, 10.0))


# Distance along the stones


def slow_distances(position: Position, start: int) -> dict[int, int]:
    """Return all distances on the board with its chains contracted to single nodes."""
    node_of = {p: min(position.chain(p), default=p) for p in position.points()}
    beside: dict[int, set[int]] = {node: set() for node in node_of.values()}
    for p in node_of:
        for other in (p - 20, p - 1, p + 1, p + 20):
            if other in node_of and node_of[other] != node_of[p]:
                beside[node_of[p]].add(node_of[other])
    steps = {node_of[start]: 0}
    front = [node_of[start]]
    while front:
        node = front.pop(0)
        for other in beside[node] - set(steps):
            steps[other] = steps[node] + 1
            front.append(other)
    return {p: steps[node] for p, node in node_of.items()}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("farthest", [1, 3, 40])
def test_distances_against_contracted_chains(seed, farthest):
    position = random_position(seed, size=[5, 9, 13][seed % 3], moves=12 + 7 * seed)
    points = position.points()
    start = points[(seed * 31) % len(points)]
    distances = np.zeros(int(POINTS), dtype=np.uint32)
    queue = np.zeros(int(POINTS), dtype=np.uint32)
    stone_distances(position.block, np.uintp(start), np.uintp(farthest), distances, queue)
    expected = {
        p: steps if steps <= farthest else int(FAR)
        for p, steps in slow_distances(position, start).items()
    }
    assert {p: int(distances[p]) for p in expected} == expected


def test_the_last_move_attracts_along_its_stones():
    position = Position.from_diagram("X X X X . . . / . . . . . . . / . . . . . . .", BLACK)
    position.play(at(position, "E3"))
    found = said("distance", position)
    assert found["A2"] == (1.0, 10.0), "beside the chain: one step"
    assert found["F3"] == (1.0, 10.0)
    assert found["G3"] == (1.0, 5.0), "two steps"
    assert found["G2"][1] == pytest.approx(10 / 3)
    assert "G1" not in found


def test_nothing_attracts_before_the_first_move_and_after_a_pass():
    position = Position(5)
    assert said("distance", position) == {}
    position.play(PASS)
    assert said("distance", position) == {}


# Lines


def test_lines_of_an_empty_board():
    found = compiled_source("lines", 10.0).values(Position(7))
    expected = [
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 1, 0, 0],
        [0, 0, 1, np.nan, 1, 0, 0],
        [0, 0, 1, 1, 1, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
    ]
    assert np.array_equal(found, expected, equal_nan=True)


def test_no_opinion_on_lines_where_a_stone_is_near():
    position = Position(9)
    position.play(at(position, "E5"))
    found = said("lines", position)
    assert "E2" not in found, "three steps away"
    assert found["E1"][0] == 0.0, "four steps away"
    assert "C5" not in found
    assert found["C3"][0] == 1.0


# Tactics


def test_tactics_by_hand():
    """At C4 Black takes a stone and White saves it."""
    text = """
        . . . . . .
        . X . . . .
        X O . . . .
        . X . . . .
        . . . . . .
        . . . . . .
    """
    found = said("tactics", Position.from_diagram(text, BLACK))
    assert found["C4"][0] == 1.0, "a capture"
    assert found["C4"][1] > 10.0
    white = said("tactics", Position.from_diagram(text, WHITE))
    assert "C4" in white
    assert white["C4"][0] == 1.0, "an escape"
    chased = Position.from_diagram(text.replace("X O . .", "X O . X"), WHITE)
    assert said("tactics", chased)["C4"][0] == 0.0, "running in a ladder that works"


def test_more_stones_count_more():
    small = "O X . . . . / . . . . . . / . . . . . ."
    large = "O O O X . . / X X . . . . / . . . . . ."
    one = said("tactics", Position.from_diagram(small, BLACK))["A2"]
    three = said("tactics", Position.from_diagram(large, BLACK))["C2"]
    assert one[0] == three[0] == 1.0
    assert three[1] > one[1]


def test_throwing_stones_away_is_bad():
    text = "X X X X X . . / O O O O O O . / . . . . . . ."
    found = said("tactics", Position.from_diagram(text, BLACK))
    assert found["F3"] == (0.0, 10.0)


def test_an_atari_is_good_unless_it_is_a_self_atari():
    text = ". . . . . / . O . . . / . X . . . / . . . . . / . . . . ."
    position = Position.from_diagram(text, BLACK)
    assert said("tactics", position) == {}, "three liberties each"
    text = ". . . . . / X O . . . / . X . . . / . . . . . / . . . . ."
    found = said("tactics", Position.from_diagram(text, BLACK))
    assert set(found) >= {"B5", "C4"}
    assert all(value == 1.0 for value, _ in (found["B5"], found["C4"]))


# Patterns


def test_patterns_on_a_diagram():
    """A hane at the head, as the playouts like it; nothing far away."""
    text = ". . . . . / . . X . . / . . O . . / . . . . . / . . . . ."
    found = said("patterns", Position.from_diagram(text, BLACK))
    assert {"B3", "D3", "B4", "D4"} <= set(found)
    assert "A1" not in found
    assert set(found.values()) == {(1.0, 10.0)}


def test_distance_after_a_suicide():
    """The point of the last move is empty then, and no further away than its neighbours."""
    position = Position.from_diagram(
        """
        X . X O
        O O O O
        . . . .
        . . . .
        """,
        BLACK,
        rules_named("tromp-taylor"),
    )
    position.play(at(position, "B4"))
    assert position.colour(at(position, "B4")) == 0, "three stones have killed themselves"
    assert said("distance", position)["B4"] == (1.0, 10.0)
