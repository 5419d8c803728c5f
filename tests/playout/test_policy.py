"""Tests of playout rules, self-atari, nakade and 3x3 patterns."""

import dataclasses
import random
from collections import Counter

import numpy as np
import pytest

from tengen.board import BLACK, PASS, WHITE, Position, parse_vertex
from tengen.board.kernels import layout
from tengen.board.kernels.layout import COLORS, EMPTY, NOWHERE, POINTS, PRISONERS
from tengen.playout import HEAVY_POLICY, PlayoutPolicy, PlayoutRule
from tengen.playout.kernels.heavy import heavy_playout, learn_replies, new_playout_memory
from tengen.playout.kernels.local_moves import (
    atari_moves,
    nakade_moves,
    nakade_point,
    pattern_move,
    two_liberty_moves,
)
from tengen.playout.kernels.patterns import fits_pattern, pattern_table, swap_colors
from tengen.playout.kernels.self_atari import is_bad_self_atari, is_self_atari
from tengen.playout.policy import LIGHT_POLICY
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

FAR = np.uintp(10**6)
"""A limit that is never reached."""


def after(text: str, last: str, to_play=WHITE) -> Position:
    """Return a diagram with `to_play` to move, after the move `last`."""
    position = Position.from_diagram(text, to_play)
    position.play(at(position, last))
    return position


def at(position: Position, vertex: str) -> int:
    return parse_vertex(vertex, position.rows, position.columns)


def moves_of(rule, position: Position, *scratch) -> set[str]:
    """Return the candidate moves of a rule for the side to move."""
    moves = np.zeros(32, dtype=np.uint32)
    last, color = np.uintp(position.last_move), np.uintp(position.to_play)
    count = int(rule(position.block, last, color, moves, *scratch))
    return {position.vertex(int(move)) for move in moves[:count]}


def drawn_pattern_move(position: Position, seed: int) -> str:
    """Return a random pattern move for the side to move."""
    random, moves = np.array([seed * 7919], dtype=np.uint64), np.zeros(32, dtype=np.uint32)
    last, color = np.uintp(position.last_move), np.uintp(position.to_play)
    return position.vertex(int(pattern_move(position.block, last, color, random, moves)))


def only(**probabilities: float) -> PlayoutPolicy:
    """Return a policy that tries only the given rules."""
    return dataclasses.replace(LIGHT_POLICY, **probabilities)


def playout(position: Position, policy: PlayoutPolicy, seed: int = 1, longest=FAR, mercy=FAR):
    """Play one playout; return (length, memory, block)."""
    memory, block = new_playout_memory(seed), position.block.copy()
    length = heavy_playout(block, policy.thresholds(), memory, np.uintp(mercy), np.uintp(longest))
    return int(length), memory, block


def first_move(position: Position, policy: PlayoutPolicy, seed: int = 1) -> tuple[str, PlayoutRule]:
    """Return the first move of a playout and the rule that chose it."""
    _, memory, _ = playout(position, policy, seed, longest=1)
    assert memory.rules.sum() == 1
    return position.vertex(int(memory.record[0])), PlayoutRule(int(np.argmax(memory.rules)))


CAPTURE_THE_LAST = """
    . . . . .
    . . O . .
    . O . O .
    . . . . .
    . . . . .
"""
HANE = """
    . . . . .
    . . X . .
    . . . . .
    . . . . .
    . . . . .
"""


