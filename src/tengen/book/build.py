"""Making a book from the games of a database."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen import __version__
from tengen.board.colour import Colour
from tengen.board.hashing import stone_keys
from tengen.board.position import Move, Position
from tengen.board.rules import Ko, Rules
from tengen.board.symmetry import eight_symmetries
from tengen.book.book import MOVES, POSITIONS, Book
from tengen.book.canonical import name_of, size_key
from tengen.book.kernels.steps import LOST, SYMMETRIES, WON, write_steps
from tengen.book.settings import BuildSettings
from tengen.database.kernels.events import COLOUR_SHIFT
from tengen.database.packing import moves_of
from tengen.database.shelf import Shelf

Probabilities = Callable[[Position], npt.NDArray[np.float64]]
"""Gives every point of a position, rows by columns, the probability that it is played."""
Progress = Callable[[int, int], None]
"""Is told how many positions were looked at, of how many."""

_LENIENT = Rules(ko=Ko.SIMPLE, suicide=True)


class _Steps(NamedTuple):
    """First moves of games, sorted by key and move; see `kernels.steps`."""

    keys: npt.NDArray[np.uint64]
    moves: npt.NDArray[np.uint16]
    results: npt.NDArray[np.uint8]
    places: npt.NDArray[np.int64]


class _Part(NamedTuple):
    """The part of a book that comes from one board size."""

    positions: npt.NDArray[np.void]
    moves: npt.NDArray[np.void]
    places: npt.NDArray[np.int64]
    """Where in the events of the shelf each position is met."""


def build_book(
    shelves: Sequence[Shelf],
    settings: BuildSettings | None = None,
    probabilities: Probabilities | None = None,
    progress: Progress | None = None,
) -> Book:
    """Return the book of all games on some shelves; handicap games are left out.

    `probabilities` (SHAPE's, say) are asked for every position that is kept, and stored.
    """
    settings = settings or BuildSettings()
    parts = [_part(shelf, settings) for shelf in shelves]
    if probabilities is not None:
        total, done = sum(len(part.positions) for part in parts), 0
        for shelf, part in zip(shelves, parts, strict=True):
            for _ in _ask_all(shelf, part, probabilities):
                done += 1
                if progress is not None:
                    progress(done, total)
    positions = np.concatenate([np.empty(0, POSITIONS), *(part.positions for part in parts)])
    moves = np.concatenate([np.empty(0, MOVES), *(part.moves for part in parts)])
    about = {
        "made_by": f"tengen {__version__}",
        "sizes": {
            f"{shelf.columns}x{shelf.rows}": {"games": len(shelf), "positions": len(part.positions)}
            for shelf, part in zip(shelves, parts, strict=True)
        },
        "depth": settings.depth,
        "fewest": settings.fewest,
        "least_share": settings.least_share,
        "shape": probabilities is not None,
    }
    return _sorted(positions, moves, about)


def _part(shelf: Shelf, settings: BuildSettings) -> _Part:
    """Return the positions with enough games, and their moves."""
    steps = _steps(shelf, settings.depth)
    edges = np.flatnonzero(_changes(steps.keys))
    games = _sums(np.ones(len(steps.keys), np.int64), edges)
    kept = games >= settings.fewest
    positions = np.zeros(int(kept.sum()), POSITIONS)
    positions["key"] = steps.keys[edges][kept]
    positions["games"] = games[kept]
    positions["wins"] = _sums(steps.results == WON, edges)[kept]
    positions["losses"] = _sums(steps.results == LOST, edges)[kept]

    move_edges = np.flatnonzero(_changes(steps.keys) | _changes(steps.moves))
    owner = np.searchsorted(edges, move_edges, side="right") - 1
    move_games = _sums(np.ones(len(steps.keys), np.int64), move_edges)
    often = kept[owner] & (move_games >= settings.least_share * games[owner])
    moves = np.zeros(int(often.sum()), MOVES)
    moves["move"] = steps.moves[move_edges][often]
    moves["games"] = move_games[often]
    moves["wins"] = _sums(steps.results == WON, move_edges)[often]
    moves["losses"] = _sums(steps.results == LOST, move_edges)[often]
    moves["shape"] = np.nan
    positions["moves"] = np.bincount(owner[often], minlength=len(edges))[kept]
    return _Part(positions, moves, steps.places[edges][kept])


def _steps(shelf: Shelf, depth: int) -> _Steps:
    room = len(shelf) * depth
    steps = _Steps(
        np.zeros(room, np.uint64),
        np.zeros(room, np.uint16),
        np.zeros(room, np.uint8),
        np.zeros(room, np.int64),
    )
    count = write_steps(
        *(shelf.events, shelf.starts, shelf.winners),
        *(eight_symmetries(shelf.rows, shelf.columns), stone_keys()),
        *(size_key(shelf.rows, shelf.columns), np.uintp(depth)),
        np.zeros((2, int(SYMMETRIES)), np.uint64),
        *steps,
    )
    order = np.lexsort((steps.moves[: int(count)], steps.keys[: int(count)]))
    keys, moves, results, places = steps
    return _Steps(keys[order], moves[order], results[order], places[order])


def _changes(column: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Tell where a value differs from the one before it; the first does."""
    return np.concatenate([np.ones(min(len(column), 1), bool), column[1:] != column[:-1]])


def _sums(values: npt.NDArray[np.generic], edges: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Return the sum of each stretch that begins at an edge."""
    if not len(edges):
        return np.zeros(0, np.int64)
    sums: npt.NDArray[np.int64] = np.add.reduceat(values.astype(np.int64), edges)
    return sums


def _ask_all(shelf: Shelf, part: _Part, probabilities: Probabilities) -> Iterator[None]:
    """Write into the moves of a part how probable they are; yield after each position."""
    start = 0
    for place, count in zip(part.places.tolist(), part.positions["moves"].tolist(), strict=True):
        position = _position_at(shelf, place)
        symmetries = name_of(position).symmetries
        turned = eight_symmetries(shelf.rows, shelf.columns)[symmetries]
        padded = np.zeros(turned.shape[1])
        points = position.points()
        padded[points] = np.nan_to_num(probabilities(position)).flatten()
        own = part.moves[start : start + count]
        for row in own:
            # All points that the position's symmetries make equal are one move of the book.
            equal = {int(np.flatnonzero(table == row["move"])[0]) for table in turned}
            row["shape"] = padded[list(equal)].sum()
        start += count
        yield


def _position_at(shelf: Shelf, place: int) -> Position:
    """Return the position before the event at a place."""
    game = int(np.searchsorted(shelf.starts, place, side="right")) - 1
    events = shelf.events[int(shelf.starts[game]) : place]
    position = Position(shelf.rows, shelf.columns, _LENIENT)
    position.play_sequence([Move(colour, move) for colour, move in moves_of(events)])
    position.to_play = Colour(int(shelf.events[place]) >> int(COLOUR_SHIFT) & 3)
    return position


def _sorted(
    positions: npt.NDArray[np.void], moves: npt.NDArray[np.void], about: dict[str, object]
) -> Book:
    """Return the book of parts that stand one after another."""
    order = np.argsort(positions["key"], kind="stable")
    owners = np.repeat(np.arange(len(positions)), positions["moves"])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Book(positions[order], moves[np.argsort(rank[owners], kind="stable")], about)
