"""Command-line options shared by experiments; importing this module is cheap."""

import argparse
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tengen.util import TengenError, finite_float, positive_int, sentence


def counts(text: str) -> list[int]:
    """Parse a comma-separated list of positive integers."""
    return [positive_int(word) for word in text.split(",")]


def board_sizes(text: str, smallest: int = 5) -> list[int]:
    """Parse board sizes such as `9,19`; raise TengenError."""
    try:
        sizes = [int(word) for word in text.split(",")]
    except ValueError:
        raise TengenError(f"board sizes must be integers such as 9,19, got {text!r}") from None
    if not all(smallest <= size <= 19 for size in sizes):
        raise TengenError(f"board sizes must be between {smallest} and 19")
    return sizes


def add_games(parser: argparse.ArgumentParser) -> None:
    """Add the positional argument for game records."""
    parser.add_argument(
        "games", metavar="GAMES", nargs="+", help="game records: a file, folder, .zip or .tar.*"
    )


def add_output(experiment: argparse.ArgumentParser, folder: str) -> None:
    """Add the output option of all experiments."""
    experiment.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(folder),
        metavar="FOLDER",
        help=f"output folder; an existing study is resumed (default: {folder})",
    )


def add_match_options(
    parser: argparse.ArgumentParser,
    size: str = "9",
    komi: float = 7.5,
    openings: str = "random:2",
    games: int = 100,
    test: str | None = "",
    board: str = "board size, e.g. 9, 19 or 7x9",
) -> None:
    """Add the options of `MatchOptions`.

    `test` is the default sequential test, or None to omit that option; `board` is the help text of
    `--size`.
    """
    add = parser.add_argument
    add("--games", type=int, default=games, help="games per match, even")
    add("--size", default=size, help=f"{board}")
    add("--komi", type=finite_float, default=komi, help="komi")
    add("--openings", default=openings, help="openings, as for tengen match")
    parser.set_defaults(sprt="")
    if test is not None:
        meaning = f"stop a match when the SPRT decides (default: {test or 'play all games'})"
        add("--sprt", metavar="ELO0,ELO1", default=test, help=meaning)
    add("--seed", type=int, default=1, help="random seed")
    add("--workers", type=int, default=1, help="concurrent games")
    add("--cluster", metavar="ADDRESS", help="address of a Dask scheduler: tcp://HOST:PORT")


def add_opponents(parser: argparse.ArgumentParser) -> None:
    """Add the option `--opponent`."""
    parser.add_argument(
        "--opponent",
        action="append",
        default=[],
        metavar="NAME:COMMAND",
        help="other program, e.g. 'gnugo:gnugo --mode gtp --chinese-rules'; repeatable",
    )


class Experiment(NamedTuple):
    """An experiment as a subcommand; its module is imported when it runs."""

    summary: str
    add_options: Callable[[argparse.ArgumentParser], None]
    runner: str = ""
    """Module and function, e.g. `matches.run_matches` (default: `NAME.run`)."""


Experiments = Mapping[str, Experiment]


def add_experiments(
    package: str, experiments: Experiments, parser: argparse.ArgumentParser
) -> None:
    """Add the experiments of `tengen.lab.PACKAGE` as subcommands with an output folder."""
    listed = parser.add_subparsers(metavar="EXPERIMENT", dest="experiment", required=True)
    for name, experiment in experiments.items():
        summary = experiment.summary
        added = listed.add_parser(name, help=summary, description=sentence(summary))
        add_output(added, f"{package}-{name}")
        experiment.add_options(added)
        added.set_defaults(runner=f"tengen.lab.{package}.{experiment.runner or f'{name}.run'}")


def run_experiment(arguments: argparse.Namespace) -> int:
    """Run the selected experiment."""
    module, _, function = arguments.runner.rpartition(".")
    return int(getattr(importlib.import_module(module), function)(arguments))