class TestEachRule:
    """Each rule finds its move and is counted."""

    def test_atari_saves(self):
        """B3 in atari escapes to C3; distant ataris are ignored."""
        position = after(". . . . . / . X . . . / X O . . . / . X . . . / . . . . .", "E1", BLACK)
        assert moves_of(atari_moves, position) == set(), "E1 is far away"
        position = after(". . . . . / . X . . . / . O . . . / . X . . . / . . . . .", "A3", BLACK)
        assert moves_of(atari_moves, position) == {"C3"}
        assert first_move(position, only(atari=1)) == ("C3", PlayoutRule.ATARI)

    def test_atari_captures_the_stone_just_played(self):
        position = after(CAPTURE_THE_LAST, "C3", BLACK)
        assert moves_of(atari_moves, position) == {"C2"}

    def test_atari_captures_the_attacker(self):
        """The attacking stone at A2 is itself in atari."""
        position = after(". . . . . / . . . . . / O X . . . / X O . . . / . O . . .", "C1", BLACK)
        assert "A1" not in moves_of(atari_moves, position)
        position = after(". . . . / O X . . / X O X . / . O . .", "C1", BLACK)
        assert moves_of(atari_moves, position) == {"A1"}, "the stone at A2 is captured"

    def test_two_liberties(self):
        position = after(". . . . . / . O . . . / . . . . . / . . . . . / . . . . .", "A4", BLACK)
        assert moves_of(two_liberty_moves, position) == {"A3"}, "A5 would be a self-atari"
        assert first_move(position, only(two_liberties=1)) == ("A3", PlayoutRule.TWO_LIBERTIES)

    def test_nakade(self):
        """The last move closes an eye of three points; the middle one is vital."""
        text = ". . . . . / X X X X . / . . . . . / . . . . . / . . . . ."
        position = after(text, "D5", BLACK)
        region = np.zeros(8, dtype=np.uint32)
        assert moves_of(nakade_moves, position, region) == {"B5"}
        assert first_move(position, only(nakade=1)) == ("B5", PlayoutRule.NAKADE)

    def test_patterns(self):
        position = after(HANE, "C3", WHITE)
        found = Counter(drawn_pattern_move(position, seed) for seed in range(1, 801))
        assert set(found) == {"B4", "D4", "B3", "D3"}, "hane and magari around the contact"
        assert min(found.values()) > 150, "moves are equally likely"
        move, rule = first_move(position, only(pattern=1))
        assert rule is PlayoutRule.PATTERN
        assert move in found

    def test_pattern_moves_avoid_bad_self_atari(self):
        """In random games exactly the sound pattern moves are drawn."""
        rng, rejected = random.Random(4), 0
        for _ in range(200):
            position = Position(7, 7)
            for _ in range(30):
                position.play(rng.choice(position.legal_moves()))
            color, legal = np.uintp(position.to_play), set(position.legal_moves())
            neighbors = [(position.last_move + int(step)) % 2**64 for step in layout.NEIGHBORS]
            fitting = {p for p in neighbors if p in legal and fits_pattern(position.block, p)}
            bad = {p for p in fitting if is_bad_self_atari(position.block, np.uintp(p), color)}
            rejected += len(bad)
            drawn = {drawn_pattern_move(position, seed) for seed in range(1, 101)}
            assert drawn == ({position.vertex(p) for p in fitting - bad} or {"pass"})
        assert rejected > 3

    def test_replies(self):
        position = after(HANE, "C3", WHITE)
        memory = new_playout_memory(1)
        reply = at(position, "E5")
        memory.replies[BLACK * int(POINTS) + at(position, "C3")] = reply
        block = position.block.copy()
        heavy_playout(block, only(reply=1).thresholds(), memory, FAR, np.uintp(1))
        assert memory.record[0] == reply
        assert memory.rules[PlayoutRule.REPLY] == 1

    def test_rule_with_probability_zero_is_never_used(self):
        for name, rule in (("atari", PlayoutRule.ATARI), ("pattern", PlayoutRule.PATTERN)):
            policy = dataclasses.replace(HEAVY_POLICY, **{name: 0.0})
            _, memory, _ = playout(Position(9), policy)
            assert memory.rules[rule] == 0


@pytest.mark.parametrize("seed", range(5))
def test_light_playouts_are_uniform(seed):
    length, memory, _ = playout(Position(9), LIGHT_POLICY, seed + 1)
    assert (
        memory.rules[PlayoutRule.UNIFORM] + memory.rules[PlayoutRule.PASS]
        == length
        == memory.rules.sum()
    )
    assert memory.rules[PlayoutRule.PASS] >= 2


