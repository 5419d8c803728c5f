"""Warnings about damaged or unusual records: kind, file, byte offset and reason."""

import logging
from collections import Counter, deque
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from tengen.records.encoding import DecodedText


class WarningKind(IntEnum):
    """The kind of a problem found while reading."""

    UNREADABLE = 1
    """A file or archive could not be read, or not to its end."""
    NO_GAME = 2
    """A file contains no game."""
    OTHER_FILE = 3
    """A file in a folder or archive was ignored, since its suffix is not that of a record."""
    ENCODING = 4
    """Bytes are invalid in the encoding, or the declared encoding is wrong."""
    JUNK = 5
    """Text outside any property was skipped."""
    PARENTHESES = 6
    """A parenthesis is missing or superfluous."""
    BRACKETS = 7
    """A bracket is missing or not escaped."""
    PROPERTY = 8
    """A property is misplaced, repeated or without a value."""
    VALUE = 9
    """A property value is invalid, or was interpreted by a guess."""
    SIZE = 10
    """The board size is not supported."""
    NOT_GO = 11
    """The record is of another game."""
    SETUP = 12
    """Setup stones are off the board, repeated or without a liberty."""
    ILLEGAL_MOVE = 13
    """A move is illegal; the main line ends before it."""
    TRUNCATED = 14
    """The record is cut off."""


MAX_WARNINGS = 1_000
"""Warnings about one game; further ones are counted only."""
INCOMPLETE_KINDS = frozenset((WarningKind.ILLEGAL_MOVE, WarningKind.TRUNCATED))
"""Games with such a warning do not have all their moves."""


class RecordWarning(NamedTuple):
    """One problem: its kind, the file, the byte offset in it, and the reason as text."""

    kind: WarningKind
    file: str
    offset: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: byte {self.offset}: {self.reason}"


WarningHandler = Callable[[RecordWarning], None]
"""Receives warnings that belong to no game."""


class WarningCollector:
    """Collects the warnings about one file while it is read.

    Readers pass character indices of the decoded text; warnings have byte offsets in the file.
    """

    def __init__(self, file: str, text: DecodedText, start: int = 0):
        """Collect for a text that begins `start` bytes into the file."""
        self._file = file
        self._text = text
        self._start = start
        self._warnings: list[RecordWarning] = []
        self._dropped: Counter[WarningKind] = Counter()
        self._invalid_indices = deque(text.invalid_indices)  # not reported yet, in order
        self._wrong_declarations = deque(text.wrong_declarations)

    def add(self, kind: WarningKind, index: int, reason: str) -> None:
        """Add a warning about the character at `index`, unless there are too many."""
        if len(self._warnings) >= MAX_WARNINGS:
            self._dropped[kind] += 1
            return
        if not reason.isprintable():
            reason = "".join(letter if letter.isprintable() else " " for letter in reason)
        offset = self._start + self._text.byte_offset(index)
        self._warnings.append(RecordWarning(kind, self._file, offset, reason))

    def add_encoding_warnings(self, end: int) -> None:
        """Add warnings about the encoding of the text before the character at `end`.

        Readers call this after each game, so that a warning is attached to the game it concerns.
        Consecutive invalid bytes give one warning.
        """
        wrong = _pop_before(self._wrong_declarations, end)
        if wrong:
            self.add(WarningKind.ENCODING, wrong[0], "the declared encoding is wrong")
        invalid = _pop_before(self._invalid_indices, end)
        if invalid:
            reason = f"bytes invalid in the encoding, in {len(invalid)} places"
            self.add(WarningKind.ENCODING, invalid[0], reason)

    def take(self) -> list[RecordWarning]:
        """Return and clear the warnings added since the last call."""
        warnings, self._warnings = self._warnings, []
        for kind, count in self._dropped.items():
            reason = f"{count:,} further warnings of this kind"
            warnings.append(RecordWarning(kind, self._file, self._start, reason))
        self._dropped.clear()
        return warnings


def _pop_before(indices: deque[int], end: int) -> list[int]:
    popped = []
    while indices and indices[0] < end:
        popped.append(indices.popleft())
    return popped


def log_warning(warning: RecordWarning) -> None:
    """Log a warning: the default handler of all readers."""
    is_harmless = warning.kind is WarningKind.OTHER_FILE
    level = logging.INFO if is_harmless else logging.WARNING
    logging.getLogger("tengen.records").log(level, "%s", warning)


def log_unreadable(warning: RecordWarning) -> None:
    """Log unreadable files only, for callers that count damaged games themselves."""
    if warning.kind is WarningKind.UNREADABLE:
        log_warning(warning)


def ignore_warning(warning: RecordWarning) -> None:
    """Drop a warning, for callers that count damaged games themselves."""
