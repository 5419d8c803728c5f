"""The built-in sources: diagrams and oracles."""

import numpy as np
import pytest

from tengen.board import BLACK, PASS, WHITE, Position, column_of, parse_vertex, row_of, rules_named
from tengen.board.kernels.layout import POINTS
from tengen.sources import compiled_source, evaluate_sources
from tengen.sources.kernels.basic import FAR, stone_distances
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

BASIC = ("even", "tactics", "patterns", "distance", "lines")


def scores(name: str, position: Position) -> dict[str, tuple[float, float]]:
    """Return (value, visits) by vertex, where a source with 10 visits gives a score."""
    wins, visits = evaluate_sources([compiled_source(name, 10.0)], position)
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


# All sources


@pytest.mark.parametrize("name", BASIC)
def test_values_are_between_0_and_1_on_empty_points(name):
    for seed in range(3):
        position = random_position(seed)
        values = compiled_source(name, 10.0).values(position)
        known = values[~np.isnan(values)]
        assert ((known >= 0) & (known <= 1)).all()
        assert np.isnan(values[position.board() > 0]).all(), "no opinion on stones"


@pytest.mark.parametrize("name", BASIC)
def test_sources_are_color_symmetric(name):
    position = random_position(4)
    swapped = Position(9)
    colors = [(p, (0, 2, 1)[position.color(p)]) for p in position.points()]
    swapped.setup(colors, position.to_play.opponent)
    alone = Position(9)
    alone.setup([(p, position.color(p)) for p in position.points()], position.to_play)
    ours, theirs = (compiled_source(name, 10.0).values(p) for p in (alone, swapped))
    assert np.array_equal(ours, theirs, equal_nan=True)