def test_first_light_move_is_uniform():
    """The chi-square statistic over 25 points exceeds 70 once in a million."""
    counts = np.zeros(25)
    memory = new_playout_memory(1)
    position = Position(5)
    points = position.points()
    for _ in range(5000):
        heavy_playout(position.block.copy(), LIGHT_POLICY.thresholds(), memory, FAR, np.uintp(1))
        counts[points.index(int(memory.record[0]))] += 1
    assert float(((counts - 200) ** 2 / 200).sum()) < 70


def test_every_move_is_counted():
    length, memory, _ = playout(Position(9), PlayoutPolicy(reply=0.5))
    assert memory.rules.sum() == length


def test_rejects_invalid_probability():
    with pytest.raises(TengenError, match="atari must be from 0 to 1"):
        PlayoutPolicy(atari=1.5)


# The end of a playout


def test_length_limit():
    length, _, _ = playout(Position(9), LIGHT_POLICY, longest=17)
    assert length == 17


def test_mercy_rule():
    """Four stones are captured; a lead above three ends the playout."""
    position = Position.from_diagram("OOOO./XXXXX/...../...../.....", BLACK)
    length, _, block = playout(position, only(atari=1), longest=200, mercy=3)
    black, white = (int(block[int(PRISONERS) + color]) for color in (BLACK, WHITE))
    assert abs(black - white) > 3
    assert length < 200
    before = playout(position, only(atari=1), longest=length - 1, mercy=3)[2]
    assert abs(int(before[int(PRISONERS) + 1]) - int(before[int(PRISONERS) + 2])) <= 3


def test_mercy_rule_ignores_earlier_prisoners():
    position = Position(7)
    plain = playout(position, LIGHT_POLICY, mercy=20)[0]
    position.block[layout.PRISONERS + layout.WHITE] = 30
    assert playout(position, LIGHT_POLICY, mercy=20)[0] == plain


def test_first_by_records_the_first_color():
    position = Position(5)
    _, memory, _ = playout(position, LIGHT_POLICY)
    first: dict[int, int] = {}
    for number, move in enumerate(memory.record[:50]):
        if number >= 4 and move == PASS and memory.record[number - 1] == PASS:
            break
        if move != PASS:
            first.setdefault(int(move), 1 + number % 2)
    recorded = {int(p): int(memory.first_by[p]) for p in np.flatnonzero(memory.first_by)}
    assert {p: recorded[p] for p in first} == first


# Last good reply


def replies_after(moves: list[str], winner, replies: dict[tuple[int, str], str]) -> dict:
    """Return the stored replies after a playout with these moves, Black first."""
    position = Position(5)
    memory = new_playout_memory(1)
    for (color, last), reply in replies.items():
        memory.replies[color * int(POINTS) + at(position, last)] = at(position, reply)
    memory.record[: len(moves)] = [at(position, move) for move in moves]
    start = (np.uintp(BLACK), np.uintp(PASS), np.uintp(len(moves)), np.uintp(winner))
    learn_replies(memory, *start)
    known = np.flatnonzero(memory.replies)
    return {
        (int(k) // int(POINTS), position.vertex(int(k) % int(POINTS))): position.vertex(
            int(memory.replies[k])
        )
        for k in known
    }


def test_replies_of_the_winner_are_stored():
    moves = ["C3", "B2", "D4", "A1"]
    assert replies_after(moves, BLACK, {}) == {(BLACK, "B2"): "D4"}
    assert replies_after(moves, WHITE, {}) == {(WHITE, "C3"): "B2", (WHITE, "D4"): "A1"}


