"""Games made at random for the tests, and a slow and obvious search to compare with."""

import contextlib
import random
from collections import Counter

import numpy as np

from tengen.board.colour import Colour
from tengen.board.points import PASS, STRIDE
from tengen.board.position import Position
from tengen.board.rules import Ko, Rules
from tengen.core.errors import TengenError
from tengen.database.packing import Skip, pack
from tengen.database.store import GameStore
from tengen.records.game import GameRecord
from tengen.records.writer import record_from_position

LENIENT = Rules(ko=Ko.SIMPLE, suicide=True)


def random_game(rng, rows, columns, moves, setup=False) -> GameRecord:
    """Return a game of random legal moves, with a pass now and then, and a random result."""
    position = Position(rows, columns, LENIENT)
    if setup:
        stones = [(point, rng.choice((1, 2))) for point in rng.sample(position.points(), 3)]
        with contextlib.suppress(TengenError):
            position.setup(stones, rng.choice(list(Colour)))
    for _ in range(moves):
        legal = position.legal_moves()
        position.play(rng.choice(legal) if legal and rng.random() < 0.97 else PASS)
    result = rng.choice(("B+R", "W+R", "W+2.5", "B+T", "0", "?"))
    return record_from_position(position, f"black {rng.random()}", "white", result)


def some_games(count=60, rows=5, columns=5, moves=40, seed=1, fewest=1) -> list[GameRecord]:
    """Return games that all differ, for a database takes none twice."""
    rng = random.Random(seed)
    games = {}
    while len(games) < count:
        record = random_game(rng, rows, columns, rng.randrange(fewest, moves), len(games) % 5 == 0)
        games[pack(record).digest] = record
    return list(games.values())


def store_of(records, path=":memory:") -> GameStore:
    store = GameStore(path, create=True)
    packed = [pack(record) for record in records]
    games = [game for game in packed if not isinstance(game, Skip)]
    assert len(games) == len(packed)
    store.add([], games, [])
    return store


def turned(grid, symmetry):
    grid = grid[::-1] if symmetry & 1 else grid
    grid = grid[:, ::-1] if symmetry & 2 else grid
    return grid.T if symmetry & 4 else grid


def boards_of(record):
    """Return (board, side to move, next move or None) at every moment of a game."""
    if id(record) not in _BOARDS:
        position = record.position(0)
        moments = []
        for move in record.moves:
            moments.append((position.board(), move.colour, move))
            position.play(move.move, move.colour)
        moments.append((position.board(), position.to_play, None))
        _BOARDS[id(record)] = record, moments
    return _BOARDS[id(record)][1]


_BOARDS = {}


def slow_search(records, position, mask):
    """Return (games, answers by (orbit of the move, colour), unanswered), the slow way.

    `mask` is True in the region; None for the whole board. Points are (row, column); an orbit is
    the set of points that are equal under the pattern's own symmetries.
    """
    square = position.rows == position.columns
    whole = mask is None
    mask = np.ones((position.rows, position.columns), bool) if whole else mask
    pattern = np.where(mask, position.board(), 3)
    variants = [
        (symmetry, swap, turned(_swapped(pattern) if swap else pattern, symmetry))
        for swap in (False, True)
        for symmetry in range(8 if square else 4)
    ]
    games, unanswered, answers = 0, 0, Counter()
    for record in records:
        found = _first(record, variants, position.to_play if whole else None)
        if found is None:
            continue
        games += 1
        (symmetry, swap, variant), rest = found
        answer = _next_inside(rest, variant)
        if answer is None:
            unanswered += 1
            continue
        colour = answer.colour.opponent if swap else answer.colour
        orbit = _orbit(answer.move, symmetry, pattern, square)
        won = record.winner is answer.colour
        lost = record.winner is answer.colour.opponent
        answers[orbit, colour] += np.array([1, won, lost])
    return games, {key: tuple(value.tolist()) for key, value in answers.items()}, unanswered


def _swapped(pattern):
    return np.array([0, 2, 1, 3])[pattern]


def _first(record, variants, to_play):
    """Return the variant that stands first, with the rest of the game, or None."""
    moments = boards_of(record)
    boards = np.stack([board for board, _, _ in moments])
    sides = np.array([side for _, side, _ in moments])
    stands = []
    for _, swap, wanted in variants:
        inside = wanted != 3
        same = (boards[:, inside] == wanted[inside]).all(axis=1)
        if to_play is not None:
            same &= sides == (to_play.opponent if swap else to_play)
        stands.append(same)
    times = np.array(stands).any(axis=0)
    if not times.any():
        return None
    number = int(times.argmax())
    return variants[int(np.array(stands)[:, number].argmax())], moments[number:]


def _next_inside(moments, wanted):
    """Return the first move inside the region, or None if the stones there change without one."""
    for board, _, following in moments:
        if (board[wanted != 3] != wanted[wanted != 3]).any() or following is None:
            return None
        if following.move == PASS:
            if (wanted != 3).all():
                return following
            continue
        if wanted[following.move // STRIDE - 1, following.move % STRIDE - 1] != 3:
            return following
    return None


def _orbit(move, symmetry, pattern, square):
    if move == PASS:
        return frozenset([PASS])
    mark = np.zeros(turned(pattern, symmetry).shape, bool)
    mark[move // STRIDE - 1, move % STRIDE - 1] = True
    labels = np.arange(pattern.size).reshape(pattern.shape)
    label = int(turned(labels, symmetry)[mark][0])
    own = [s for s in range(8 if square else 4) if (turned(pattern, s) == pattern).all()]
    return frozenset(int(turned(labels, s)[labels == label][0]) for s in own)


def orbit_of(move, position, pattern_grid, square):
    """Return the orbit of a move that a search gave, for comparison with `slow_search`."""
    return _orbit(move, 0, pattern_grid, square)
