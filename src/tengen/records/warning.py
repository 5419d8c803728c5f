"""What was wrong with a record, where, and what was done about it."""

import logging
from collections import deque
from enum import IntEnum
from typing import NamedTuple

from tengen.records.encoding import Text


class WarningKind(IntEnum):
    """Why a reader complains."""

    UNREADABLE = 1
    """A file or archive could not be read, or not to its end."""
    NO_GAME = 2
    """A file held nothing that reads as a game."""
    OTHER_FILE = 3
    """A file in a folder or archive is no game record by its name; it was left alone."""
    ENCODING = 4
    """Some bytes mean nothing in the encoding, or the declared encoding is wrong."""
    JUNK = 5
    """Text that belongs to no property was skipped."""
    PARENTHESES = 6
    """A parenthesis was missing or one too many."""
    BRACKETS = 7
    """A bracket was missing or not escaped."""
    PROPERTY = 8
    """A property stands where it should not, twice, or without a value."""
    VALUE = 9
    """A value was not understood, or only by guessing."""
    SIZE = 10
    """The board is none we can play on."""
    NOT_GO = 11
    """The record is of another game."""
    SETUP = 12
    """Setup stones were off the board, doubled or without a liberty."""
    ILLEGAL_MOVE = 13
    """A move is illegal: the main line ends before it."""
    TRUNCATED = 14
    """The record ends in the middle."""


class RecordWarning(NamedTuple):
    """One complaint: the file, the byte in it, the kind, and the reason in words."""

    kind: WarningKind
    file: str
    offset: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: byte {self.offset}: {self.reason}"


class Problems:
    """Collects the complaints about one file while it is read.

    Readers know characters of the decoded text; the complaints name bytes of the file.
    """

    def __init__(self, file: str, text: Text, start: int = 0):
        """Begin for a text that stands `start` bytes into the file."""
        self._file = file
        self._text = text
        self._start = start
        self._found: list[RecordWarning] = []
        self._bad = deque(text.bad)  # not yet reported, in order
        self._lies = deque(text.lies)

    def add(self, kind: WarningKind, index: int, reason: str) -> None:
        """Note a complaint about the character at `index`."""
        if not reason.isprintable():
            reason = "".join(letter if letter.isprintable() else " " for letter in reason)
        offset = self._start + self._text.byte_offset(index)
        self._found.append(RecordWarning(kind, self._file, offset, reason))

    def add_encoding(self, end: int) -> None:
        """Note what is wrong with the encoding before the character at `end`.

        Readers call it after each game, so that a game is not blamed for another; whole
        stretches of bad bytes make one complaint.
        """
        lies = _pop_before(self._lies, end)
        if lies:
            self.add(WarningKind.ENCODING, lies[0], "the declared encoding is wrong")
        bad = _pop_before(self._bad, end)
        if bad:
            reason = f"bytes that mean nothing in the encoding, in {len(bad)} places"
            self.add(WarningKind.ENCODING, bad[0], reason)

    def take(self) -> list[RecordWarning]:
        """Return the complaints since the last call."""
        found, self._found = self._found, []
        return found


def _pop_before(indices: deque[int], end: int) -> list[int]:
    popped = []
    while indices and indices[0] < end:
        popped.append(indices.popleft())
    return popped


def log_unreadable(warning: RecordWarning) -> None:
    """Tell the log of files that cannot be read; games that are broken are counted elsewhere."""
    if warning.kind is WarningKind.UNREADABLE:
        log_warning(warning)


def log_warning(warning: RecordWarning) -> None:
    """Tell a complaint to the log: what readers do with it unless told otherwise."""
    is_harmless = warning.kind is WarningKind.OTHER_FILE
    level = logging.INFO if is_harmless else logging.WARNING
    logging.getLogger("tengen.records").log(level, "%s", warning)