@pytest.mark.parametrize("name", BASIC)
def test_sources_are_equivariant_under_symmetries(name):
    position = random_position(5)
    stones = [(p, position.color(p)) for p in position.points()]
    mirrored = [((p // 20) * 20 + 10 - p % 20, color) for p, color in stones]
    values = []
    for placed in (stones, mirrored):
        board = Position(9)
        board.setup(placed, BLACK)
        values.append(compiled_source(name, 10.0).values(board))
    assert np.array_equal(values[0], values[1][:, ::-1], equal_nan=True)


def test_sources_add_up():
    position = random_position(6)
    apart = [evaluate_sources([compiled_source(name, 10.0)], position) for name in BASIC]
    sources = [compiled_source(name, 10.0) for name in BASIC]
    for index, together in enumerate(evaluate_sources(sources, position)):
        assert np.allclose(together, sum(fields[index] for fields in apart))


def test_sources_stop_at_before_move():
    position = Position(5)
    position.play(at(position, "C3"))
    early = compiled_source("even", 10.0, before_move=1)
    assert np.isnan(early.values(position)).all()
    assert not np.isnan(compiled_source("even", 10.0, before_move=2).values(position)).all()


def test_rejects_unknown_sources():
    with pytest.raises(TengenError, match="unknown source 'evne': use even"):
        compiled_source("evne", 1.0)


def test_even_game():
    position = Position.from_diagram("X.O/.../...")
    empties = {position.vertex(p) for p in position.points() if not position.color(p)}
    assert scores("even", position) == dict.fromkeys(empties, (0.5, 10.0))


# Chain distance


def slow_distances(position: Position, start: int) -> dict[int, int]:
    """Return all distances on the board with chains contracted to single nodes."""
    node_of = {p: min(position.chain(p), default=p) for p in position.points()}
    adjacent: dict[int, set[int]] = {node: set() for node in node_of.values()}
    for p in node_of:
        for other in (p - 20, p - 1, p + 1, p + 20):
            if other in node_of and node_of[other] != node_of[p]:
                adjacent[node_of[p]].add(node_of[other])
    steps = {node_of[start]: 0}
    front = [node_of[start]]
    while front:
        node = front.pop(0)
        for other in adjacent[node] - set(steps):
            steps[other] = steps[node] + 1
            front.append(other)
    return {p: steps[node] for p, node in node_of.items()}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("farthest", [1, 3, 40])
def test_distances_match_contracted_graph(seed, farthest):
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


def test_distance_scores_moves_near_the_last_move():
    position = Position.from_diagram("X X X X . . . / . . . . . . . / . . . . . . .", BLACK)
    position.play(at(position, "E3"))
    found = scores("distance", position)
    assert found["A2"] == (1.0, 10.0), "adjacent to the chain: one step"
    assert found["F3"] == (1.0, 10.0)
    assert found["G3"] == (1.0, 5.0), "two steps"
    assert found["G2"][1] == pytest.approx(10 / 3)
    assert "G1" not in found


def test_distance_scores_nothing_without_a_last_move():
    position = Position(5)
    assert scores("distance", position) == {}
    position.play(PASS)
    assert scores("distance", position) == {}


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


def test_lines_score_nothing_near_stones():
    position = Position(9)
    position.play(at(position, "E5"))
    found = scores("lines", position)
    assert "E2" not in found, "three steps away"
    assert found["E1"][0] == 0.0, "four steps away"
    assert "C5" not in found
    assert found["C3"][0] == 1.0


# Tactics


def test_tactics_by_hand():
    """At C4 Black captures a stone or White saves it."""
    text = """
        . . . . . .
        . X . . . .
        X O . . . .
        . X . . . .
        . . . . . .
        . . . . . .
    """
    found = scores("tactics", Position.from_diagram(text, BLACK))
    assert found["C4"][0] == 1.0, "a capture"
    assert found["C4"][1] > 10.0
    white = scores("tactics", Position.from_diagram(text, WHITE))
    assert "C4" in white
    assert white["C4"][0] == 1.0, "an escape"
    chased = Position.from_diagram(text.replace("X O . .", "X O . X"), WHITE)
    assert scores("tactics", chased)["C4"][0] == 0.0, "escape into a working ladder"


def test_more_stones_count_more():
    small = "O X . . . . / . . . . . . / . . . . . ."
    large = "O O O X . . / X X . . . . / . . . . . ."
    one = scores("tactics", Position.from_diagram(small, BLACK))["A2"]
    three = scores("tactics", Position.from_diagram(large, BLACK))["C2"]
    assert one[0] == three[0] == 1.0
    assert three[1] > one[1]


def test_losing_stones_is_bad():
    text = "X X X X X . . / O O O O O O . / . . . . . . ."
    found = scores("tactics", Position.from_diagram(text, BLACK))
    assert found["F3"] == (0.0, 10.0)


def test_atari_is_good_unless_self_atari():
    text = ". . . . . / . O . . . / . X . . . / . . . . . / . . . . ."
    position = Position.from_diagram(text, BLACK)
    assert scores("tactics", position) == {}, "three liberties each"
    text = ". . . . . / X O . . . / . X . . . / . . . . . / . . . . ."
    found = scores("tactics", Position.from_diagram(text, BLACK))
    assert set(found) >= {"B5", "C4"}
    assert all(value == 1.0 for value, _ in (found["B5"], found["C4"]))


# Patterns


def test_patterns_match_on_a_diagram():
    """A hane at the head matches; distant points do not."""
    text = ". . . . . / . . X . . / . . O . . / . . . . . / . . . . ."
    found = scores("patterns", Position.from_diagram(text, BLACK))
    assert {"B3", "D3", "B4", "D4"} <= set(found)
    assert "A1" not in found
    assert set(found.values()) == {(1.0, 10.0)}


def test_distance_after_a_suicide():
    """The empty point of the last move counts like its neighbors."""
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
    assert position.color(at(position, "B4")) == 0, "suicide of three stones"
    assert scores("distance", position)["B4"] == (1.0, 10.0)
