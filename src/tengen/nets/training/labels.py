"""Labeled positions: a folder with games and a teacher's evaluations of their positions.

games.json       list of games: size, komi, moves (GTP vertices separated by spaces, Black first)
labels-SIZE.npz  one row per position: game, turn, policy_move and policy (the best moves),
                 black_win, black_lead, ownership (127 is Black's)
"""

import json
import math
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.color import BLACK, Color
from tengen.board.points import parse_vertex
from tengen.board.position import Block, Move, Position
from tengen.board.rules import Rules
from tengen.nets.training.samples import Inputs, Samples, packed_inputs
from tengen.records.game import lenient_rules
from tengen.util.errors import TengenError

FIELDS = ("game", "turn", "policy_move", "policy", "black_win", "black_lead", "ownership")
INTEGER_FIELDS = ("game", "turn", "policy_move")

Arrays = dict[str, npt.NDArray[Any]]
ProgressCallback = Callable[[int, int], None]
"""Called with the number of positions read and their total."""


def checked_komi(value: object) -> float:
    """Return a finite komi; raise ValueError or TypeError."""
    komi = float(value)  # type: ignore[arg-type]
    if not math.isfinite(komi):
        raise ValueError(f"komi {komi}")
    return komi


def checked_table(table: Arrays, size: int) -> Arrays:
    """Return the labels of one board size after validation; raise ValueError.

    Moves with probability 0 pad the rows; they are set to 0.
    """
    if not len(table["game"]):
        return table
    _check_shapes(table, size * size)
    moves = np.where(table["policy"] > 0, table["policy_move"], 0)
    _check_numbers({**table, "policy_move": moves}, size * size)
    return {**table, "policy_move": moves}


def _check_shapes(table: Arrays, area: int) -> None:
    moves = table["policy"].shape[-1:]
    columns = {"policy": moves, "policy_move": moves, "ownership": (area,)}
    for name, values in table.items():
        if values.shape != (len(table["game"]), *columns.get(name, ())):
            raise ValueError(f"{name} has shape {values.shape}")
        if name in INTEGER_FIELDS and values.dtype.kind not in "iu":
            raise ValueError(f"{name} must be integers")


def _check_numbers(table: Arrays, area: int) -> None:
    moves, shares = table["policy_move"], table["policy"].astype(np.float32)
    is_sound = {
        "game": table["game"] >= 0,
        "turn": table["turn"] >= 0,
        "policy_move": ((moves >= 0) & (moves <= area)).all(axis=1),
        "policy": (np.isfinite(shares) & (shares >= 0)).all(axis=1) & shares.any(axis=1),
        "black_win": (table["black_win"] >= 0) & (table["black_win"] <= 1),
        "black_lead": np.isfinite(table["black_lead"]),
    }
    for name, rows in is_sound.items():
        if not rows.all():
            raise ValueError(f"invalid {name} in row {int(rows.argmin())}")


class LabeledGame(NamedTuple):
    """A game of a label folder."""

    size: int
    komi: float
    moves: list[int]


class LabeledSamples(NamedTuple):
    """Samples of one board size and the game of each."""

    samples: Samples
    game: npt.NDArray[np.intp]
    """Index of the game in the folder."""
    key: npt.NDArray[np.uint32]
    """`game_key`, equal in all folders and archives."""


def game_key(moves: Iterable[int]) -> int:
    """Return a hash of the moves that identifies a game."""
    return zlib.crc32(" ".join(map(str, moves)).encode())


def is_label_folder(path: Path) -> bool:
    """Return whether a folder contains labeled positions."""
    return (path / "games.json").is_file()


def label_file(folder: Path, size: int) -> Path:
    """Return the path of the labels of one board size."""
    return folder / f"labels-{size}.npz"


def read_labels(
    folder: Path, on_progress: ProgressCallback = lambda done, planned: None, playouts: int = 0
) -> list[LabeledSamples]:
    """Read a folder, one `LabeledSamples` per board size; raise TengenError if it is damaged.

    Board sizes without a file are skipped, so that one size can be used alone. `playouts` is the
    setting `input_playouts`.
    """
    games = read_label_games(folder / "games.json")
    sizes = sorted({game.size for game in games})
    available = [size for size in sizes if label_file(folder, size).exists()]
    if sizes and not available:
        raise TengenError(f"{folder} has games but no labels: labels-{sizes[0]}.npz is missing")
    tables = {size: read_label_table(folder, size, len(games)) for size in available}
    for size, table in tables.items():
        others = [number for number in set(table["game"].tolist()) if games[number].size != size]
        if others:
            path = label_file(folder, size)
            raise TengenError(
                f"{path} has labels of game {others[0]}, which has another board size"
            )
    planned = sum(len(table["game"]) for table in tables.values())
    done = 0
    found = []
    for size, table in tables.items():
        if not len(table["game"]):
            continue
        found.append(
            _to_labeled(size, games, table, playouts, lambda n: on_progress(done + n, planned))  # noqa: B023
        )
        done += len(table["game"])
    return found


