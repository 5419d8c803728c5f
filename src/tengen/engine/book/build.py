"""Building an opening book from the games of a database."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen import __version__
from tengen.board import Color, Ko, Move, Position, Rules, eight_symmetries
from tengen.board.kernels.layout import zobrist_keys
from tengen.engine.book.book import MOVES, POSITIONS, Book, canonical_key, size_key
from tengen.engine.book.kernels.steps import LOST, SYMMETRIES, WON, write_steps
from tengen.engine.book.settings import BuildSettings
from tengen.records.database import GameIndex, decode_moves
from tengen.records.kernels.game_search import COLOR_SHIFT

Probabilities = Callable[[Position], npt.NDArray[np.float64]]
"""Returns the probability of a move at each point, rows x columns."""
Progress = Callable[[int, int], None]
"""Called with the number of positions done and their total."""

_LENIENT = Rules(ko=Ko.SIMPLE, suicide=True)


class _Steps(NamedTuple):
    """Opening moves of all games, sorted by key and move; see `kernels.steps`."""

    keys: npt.NDArray[np.uint64]
    moves: npt.NDArray[np.uint16]
    results: npt.NDArray[np.uint8]
    event_indices: npt.NDArray[np.int64]


class _Part(NamedTuple):
    """The part of a book for one board size."""

    positions: npt.NDArray[np.void]
    moves: npt.NDArray[np.void]
    event_indices: npt.NDArray[np.int64]
    """Index of an event at which each position occurs."""


def build_book(
    indexes: Sequence[GameIndex],
    settings: BuildSettings | None = None,
    probabilities: Probabilities | None = None,
    progress: Progress | None = None,
) -> Book:
    """Return the book of the games of some indexes, one per board size, without handicap games.

    `probabilities`, such as those of the shape source, are stored with the moves.
    """
    settings = settings or BuildSettings()
    parts = [_part(index, settings) for index in indexes]
    if probabilities is not None:
        total, done = sum(len(part.positions) for part in parts), 0
        for index, part in zip(indexes, parts, strict=True):
            for _ in _add_probabilities(index, part, probabilities):
                done += 1
                if progress is not None:
                    progress(done, total)
    positions = np.concatenate([np.empty(0, POSITIONS), *(part.positions for part in parts)])
    moves = np.concatenate([np.empty(0, MOVES), *(part.moves for part in parts)])
    about = {
        "made_by": f"tengen {__version__}",
        "sizes": {
            f"{index.columns}x{index.rows}": {"games": len(index), "positions": len(part.positions)}
            for index, part in zip(indexes, parts, strict=True)
        },
        "depth": settings.depth,
        "min_games": settings.min_games,
        "min_share": settings.min_share,
        "shape": probabilities is not None,
    }
    return _sorted(positions, moves, about)


def _part(index: GameIndex, settings: BuildSettings) -> _Part:
    """Return the positions with enough games and their moves."""
    steps = _steps(index, settings.depth)
    edges = np.flatnonzero(_changes(steps.keys))
    games = _sums(np.ones(len(steps.keys), np.int64), edges)
    kept = games >= settings.min_games
    positions = np.zeros(int(kept.sum()), POSITIONS)
    positions["key"] = steps.keys[edges][kept]
    positions["games"] = games[kept]
    positions["wins"] = _sums(steps.results == WON, edges)[kept]
    positions["losses"] = _sums(steps.results == LOST, edges)[kept]

    move_edges = np.flatnonzero(_changes(steps.keys) | _changes(steps.moves))
    owner = np.searchsorted(edges, move_edges, side="right") - 1
    move_games = _sums(np.ones(len(steps.keys), np.int64), move_edges)
    often = kept[owner] & (move_games >= settings.min_share * games[owner])
    moves = np.zeros(int(often.sum()), MOVES)
    moves["move"] = steps.moves[move_edges][often]
    moves["games"] = move_games[often]
    moves["wins"] = _sums(steps.results == WON, move_edges)[often]
    moves["losses"] = _sums(steps.results == LOST, move_edges)[often]
    moves["shape"] = np.nan
    positions["moves"] = np.bincount(owner[often], minlength=len(edges))[kept]
    return _Part(positions, moves, steps.event_indices[edges][kept])


def _steps(index: GameIndex, depth: int) -> _Steps:
    room = len(index) * depth
    steps = _Steps(
        np.zeros(room, np.uint64),
        np.zeros(room, np.uint16),
        np.zeros(room, np.uint8),
        np.zeros(room, np.int64),
    )
    count = write_steps(
        *(index.events, index.starts, index.winners),
        *(eight_symmetries(index.rows, index.columns), zobrist_keys()),
        *(size_key(index.rows, index.columns), np.uintp(depth)),
        np.zeros((2, int(SYMMETRIES)), np.uint64),
        *steps,
    )
    order = np.lexsort((steps.moves[: int(count)], steps.keys[: int(count)]))
    keys, moves, results, event_indices = steps
    return _Steps(keys[order], moves[order], results[order], event_indices[order])


def _changes(column: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Return where a value differs from the previous one, starting with True."""
    return np.concatenate([np.ones(min(len(column), 1), bool), column[1:] != column[:-1]])


def _sums(values: npt.NDArray[np.generic], edges: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Return the sums of the segments that start at the edges."""
    if not len(edges):
        return np.zeros(0, np.int64)
    sums: npt.NDArray[np.int64] = np.add.reduceat(values.astype(np.int64), edges)
    return sums


def _add_probabilities(
    index: GameIndex, part: _Part, probabilities: Probabilities
) -> Iterator[None]:
    """Set the probabilities of the moves of a part; yield after each position."""
    start = 0
    for event_index, count in zip(
        part.event_indices.tolist(), part.positions["moves"].tolist(), strict=True
    ):
        position = _position_before(index, event_index)
        symmetries = canonical_key(position).symmetries
        mapped = eight_symmetries(index.rows, index.columns)[symmetries]
        padded = np.zeros(mapped.shape[1])
        points = position.points()
        padded[points] = np.nan_to_num(probabilities(position)).flatten()
        own = part.moves[start : start + count]
        for row in own:
            # Points that are equivalent by symmetry are one move of the book.
            equivalents = {int(np.flatnonzero(table == row["move"])[0]) for table in mapped}
            row["shape"] = padded[list(equivalents)].sum()
        start += count
        yield


def _position_before(index: GameIndex, event_index: int) -> Position:
    """Return the position before an event."""
    game = int(np.searchsorted(index.starts, event_index, side="right")) - 1
    events = index.events[int(index.starts[game]) : event_index]
    position = Position(index.rows, index.columns, _LENIENT)
    position.play_sequence([Move(color, move) for color, move in decode_moves(events)])
    position.to_play = Color(int(index.events[event_index]) >> int(COLOR_SHIFT) & 3)
    return position


def _sorted(
    positions: npt.NDArray[np.void], moves: npt.NDArray[np.void], about: dict[str, object]
) -> Book:
    """Return the book with its positions sorted by key."""
    order = np.argsort(positions["key"], kind="stable")
    owners = np.repeat(np.arange(len(positions)), positions["moves"])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Book(positions[order], moves[np.argsort(rank[owners], kind="stable")], about)
