"""Pattern search: an in-memory index of the games of one board size, and search statistics."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import Color, inverse_symmetries
from tengen.records.database.packing import GAME_HEADER, Chunk, Events
from tengen.records.database.pattern import SYMMETRIES, Pattern
from tengen.records.kernels.game_search import (
    COLOR_SHIFT,
    POINT_MASK,
    REMOVAL,
    SETUP,
    STONE_WORDS,
    collect_stones,
    find_pattern,
    find_position,
)

_MIN_GAMES_FOR_THREADS = 4096
"""With fewer games, a second thread costs more than it saves."""
_PARTS_PER_THREAD = 4
"""Several parts per thread balance the load, since games differ in length."""
_MOVES = int(POINT_MASK) + 1
_NOT_A_MOVE = np.uint16(REMOVAL | SETUP)


class PatternMatches(NamedTuple):
    """For each game of an index, the first variant and the event of the continuation, or -1."""

    variants: npt.NDArray[np.int64]
    continuations: npt.NDArray[np.int64]


class GameIndex:
    """The games of one board size: ids, winners, and concatenated event streams."""

    def __init__(self, rows: int, columns: int, chunks: Iterable[Chunk]):
        self.rows = rows
        self.columns = columns
        parts = list(chunks)
        headers = np.concatenate([np.empty(0, GAME_HEADER), *(part.headers for part in parts)])
        self.ids: npt.NDArray[np.uint32] = headers["id"].astype(np.uint32)
        self.winners: npt.NDArray[np.uint8] = headers["winner"].copy()
        self.events: Events = np.concatenate(
            [np.empty(0, np.uint16), *(part.events for part in parts)]
        )
        ends = np.cumsum(headers["length"], dtype=np.uint64)
        self.starts = np.concatenate([np.zeros(1, np.uint64), ends])
        self._captured: npt.NDArray[np.uint16] = headers["captured"].astype(np.uint16)
        self._stones = np.zeros((len(headers), int(STONE_WORDS)), dtype=np.uint64)
        collect_stones(self.events, self.starts, self._stones)

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, pattern: Pattern) -> PatternMatches:
        """Search all games for a pattern."""
        matches = PatternMatches(np.empty(len(self), np.int64), np.empty(len(self), np.int64))
        make_search = self._region_search if pattern.region else self._position_search
        search = make_search(pattern, matches)
        threads = min(os.cpu_count() or 1, 8)
        if len(self) < _MIN_GAMES_FOR_THREADS or threads == 1:
            search(np.uintp(0), np.uintp(len(self)))
            return matches
        cuts = np.linspace(0, len(self), threads * _PARTS_PER_THREAD + 1).astype(np.uintp)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(search, cuts[:-1], cuts[1:]))
        return matches

    def _position_search(
        self, pattern: Pattern, matches: PatternMatches
    ) -> Callable[[np.uintp, np.uintp], None]:
        needed, hashes, sides = pattern.needed(), pattern.hashes(), pattern.sides_to_move
        count = np.uintp(pattern.stones)

        def search(first: np.uintp, last: np.uintp) -> None:
            find_position(
                *(self.events, self.starts, self._stones, self._captured),
                *(needed, count, hashes, sides, first, last, *matches),
            )

        return search

    def _region_search(
        self, pattern: Pattern, matches: PatternMatches
    ) -> Callable[[np.uintp, np.uintp], None]:
        needed, wanted = pattern.needed(), pattern.variants
        counts, deltas = pattern.counts(), pattern.deltas()

        def search(first: np.uintp, last: np.uintp) -> None:
            find_pattern(
                *(self.events, self.starts, self._stones),
                *(needed, wanted, counts, deltas, first, last, *matches),
            )

        return search


class Continuation(NamedTuple):
    """A move played in a pattern, in the orientation and colors of the query."""

    move: int
    color: Color
    games: int
    wins: int
    """Games won by the player of the move; games without a winner are neither wins nor losses."""
    losses: int

    @property
    def win_rate(self) -> float | None:
        """The share of wins among the games with a winner; None if there are none."""
        decided = self.wins + self.losses
        return self.wins / decided if decided else None


class Occurrence(NamedTuple):
    """A game in which the pattern occurred."""

    game: int
    """Its id in the database."""
    after_move: int
    """The number of moves before the continuation, or in the whole game without one."""
    continuation: int | None
    """The move in the orientation of the query, if there was one."""


@dataclass(frozen=True)
class PatternStatistics:
    """What was played in a pattern, how often, and with what result."""

    pattern: Pattern
    searched: int
    """Number of games searched: those of the board size, and of the player if one is given."""
    games: int
    """Number of games with the pattern; each game counts once, at the first occurrence."""
    swapped: int
    """Number of these games with colors swapped."""
    continuations: list[Continuation]
    """Most frequent first. Moves that are equivalent under the pattern's symmetries are merged."""
    occurrences: list[Occurrence]
    """Some of the games, as many as requested."""
    elapsed_s: float = 0.0

    def is_move_of(self, continuation: Continuation, move: int, color: Color) -> bool:
        """Return whether a move in the query's own position is that continuation."""
        canonical = int(self.pattern.canonical_points()[move])
        return (continuation.move, continuation.color) == (canonical, color)

    @property
    def without_continuation(self) -> int:
        """Number of games without a continuation."""
        return self.games - sum(continuation.games for continuation in self.continuations)


