"""Commands that read and write records."""

import contextlib
from typing import TYPE_CHECKING

from tengen.board.position import Position
from tengen.board.rules import Rules
from tengen.core.errors import TengenError
from tengen.gtp.arguments import number, want
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command

if TYPE_CHECKING:
    from tengen.records.game import GameRecord


@command("loadsgf")
def loadsgf(session: Session, arguments: list[str]) -> str:
    """Load the position before move n of a record, or its end; tell who is to play."""
    from tengen.records.reader import read_games

    path = want(arguments, 1, "loadsgf FILE [MOVE]")[0]
    before = int(number(arguments[1], "loadsgf FILE [MOVE]")) if len(arguments) > 1 else None
    try:
        record = next(iter(read_games(path)))
        last = len(record.moves) if before is None else min(max(before - 1, 0), len(record.moves))
        session.position = _position(record, last, session.position.rules)
    except (TengenError, StopIteration):
        raise GtpError("cannot load file") from None
    return session.position.to_play.name.lower()


def _position(record: "GameRecord", last: int, usual: Rules) -> Position:
    """Return a position under the record's rules, or the usual ones if it names none.

    Only a game that was not played by them gets lenient ones: a suicide or a repetition.
    """
    komi = usual.komi if record.komi is None else record.komi
    rules = record.rules if record.rules_text else usual.with_komi(komi)
    with contextlib.suppress(TengenError):
        return record.position(last, rules)
    return record.position(last)


@command("printsgf")
def printsgf(session: Session, arguments: list[str]) -> str:
    """Write the game as SGF, to a file or as the answer."""
    from tengen.records.writer import record_from_position, sgf_bytes, write_games

    record = record_from_position(session.position)
    if len(arguments) > 1:
        raise GtpError("usage: printsgf [FILE], without blanks in its name")
    if arguments:
        write_games(arguments[0], [record])
        return ""
    return sgf_bytes(record).decode()
