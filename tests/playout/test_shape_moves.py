"""Tests of playout moves drawn by pattern odds."""

import dataclasses
import zlib

import numpy as np
import pytest
from shape_oracle import random_position

from tengen.board import BLACK, WHITE, Position, parse_vertex, symmetries
from tengen.board.kernels.layout import COLOR, EMPTY, LAST
from tengen.engine import EngineSettings, create_engine
from tengen.playout import HEAVY_POLICY, PlayoutPolicy, PlayoutRule
from tengen.playout.kernels.heavy import NO_ODDS, heavy_playout, new_playout_memory
from tengen.playout.kernels.patterns import (
    CIRCLE,
    ODDS_UNIT,
    PATTERN_CODES,
    pattern_code,
    shape_move,
)
from tengen.playout.policy import LIGHT_POLICY
from tengen.search import FlatSearch, SearchLimit
from tengen.sources import Shape, answer_odds, source_table
from tengen.sources.kernels.shape_keys import takes_ko

pytestmark = pytest.mark.kernels

FAR = np.uintp(10**6)
ONLY_SHAPE = dataclasses.replace(LIGHT_POLICY, shape_answer=1.0)
BOARDS = [(9, 9, 40), (9, 9, 70), (5, 5, 14), (7, 11, 50), (19, 19, 150), (2, 3, 3), (1, 7, 3)]


def neighbors_of_last(position: Position) -> list[tuple[int, int]]:
    """Return the empty neighbors of the last move with their index in CIRCLE."""
    last = position.last_move
    points = [(int((last + int(step)) % 2**64), place) for place, step in enumerate(CIRCLE)]
    return [(point, place) for point, place in points if position.block[COLOR + point] == EMPTY]


def code_at(position: Position, point: int, place: int) -> int:
    block, color = position.block, np.uintp(position.to_play)
    return int(pattern_code(block, np.uintp(point), color, np.uintp((place + 4) % 8)))


def codes(position: Position) -> list[int]:
    return sorted(code_at(position, *neighbor) for neighbor in neighbors_of_last(position))


def positions_along(seed: int, rows: int, columns: int, moves: int):
    """Yield the positions of a random game whose last move is on the board."""
    game = random_position(seed, rows, columns, moves)
    position = Position(rows, columns)
    for move in game.moves:
        position.play(move.move)
        if position.last_move and position.block[LAST]:
            yield position


@pytest.mark.parametrize(("rows", "columns", "moves"), BOARDS)
def test_table_matches_the_3x3_rates_of_the_source(rows, columns, moves):
    odds, shape, compared = answer_odds(), Shape(), 0
    for position in positions_along(rows + moves, rows, columns, moves):
        for point, place in neighbors_of_last(position):
            if takes_ko(position.block, np.uintp(point), np.uintp(position.to_play)):
                continue
            rate = shape.rates(position, point)[0].combined
            expected = ODDS_UNIT * rate / (1 - rate)
            assert odds[code_at(position, point, place)] == pytest.approx(expected, abs=1, rel=1e-4)
            compared += 1
    assert compared >= 4


@pytest.mark.parametrize("swap", [False, True])
def test_odds_are_invariant_under_symmetries_and_color_swap(swap):
    position = random_position(8, 9, 9, 45)
    odds = answer_odds()
    for symmetry in range(8):
        table = symmetries(9, 9)[symmetry]
        other = Position(9, 9)
        other.to_play = WHITE if swap else BLACK
        for move in position.moves:
            other.play(int(table[move.move]))
        assert sorted(odds[codes(other)]) == sorted(odds[codes(position)])


def test_codes_are_in_range_and_distinguish_patterns():
    seen = {code for position in positions_along(1, 9, 9, 80) for code in codes(position)}
    assert max(seen) < PATTERN_CODES
    assert len(seen) > 100


def drawn(position: Position, odds: np.ndarray, seed: int) -> int:
    last, color = np.uintp(position.last_move), np.uintp(position.to_play)
    random, weights = np.array([seed], dtype=np.uint64), np.zeros(8, dtype=np.uint32)
    return int(shape_move(position.block, last, color, random, odds, weights))


def test_moves_are_drawn_in_proportion_to_their_odds():
    position = Position(9)
    position.play(parse_vertex("D5", 9, 9))
    position.play(parse_vertex("E5", 9, 9))
    odds = answer_odds()
    wanted = {
        point: int(odds[code_at(position, point, p)]) for point, p in neighbors_of_last(position)
    }
    assert len(wanted) == 7
    assert max(wanted.values()) > 3 * min(wanted.values())
    random, weights = np.array([7], dtype=np.uint64), np.zeros(8, dtype=np.uint32)
    place = np.uintp(position.last_move), np.uintp(position.to_play)
    number = 20000
    found = [int(shape_move(position.block, *place, random, odds, weights)) for _ in range(number)]
    for point, weight in wanted.items():
        share = weight / sum(wanted.values())
        error = (share * (1 - share) / number) ** 0.5
        assert found.count(point) / number == pytest.approx(share, abs=5 * error)


