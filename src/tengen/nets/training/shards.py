"""Label shards: files that each hold some games of one board size and labels of their positions.

A shard, `labels-SIZE-ID.npz`, is written once, under a unique name, and never changed, so several
processes may add shards to one folder, and a killed process loses only the shard it had not written
yet.
"""

import time
import uuid
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import PASS, board_points
from tengen.nets.kernels.encoding import GameMoves
from tengen.util import TengenError, atomic_write

Arrays = dict[str, npt.NDArray[Any]]

FIELDS = (
    "game",
    "turn",
    "to_play",
    "policy_move",
    "policy",
    "black_win",
    "black_lead",
    "ownership",
)
INTEGER_FIELDS = ("game", "turn", "to_play", "policy_move")
GAME_FIELDS = ("komi", "moves", "move_begins", "key")


class Game(NamedTuple):
    """An even game on a square board with alternating colors, Black first."""

    size: int
    komi: float
    moves: npt.NDArray[np.uint16]
    """Padded points, or PASS."""

    @property
    def key(self) -> int:
        """The `game_key` of the moves."""
        return game_key(self.moves.tolist())


class LabelTable(NamedTuple):
    """Labeled positions of one board size."""

    size: int
    games: GameMoves
    keys: npt.NDArray[np.uint32]
    """`game_key` of each game."""
    groups: npt.NDArray[np.int64]
    """For each game the number that decides whether it is held out: if a multiple of the setting
    `held_out`."""
    columns: Arrays
    """The FIELDS; the first axis is the position."""

    def __len__(self) -> int:
        return len(self.columns["game"])


def game_key(moves: Iterable[int]) -> int:
    """Return a hash of the moves that identifies a game."""
    return zlib.crc32(" ".join(map(str, moves)).encode())


def point_table(size: int) -> npt.NDArray[np.uint16]:
    """Return the padded point of each index from the top left; the area is the pass."""
    return np.array([*board_points(size, size), PASS], dtype=np.uint16)


def pack_games(games: Sequence[Game]) -> GameMoves:
    """Return games as arrays."""
    lengths = [len(game.moves) for game in games]
    points = [game.moves for game in games] or [np.empty(0, dtype=np.uint16)]
    return GameMoves(
        np.array([game.komi for game in games], dtype=np.float32),
        np.cumsum([0, *lengths], dtype=np.int64),
        np.concatenate(points).astype(np.uint16),
    )


def shard_paths(folder: Path) -> list[Path]:
    """Return the shards of a folder, the oldest first."""
    return sorted(folder.glob("labels-*-*.npz"), key=lambda path: path.name.split("-")[2:])


def shard_size(path: Path) -> int:
    """Return the board size in the name of a shard; raise TengenError if there is none."""
    text = path.name.split("-")[1]
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 19):
        raise TengenError(f"{path}: the name of a shard is labels-SIZE-ID.npz")
    return int(text)


def write_shard(folder: Path, size: int, games: Sequence[Game], columns: Arrays) -> Path:
    """Write a shard atomically under a new name; return its path."""
    packed = pack_games(games)
    index_of = np.zeros(int(point_table(size).max()) + 1, dtype=np.uint16)
    index_of[point_table(size)] = np.arange(size * size + 1)
    arrays = {
        **columns,
        "komi": packed.komi,
        "move_begins": packed.begins,
        "moves": index_of[packed.points],
        "key": np.array([game.key for game in games], dtype=np.uint32),
    }
    path = folder / f"labels-{size}-{time.time_ns():016x}{uuid.uuid4().hex[:8]}.npz"
    with atomic_write(path) as file:
        np.savez_compressed(file, **arrays)
    return path


def read_shard(path: Path) -> LabelTable:
    """Read and check a shard; raise TengenError if it is damaged."""
    size = shard_size(path)
    try:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in (*FIELDS, *GAME_FIELDS)}
        games = _checked_games(arrays, size)
        columns = checked_columns({name: arrays[name] for name in FIELDS}, size, len(games.komi))
        keys = arrays["key"].astype(np.uint32)
        return LabelTable(size, games, keys, keys.astype(np.int64), columns)
    except Exception as error:  # zipfile, zlib and NumPy raise various exceptions
        raise TengenError(f"{path} is not a label shard, or is damaged: {error}") from None


def read_shard_games(path: Path) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32], int]:
    """Return the komi and key of each game and the number of positions; raise TengenError."""
    try:
        with np.load(path) as stored:
            return stored["komi"], stored["key"], len(stored["turn"])
    except Exception as error:
        raise TengenError(f"{path} is not a label shard, or is damaged: {error}") from None


def _checked_games(arrays: Arrays, size: int) -> GameMoves:
    komi, moves, begins, key = (arrays[name] for name in GAME_FIELDS)
    if not (len(begins) == len(komi) + 1 == len(key) + 1 and begins[0] == 0):
        raise ValueError("komi, key and move_begins do not fit together")
    if begins[-1] != len(moves) or (np.diff(begins) < 0).any():
        raise ValueError("invalid move_begins")
    if len(moves) and moves.max() > size * size:
        raise ValueError("invalid moves")
    if not np.isfinite(komi).all():
        raise ValueError("invalid komi")
    points = point_table(size)[moves]
    return GameMoves(komi.astype(np.float32), begins.astype(np.int64), points)


def checked_columns(columns: Arrays, size: int, games: int) -> Arrays:
    """Return the columns of one board size after validation; raise ValueError.

    Moves with probability 0 pad the rows; they are set to 0.
    """
    if not len(columns["game"]):
        return columns
    _check_shapes(columns, size * size)
    moves = np.where(columns["policy"] > 0, columns["policy_move"], 0)
    checked = {**columns, "policy_move": moves}
    _check_numbers(checked, size * size, games)
    return checked


def _check_shapes(columns: Arrays, area: int) -> None:
    moves = columns["policy"].shape[-1:]
    shapes = {"policy": moves, "policy_move": moves, "ownership": (area,)}
    for name, values in columns.items():
        if values.shape != (len(columns["game"]), *shapes.get(name, ())):
            raise ValueError(f"{name} has shape {values.shape}")
        if name in INTEGER_FIELDS and values.dtype.kind not in "iu":
            raise ValueError(f"{name} must be integers")


def _check_numbers(columns: Arrays, area: int, games: int) -> None:
    moves, shares = columns["policy_move"], columns["policy"].astype(np.float32)
    is_sound = {
        "game": (columns["game"] >= 0) & (columns["game"] < games),
        "turn": columns["turn"] >= 0,
        "to_play": (columns["to_play"] == 1) | (columns["to_play"] == 2),
        "policy_move": ((moves >= 0) & (moves <= area)).all(axis=1),
        "policy": (np.isfinite(shares) & (shares >= 0)).all(axis=1) & shares.any(axis=1),
        "black_win": (columns["black_win"] >= 0) & (columns["black_win"] <= 1),
        "black_lead": np.isfinite(columns["black_lead"]),
    }
    for name, rows in is_sound.items():
        if not rows.all():
            raise ValueError(f"invalid {name} in row {int(rows.argmin())}")