def test_replies_of_the_loser_are_deleted():
    moves = ["C3", "B2", "D4"]
    known = {(WHITE, "C3"): "B2", (WHITE, "E5"): "B2"}
    assert replies_after(moves, BLACK, known) == {(WHITE, "E5"): "B2", (BLACK, "B2"): "D4"}
    other = {(WHITE, "C3"): "A5"}
    assert (WHITE, "C3") in replies_after(moves, BLACK, other), "other replies are kept"


def test_passes_are_not_stored():
    assert replies_after(["C3", "pass", "D4"], WHITE, {}) == {}
    assert replies_after(["C3", "pass", "D4"], BLACK, {}) == {}


# Self-atari


@pytest.mark.parametrize(
    ("text", "vertex", "is_one", "is_bad"),
    [
        # A single stone in an enemy corner: a throw-in.
        (". . O . / . . O . / O O O . / . . . .", "A4", False, False),
        (". O . . / . O . . / O O . . / . . . .", "A4", True, False),
        # Two liberties are not atari.
        (". . . . / . . . . / . . . . / . . . .", "A4", False, False),
        # Six stones in a row are lost.
        ("X X X X X . . / O O O O O O . / . . . . . . .", "F3", True, True),
        # Capturing three gives two liberties.
        (". O X . / O O X . / X X X .", "A3", False, False),
        # Three stones in an eye are a nakade.
        (". . . O / X X . O / O O O O / . . . .", "A4", False, False),
        (". X . O / . X . O / O O O O / . . . .", "A4", False, False),
        ("X X . . O / O O O O O / . . . . .", "C3", True, False),
        # Capturing three stones gives four stones three liberties.
        (
            ". X X X X X . . . / . X O O O X . . . / . O X X . O O . . / . O X X O O . . . /"
            " . O O O O . . . . / . . . . . . . . . / . . . . . . . . . / . . . . . . . . . /"
            " . . . . . . . . .",
            "E7",
            False,
            False,
        ),
        # Four in a row are not a nakade: the capturing side gets two eyes.
        ("X X X . . O / O O O O O O / . . . . . .", "D3", True, True),
    ],
)
def test_self_atari(text, vertex, is_one, is_bad):
    position = Position.from_diagram(text)
    point = np.uintp(at(position, vertex))
    assert bool(is_self_atari(position.block, point, np.uintp(BLACK))) is is_one
    assert bool(is_bad_self_atari(position.block, point, np.uintp(BLACK))) is is_bad


def test_playouts_without_self_atari_keep_a_seki():
    text = """
        O O X . O X X X
        O O X . O X X X
        O O X X O X X X
        O O O O X X . X
        . O . O X X X X
        O O O O X . X X
    """
    position = Position.from_diagram(text)
    for seed in range(1, 6):
        length, memory, _ = playout(position, only(avoid_self_atari=1), seed)
        assert length == memory.rules[PlayoutRule.PASS] == 2


# Nakade


@pytest.mark.parametrize(
    ("text", "start", "vital"),
    [
        (". . . X / X X X X / . . . .", "A3", "B3"),  # three in a row
        (". . X . / . X X . / X X . .", "A3", "A3"),  # bent three
        (". . . X / X . X X / . X X . / X X . .", "A4", "B4"),  # a pyramid of four
        (". . X . / . . X . / X X X .", "A3", None),  # a square is dead
        (". . . . X / X X X X X", "A2", None),  # four in a row live
        (". . . X / . . X X / X X X .", "A3", "B3"),  # bulky five
        (". . X X / . . . X / . . . . / X X X X", "A4", None),  # too large
        ("X . X X / . . . X / X . X X / X X X X", "B3", "B3"),  # crossed five
        (". X X . / X X . .", "A2", None),  # one point
        (". . X / X X X", "A2", None),  # two points
        (". . . O / X X X X / . . . .", "A3", None),  # not enclosed by one color
    ],
)
def test_vital_points(text, start, vital):
    position = Position.from_diagram(text)
    region = np.zeros(8, dtype=np.uint32)
    found = int(
        nakade_point(position.block, np.uintp(at(position, start)), np.uintp(BLACK), region)
    )
    assert (position.vertex(found) if found else None) == vital


