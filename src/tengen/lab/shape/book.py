"""Quality of book moves compared with search moves, judged by a strong network.

The paper claims that the book plays better moves but gives no figures. For labeled positions that
the book knows, the network's probability of the book's move is compared with those of SHAPE's own
first choice (the book of the paper) and of searches without book, with and without the SHAPE prior.
Positions and moves that are equal by symmetry count once.

Matches with and without SHAPE prior and opening book are played at equal time.
"""

import argparse
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import Position, column_of, row_of
from tengen.engine import Engine, EngineSettings, create_engine
from tengen.engine.book import (
    Book,
    BookPosition,
    BookSettings,
    canonical_key,
    read_book,
    weigh_moves,
)
from tengen.lab.labels import Labels
from tengen.lab.matches import Comparison, match_options_of, parse_opponents, run_comparisons
from tengen.lab.study import CsvTable, Study, track
from tengen.records.database import Pattern
from tengen.sources import Shape
from tengen.util import TengenError

RESULTS = (0.0, 2.0, 4.0, 8.0, 16.0)
SHAPES = (0.0, 10.0, 100.0)
"""Values of `book_result_power` and `book_shape_games` to compare."""
CHOOSERS = {
    "book": "highest weight in the book",
    "played": "most frequent in the book",
    "shape": "first choice of SHAPE",
    "plain": "search without book and SHAPE",
    "prior": "search without book, with SHAPE",
}
BEST = "first choice of the network"
COLUMNS = ("game", "turn", "games", *CHOOSERS, *(f"{name}_p" for name in CHOOSERS), "best_p")
IDENTITY = ("labels", "book", "size", "playouts", "seed")
"""Options that cannot change when the study is resumed."""


class LabeledPosition(NamedTuple):
    """A position with the network's probability of each point."""

    game: int
    turn: int
    position: Position
    policy: dict[int, float]


def run(arguments: argparse.Namespace) -> int:
    """Judge all positions that the book knows and write the report."""
    study = Study(
        arguments.output,
        "SHAPE: quality of book moves",
        {name: getattr(arguments, name) for name in IDENTITY},
    )
    book = read_book(arguments.book)
    found = list(known_positions(arguments.labels, arguments.size, book))
    random.Random(arguments.seed).shuffle(found)
    table = study.table("positions", COLUMNS)
    searches = searches_of(arguments.playouts, arguments.seed)
    for labeled, known in track(found[: arguments.number], "positions"):
        if not table.has(game=labeled.game, turn=labeled.turn):
            _judge(table, searches, labeled, known)
    rows = summary(table)
    study.add_table(
        rows, f"{len(table.rows)} of {len(found)} positions that the book knows.", name="book"
    )
    weights = by_weights(found)
    study.add_table(weights, "Moves of the highest weight, by weights of results and patterns.")
    study.add_table(table, "p: the network's probability of the move.")
    for row in [*rows, *weights]:
        print(", ".join(f"{name}: {value}" for name, value in row.items()))
    print(study.write_report())
    return 0


def known_positions(
    folder: Path, size: int, book: Book
) -> Iterator[tuple[LabeledPosition, BookPosition]]:
    """Yield the labeled positions in which the book plays, one per symmetry class."""
    seen: set[int] = set()
    for labeled in read_labeled(folder, size):
        key = canonical_key(labeled.position).key
        known = None if key in seen else book.look_up(labeled.position)
        if known is not None and known.moves and known.games >= BookSettings().book_min_games:
            seen.add(key)
            yield labeled, known


def read_labeled(folder: Path, size: int, before: int = 40) -> Iterator[LabeledPosition]:
    """Yield the labeled positions before a move number; raise TengenError."""
    labels = Labels(folder, size)
    for row in np.flatnonzero(labels.turn < before).tolist():
        game, turn = int(labels.game[row]), int(labels.turn[row])
        yield LabeledPosition(game, turn, labels.position(row), labels.policy(row))


def searches_of(playouts: int, seed: int) -> dict[str, Engine]:
    """Return the engines whose moves are compared with the book: without and with SHAPE prior."""
    words = [f"playouts={playouts}", "threads=1", f"seed={seed}"]
    settings = EngineSettings().with_overrides(words)
    return {
        "plain": create_engine(settings.with_overrides(["shape=0"])),
        "prior": create_engine(settings),
    }


def shape_choice(position: Position) -> int:
    """Return the move with the highest SHAPE probability."""
    p = Shape().probabilities(position)
    return max(position.legal_moves(), key=lambda move: float(p[row_of(move), column_of(move)]))