EVEN = np.full(PATTERN_CODES, ODDS_UNIT, dtype=np.uint32)
SEEDS = range(1, 40)


def drawn_vertices(position: Position, odds: np.ndarray = EVEN) -> set[str]:
    return {position.vertex(drawn(position, odds, seed)) for seed in SEEDS}


def after_moves(text: str, to_play, *vertices: str) -> Position:
    position = Position.from_diagram(text, to_play)
    for vertex in vertices:
        position.play(parse_vertex(vertex, position.rows, position.columns))
    return position


@pytest.mark.parametrize(
    ("text", "to_play", "last", "expected"),
    [
        # C3 is Black's eye; A5 would be suicide for White.
        (
            ". . . . . / . X X . . / . X . X . / . X X X . / . . . . .",
            WHITE,
            "D4",
            {"C5", "D5", "E5", "E4", "E3"},
        ),
        (
            ". X . . . / X . . . . / . . . . . / . . . . . / . . . . .",
            BLACK,
            "B4",
            {"A3", "B3", "C3", "C4", "C5"},
        ),
        # F3 would lose six stones in a row.
        ("X X X X X . . / O O O O O O . / . . . . . . .", WHITE, "G2", {"F1", "G1", "G3"}),
    ],
)
def test_bad_moves_are_not_drawn(text, to_play, last, expected):
    assert drawn_vertices(after_moves(text, to_play, last)) == expected


def test_ko_is_not_retaken():
    position = after_moves(". X O . / X . X O / . X O . / . . . .", WHITE, "B3")
    assert drawn_vertices(position) == {"A2"}


def test_zero_odds_are_never_drawn():
    position = after_moves(". . . . . / " * 4 + ". . . . .", BLACK, "C3")
    odds = np.zeros(PATTERN_CODES, dtype=np.uint32)
    assert drawn_vertices(position, odds) == {"pass"}
    odds[code_at(position, parse_vertex("C4", 5, 5), 0)] = 1
    assert drawn_vertices(position, odds) == {"C4", "C2", "B3", "D3"}, "four symmetric points"


def test_no_move_without_a_table():
    assert drawn_vertices(random_position(3), NO_ODDS) == {"pass"}
    _, memory = playout(Position(9), ONLY_SHAPE, NO_ODDS)
    assert memory.rules[PlayoutRule.SHAPE] == 0


def playout(position: Position, policy: PlayoutPolicy, odds: np.ndarray, seed: int = 2026):
    """Play one playout; return its moves and the memory."""
    memory, block = new_playout_memory(seed, odds), position.block.copy()
    length = int(heavy_playout(block, policy.thresholds(), memory, FAR, FAR))
    return memory.record[:length].astype("<u4"), memory


@pytest.mark.parametrize(("size", "length", "digest"), [(9, 100, 1086912848), (19, 479, 99936680)])
def test_disabled_rule_does_not_change_playouts(size, length, digest):
    """With and without a table, a playout with the rule off has these moves."""
    for odds in (NO_ODDS, answer_odds()):
        moves, memory = playout(Position(size), HEAVY_POLICY, odds)
        assert len(moves) == length
        assert zlib.crc32(moves.tobytes()) == digest
        assert memory.rules[PlayoutRule.SHAPE] == 0
    without, _ = playout(Position(size), HEAVY_POLICY, NO_ODDS)
    other, _ = playout(
        Position(size), dataclasses.replace(HEAVY_POLICY, shape_answer=1.0), answer_odds()
    )
    assert other.tolist() != without.tolist()


def test_moves_are_adjacent_to_the_last_move_and_counted():
    moves, memory = playout(Position(9), ONLY_SHAPE, answer_odds())
    assert memory.rules.sum() == len(moves)
    assert memory.rules[PlayoutRule.SHAPE] > len(moves) / 3
    offsets = {int(step) for step in CIRCLE}
    near = sum((int(b) - int(a)) % 2**64 in offsets for a, b in zip(moves, moves[1:], strict=False))
    assert near >= memory.rules[PlayoutRule.SHAPE]


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_engine_passes_the_table_to_playouts(share):
    overrides = ["playouts=50", "threads=1", "seed=3", f"shape_answer={share}"]
    engine = create_engine(EngineSettings().with_overrides(overrides))
    engine.analyze(Position(9), SearchLimit(simulations=50))
    assert bool(engine.rule_counts[PlayoutRule.SHAPE]) is (share > 0)


def test_flat_search_uses_the_table():
    overrides = ["algorithm=flat", "flat_playouts=20", "seed=3", "shape_answer=1"]
    settings = EngineSettings().with_overrides(overrides)
    position, policy = random_position(6, 5, 5, 8), settings.policy
    report = create_engine(settings).analyze(position, SearchLimit())
    table = source_table(settings.compiled_sources())
    with_odds, without = (
        FlatSearch(position, settings.search, policy, 3, table, odds=odds).run()
        for odds in (answer_odds(), NO_ODDS)
    )
    assert report.candidates == with_odds.candidates != without.candidates