class _PlayedMoves(NamedTuple):
    """The continuations of some games, in the orientation and colors of the query."""

    games: npt.NDArray[np.intp]
    moves: npt.NDArray[np.int64]
    colors: npt.NDArray[np.int64]
    original_colors: npt.NDArray[np.int64]
    """The colors in the games themselves."""


def summarize(
    index: GameIndex,
    pattern: Pattern,
    matches: PatternMatches,
    max_occurrences: int,
    allowed: npt.NDArray[np.bool_] | None = None,
) -> PatternStatistics:
    """Return the statistics of the matches; only games that are `allowed` count."""
    occurred = matches.variants >= 0
    matched = np.flatnonzero(occurred if allowed is None else occurred & allowed)
    played = _played_moves(index, pattern, matches, matched)
    return PatternStatistics(
        pattern,
        len(index) if allowed is None else int(allowed.sum()),
        len(matched),
        int((matches.variants[matched] >= SYMMETRIES).sum()),
        _continuations(index, played),
        _occurrences(index, matches, matched[:max_occurrences], played),
    )


def _played_moves(
    index: GameIndex, pattern: Pattern, matches: PatternMatches, matched: npt.NDArray[np.intp]
) -> _PlayedMoves:
    games = matched[matches.continuations[matched] >= 0]
    events = index.events[matches.continuations[games]].astype(np.int64)
    variants = matches.variants[games]
    inverse = inverse_symmetries(pattern.rows, pattern.columns)
    moves = inverse[variants % len(inverse), events & int(POINT_MASK)]
    original_colors = events >> int(COLOR_SHIFT) & 3
    colors = np.where(variants >= SYMMETRIES, 3 - original_colors, original_colors)
    canonical = pattern.canonical_points()[moves].astype(np.int64)
    return _PlayedMoves(games, canonical, colors, original_colors)


def _continuations(index: GameIndex, played: _PlayedMoves) -> list[Continuation]:
    keys = played.colors * _MOVES + played.moves
    winners = index.winners[played.games]
    games = np.bincount(keys)
    wins = np.bincount(keys[winners == played.original_colors], minlength=len(games))
    losses = np.bincount(keys[winners == 3 - played.original_colors], minlength=len(games))
    found = [
        Continuation(
            int(key) % _MOVES,
            Color(int(key) // _MOVES),
            *(int(games[key]), int(wins[key]), int(losses[key])),
        )
        for key in np.flatnonzero(games)
    ]
    return sorted(found, key=lambda one: (-one.games, one.color, one.move))


def _occurrences(
    index: GameIndex, matches: PatternMatches, matched: npt.NDArray[np.intp], played: _PlayedMoves
) -> list[Occurrence]:
    occurrences = []
    for game in matched.tolist():
        start, end = int(index.starts[game]), int(index.starts[game + 1])
        event = int(matches.continuations[game])
        before = index.events[start : end if event < 0 else event]
        after_move = int(np.count_nonzero((before & _NOT_A_MOVE) == 0))
        move = None if event < 0 else int(played.moves[np.searchsorted(played.games, game)])
        occurrences.append(Occurrence(int(index.ids[game]), after_move, move))
    return occurrences
