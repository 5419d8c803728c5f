"""Verification of stored games: each is replayed and compared with what is stored about it."""

from collections.abc import Iterator

from tengen.board import Color
from tengen.match.store import GameRow, Store, digest_of
from tengen.records import EndReason, GameRecord, GameResult, ignore_warning, read_bytes
from tengen.util import TengenError


def verify_games(store: Store) -> list[str]:
    """Return the problems of a match file, one line each."""
    problems = [f"game {number}: does not match its checksum" for number in store.damaged_games()]
    try:
        store.players()
    except TengenError as error:
        problems.append(str(error))
    for row in store.stored_games():
        problems += [f"game {row.number}: {problem}" for problem in _problems(row)]
    return problems


def _problems(row: GameRow) -> Iterator[str]:
    """Yield the differences between the SGF of a game and its columns."""
    record = _record(row)
    if record is None:
        yield "the SGF holds no game"
        return
    if len(record.moves) != row.length:
        yield f"{len(record.moves)} legal moves in the SGF, {row.length} stored"
    if digest_of(record.moves) != row.digest:
        yield "the moves do not match the digest"
    expected = _result_text(row)
    if record.result_text != expected:
        yield f"result {record.result_text!r} in the SGF, {expected!r} stored"


def _record(row: GameRow) -> GameRecord | None:
    """Return the game in the SGF of a row, or None if there is none."""
    return next(read_bytes(row.sgf.encode(errors="replace"), "", ignore_warning), None)


def _result_text(row: GameRow) -> str:
    """Return the result of a row as SGF text."""
    try:
        winner = None if row.winner_color is None else Color(row.winner_color)
        margin = None if row.margin is None else abs(row.margin)
        return str(GameResult(winner, margin, EndReason(row.reason)))
    except ValueError as error:
        return str(error)
