"""Options that many experiments share. No more, so that a command line is read at once."""

import argparse
from pathlib import Path

from tengen.core.counts import any_float, positive_int
from tengen.core.errors import TengenError


def counts(text: str) -> list[int]:
    """Read numbers of things with commas between, as `positive_int` does."""
    return [positive_int(word) for word in text.split(",")]


def board_sizes(text: str, smallest: int = 5) -> list[int]:
    """Read `9,19`, from the smallest size up to 19; raise TengenError."""
    try:
        sizes = [int(word) for word in text.split(",")]
    except ValueError:
        raise TengenError(f"write board sizes like 9,19, not {text!r}") from None
    if not all(smallest <= size <= 19 for size in sizes):
        raise TengenError(f"board sizes are from {smallest} to 19")
    return sizes


def add_output(experiment: argparse.ArgumentParser, folder: str) -> None:
    """Describe the option that all experiments have."""
    experiment.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(folder),
        metavar="FOLDER",
        help=f"the folder to write to, and to go on in (default {folder})",
    )


def add_terms(
    parser: argparse.ArgumentParser,
    size: str = "9",
    komi: float = 7.5,
    openings: str = "random:2",
    games: int = 100,
    test: str | None = "",
    board: str = "the board: 9, 19 or 7x9",
) -> None:
    """Describe the options that make `Terms`; `test` by default, None if there can be none.

    `board` says what sizes there can be.
    """
    add = parser.add_argument
    add("--games", type=int, default=games, help=f"for each contest, even (default {games})")
    add("--size", default=size, help=f"{board} (default {size})")
    add("--komi", type=any_float, default=komi, help=f"for White (default {komi:g})")
    add("--openings", default=openings, help=f"as for tengen match (default {openings})")
    parser.set_defaults(sprt="")
    if test is not None:
        meaning = f"stop a contest that is decided (default {test or 'none: play all games'})"
        add("--sprt", metavar="ELO0,ELO1", default=test, help=meaning)
    add("--seed", type=int, default=1, help="of all that is drawn at random (default 1)")
    add("--workers", type=int, default=1, help="games at a time (default 1)")
    add("--cluster", metavar="ADDRESS", help="of a Dask scheduler: tcp://...")


def add_opponents(parser: argparse.ArgumentParser) -> None:
    """Describe the option."""
    parser.add_argument(
        "--opponent",
        action="append",
        default=[],
        metavar="NAME:COMMAND",
        help="another program: 'gnugo:gnugo --mode gtp --chinese-rules'",
    )
