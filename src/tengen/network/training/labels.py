"""Positions labelled by a stronger net: a folder with games and what was said of them.

games.json       a list of games: size, komi, moves (GTP vertices in one text, Black first)
labels-SIZE.npz  one row a position: game, turn, policy_move and policy (the best moves),
                 black_win, black_lead, ownership (127 is Black's)
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.colour import BLACK, Colour
from tengen.board.points import parse_vertex
from tengen.board.position import Block, Move, Position
from tengen.board.rules import Rules
from tengen.core.errors import TengenError
from tengen.network.training.label_check import Arrays, checked_komi, checked_table
from tengen.network.training.samples import Inputs, Samples, packed_inputs
from tengen.records.game import lenient

FIELDS = ("game", "turn", "policy_move", "policy", "black_win", "black_lead", "ownership")
Watch = Callable[[int, int], None]


class LabelledGame(NamedTuple):
    """A game of the folder."""

    size: int
    komi: float
    moves: list[int]


class Labelled(NamedTuple):
    """Samples of one size, and the game that each is from."""

    samples: Samples
    game: npt.NDArray[np.intp]
    """Its number in the folder."""
    key: npt.NDArray[np.uint32]
    """The same in every folder and archive: see `game_key`."""


def game_key(moves: Iterable[int]) -> int:
    """Return a number that tells a game from others, by its moves."""
    return zlib.crc32(" ".join(map(str, moves)).encode())


def is_label_folder(path: Path) -> bool:
    """Tell whether a folder holds labelled positions."""
    return (path / "games.json").is_file()


def label_file(folder: Path, size: int) -> Path:
    """Return where the labels of one board size are."""
    return folder / f"labels-{size}.npz"


def read_labels(
    folder: Path, watch: Watch = lambda done, planned: None, playouts: int = 0
) -> list[Labelled]:
    """Read a folder: one `Labelled` a board size; raise TengenError if it is damaged.

    Sizes whose file is not there are left out: whoever trains for one board takes its labels alone.
    `watch` is told how many positions of how many are read; `playouts` are the settings'
    `input_playouts`.
    """
    games = read_label_games(folder / "games.json")
    sizes = sorted({game.size for game in games})
    there = [size for size in sizes if label_file(folder, size).exists()]
    if sizes and not there:
        raise TengenError(f"{folder} has games, but none of their labels: no labels-{sizes[0]}.npz")
    tables = {size: read_label_table(folder, size, len(games)) for size in there}
    for size, table in tables.items():
        others = [number for number in set(table["game"].tolist()) if games[number].size != size]
        if others:
            path = label_file(folder, size)
            raise TengenError(f"{path} has labels of game {others[0]}, which is of another size")
    planned = sum(len(table["game"]) for table in tables.values())
    done = 0
    found = []
    for size, table in tables.items():
        if not len(table["game"]):
            continue
        found.append(
            _to_labelled(size, games, table, playouts, lambda n: watch(done + n, planned))  # noqa: B023
        )
        done += len(table["game"])
    return found


def read_label_games(path: Path) -> list[LabelledGame]:
    """Read `games.json`; raise TengenError if it is damaged."""
    try:
        return [
            LabelledGame(int(game["size"]), checked_komi(game["komi"]), _moves(game))
            for game in json.loads(path.read_text())
        ]
    except (ValueError, KeyError, TypeError, TengenError) as error:
        raise TengenError(f"{path} is no list of labelled games: {error}") from None


def _moves(game: dict[str, Any]) -> list[int]:
    if not isinstance(game["moves"], str):
        raise TypeError("moves are one text with blanks between them, like 'D4 Q16'")
    return [parse_vertex(text, game["size"], game["size"]) for text in game["moves"].split()]


def read_label_table(folder: Path, size: int, games: int) -> Arrays:
    """Read the labels of one board size, by `FIELDS`; raise TengenError if there are none.

    Those of games beyond the `games` that are listed are left out: a killed process left them.
    """
    path = label_file(folder, size)
    if not path.exists():
        raise TengenError(f"{folder} has no labels of {size}x{size}: no {path.name}")
    try:
        with np.load(path) as stored:
            listed = stored["game"] < games
            return checked_table({name: stored[name][listed] for name in FIELDS}, size)
    except Exception as error:  # zip, zlib and NumPy's headers raise kinds of their own
        raise TengenError(f"{path} has no labels, or is damaged: {error}") from None


def _to_labelled(
    size: int,
    games: list[LabelledGame],
    table: Arrays,
    playouts: int,
    watch: Callable[[int], None],
) -> Labelled:
    """Return the samples of one board size, in the order of games and turns."""
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
        watch(int(end))
    side = np.where(black, 1, -1).astype(np.float32)
    samples = Samples(
        size,
        size,
        *Inputs(*(np.concatenate(kind) for kind in zip(*pieces, strict=True))),
        moves=table["policy_move"].astype(np.uint16),
        shares=_normalised(table["policy"]),
        win=np.where(black, table["black_win"], 1 - table["black_win"]).astype(np.float32),
        lead=table["black_lead"].astype(np.float32) * side,
        ownership=(table["ownership"] * side[:, None]).astype(np.int8),
    )
    keys = np.array([game_key(game.moves) for game in games], dtype=np.uint32)
    return Labelled(samples, table["game"].astype(np.intp), keys[table["game"]])


def blocks_at(game: LabelledGame, turns: npt.NDArray[Any]) -> Iterator[Block]:
    """Yield the board after each number of moves, rising; raise TengenError if that cannot be."""
    position = Position(game.size, rules=lenient(Rules()))
    colours = (BLACK, BLACK.opponent)
    for turn in turns:
        begin = len(position.moves)
        wanted = [
            Move(Colour(colours[index % 2]), game.moves[index])
            for index in range(begin, min(int(turn), len(game.moves)))
        ]
        position.play_sequence(wanted)
        if len(position.moves) != turn:
            place = f"move {len(position.moves) + 1} of the labelled game that begins with"
            opening = " ".join(position.vertex(move) for move in game.moves[:6])
            raise TengenError(f"{place} {opening} is not legal, or not there")
        yield position.block.copy()


def _normalised(policy: npt.NDArray[Any]) -> npt.NDArray[np.float16]:
    shares = policy.astype(np.float32)
    shares /= shares.sum(axis=1, keepdims=True)
    normalised: npt.NDArray[np.float16] = shares.astype(np.float16)
    return normalised
