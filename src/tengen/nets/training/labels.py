"""Labeled positions: a folder with games and a teacher's evaluations of their positions.

teacher.txt          the teacher
labels-SIZE-ID.npz   shards (see `shards`), written by any number of processes
games.json           older format: a list of games with size, komi and moves (GTP vertices separated
                     by spaces, Black first)
labels-SIZE.npz      older format: the FIELDS of all positions of one size, `to_play` optional
"""

import json
import logging
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, parse_vertex
from tengen.nets.kernels.encoding import GameMoves, PositionRows
from tengen.nets.training.samples import Samples, encode_positions, join_samples
from tengen.nets.training.shards import (
    FIELDS,
    Game,
    LabelTable,
    checked_columns,
    pack_games,
    read_shard,
    shard_paths,
    shard_size,
)
from tengen.util import TengenError

ProgressCallback = Callable[[int, int], None]
"""Called with the bytes of label files read and their total."""


class LabeledSamples(NamedTuple):
    """Samples of one board size and the game of each."""

    samples: Samples
    group: npt.NDArray[np.int64]
    """The number that decides whether the game is held out (see `LabelTable`)."""
    key: npt.NDArray[np.uint32]
    """`game_key`, equal in all folders and archives."""


def is_label_folder(path: Path) -> bool:
    """Return whether a folder contains labeled positions, or will contain them."""
    if not path.is_dir():
        return False
    known = ("games.json", "teacher.txt")
    return any((path / name).is_file() for name in known) or bool(shard_paths(path))


class LabelReader:
    """Reads the label files of a folder: first all of them, later those that were added."""

    def __init__(self, folder: Path, playouts: int = 0, order: Sequence[str] = ()) -> None:
        """Read the list of games; raise TengenError if it is damaged.

        `playouts` is the setting `input_playouts`. Files in `order` are read first, in this order.
        """
        self.folder = folder
        self.names: list[str] = []
        """The files read, in order."""
        self._playouts = playouts
        self._order = {name: place for place, name in enumerate(order)}
        self._skipped: set[str] = set()
        path = folder / "games.json"
        self._games = read_label_games(path) if path.exists() else []

    def read_new(
        self, on_progress: ProgressCallback = lambda done, planned: None
    ) -> list[LabeledSamples]:
        """Return the samples of each file that was not read before.

        A damaged shard is skipped with a warning. Raise TengenError if another file is damaged.
        """
        paths = [path for path in self._paths() if path.name not in self._skipped]
        paths = [path for path in paths if path.name not in self.names]
        planned, done, found = sum(path.stat().st_size for path in paths), 0, []
        for path in paths:
            size = path.stat().st_size

            def report(share: float, done: int = done, size: int = size) -> None:
                on_progress(done + int(share * size), planned)

            labeled = self._read(path, report)
            if labeled is not None:
                found.append(labeled)
            done += size
        return found

    def _paths(self) -> list[Path]:
        sizes = sorted({game.size for game in self._games})
        old = [label_file(self.folder, size) for size in sizes]
        paths = [*(path for path in old if path.exists()), *shard_paths(self.folder)]
        if sizes and not paths:
            missing = old[0].name
            raise TengenError(f"{self.folder} has games but no labels: {missing} is missing")
        return sorted(paths, key=lambda path: self._order.get(path.name, len(self._order)))

    def _read(self, path: Path, on_progress: Callable[[float], None]) -> LabeledSamples | None:
        try:
            if path.name.count("-") == 1:
                table = _read_old_table(path, self._games)
            else:
                table = read_shard(path)
            labeled = to_labeled(table, self._playouts, on_progress) if len(table) else None
        except TengenError as error:
            if path.name.count("-") == 1:
                raise
            self._skipped.add(path.name)
            logging.getLogger("tengen.nets").warning("skipped: %s", error)
            return None
        self.names.append(path.name)
        return labeled


def read_labels(
    folder: Path, on_progress: ProgressCallback = lambda done, planned: None, playouts: int = 0
) -> list[LabeledSamples]:
    """Read a folder, one `LabeledSamples` per board size; raise TengenError if it is damaged."""
    parts: dict[int, list[LabeledSamples]] = {}
    for labeled in LabelReader(folder, playouts).read_new(on_progress):
        parts.setdefault(labeled.samples.rows, []).append(labeled)
    return [join_labeled(parts[size]) for size in sorted(parts)]


def join_labeled(parts: Sequence[LabeledSamples]) -> LabeledSamples:
    """Concatenate labeled samples of one board size."""
    return LabeledSamples(
        join_samples([part.samples for part in parts]),
        np.concatenate([part.group for part in parts]),
        np.concatenate([part.key for part in parts]),
    )


def read_label_table(folder: Path, size: int) -> LabelTable:
    """Return all labels of one board size; raise TengenError if there are none.

    A damaged shard is an error.
    """
    listed = folder / "games.json"
    tables = [read_shard(path) for path in shard_paths(folder) if shard_size(path) == size]
    if listed.exists() and label_file(folder, size).exists():
        tables.insert(0, _read_old_table(label_file(folder, size), read_label_games(listed)))
    if not tables:
        raise TengenError(f"{folder} has no labels of {size}x{size}")
    return join_tables(tables)


