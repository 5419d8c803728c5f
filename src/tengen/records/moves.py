"""Fast reading of moves only, for learning from large collections.

A kernel (`kernels/moves.py`) reads plain SGF games, the full reader all others. The result is that
of the full reader, except that the moves of plain games are not checked for legality.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.records.collection import Document
from tengen.records.game import GameRecord
from tengen.records.kernels.moves import COLOR_SHIFT, PLAIN, SCAN_STATE, SETUP, scan_games
from tengen.records.reader import read_bytes
from tengen.records.warning import INCOMPLETE_KINDS, WarningHandler, log_warning

MoveCodes = npt.NDArray[np.uint16]
"""Setup stones and moves, one number each (see `kernels/moves.py`)."""

_SHORTEST_MOVE_BYTES = len(";B[]")


class MoveSequences(NamedTuple):
    """The concatenated moves of games; game i is `codes[starts[i]:starts[i + 1]]`."""

    codes: MoveCodes
    starts: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.uint8]
    """Rows and columns of each game."""
    skipped: int
    """Games left out: incomplete, with setup after the first move, or not playable."""

    def __len__(self) -> int:
        return len(self.sizes)


def read_moves(document: Document, on_warning: WarningHandler = log_warning) -> MoveSequences:
    """Return the games of one document in order. Never raises for its content."""
    data = document.data
    reader = _Reader(document, on_warning)
    if _is_utf8(data):
        reader.read_plain_games()
    reader.read_rest()
    return reader.result()


def _is_utf8(data: bytes) -> bool:
    """Return whether data is UTF-8, so that each ASCII byte is an ASCII character."""
    if b"\x1b" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class _Reader:
    """Collects the games of one document."""

    def __init__(self, document: Document, on_warning: WarningHandler):
        self._document = document
        self._on_warning = on_warning
        self._done = 0  # bytes
        self._games: list[MoveCodes] = []
        self._sizes: list[tuple[int, int]] = []
        self._skipped = 0

    def read_plain_games(self) -> None:
        """Read as far as the kernel can; pass irregular games to the full reader one by one."""
        text = np.frombuffer(self._document.data, dtype=np.uint8)
        capacity = self._document.data.count(b"(")
        codes = np.empty(len(text) // _SHORTEST_MOVE_BYTES + 1, dtype=np.uint16)
        code_ends, ends = np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.int64)
        kinds, sizes = np.empty(capacity, dtype=np.uint8), np.empty(capacity, dtype=np.uint8)
        state = np.zeros(1, SCAN_STATE)[0]
        count = int(scan_games(text, state, codes, code_ends, ends, kinds, sizes))
        first = 0
        for game in range(count):
            if kinds[game] == PLAIN:
                self._games.append(codes[first : code_ends[game]])
                self._sizes.append((int(sizes[game]), int(sizes[game])))
            else:
                self._read_fully(self._done, int(ends[game]))
            first, self._done = int(code_ends[game]), int(ends[game])

    def read_rest(self) -> None:
        """Pass the bytes that were not read to the full reader."""
        if self._document.data[self._done :].strip() or not self._games:
            self._read_fully(self._done, len(self._document.data))

    def _read_fully(self, start: int, end: int) -> None:
        data = self._document.data[start:end]
        for record in read_bytes(data, self._document.name, self._on_warning):
            kinds = {warning.kind for warning in record.warnings}
            if record.setup_changes or not record.is_playable or kinds & INCOMPLETE_KINDS:
                self._skipped += 1
            else:
                self._games.append(encode_moves(record))
                self._sizes.append((record.rows, record.columns))

    def result(self) -> MoveSequences:
        """Return the collected games."""
        lengths = [len(game) for game in self._games]
        return MoveSequences(
            np.concatenate([*self._games, np.empty(0, dtype=np.uint16)]),
            np.cumsum([0, *lengths], dtype=np.int64),
            np.array(self._sizes, dtype=np.uint8).reshape(-1, 2),
            self._skipped,
        )


def encode_moves(record: GameRecord) -> MoveCodes:
    """Return the move codes of a record."""
    shift = int(COLOR_SHIFT)
    setup = [point | color << shift | int(SETUP) for point, color in record.setup]
    moves = [move.move | int(move.color) << shift for move in record.moves]
    return np.array(setup + moves, dtype=np.uint16)