def read_label_games(path: Path) -> list[LabeledGame]:
    """Read `games.json`; raise TengenError if it is damaged."""
    try:
        return [
            LabeledGame(int(game["size"]), checked_komi(game["komi"]), _moves(game))
            for game in json.loads(path.read_text())
        ]
    except (ValueError, KeyError, TypeError, TengenError) as error:
        raise TengenError(f"{path} is not a list of labeled games: {error}") from None


def _moves(game: dict[str, Any]) -> list[int]:
    if not isinstance(game["moves"], str):
        raise TypeError("moves must be one string separated by spaces, like 'D4 Q16'")
    return [parse_vertex(text, game["size"], game["size"]) for text in game["moves"].split()]


def read_label_table(folder: Path, size: int, games: int) -> Arrays:
    """Read the labels of one board size by `FIELDS`; raise TengenError if there are none.

    Rows of games beyond the first `games` are dropped: an interrupted process may leave them.
    """
    path = label_file(folder, size)
    if not path.exists():
        raise TengenError(f"{folder} has no labels of {size}x{size}: {path.name} is missing")
    try:
        with np.load(path) as stored:
            listed = stored["game"] < games
            return checked_table({name: stored[name][listed] for name in FIELDS}, size)
    except Exception as error:  # zipfile, zlib and NumPy raise various exceptions
        raise TengenError(f"{path} is not a label file, or is damaged: {error}") from None


def _to_labeled(
    size: int,
    games: list[LabeledGame],
    table: Arrays,
    playouts: int,
    on_progress: Callable[[int], None],
) -> LabeledSamples:
    """Return the samples of one board size, ordered by game and turn."""
    order = np.lexsort((table["turn"], table["game"]))
    table = {name: values[order] for name, values in table.items()}
    blocks: list[Block] = []
    pieces: list[Inputs] = []
    black = np.empty(len(order), dtype=bool)
    begins = np.flatnonzero(np.diff(table["game"], prepend=-1))
    for begin, end in zip(begins, [*begins[1:], len(order)], strict=True):
        game = games[int(table["game"][begin])]
        blocks = list(blocks_at(game, table["turn"][begin:end]))
        black[begin:end] = [block[2] == BLACK for block in blocks]
        pieces.append(packed_inputs(blocks, [game.komi] * len(blocks), playouts))
        on_progress(int(end))
    side = np.where(black, 1, -1).astype(np.float32)
    samples = Samples(
        size,
        size,
        *Inputs(*(np.concatenate(kind) for kind in zip(*pieces, strict=True))),
        moves=table["policy_move"].astype(np.uint16),
        shares=_normalized(table["policy"]),
        win=np.where(black, table["black_win"], 1 - table["black_win"]).astype(np.float32),
        lead=table["black_lead"].astype(np.float32) * side,
        ownership=(table["ownership"] * side[:, None]).astype(np.int8),
    )
    keys = np.array([game_key(game.moves) for game in games], dtype=np.uint32)
    return LabeledSamples(samples, table["game"].astype(np.intp), keys[table["game"]])


def blocks_at(game: LabeledGame, turns: npt.NDArray[Any]) -> Iterator[Block]:
    """Yield the board after each number of moves, ascending; raise TengenError if impossible."""
    position = Position(game.size, rules=lenient_rules(Rules()))
    colors = (BLACK, BLACK.opponent)
    for turn in turns:
        begin = len(position.moves)
        moves = [
            Move(Color(colors[index % 2]), game.moves[index])
            for index in range(begin, min(int(turn), len(game.moves)))
        ]
        position.play_sequence(moves)
        if len(position.moves) != turn:
            place = f"move {len(position.moves) + 1} of the labeled game that starts with"
            opening = " ".join(position.vertex(move) for move in game.moves[:6])
            raise TengenError(f"{place} {opening} is missing or illegal")
        yield position.block.copy()


def _normalized(policy: npt.NDArray[Any]) -> npt.NDArray[np.float16]:
    shares = policy.astype(np.float32)
    shares /= shares.sum(axis=1, keepdims=True)
    normalized: npt.NDArray[np.float16] = shares.astype(np.float16)
    return normalized