def _judge(
    table: CsvTable,
    searches: Mapping[str, Engine],
    labeled: LabeledPosition,
    known: BookPosition,
) -> None:
    """Add a row with the moves of all choosers and their probabilities."""
    position = labeled.position
    probability = probability_function(labeled)
    moves = {
        "book": weigh_moves(known, BookSettings())[0].move.move,
        "played": known.moves[0].move,
        "shape": shape_choice(position),
        **{name: engine.think(position).move for name, engine in searches.items()},
    }
    table.add(
        game=labeled.game,
        turn=labeled.turn,
        games=known.games,
        best_p=max(map(probability, labeled.policy)),
        **{name: position.vertex(move) for name, move in moves.items()},
        **{f"{name}_p": probability(move) for name, move in moves.items()},
    )


def probability_function(labeled: LabeledPosition) -> Callable[[int], float]:
    """Return a function giving the network's probability of a move and its symmetric equals."""
    folds = Pattern.whole(labeled.position).canonical_points()
    policy: dict[int, float] = {}
    for point, probability in labeled.policy.items():
        policy[int(folds[point])] = policy.get(int(folds[point]), 0.0) + probability
    return lambda move: policy.get(int(folds[move]), 0.0)


def by_weights(found: Sequence[tuple[LabeledPosition, BookPosition]]) -> list[dict[str, object]]:
    """Return the quality of the highest-weighted move by weights of results and patterns."""
    probabilities = [probability_function(labeled) for labeled, _ in found]
    rows: list[dict[str, object]] = []
    for results, shape in product(RESULTS, SHAPES):
        settings = BookSettings(book_result_power=results, book_shape_games=shape)
        moves = [weigh_moves(known, settings)[0].move.move for _, known in found]
        p = [probability(move) for probability, move in zip(probabilities, moves, strict=True)]
        mean = f"{sum(p) / max(len(p), 1):.3f}"
        rows.append(
            {"book_result_power": results, "book_shape_games": shape, "mean probability": mean}
        )
    return rows


def summary(table: CsvTable) -> list[dict[str, object]]:
    """Return mean probability, gain over the plain search and first-choice rate by chooser."""
    if not table.rows:
        return []
    p = {name: _column(table, f"{name}_p") for name in CHOOSERS}
    best = _column(table, "best_p")
    rows: list[dict[str, object]] = []
    for name, meaning in [*CHOOSERS.items(), ("best", BEST)]:
        found = p.get(name, best)
        gain = found - p["plain"]
        error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else float("nan")
        rows.append(
            {
                "move": meaning,
                "positions": len(gain),
                "mean probability": f"{found.mean():.3f}",
                "minus plain search": f"{gain.mean():+.3f} ± {error:.3f}",
                "first choices": f"{(found >= best - 1e-9).mean():.1%}",
            }
        )
    return rows


def _column(table: CsvTable, name: str) -> npt.NDArray[np.float64]:
    return np.array([float(row[name]) for row in table.rows])


PLAIN = "plain"
WITH = {"prior": "prior", "book": "book", "both": "prior and book"}
MATCH_IDENTITY = ("pace", "visits", "book", "engine")


def run_matches(arguments: argparse.Namespace) -> int:
    """Play the selected matches and write the report."""
    options = match_options_of(arguments)
    identity = {name: getattr(arguments, name) for name in MATCH_IDENTITY}
    title = "SHAPE: matches"
    study = Study(arguments.output, title, identity | options.identity)
    print(run_comparisons(study, comparisons(arguments), options))
    return 0


def variants(arguments: argparse.Namespace) -> dict[str, str]:
    """Return Tengen's players: plain, with prior, with book, with both."""
    engine = f"tengen {arguments.pace} {arguments.engine}".strip()
    plain, prior = f"{engine} shape=0", f"{engine} shape={arguments.visits:g}"
    players = {PLAIN: plain, "prior": prior}
    if arguments.book:
        players["book"] = f"{plain} book={arguments.book}"
        players["both"] = f"{prior} book={arguments.book}"
    return players


def comparisons(arguments: argparse.Namespace) -> list[Comparison]:
    """Return all variants against the plain player and against each opponent.

    Raise TengenError for an unknown match.
    """
    players = variants(arguments)
    found = [
        Comparison(name, (text, players[PLAIN]), f"{WITH[name]} vs. none")
        for name, text in players.items()
        if name in WITH
    ]
    for opponent, command in parse_opponents(arguments).items():
        found += [
            Comparison(f"{name}-{opponent}", (text, command), f"{name} vs. {opponent}")
            for name, text in players.items()
        ]
    return _chosen(found, arguments.matches)


def _chosen(found: list[Comparison], names: list[str]) -> list[Comparison]:
    """Return the named comparisons, all if none is named; raise TengenError."""
    known = {comparison.name for comparison in found}
    for name in names:
        if name not in known:
            raise TengenError(f"unknown match {name!r}: use one of {', '.join(sorted(known))}")
    return [comparison for comparison in found if not names or comparison.name in names]
