"""KataGo's input features: diagrams, and random games against an oracle."""

import numpy as np
import pytest
import slow_katago as slow

from tengen.board import BLACK, PASS, WHITE, Ko, Position, Rules, parse_vertex, rules_named
from tengen.nets.katago.features import KataGoFeatures, parity_wave
from tengen.nets.symmetry import transform

pytestmark = pytest.mark.kernels

FEATURES = KataGoFeatures()


def encode(position):
    planes = np.zeros((22, position.rows, position.columns), dtype=np.float32)
    numbers = np.zeros(19, dtype=np.float32)
    FEATURES.encode(position, planes, numbers)
    return planes, numbers


def vertices(plane):
    """Return the points of a plane as vertices."""
    rows = plane.shape[0]
    return {f"{'ABCDEFGHJKLMNOPQRST'[c]}{rows - r}" for r, c in np.argwhere(plane)}


def played(text, size=9, rules=None):
    position = Position(size, rules=rules)
    for vertex in text.split():
        position.play(parse_vertex(vertex, size, size))
    return position


def test_stones_and_recent_moves():
    planes, numbers = encode(played("C3 G7 C7 pass G3 D3"))
    assert planes[0].all()
    assert vertices(planes[1]) == {"C3", "C7", "G3"}
    assert vertices(planes[2]) == {"G7", "D3"}
    assert [vertices(planes[k]) for k in range(9, 14)] == [{"D3"}, {"G3"}, set(), {"C7"}, {"G7"}]
    assert numbers[:5].tolist() == [0, 0, 1, 0, 0]


def test_history_ends_if_colors_do_not_alternate():
    position = played("C3 G7")
    position.play(parse_vertex("D5", 9, 9), WHITE)
    planes, _ = encode(position)
    assert vertices(planes[9]) == {"D5"}
    assert not planes[10:14].any()


def test_finished_game_shows_only_the_last_pass():
    _, numbers = encode(played("C3 G7 pass pass"))
    assert numbers[:5].tolist() == [1, 0, 0, 0, 0]
    assert numbers[14] == 1


LADDER = """
    .........
    .........
    .........
    .........
    ..X......
    ..XO.....
    ...XX....
    .........
    .........
"""


def test_ladder_and_ladder_moves():
    planes, _ = encode(Position.from_diagram(LADDER, BLACK))
    assert vertices(planes[14]) == {"D4"}
    assert vertices(planes[17]) == {"D5", "E4"}


def test_ladder_breaker():
    broken = Position.from_diagram(LADDER, BLACK)
    broken.setup([(parse_vertex("G7", 9, 9), WHITE)], BLACK)
    assert not encode(broken)[0][14:18].any()
    planes, _ = encode(Position.from_diagram(LADDER, WHITE))
    assert vertices(planes[14]) == {"D4"}, "caught with Black to play"
    assert not planes[17].any()


def test_ladders_of_previous_boards():
    position = Position.from_diagram(LADDER, WHITE)
    position.play(parse_vertex("G7", 9, 9))
    planes, _ = encode(position)
    assert [vertices(planes[k]) for k in (14, 15, 16)] == [set(), {"D4"}, {"D4"}]
    position.play(parse_vertex("J5", 9, 9))
    planes, _ = encode(position)
    assert [vertices(planes[k]) for k in (14, 15, 16)] == [set(), set(), {"D4"}]


def test_ko_is_forbidden():
    position = played("C3 D3 B2 E2 C1 D1 H8 C2 D2")
    assert vertices(encode(position)[0][6]) == {"C2"}


def test_area_counts_dead_stones():
    diagram = """
        .X.XO.X
        XXXX.XX
        ....XX.
        ....X..
        .......
        .......
        .......
    """
    planes, _ = encode(Position.from_diagram(diagram, WHITE, Rules()))
    assert vertices(planes[18]) == {"E7"}  # the white stone may live
    lives = """
        .X.XO.X
        XXXX..X
        ...XXXX
        .......
        .......
        .......
        .......
    """
    planes, _ = encode(Position.from_diagram(lives, WHITE, Rules()))
    assert vertices(planes[18]) == set()  # the white stone is dead
    assert {"E7", "F7", "E6", "F6"} <= vertices(planes[19])


def test_no_area_under_territory_scoring():
    planes, numbers = encode(played("C3 G7", rules=rules_named("japanese")))
    assert not planes[18:].any()
    assert numbers[9:12].tolist() == [1, 1, 0]
    assert numbers[18] == 0


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (Rules(ko=Ko.SIMPLE), (0, 0, 0)),
        (Rules(ko=Ko.POSITIONAL), (1, 0.5, 0)),
        (Rules(ko=Ko.SITUATIONAL, suicide=True), (1, -0.5, 1)),
    ],
)
def test_rules(rules, expected):
    _, numbers = encode(Position(9, rules=rules))
    assert tuple(numbers[6:9]) == expected


