"""Does the book play better moves than the search alone? A strong net is asked.

The paper claims it without a figure. Positions that a strong net has labelled, and that the book
knows, are looked at: how probable is the book's move to the net, how probable the move of a
search without the book? Positions that are equal by symmetry count once, and so do equal moves.
"""

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tengen.board.position import Position
from tengen.book.book import Book, BookPosition
from tengen.book.book_file import read_book
from tengen.book.canonical import name_of
from tengen.book.player import weigh
from tengen.book.settings import BookSettings
from tengen.database.pattern import Pattern
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.lab.labels import Labels
from tengen.lab.progress import track
from tengen.lab.study import Study, Table

RESULTS = (0.0, 2.0, 4.0, 8.0, 16.0)
SHAPES = (0.0, 10.0, 100.0)
"""Values of `book_results` and `book_shape` to compare."""
COLUMNS = ("game", "turn", "games", "book", "book_p", "played", "played_p") + (
    "searched",
    "searched_p",
    "best_p",
)
IDENTITY = ("labels", "book", "size", "playouts", "seed")
"""The options that all positions of a folder share."""
CHOOSERS = {
    "book_p": "the book's weightiest move",
    "played_p": "the move played most",
    "searched_p": "the search alone",
    "best_p": "the net's first choice",
}


class Labelled(NamedTuple):
    """A position with the probabilities that a net gives to points of the padded board."""

    game: int
    turn: int
    position: Position
    policy: dict[int, float]


def run(arguments: argparse.Namespace) -> int:
    """Ask about all positions that the book knows, and write the report."""
    study = Study(
        arguments.output,
        "SHAPE: does the book play better moves than the search?",
        {name: getattr(arguments, name) for name in IDENTITY},
    )
    book = read_book(arguments.book)
    found = list(known_positions(arguments.labels, arguments.size, book))
    random.Random(arguments.seed).shuffle(found)
    table = study.table("positions", COLUMNS)
    words = [f"playouts={arguments.playouts}", "threads=1", f"seed={arguments.seed}"]
    engine = Engine(EngineSettings().with_words(words))
    for labelled, known in track(found[: arguments.number], "asking"):
        if not table.has(game=labelled.game, turn=labelled.turn):
            _ask(table, engine, labelled, known)
    rows = summary(table)
    study.show(rows, f"{len(table.rows)} positions of {len(found)} that the book knows")
    weights = by_weights(found)
    study.show(weights, "the weightiest move of all of them, by what weighs")
    study.show(table, "p: the net's probability of the move")
    for row in [*rows, *weights]:
        print(", ".join(f"{name}: {value}" for name, value in row.items()))
    print(study.write_report())
    return 0


def known_positions(folder: Path, size: int, book: Book) -> Iterator[tuple[Labelled, BookPosition]]:
    """Yield the labelled positions that the book would play in, one of those that are equal."""
    seen: set[int] = set()
    for labelled in read_labelled(folder, size):
        key = name_of(labelled.position).key
        known = None if key in seen else book.look_up(labelled.position)
        if known is not None and known.moves and known.games >= BookSettings().book_games:
            seen.add(key)
            yield labelled, known


def read_labelled(folder: Path, size: int, before: int = 40) -> Iterator[Labelled]:
    """Yield the positions of a folder of labels before a move; raise TengenError."""
    labels = Labels(folder, size)
    for row in np.flatnonzero(labels.turn < before).tolist():
        game, turn = int(labels.game[row]), int(labels.turn[row])
        yield Labelled(game, turn, labels.position(row), labels.policy(row))


def _ask(table: Table, engine: Engine, labelled: Labelled, known: BookPosition) -> None:
    position = labelled.position
    liking = liking_of(labelled)
    moves = {
        "book": weigh(known, BookSettings())[0].move.move,
        "played": known.moves[0].move,
        "searched": engine.think(position).move,
    }
    table.add(
        game=labelled.game,
        turn=labelled.turn,
        games=known.games,
        best_p=max(map(liking, labelled.policy)),
        **{name: position.vertex(move) for name, move in moves.items()},
        **{f"{name}_p": liking(move) for name, move in moves.items()},
    )


def liking_of(labelled: Labelled) -> Callable[[int], float]:
    """Return the function that gives the net's probability of a move and of all its equals."""
    folds = Pattern.whole(labelled.position).folds()
    policy: dict[int, float] = {}
    for point, probability in labelled.policy.items():
        policy[int(folds[point])] = policy.get(int(folds[point]), 0.0) + probability
    return lambda move: policy.get(int(folds[move]), 0.0)


def by_weights(found: Sequence[tuple[Labelled, BookPosition]]) -> list[dict[str, object]]:
    """Return how good the weightiest move is, by how much results and SHAPE weigh."""
    likings = [liking_of(labelled) for labelled, _ in found]
    rows: list[dict[str, object]] = []
    for results, shape in product(RESULTS, SHAPES):
        settings = BookSettings(book_results=results, book_shape=shape)
        moves = [weigh(known, settings)[0].move.move for _, known in found]
        p = [liking(move) for liking, move in zip(likings, moves, strict=True)]
        mean = f"{sum(p) / max(len(p), 1):.3f}"
        rows.append({"book_results": results, "book_shape": shape, "mean probability": mean})
    return rows


def summary(table: Table) -> list[dict[str, object]]:
    """Return, for each way to choose, the mean probability and how often it is the net's own."""
    if not table.rows:
        return []
    p = {name: np.array([float(row[name]) for row in table.rows]) for name in CHOOSERS}
    rows: list[dict[str, object]] = []
    for name, meaning in CHOOSERS.items():
        gain = p[name] - p["searched_p"]
        error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else float("nan")
        rows.append(
            {
                "move of": meaning,
                "positions": len(gain),
                "mean probability": f"{p[name].mean():.3f}",
                "above the search": f"{gain.mean():+.3f} +- {error:.3f}",
                "net's first choice": f"{(p[name] >= p['best_p'] - 1e-9).mean():.1%}",
            }
        )
    return rows
