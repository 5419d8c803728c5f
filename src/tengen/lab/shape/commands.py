"""`tengen lab shape`: the experiments of paper 004, and what each takes."""

import argparse
from functools import partial
from pathlib import Path

from tengen.core.counts import positive_int
from tengen.lab.experiments import Experiments, add_experiments, run_experiment
from tengen.lab.options import add_opponents, add_terms, counts

HELD = "pro-000.,tygem-9d-000.,tom-9d-000.,small-9x9-007."
"""Files of the shared games that the shipped tables were not learned from."""
STEPS = "1000,4000,16000,64000,120000"


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _add_games(parser: argparse.ArgumentParser, number: int) -> None:
    parser.add_argument("games", metavar="GAMES", nargs="+", help="file, folder, .zip or .tar.*")
    parser.add_argument(
        "-n", "--number", type=positive_int, default=number, help=f"of games (default {number})"
    )
    parser.add_argument(
        "--symmetry",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="the eight views of a pattern are one (default yes; the paper does not say)",
    )


def _accuracy(parser: argparse.ArgumentParser) -> None:
    _add_games(parser, 5000)
    add = parser.add_argument
    add("--tables", type=counts, default="1,2,4,8", help="how many (default 1,2,4,8)")
    add("--bits", type=counts, default="12,14,16,18,20", help="of slots (default 12,14,16,18,20)")
    add("--seed", type=int, default=1, help="of the points in the plot (default 1)")


def _played(parser: argparse.ArgumentParser) -> None:
    _add_games(parser, 400)
    parser.add_argument(
        "--every", type=positive_int, default=5, help="one position in so many (default 5)"
    )


def _predict(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", metavar="GAMES", nargs="+", help="file, folder, .zip or .tar.*")
    add = parser.add_argument
    held = "files to keep aside, by parts of their names"
    add("--held", type=_words, default=HELD, help=f"{held} (default {HELD})")
    add("--test", type=positive_int, default=100, help="games of each such file (default 100)")
    add("--steps", type=counts, default=STEPS, help=f"games to learn from (default {STEPS})")


def _match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pace", default="seconds=1", help="of Tengen (default seconds=1)")
    parser.add_argument("--visits", type=float, default=80, help="equivalent visits (default 80)")
    parser.add_argument("--book", default="", metavar="FILE", help="an opening book to try too")
    parser.add_argument(
        "--contests", type=_words, default=[], help="only these: prior,both-gnugo (default: all)"
    )
    add_opponents(parser)
    parser.add_argument("--engine", default="", help="more settings for all of Tengen's sides")
    add_terms(parser, size="19", openings="empty", games=400, test="0,50")


def _book(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("labels", type=Path, metavar="LABELS", help="a folder of labelled games")
    add("--book", default="shipped", metavar="FILE", help="to ask about (default: the package's)")
    add("--size", type=int, default=9, help="of the board (default 9)")
    add("--playouts", type=positive_int, default=400, help="of the search (default 400)")
    add("-n", "--number", type=positive_int, default=1000, help="positions at most (default 1000)")
    add("--seed", type=int, default=1, help="of the choice and the search (default 1)")


EXPERIMENTS: Experiments = {
    "accuracy": ("figure 2: is the rate in the tables the true one?", _accuracy),
    "played": ("paper 000, figure 37: how often are patterns played when they occur?", _played),
    "predict": ("the rank of the experts' move on games not learned from", _predict),
    "book": ("does the book play better moves than the search alone?", _book),
    "match": ("do the prior and the book win games at equal time?", _match),
}

add_arguments = partial(add_experiments, "shape", EXPERIMENTS)
run = partial(run_experiment, "shape")
