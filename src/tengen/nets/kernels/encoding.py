"""Encoding of positions of games: replays the games and writes bit-packed features."""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import clear, copy_block
from tengen.board.kernels.layout import CELLS, COLOR, EMPTY, KO, NOWHERE, PASS, TO_PLAY
from tengen.board.kernels.stones import play
from tengen.nets.kernels.features import NUMBERS, PLANES, new_feature_boards, write_features
from tengen.util.compiler import kernel

_u = np.uintp
ONE, BYTE = _u(1), _u(8)


class GameMoves(NamedTuple):
    """Games on boards of one size, with alternating colors, Black first."""

    komi: np.ndarray
    """float32 (games,): points for White."""
    begins: np.ndarray
    """int64 (games + 1,): index of the first move of each game in `points`, and their number."""
    points: np.ndarray
    """uint16 (moves,): padded points, or PASS."""


class PositionRows(NamedTuple):
    """Positions of games, sorted by game and turn."""

    game: np.ndarray
    """int32 (n,): index of the game."""
    turn: np.ndarray
    """int32 (n,): number of moves played before."""
    to_play: np.ndarray
    """uint8 (n,): the side to move, also if it is not its turn in the game."""


class EncodedRows(NamedTuple):
    """The features of positions."""

    bits: np.ndarray
    """uint8 (n, bytes): planes as in `np.packbits`."""
    numbers: np.ndarray
    """float32 (n, NUMBERS)."""
    blocks: np.ndarray
    """uint32 (n, CELLS): the boards; (0, CELLS) if they are not needed."""


class EncodingMemory(NamedTuple):
    """Scratch memory for one board size."""

    game: np.ndarray
    """uint32 (CELLS,): the game being replayed."""
    board: np.ndarray
    """uint32 (CELLS,): the board being encoded."""
    ladders: np.ndarray
    """Boards of `write_features`."""
    planes: np.ndarray
    """float32 (PLANES, rows, columns)."""


def new_encoding_memory(size: int) -> EncodingMemory:
    """Allocate scratch memory for boards of one size."""
    return EncodingMemory(
        np.empty(CELLS, dtype=np.uint32),
        np.empty(CELLS, dtype=np.uint32),
        new_feature_boards(),
        np.empty((PLANES, size, size), dtype=np.float32),
    )


def new_encoded_rows(count: int, size: int, with_blocks: bool) -> EncodedRows:
    """Allocate the features of `count` positions."""
    return EncodedRows(
        np.empty((count, (PLANES * size * size + 7) // 8), dtype=np.uint8),
        np.empty((count, NUMBERS), dtype=np.float32),
        np.empty((count if with_blocks else 0, CELLS), dtype=np.uint32),
    )


@kernel
def _pack(planes, bits):
    """Write the planes as bits, the first one as the highest bit of a byte."""
    flat = planes.reshape(planes.size)
    for index in range(_u(len(bits))):
        byte = _u(0)
        for bit in range(BYTE):
            place = index * BYTE + bit
            byte <<= ONE
            if place < _u(len(flat)) and flat[place] > 0.0:
                byte |= ONE
        bits[index] = byte


@kernel
def _play_to(block, games, game, played, turn):
    """Play moves `played` to `turn` of a game by simple ko; return the number played in all."""
    begin, end = _u(games.begins[game]), _u(games.begins[game + ONE])
    while played < turn and begin + played < end:
        move = _u(games.points[begin + played])
        if move != PASS and (block[COLOR + move] != EMPTY or block[KO] == move):
            return played
        play(block, move)
        played += ONE
    return played


@kernel
def encode_rows(games, rows, memory, encoded):
    """Encode positions; return how many were: fewer if a move is missing or illegal."""
    block, board = memory.game, memory.board
    size = _u(memory.planes.shape[1])
    game, played = _u(0), _u(0)
    for index in range(_u(len(rows.game))):
        if index == _u(0) or _u(rows.game[index]) != game:
            game, played = _u(rows.game[index]), _u(0)
            clear(block, size, size)
        turn = _u(rows.turn[index])
        played = _play_to(block, games, game, played, turn)
        if played != turn:
            return index
        copy_block(block, board)
        if board[TO_PLAY] != rows.to_play[index]:
            board[TO_PLAY] = rows.to_play[index]
            board[KO] = NOWHERE
        write_features(
            board, games.komi[game], memory.ladders, memory.planes, encoded.numbers[index]
        )
        _pack(memory.planes, encoded.bits[index])
        if len(encoded.blocks):
            copy_block(board, encoded.blocks[index])
    return _u(len(rows.game))
