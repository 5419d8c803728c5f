"""The tolerant SGF reader: from bytes to games."""

from collections.abc import Iterator

from tengen.records.encoding import decode
from tengen.records.game import GameRecord
from tengen.records.grammar import scan
from tengen.records.interpret import interpret
from tengen.records.warning import Problems, RecordWarning, WarningKind


def read_sgf(
    data: bytes, source: str = "", start: int = 0, late: list[RecordWarning] | None = None
) -> Iterator[GameRecord]:
    """Yield the games of SGF data, whatever its state. Never raises on account of the data.

    `source` and `start` (the byte at which `data` starts in the file) are for the warnings.
    Warnings about what follows the last game are appended to `late`.
    """
    text = decode(data)
    problems = Problems(source, text, start)
    for index in text.bad:
        problems.add(WarningKind.ENCODING, index, "bytes that mean nothing in the encoding")
    for index in text.lies:
        problems.add(WarningKind.ENCODING, index, "the declared encoding is wrong")
    for number, root in enumerate(scan(text.text, problems)):
        yield interpret(root, problems, source, number)
    if late is not None:
        late.extend(problems.take())
