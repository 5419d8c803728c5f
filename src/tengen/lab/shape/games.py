"""Game selection for the SHAPE experiments."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tengen.records import (
    Document,
    GameMoves,
    RecordWarning,
    find_documents,
    log_unreadable,
    read_moves,
)
from tengen.util import TengenError


def alternating_documents(paths: Sequence[str]) -> Iterator[Document]:
    """Yield the files at the paths, alternating between paths."""
    found = [find_documents(path, log_unreadable) for path in paths]
    for row in zip_longest(*found):
        yield from (document for document in row if document is not None)


def first_games(paths: Sequence[str], count: int) -> Iterator[GameMoves]:
    """Yield at most `count` games, file by file; raise TengenError if there are none."""
    left = count
    for document in alternating_documents(paths):
        games = cut(read_moves(document, _ignore), left)
        left -= len(games)
        yield games
        if left <= 0:
            return
    if left == count:
        raise TengenError(f"no games in {', '.join(paths)}")


def cut(games: GameMoves, count: int) -> GameMoves:
    """Return the first `count` games."""
    kept = min(count, len(games))
    starts = games.starts[: kept + 1]
    return GameMoves(games.codes[: starts[-1]], starts, games.sizes[:kept], games.skipped)


def _ignore(warning: RecordWarning) -> None:
    """Ignore warnings; damaged games are skipped."""
