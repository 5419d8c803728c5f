"""Random games, and a brute-force search as a reference."""

import contextlib
import random
from collections import Counter

import numpy as np

from tengen.board import PASS, STRIDE, Color, Ko, Position, Rules
from tengen.records import GameRecord, record_from_position
from tengen.records.database import GameStore, SkipReason
from tengen.records.database.packing import pack
from tengen.util import TengenError

LENIENT = Rules(ko=Ko.SIMPLE, suicide=True)


def random_game(rng, rows, columns, moves, setup=False) -> GameRecord:
    """Return a game of random legal moves and occasional passes, with a random result."""
    position = Position(rows, columns, LENIENT)
    if setup:
        stones = [(point, rng.choice((1, 2))) for point in rng.sample(position.points(), 3)]
        with contextlib.suppress(TengenError):
            position.setup(stones, rng.choice(list(Color)))
    for _ in range(moves):
        legal = position.legal_moves()
        position.play(rng.choice(legal) if legal and rng.random() < 0.97 else PASS)
    result = rng.choice(("B+R", "W+R", "W+2.5", "B+T", "0", "?"))
    return record_from_position(position, f"black {rng.random()}", "white", result)


def some_games(count=60, rows=5, columns=5, moves=40, seed=1, fewest=1) -> list[GameRecord]:
    """Return distinct games."""
    rng = random.Random(seed)
    games = {}
    while len(games) < count:
        record = random_game(rng, rows, columns, rng.randrange(fewest, moves), len(games) % 5 == 0)
        games[pack(record).digest] = record
    return list(games.values())


def store_of(records, path=":memory:") -> GameStore:
    store = GameStore(path, create=True)
    packed = [pack(record) for record in records]
    games = [game for game in packed if not isinstance(game, SkipReason)]
    assert len(games) == len(packed)
    store.add([], games, [])
    return store


def transform(grid, symmetry):
    grid = grid[::-1] if symmetry & 1 else grid
    grid = grid[:, ::-1] if symmetry & 2 else grid
    return grid.T if symmetry & 4 else grid


def boards_of(record):
    """Return (board, side to move, next move or None) for every position of a game."""
    if id(record) not in _BOARDS:
        position = record.position(0)
        positions = []
        for move in record.moves:
            positions.append((position.board(), move.color, move))
            position.play(move.move, move.color)
        positions.append((position.board(), position.to_play, None))
        _BOARDS[id(record)] = record, positions
    return _BOARDS[id(record)][1]


_BOARDS = {}


def brute_force_search(records, position, mask):
    """Return (games, counts by (orbit of the continuation, color), games without continuation).

    `mask` is True in the region; None for the whole board. An orbit is the set of points that are
    equivalent under the symmetries of the pattern itself.
    """
    square = position.rows == position.columns
    whole = mask is None
    mask = np.ones((position.rows, position.columns), bool) if whole else mask
    pattern = np.where(mask, position.board(), 3)
    variants = [
        (symmetry, swap, transform(_swapped(pattern) if swap else pattern, symmetry))
        for swap in (False, True)
        for symmetry in range(8 if square else 4)
    ]
    games, without_continuation, continuations = 0, 0, Counter()
    for record in records:
        found = _first(record, variants, position.to_play if whole else None)
        if found is None:
            continue
        games += 1
        (symmetry, swap, variant), rest = found
        continuation = _next_inside(rest, variant)
        if continuation is None:
            without_continuation += 1
            continue
        color = continuation.color.opponent if swap else continuation.color
        orbit = _orbit(continuation.move, symmetry, pattern, square)
        won = record.winner is continuation.color
        lost = record.winner is continuation.color.opponent
        continuations[orbit, color] += np.array([1, won, lost])
    return (
        games,
        {key: tuple(value.tolist()) for key, value in continuations.items()},
        without_continuation,
    )


def _swapped(pattern):
    return np.array([0, 2, 1, 3])[pattern]


def _first(record, variants, to_play):
    """Return the first variant that occurs, with the rest of the game, or None."""
    positions = boards_of(record)
    boards = np.stack([board for board, _, _ in positions])
    sides = np.array([side for _, side, _ in positions])
    occurs = []
    for _, swap, wanted in variants:
        inside = wanted != 3
        same = (boards[:, inside] == wanted[inside]).all(axis=1)
        if to_play is not None:
            same &= sides == (to_play.opponent if swap else to_play)
        occurs.append(same)
    times = np.array(occurs).any(axis=0)
    if not times.any():
        return None
    number = int(times.argmax())
    return variants[int(np.array(occurs)[:, number].argmax())], positions[number:]


def _next_inside(positions, wanted):
    """Return the first move in the region, or None if stones there change before it."""
    for board, _, next_move in positions:
        if (board[wanted != 3] != wanted[wanted != 3]).any() or next_move is None:
            return None
        if next_move.move == PASS:
            if (wanted != 3).all():
                return next_move
            continue
        if wanted[next_move.move // STRIDE - 1, next_move.move % STRIDE - 1] != 3:
            return next_move
    return None


def _orbit(move, symmetry, pattern, square):
    if move == PASS:
        return frozenset([PASS])
    mark = np.zeros(transform(pattern, symmetry).shape, bool)
    mark[move // STRIDE - 1, move % STRIDE - 1] = True
    labels = np.arange(pattern.size).reshape(pattern.shape)
    label = int(transform(labels, symmetry)[mark][0])
    own = [s for s in range(8 if square else 4) if (transform(pattern, s) == pattern).all()]
    return frozenset(int(transform(labels, s)[labels == label][0]) for s in own)


def orbit_of(move, position, pattern_grid, square):
    """Return the orbit of a continuation, for comparison with `brute_force_search`."""
    return _orbit(move, 0, pattern_grid, square)
