"""Training samples in memory: bit-packed planes and compact targets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import Block, vertex
from tengen.nets.kernels.encoding import (
    GameMoves,
    PositionRows,
    encode_rows,
    new_encoded_rows,
    new_encoding_memory,
)
from tengen.nets.kernels.features import NUMBERS, PLANES, new_feature_boards, write_batch
from tengen.nets.symmetry import transform
from tengen.nets.tengen_net import Shares, playout_shares, to_plane
from tengen.util import TengenError

Floats = npt.NDArray[np.float32]

ENCODED_TOGETHER = 8192
"""Positions encoded per kernel call, between reports of progress."""
ENCODED_WITH_PLAYOUTS = 512


@dataclass
class TrainingBatch:
    """Inputs and targets of one training step; the first axis is the position."""

    planes: Floats
    numbers: Floats
    policy: Floats
    """(n, rows * columns + 1): target probability of each move, the pass last."""
    win: Floats
    """For the side to move, 0 to 1; NaN if unknown. Likewise the lead, in points."""
    lead: Floats
    ownership: Floats
    """(n, rows, columns), -1 to 1; NaN if unknown."""


class Inputs(NamedTuple):
    """Encoded positions of one board size; the first array fields of `Samples`."""

    bits: npt.NDArray[np.uint8]
    """(n, bytes): bit-packed planes."""
    playouts: Shares
    """(n, rows * columns): ownership in playouts, or (n, 0) without a playout plane."""
    numbers: Floats


@dataclass
class Samples:
    """Positions on boards of one size with their targets."""

    rows: int
    columns: int
    bits: npt.NDArray[np.uint8]
    playouts: Shares
    numbers: Floats
    """`bits`, `playouts` and `numbers` are as in `Inputs`."""
    moves: npt.NDArray[np.uint16]
    """(n, k): target moves, row by row from the top left; rows * columns is the pass."""
    shares: npt.NDArray[np.float16]
    """(n, k): target probability of each of them."""
    win: Floats
    lead: Floats
    ownership: Shares
    """(n, rows * columns): -127 to 127, or (n, 0) if unknown."""

    def __len__(self) -> int:
        return len(self.win)

    @property
    def area(self) -> int:
        """Number of points of the board."""
        return self.rows * self.columns

    def chosen(self, which: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> "Samples":
        """Return a subset of the samples."""
        arrays = {name: getattr(self, name)[which] for name in _ARRAYS}
        return Samples(self.rows, self.columns, **arrays)

    def batch(self, which: npt.NDArray[np.intp], symmetry: int = 0) -> TrainingBatch:
        """Return unpacked samples under a symmetry of the board."""
        count = len(which)
        policy = np.zeros((count, self.area + 1), dtype=np.float32)
        np.add.at(policy, (np.arange(count)[:, None], self.moves[which]), self.shares[which])
        return TrainingBatch(
            planes=np.ascontiguousarray(transform(self._planes(which), symmetry)),
            numbers=self.numbers[which],
            policy=self._turned_policy(policy, symmetry),
            win=self.win[which],
            lead=self.lead[which],
            ownership=np.ascontiguousarray(transform(self._ownership(which), symmetry)),
        )

    def _planes(self, which: npt.NDArray[np.intp]) -> Floats:
        shape = (len(which), PLANES, self.rows, self.columns)
        bits = np.unpackbits(self.bits[which], axis=1, count=PLANES * self.area)
        planes = bits.reshape(shape).astype(np.float32)
        if self.playouts.shape[1] == 0:
            return planes
        seen = to_plane(self.playouts[which], self.rows, self.columns)
        return np.concatenate([planes, seen[:, None]], axis=1)

    def _turned_policy(self, policy: Floats, symmetry: int) -> Floats:
        board = transform(policy[:, :-1].reshape(-1, self.rows, self.columns), symmetry)
        return np.concatenate([board.reshape(len(policy), -1), policy[:, -1:]], axis=1)

    def _ownership(self, which: npt.NDArray[np.intp]) -> Floats:
        if self.ownership.shape[1] == 0:
            return np.full((len(which), self.rows, self.columns), np.nan, dtype=np.float32)
        return to_plane(self.ownership[which], self.rows, self.columns)


_ARRAYS = [field.name for field in fields(Samples)][2:]


def join_samples(parts: Sequence[Samples]) -> Samples:
    """Concatenate samples of the same size and kind."""
    first = parts[0]
    if len(parts) == 1:
        return first
    arrays = {name: _joined([getattr(part, name) for part in parts]) for name in _ARRAYS}
    return Samples(first.rows, first.columns, **arrays)


def _joined(arrays: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Concatenate arrays; rows of different width (target moves) are padded with 0."""
    if arrays[0].ndim == 2:
        width = max(array.shape[1] for array in arrays)
        arrays = [
            array
            if array.shape[1] == width
            else np.pad(array, ((0, 0), (0, width - array.shape[1])))
            for array in arrays
        ]
    return np.concatenate(arrays)


def encode_positions(
    size: int,
    games: GameMoves,
    rows: PositionRows,
    playouts: int = 0,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Inputs:
    """Encode positions of games, with `playouts` for the playout plane.

    Raise TengenError if a position does not exist because a move is missing or illegal.
    """
    memory = new_encoding_memory(size)
    count = len(rows.game)
    step = ENCODED_WITH_PLAYOUTS if playouts else ENCODED_TOGETHER
    pieces = []
    for begin in range(0, count, step):
        part = PositionRows(*(values[begin : begin + step] for values in rows))
        encoded = new_encoded_rows(len(part.game), size, playouts > 0)
        done = int(encode_rows(games, part, memory, encoded))
        if done < len(part.game):
            game, turn = int(part.game[done]), int(part.turn[done])
            opening = games.points[games.begins[game] :][:6]
            vertices = " ".join(vertex(point, size) for point in opening.tolist())
            raise TengenError(
                f"one of the first {turn} moves of the labeled game that starts with {vertices}"
                " is missing or illegal"
            )
        shares = np.empty((len(part.game), 0), dtype=np.int8)
        if playouts:
            shares = playout_shares(list(encoded.blocks), playouts)
        pieces.append(Inputs(encoded.bits, shares, encoded.numbers))
        on_progress((begin + done) / count)
    return Inputs(*(np.concatenate(kind) for kind in zip(*pieces, strict=True)))


def packed_inputs(
    blocks: Sequence[Block], komi_for_white: Sequence[float], playouts: int
) -> Inputs:
    """Encode boards of one size, with `playouts` for the playout plane."""
    bits, numbers = packed_features(blocks, komi_for_white)
    return Inputs(bits, playout_shares(blocks, playouts), numbers)


def packed_features(
    blocks: Sequence[Block], komi_for_white: Sequence[float]
) -> tuple[npt.NDArray[np.uint8], Floats]:
    """Return the bit-packed planes and the global features of boards of one size."""
    rows, columns = int(blocks[0][0]), int(blocks[0][1])
    boards = new_feature_boards()
    planes = np.empty((1, PLANES, rows, columns), dtype=np.float32)
    bits = np.empty((len(blocks), (PLANES * rows * columns + 7) // 8), dtype=np.uint8)
    numbers = np.empty((len(blocks), NUMBERS), dtype=np.float32)
    for index, (block, komi) in enumerate(zip(blocks, komi_for_white, strict=True)):
        write_batch(block[None], komi, boards, planes, numbers[index : index + 1])
        bits[index] = np.packbits(planes.reshape(-1) > 0)
    return bits, numbers
