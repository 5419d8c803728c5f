"""Games for experiments: so many from some archives, shared out evenly, in whole files."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tengen.core.errors import TengenError
from tengen.records.moves import GameMoves, read_moves
from tengen.records.source import Document, documents
from tengen.records.warning import RecordWarning, log_unreadable


def alternating_documents(paths: Sequence[str]) -> Iterator[Document]:
    """Yield the files at the paths in turns: one of each, then the second of each, and so on."""
    found = [documents(path, log_unreadable) for path in paths]
    for row in zip_longest(*found):
        yield from (document for document in row if document is not None)


def first_games(paths: Sequence[str], count: int) -> Iterator[GameMoves]:
    """Yield at most `count` games, file by file; raise TengenError if there is none at all."""
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
    return GameMoves(games.words[: starts[-1]], starts, games.sizes[:kept], games.broken)


def _ignore(warning: RecordWarning) -> None:
    """Broken games are left out."""
