"""Commands that read and write records."""

from tengen.core.errors import TengenError
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command, number, want


@command("loadsgf")
def loadsgf(session: Session, arguments: list[str]) -> str:
    """Load the position before move n of a record, or its end."""
    from tengen.records.reader import read_games

    path = want(arguments, 1, "loadsgf FILE [MOVE]")[0]
    before = int(number(arguments[1], "loadsgf FILE [MOVE]")) if len(arguments) > 1 else None
    try:
        record = next(iter(read_games(path)))
    except (TengenError, StopIteration):
        raise GtpError("cannot load file") from None
    last = len(record.moves) if before is None else min(max(before - 1, 0), len(record.moves))
    session.position = record.position(last)
    return session.position.to_play.name.lower()


@command("printsgf")
def printsgf(session: Session, arguments: list[str]) -> str:
    """Write the game as SGF, to a file or as the answer."""
    from tengen.records.writer import record_from_position, sgf_bytes, write_games

    record = record_from_position(session.position)
    if arguments:
        write_games(arguments[0], [record])
        return ""
    return sgf_bytes(record).decode()