def test_komi_is_for_the_side_to_move():
    assert encode(played("C3"))[1][5] == pytest.approx(7.5 / 20)
    assert encode(played("C3 G7"))[1][5] == pytest.approx(-7.5 / 20)
    far = Rules(komi=-300)
    assert encode(Position(9, rules=far))[1][5] == pytest.approx(101 / 20)


def test_stones_cost_points_under_territory_scoring():
    japanese = rules_named("japanese")
    assert encode(played("C3", rules=japanese))[1][5] == pytest.approx(7.5 / 20)
    assert encode(played("C3 pass G7", rules=japanese))[1][5] == pytest.approx(8.5 / 20)
    handicap = Position(9, rules=japanese)
    handicap.place_handicap([parse_vertex(vertex, 9, 9) for vertex in ("C3", "G7")])
    assert encode(handicap)[1][5] == pytest.approx(8.5 / 20)


@pytest.mark.parametrize(("rules", "shown"), [("chinese", 0), ("tromp-taylor", 1), ("japanese", 1)])
def test_first_of_two_passes_is_hidden_if_dead_stones_are_removed(rules, shown):
    planes, numbers = encode(played("C3 G7 pass", rules=rules_named(rules)))
    assert (numbers[0], numbers[14]) == (shown, shown)
    assert planes[10:12].any() == bool(shown)


@pytest.mark.parametrize(
    ("komi", "area", "wave"),
    [
        (7.5, 81, 0.5), (7.0, 81, 0.0), (6.5, 81, -0.5), (6.0, 81, 0.0), (-7.5, 81, -0.5),
        (6.0, 64, 0.0), (6.5, 64, 0.5), (7.0, 64, 0.0), (7.5, 64, -0.5), (-5.5, 361, -0.5),
    ],
)  # fmt: skip
def test_parity_of_komi(komi, area, wave):
    assert parity_wave(komi, area) == pytest.approx(wave)


def random_game(size, moves, seed, rules=None):
    random = np.random.default_rng(seed)
    position = Position(size, rules=rules)
    for _ in range(moves):
        legal = position.legal_moves()
        position.play(int(random.choice(legal)) if legal else PASS)
    return position


def check(name, position, found, points):
    assert np.array_equal(found, slow.plane(position, points)), f"{name}\n{position}"


@pytest.mark.parametrize("seed", range(12))
def test_planes_match_the_oracle(seed):
    """Random games cover kos, snapbacks, dead and living groups and suicides."""
    rules = Rules(ko=Ko.SIMPLE) if seed % 2 else Rules()
    position = random_game(7, 25 + 8 * seed, seed, rules)
    planes, _ = encode(position)
    stones = [p for p in position.points() if position.color(p)]
    for count in (1, 2, 3):
        chains = [p for p in stones if len(slow.liberties(position, p)) == count]
        check(f"{count} liberties", position, planes[2 + count], chains)
    owner = slow.owners(position)
    own, other = position.to_play, position.to_play.opponent
    check("own area", position, planes[18], [p for p in owner if owner[p] == own])
    check("opponent's area", position, planes[19], [p for p in owner if owner[p] == other])
    before = position.copy()
    for ago in range(3):
        caught, begin = slow.ladders(before, own)
        check(f"ladders {ago} moves ago", before, planes[14 + ago], caught)
        if ago == 0:
            check("attacks", position, planes[17], begin)
        before.undo()


def test_random_games_cover_all_planes():
    """The comparison with the oracle is meaningful only if every plane is set."""
    totals = sum(
        encode(random_game(7, 25 + 8 * seed, seed))[0].sum(axis=(1, 2)) for seed in range(12)
    )
    assert all(totals[k] >= 3 for k in (3, 4, 5, 14, 15, 16, 17, 18, 19)), totals


@pytest.mark.parametrize("seed", range(6))
def test_banned_moves_are_illegal_but_not_suicide(seed):
    position = random_game(7, 60 + 30 * seed, seed)
    planes, _ = encode(position)
    for point in position.points():
        if planes[6, point // 20 - 1, point % 20 - 1]:
            assert not position.color(point)
            assert not position.is_legal(point)
            open_again = Position.from_diagram(position.diagram(), position.to_play)
            assert open_again.is_legal(point)


@pytest.mark.parametrize("seed", range(3))
def test_planes_are_equivariant_under_symmetries(seed):
    position = random_game(9, 70, seed)
    planes, numbers = encode(position)
    for symmetry in range(8):
        turned = Position(9)
        numbered = transform(np.arange(81, dtype=np.float32).reshape(9, 9), symmetry).astype(int)
        for move in position.moves:
            target = PASS
            if move.move != PASS:
                place = (move.move // 20 - 1) * 9 + move.move % 20 - 1
                row, column = np.argwhere(numbered == place)[0]
                target = int((row + 1) * 20 + column + 1)
            turned.play(target, move.color)
        others, same = encode(turned)
        assert np.array_equal(others, transform(planes, symmetry))
        assert np.array_equal(same, numbers)
