"""Command line of `tengen lab shape` (paper 004)."""

import argparse
from functools import partial
from pathlib import Path

from tengen.lab.options import (
    Experiment,
    Experiments,
    add_experiments,
    add_games,
    add_match_options,
    add_opponents,
    counts,
    run_experiment,
)
from tengen.util import positive_int

HELD = "pro-000.,tygem-9d-000.,tom-9d-000.,small-9x9-007."
"""Name parts of archives from which the bundled tables were not learned."""
STEPS = "1000,4000,16000,64000,120000"


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _add_game_options(parser: argparse.ArgumentParser, number: int) -> None:
    add_games(parser)
    parser.add_argument("-n", "--number", type=positive_int, default=number, help="number of games")
    parser.add_argument(
        "--symmetry",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="treat the eight symmetric views of a pattern as one (default: yes)",
    )


def _accuracy(parser: argparse.ArgumentParser) -> None:
    _add_game_options(parser, 5000)
    add = parser.add_argument
    add("--tables", type=counts, default="1,2,4,8", help="numbers of tables")
    add("--bits", type=counts, default="12,14,16,18,20", help="log2 of the slots per table")
    add("--seed", type=int, default=1, help="random seed of the plotted points")


def _played(parser: argparse.ArgumentParser) -> None:
    _add_game_options(parser, 400)
    parser.add_argument("--every", type=positive_int, default=5, help="use every Nth position")


def _predict(parser: argparse.ArgumentParser) -> None:
    add_games(parser)
    add = parser.add_argument
    held = "held-out files, by parts of their names"
    add("--held-out", type=_words, default=HELD, help=f"{held}")
    add("--test", type=positive_int, default=100, help="games per held-out file")
    add("--steps", type=counts, default=STEPS, help="numbers of games to learn from")


def _match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pace", default="seconds=1", help="search effort of Tengen")
    parser.add_argument("--visits", type=float, default=80, help="equivalent visits")
    parser.add_argument("--book", default="", metavar="FILE", help="also test this opening book")
    parser.add_argument(
        "--matches",
        type=_words,
        default=[],
        help="only these matches, e.g. prior,both-gnugo (default: all)",
    )
    add_opponents(parser)
    parser.add_argument("--engine", default="", help="additional settings of all Tengen players")
    add_match_options(parser, size="19", openings="empty", games=400, test="0,50")


def _book(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("labels", type=Path, metavar="LABELS", help="folder of labeled games")
    add(
        "--book", default="default", metavar="FILE", help="opening book (default: the bundled book)"
    )
    add("--size", type=int, default=9, help="board size")
    add("--playouts", type=positive_int, default=400, help="simulations of the search")
    add("-n", "--number", type=positive_int, default=1000, help="maximum number of positions")
    add("--seed", type=int, default=1, help="random seed")


EXPERIMENTS: Experiments = {
    "accuracy": Experiment("compare table rates with exact rates (figure 2)", _accuracy),
    "played": Experiment(
        "measure how often patterns are played when they occur (paper 000, figure 37)",
        _played,
        "accuracy.run_played",
    ),
    "predict": Experiment("measure how well the tables predict moves of held-out games", _predict),
    "book": Experiment("compare book moves with search moves", _book),
    "match": Experiment("play matches with and without prior and book", _match, "book.run_matches"),
}

add_arguments = partial(add_experiments, "shape", EXPERIMENTS)
run = run_experiment
