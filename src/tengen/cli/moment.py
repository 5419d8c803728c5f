"""A moment in a game: the options FILE and --move, and the position that they name."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tengen.core.counts import positive_int
from tengen.core.errors import TengenError
from tengen.core.words import counted

if TYPE_CHECKING:
    from tengen.board.position import Position
    from tengen.records.game import GameRecord


class Moment(NamedTuple):
    """A position in a game, before a move."""

    position: "Position"
    number: int
    """Of the move that comes next."""
    played: int | None
    """That move, or None at the end of the game."""


def add_moment(parser: argparse.ArgumentParser, is_required: bool = True) -> None:
    """Add FILE and --move to a command."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs=None if is_required else "?",
        help="a game record; of several games the first",
    )
    parser.add_argument(
        "--move", type=positive_int, metavar="N", help="before this move (default: at the end)"
    )


def read_moment(arguments: argparse.Namespace) -> Moment:
    """Return the moment that the options name; raise TengenError if there is none."""
    record = first_game(arguments.file)
    count = moves_before(arguments.move, record)
    played = record.moves[count].move if count < len(record.moves) else None
    return Moment(record.position(count), count + 1, played)


def first_game(path: str) -> "GameRecord":
    """Return the first game of a file; raise TengenError if there is none."""
    from tengen.records.reader import read_games

    record = next(iter(read_games(Path(path))), None)
    if record is None:
        raise TengenError(f"no game in {path}")
    return record


def moves_before(number: int | None, record: "GameRecord") -> int:
    """Return how many moves stand before a move, None for the end; raise TengenError if none is."""
    count = len(record.moves) if number is None else number - 1
    if count > len(record.moves):
        raise TengenError(f"there is no move {number}: it has {counted(len(record.moves), 'move')}")
    return count
