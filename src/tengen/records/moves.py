"""The moves of many games, fast: for learning and for databases, where nothing else is wanted.

Plain games are read by a kernel (`kernels/moves.py`), all others by the full reader. The result
is the same as with the full reader alone, but for one thing: the moves of plain games were not
played on a board, so an illegal move is not noticed yet.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.records.game import GameRecord
from tengen.records.kernels.moves import COLOUR_SHIFT, PLAIN, SETUP, STATE_CELLS, scan_games
from tengen.records.reader import Report, read_bytes
from tengen.records.source import Document
from tengen.records.warning import WarningKind, log_warning

Words = npt.NDArray[np.uint16]

_SHORTEST_MOVE = len(";B[]")
BROKEN = frozenset((WarningKind.ILLEGAL_MOVE, WarningKind.TRUNCATED))
"""Games with such a warning are not whole."""


class GameMoves(NamedTuple):
    """Games end to end; game i is `words[starts[i]:starts[i + 1]]`, on `sizes[i]`."""

    words: Words
    """Setup stones and moves, one number each (see `kernels/moves.py`)."""
    starts: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.uint8]
    """Rows and columns of each game."""
    broken: int
    """Games that are not here: their record breaks off, or is none of Go."""

    def __len__(self) -> int:
        return len(self.sizes)


def read_moves(document: Document, report: Report = log_warning) -> GameMoves:
    """Return the games of one file in its order. Never raises on account of what is in it."""
    data = document.data
    reader = _Reader(document, report)
    if _is_transparent(data):
        reader.read_plain()
    reader.read_rest()
    return reader.result()


def _is_transparent(data: bytes) -> bool:
    """Tell whether bytes that look like SGF's own signs are such: no other encodings about."""
    if b"\x1b" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class _Reader:
    """Gathers the games of one file."""

    def __init__(self, document: Document, report: Report):
        self._document = document
        self._report = report
        self._done = 0  # bytes
        self._games: list[Words] = []
        self._sizes: list[tuple[int, int]] = []
        self._broken = 0

    def read_plain(self) -> None:
        """Read as far as the kernel gets; odd games go to the full reader one by one."""
        text = np.frombuffer(self._document.data, dtype=np.uint8)
        room = self._document.data.count(b"(")
        words = np.empty(len(text) // _SHORTEST_MOVE + 1, dtype=np.uint16)
        word_ends, ends = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
        kinds, sizes = np.empty(room, dtype=np.uint8), np.empty(room, dtype=np.uint8)
        state = np.zeros(STATE_CELLS, dtype=np.uintp)
        count = int(scan_games(text, state, words, word_ends, ends, kinds, sizes))
        first = 0
        for game in range(count):
            if kinds[game] == PLAIN:
                self._games.append(words[first : word_ends[game]])
                self._sizes.append((int(sizes[game]), int(sizes[game])))
            else:
                self._read_fully(self._done, int(ends[game]))
            first, self._done = int(word_ends[game]), int(ends[game])

    def read_rest(self) -> None:
        """Give all that was not read to the full reader."""
        if self._document.data[self._done :].strip() or not self._games:
            self._read_fully(self._done, len(self._document.data))

    def _read_fully(self, start: int, end: int) -> None:
        data = self._document.data[start:end]
        for record in read_bytes(data, self._document.name, self._report):
            kinds = {warning.kind for warning in record.warnings}
            if record.changes or not record.is_playable or kinds & BROKEN:
                self._broken += 1
            else:
                self._games.append(words_of(record))
                self._sizes.append((record.rows, record.columns))

    def result(self) -> GameMoves:
        """Return what was gathered."""
        lengths = [len(game) for game in self._games]
        return GameMoves(
            np.concatenate([*self._games, np.empty(0, dtype=np.uint16)]),
            np.cumsum([0, *lengths], dtype=np.int64),
            np.array(self._sizes, dtype=np.uint8).reshape(-1, 2),
            self._broken,
        )


def words_of(record: GameRecord) -> Words:
    """Return setup stones and moves of a record as numbers."""
    shift = int(COLOUR_SHIFT)
    setup = [point | colour << shift | int(SETUP) for point, colour in record.setup]
    moves = [move.move | int(move.colour) << shift for move in record.moves]
    return np.array(setup + moves, dtype=np.uint16)