def label_sizes(folder: Path) -> list[int]:
    """Return the board sizes of a folder, smallest first; raise TengenError if it is damaged."""
    listed = folder / "games.json"
    games = read_label_games(listed) if listed.exists() else []
    old = {game.size for game in games if label_file(folder, game.size).exists()}
    return sorted(old | {shard_size(path) for path in shard_paths(folder)})


def join_tables(tables: Sequence[LabelTable]) -> LabelTable:
    """Concatenate tables of one board size."""
    games = [0, *np.cumsum([len(table.keys) for table in tables])]
    moves = [0, *np.cumsum([len(table.games.points) for table in tables])]
    begins = [t.games.begins[:-1] + first for t, first in zip(tables, moves, strict=False)]
    width = max(table.columns["policy"].shape[1] for table in tables)
    columns = {}
    for name in FIELDS:
        parts = [table.columns[name] for table in tables]
        if name == "game":
            parts = [part + first for part, first in zip(parts, games, strict=False)]
        elif name in ("policy", "policy_move"):
            parts = [np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in parts]
        columns[name] = np.concatenate(parts)
    packed = GameMoves(
        np.concatenate([table.games.komi for table in tables]),
        np.concatenate([*begins, [moves[-1]]]).astype(np.int64),
        np.concatenate([table.games.points for table in tables]),
    )
    keys, groups = (np.concatenate([getattr(t, n) for t in tables]) for n in ("keys", "groups"))
    return LabelTable(tables[0].size, packed, keys, groups, columns)


def to_labeled(
    table: LabelTable, playouts: int = 0, on_progress: Callable[[float], None] = lambda share: None
) -> LabeledSamples:
    """Encode a table, ordered by game and turn; raise TengenError if a position is impossible."""
    columns = table.columns
    order = np.lexsort((columns["to_play"], columns["turn"], columns["game"]))
    columns = {name: values[order] for name, values in columns.items()}
    game = columns["game"].astype(np.int32)
    turn, to_play = columns["turn"].astype(np.int32), columns["to_play"].astype(np.uint8)
    rows = PositionRows(game, turn, to_play)
    black = to_play == int(BLACK)
    side = np.where(black, 1, -1).astype(np.int8)
    samples = Samples(
        table.size,
        table.size,
        *encode_positions(table.size, table.games, rows, playouts, on_progress),
        moves=columns["policy_move"].astype(np.uint16),
        shares=_normalized(columns["policy"]),
        win=np.where(black, columns["black_win"], 1 - columns["black_win"]).astype(np.float32),
        lead=columns["black_lead"].astype(np.float32) * side,
        ownership=(columns["ownership"] * side[:, None]).astype(np.int8),
    )
    return LabeledSamples(samples, table.groups[game], table.keys[game])


def _normalized(policy: npt.NDArray[Any]) -> npt.NDArray[np.float16]:
    shares = policy.astype(np.float32)
    shares /= shares.sum(axis=1, keepdims=True)
    normalized: npt.NDArray[np.float16] = shares.astype(np.float16)
    return normalized


# Older format


def label_file(folder: Path, size: int) -> Path:
    """Return the path of the labels of one board size in the older format."""
    return folder / f"labels-{size}.npz"


def read_label_games(path: Path) -> list[Game]:
    """Read `games.json`; raise TengenError if it is damaged."""
    try:
        return [
            Game(int(game["size"]), _checked_komi(game["komi"]), _moves(game))
            for game in json.loads(path.read_text())
        ]
    except (ValueError, KeyError, TypeError, TengenError) as error:
        raise TengenError(f"{path} is not a list of labeled games: {error}") from None


def _checked_komi(value: object) -> float:
    komi = float(value)  # type: ignore[arg-type]
    if not math.isfinite(komi):
        raise ValueError(f"komi {komi}")
    return komi


def _moves(game: dict[str, Any]) -> npt.NDArray[np.uint16]:
    if not isinstance(game["moves"], str):
        raise TypeError("moves must be one string separated by spaces, like 'D4 Q16'")
    size = game["size"]
    return np.array([parse_vertex(text, size, size) for text in game["moves"].split()], np.uint16)


def _read_old_table(path: Path, games: Sequence[Game]) -> LabelTable:
    """Read the labels of one board size.

    Rows of games that are not listed are dropped: an interrupted process may leave them.
    """
    size = int(path.stem.split("-")[1])
    try:
        with np.load(path) as stored:
            listed = stored["game"] < len(games)
            columns = {name: stored[name][listed] for name in FIELDS if name != "to_play"}
            to_play = stored["to_play"][listed] if "to_play" in stored else 1 + columns["turn"] % 2
        columns = checked_columns({**columns, "to_play": to_play}, size, len(games))
    except Exception as error:  # zipfile, zlib and NumPy raise various exceptions
        raise TengenError(f"{path} is not a label file, or is damaged: {error}") from None
    others = [number for number in set(columns["game"].tolist()) if games[number].size != size]
    if others:
        raise TengenError(f"{path} has labels of game {others[0]}, which has another board size")
    keys = np.array([game.key for game in games], dtype=np.uint32)
    return LabelTable(size, pack_games(games), keys, np.arange(len(games)), columns)