def slow_vital_points(position: Position, start: int, color: int) -> set[int]:
    """Return the vital points of the eye space around `start`, by definition."""
    stones = position.block[int(layout.COLOR) :]
    around = {n: [n - 20, n - 1, n + 1, n + 20] for n in map(int, range(21, 403))}
    region, new = set(), {start}
    while new:
        region |= new
        new = {p for n in new for p in around[n] if stones[p] == EMPTY} - region
    borders = {int(stones[p]) for n in region for p in around[n]}
    if COLORS - color in borders or not 3 <= len(region) <= 6:
        return set()
    links = {3: 2, 4: 3, 5: 3, 6: 4}[len(region)]
    return {n for n in region if sum(stones[p] == EMPTY for p in around[n]) >= links}


@pytest.mark.parametrize("size", [4, 7, 9])
def test_vital_points_of_random_positions(size):
    rng, region, found = random.Random(size), np.zeros(8, dtype=np.uint32), 0
    for _ in range(100):
        position = Position(size)
        for _ in range(rng.randrange(size * size // 2, size * size)):
            moves = position.legal_moves()
            if moves:
                position.play(rng.choice(moves))
        for start in filter(lambda point: not position.color(point), position.points()):
            for color in (BLACK, WHITE):
                expected = slow_vital_points(position, start, color)
                vital = int(nakade_point(position.block, np.uintp(start), np.uintp(color), region))
                assert vital in expected if expected else vital == NOWHERE
                found += bool(expected)
    assert found > 5


# Patterns


def cells_of(code: int) -> list[int]:
    return [code >> (2 * index) & 3 for index in range(8)]


def code_of(cells) -> int:
    return sum(cell << (2 * index) for index, cell in enumerate(cells))


QUARTER_TURN = [5, 3, 0, 6, 1, 7, 4, 2]
"""Source of each neighbor in a rotation by 90 degrees."""
MIRROR = [2, 1, 0, 4, 3, 7, 6, 5]
PATTERNS = pattern_table()


def permuted(order: list[int]) -> np.ndarray:
    """Return the pattern table with permuted neighbors."""
    codes = np.arange(4**8)
    cells = [codes >> (2 * index) & 3 for index in order]
    return PATTERNS[sum(cell << (2 * index) for index, cell in enumerate(cells))]


def test_patterns_are_invariant_under_symmetries():
    assert np.array_equal(PATTERNS, permuted(QUARTER_TURN))
    assert np.array_equal(PATTERNS, permuted(MIRROR))
    turned = list(range(8))
    for _ in range(4):
        turned = [turned[place] for place in QUARTER_TURN]
    assert turned == list(range(8)), "four rotations are the identity"


def test_patterns_are_color_symmetric():
    swapped = [code_of([(0, 2, 1, 3)[cell] for cell in cells_of(code)]) for code in range(4**8)]
    assert np.array_equal(PATTERNS, PATTERNS[swapped])
    for code in (0, 1, 0x2D27, 4**8 - 1):
        assert int(swap_colors(np.uintp(code))) == swapped[code]


def test_share_of_matching_neighborhoods():
    """Less than half of all neighborhoods match; the empty one does not."""
    assert 0 < PATTERNS.mean() < 0.5
    assert PATTERNS[0] == 0


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("XOX/.../...", True),  # enclosing hane
        ("XO./.../...", True),
        (".../.../...", False),
        ("XXX/X.X/XXX", False),
        ("XOX/O.O/XOX", True),
    ],
)
def test_single_patterns(text, fits):
    """The pattern is in the middle of a 5x5 board."""
    rows = ["....."] + [f".{row}." for row in text.split("/")] + ["....."]
    position = Position.from_diagram("/".join(rows))
    middle = np.uintp(at(position, "C3"))
    assert bool(fits_pattern(position.block, middle)) is fits
