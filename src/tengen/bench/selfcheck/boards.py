"""Checks of the rules: random games against the reference board, superko and scores."""

import random
from collections.abc import Iterator, Sequence

import numpy as np

from tengen.bench.selfcheck.check import Batch
from tengen.bench.selfcheck.oracle import OracleBoard
from tengen.board import (
    BLACK,
    EMPTY,
    PASS,
    Color,
    Ko,
    Position,
    Rules,
    column_of,
    point_at,
    row_of,
)
from tengen.board.kernels import layout
from tengen.board.kernels.area import area_owners

KO_NAMES = {Ko.SIMPLE: "simple", Ko.POSITIONAL: "positional", Ko.SITUATIONAL: "situational"}
SIZES = [(1, 1), (1, 5), (2, 3), (4, 4), (5, 5), (7, 9), (9, 9), (13, 13), (19, 19)]
SUPERKO_SIZES = [(1, 3), (2, 2), (2, 3), (3, 3), (2, 5)]
"""Small boards, on which long games repeat positions often."""
PASS_SHARE = 0.03
MAX_MOVES = 300
CELLS_PER_BATCH = 4_000
"""Points compared in a batch; the reference board is slow."""


def oracle_games(rng: random.Random) -> Iterator[Batch]:
    """Compare stones, legal moves and area with the reference board in random games."""
    while True:
        yield from _random_game(rng, rng.choice(SIZES), rng.choice(list(Ko)))


def superko_games(rng: random.Random) -> Iterator[Batch]:
    """Do the same on small boards under superko."""
    while True:
        ko = rng.choice([Ko.POSITIONAL, Ko.SITUATIONAL])
        yield from _random_game(rng, rng.choice(SUPERKO_SIZES), ko)


def _random_game(rng: random.Random, size: tuple[int, int], ko: Ko) -> Iterator[Batch]:
    suicide = rng.random() < 0.5
    position = Position(*size, rules=Rules(ko=ko, suicide=suicide))
    oracle = OracleBoard(*size, ko_rule=KO_NAMES[ko], suicide=suicide)
    step = 1 + size[0] * size[1] // 60
    number = 0
    while number < MAX_MOVES:
        tried, failures = 0, []
        while tried * size[0] * size[1] < CELLS_PER_BATCH and number < MAX_MOVES:
            if number % step == 0:
                tried += 1
                difference = difference_from(position, oracle)
                if difference:
                    failures.append(f"{difference} after {position.moves} on {size}, {ko.name}")
            legal = position.legal_moves()
            move = rng.choice(legal) if legal and rng.random() > PASS_SHARE else PASS
            position.play(move)
            oracle.play(None if move == PASS else (row_of(move), column_of(move)))
            number += 1
        yield Batch(tried, tuple(failures))
        if failures:
            return


def difference_from(position: Position, oracle: OracleBoard) -> str:
    """Describe the first difference between a position and the reference board, if any."""
    for point in oracle.points():
        if position.color(point_at(*point)) != oracle.stones.get(point, EMPTY):
            return f"another stone at {point}"
    legal = [point_at(*point) for point in oracle.points() if oracle.is_legal(point)]
    if position.legal_moves() != legal:
        return "other legal moves"
    if area_difference(position) != oracle.area():
        return f"area {area_difference(position)}, not {oracle.area()}"
    return ""


def scored_positions(rng: random.Random) -> Iterator[Batch]:
    """Check area scores: the reference's, negated by a swap of colors, kept by symmetries."""
    while True:
        size = rng.choice([3, 5, 7, 9])
        stones = _random_stones(rng, size)
        score = _area(size, stones)
        failures = []
        oracle = OracleBoard(size, size, stones={p: int(c) for p, c in stones.items()})
        if score != oracle.area():
            failures.append(f"area {score}, not {oracle.area()}: {stones}")
        swapped = {point: color.opponent for point, color in stones.items()}
        if _area(size, swapped) != -score:
            failures.append(f"area not negated by a swap of colors: {stones}")
        turned = {(column, size - 1 - row): color for (row, column), color in stones.items()}
        if _area(size, turned) != score:
            failures.append(f"area changed by a rotation: {stones}")
        yield Batch(1, tuple(failures))


def _random_stones(rng: random.Random, size: int) -> dict[tuple[int, int], Color]:
    """Return stones of a position in which every chain has a liberty."""
    position = Position(size)
    for _ in range(rng.randrange(size * size * 2)):
        legal: Sequence[int] = position.legal_moves()
        position.play(rng.choice(legal) if legal else PASS)
    cells = ((row, column) for row in range(size) for column in range(size))
    found = {cell: position.color(point_at(*cell)) for cell in cells}
    return {cell: Color(color) for cell, color in found.items() if color != EMPTY}


def _area(size: int, stones: dict[tuple[int, int], Color]) -> int:
    position = Position(size)
    position.setup([(point_at(*cell), color) for cell, color in stones.items()], BLACK)
    return area_difference(position)


def area_difference(position: Position) -> int:
    """Return Black's area minus White's with all stones alive."""
    return int(area_owners(position.block, np.empty(int(layout.POINTS), dtype=np.uint8)))
