"""A moment in a game: the options FILE and --move, and the position that they name."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tengen.core.counts import positive_int
from tengen.core.errors import TengenError
from tengen.core.words import counted

if TYPE_CHECKING:
    from tengen.board.position import Position


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
    from tengen.records.reader import read_games

    record = next(iter(read_games(Path(arguments.file))), None)
    if record is None:
        raise TengenError(f"no game in {arguments.file}")
    number = len(record.moves) + 1 if arguments.move is None else arguments.move
    if number > len(record.moves) + 1:
        raise TengenError(f"there is no move {number}: it has {counted(len(record.moves), 'move')}")
    position = record.position(number - 1)
    played = record.moves[number - 1].move if number <= len(record.moves) else None
    return Moment(position, number, played)
