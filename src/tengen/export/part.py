"""Positions of one board size, as columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.kernels import layout
from tengen.board.points import MAX_SIZE, STRIDE
from tengen.network.training.archives import Taken
from tengen.network.training.samples import packed_features
from tengen.records.game import GameRecord
from tengen.records.result import Ending

COLUMNS: dict[str, str] = {
    "planes": "the features of Tengen's nets, 19 planes of zeros and ones (docs/nets.md)",
    "numbers": "and those of the position as a whole: komi, pass, size",
    "board": "colours by row from the top: 0 empty, 1 black, 2 white",
    "to_play": "the side to move: 1 black, 2 white",
    "move": "what was played: row * columns + column from the top left, rows * columns for a pass",
    "komi": "points that White gets where areas are counted: komi, and those for handicap stones",
    "winner": "of the game: 1 black, 2 white, 0 a draw or not known",
    "margin": "points by which Black won, negative if White did, 0 a draw; NaN where not counted",
    "game": "its place in the list of games",
    "turn": "moves played before",
}
"""What an exported position has, and what it means."""


class Place(NamedTuple):
    """Where a game was found: in which file, as which of its games."""

    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}#{self.number}"


@dataclass
class Part:
    """Some positions; every array begins with their number."""

    rows: int
    columns: int
    arrays: dict[str, npt.NDArray[Any]]
    """By the names of COLUMNS; the planes are packed, eight to a byte."""

    def __len__(self) -> int:
        return len(self.arrays["move"])

    def first(self, count: int) -> "Part":
        """Return the first of the positions."""
        arrays = {name: array[:count] for name, array in self.arrays.items()}
        return Part(self.rows, self.columns, arrays)


def part_of(record: GameRecord, taken: Sequence[Taken], game: int) -> Part:
    """Return positions of a game as columns; there is at least one."""
    blocks = np.stack([one.block for one in taken])
    bits, numbers = packed_features(list(blocks), [one.komi for one in taken])
    count = len(taken)
    arrays: dict[str, npt.NDArray[Any]] = {
        "planes": bits,
        "numbers": numbers,
        "board": _boards(blocks, record.rows, record.columns),
        "to_play": blocks[:, layout.TO_PLAY].astype(np.uint8),
        "move": np.array([one.move for one in taken], dtype=np.uint16),
        "komi": np.array([one.komi for one in taken], dtype=np.float32),
        "winner": np.full(count, int(record.winner or 0), dtype=np.uint8),
        "margin": np.full(count, _margin(record), dtype=np.float32),
        "game": np.full(count, game, dtype=np.int32),
        "turn": np.array([one.turn for one in taken], dtype=np.uint16),
    }
    return Part(record.rows, record.columns, arrays)


def joined(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of each board size as one."""
    sizes = dict.fromkeys((part.rows, part.columns) for part in parts)
    return [_one_of([p for p in parts if (p.rows, p.columns) == size]) for size in sizes]


def _one_of(parts: Sequence[Part]) -> Part:
    arrays = {name: np.concatenate([part.arrays[name] for part in parts]) for name in COLUMNS}
    return Part(parts[0].rows, parts[0].columns, arrays)


def _boards(blocks: npt.NDArray[np.uint32], rows: int, columns: int) -> npt.NDArray[np.uint8]:
    start = int(layout.COLOUR)
    fields = blocks[:, start : start + (MAX_SIZE + 2) * STRIDE].reshape(-1, MAX_SIZE + 2, STRIDE)
    return fields[:, 1 : rows + 1, 1 : columns + 1].astype(np.uint8)


def _margin(record: GameRecord) -> float:
    if record.result.ending is Ending.DRAW:
        return 0.0
    if record.margin_points is None or record.winner is None:
        return np.nan
    return record.margin_points if record.winner == 1 else -record.margin_points
