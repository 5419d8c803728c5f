"""Stability of reviews: saw-tooth of the values, and mistakes found with twice the visits."""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from tengen.bench.measurement import SEED
from tengen.engine import EngineSettings, create_engine
from tengen.records import GameRecord, read_games
from tengen.review import GameReview, ReviewStopped, review_game
from tengen.search import SearchLimit
from tengen.util import StopFlag, TengenError

Row = dict[str, object]


def measure_reviews(
    paths: Sequence[Path],
    games: int,
    visits: int,
    settings: Sequence[str] = (),
    report: Callable[[Row], None] = lambda row: None,
    stop: StopFlag | None = None,
) -> list[Row]:
    """Review the first games with `visits` and with twice as many; return a row for each and a sum.

    `report` receives each row as soon as it is known. When `stop` is set, the rows of the games
    reviewed so far are returned.
    """
    rows: list[Row] = []
    with contextlib.suppress(ReviewStopped):
        for game in itertools.islice(_playable_games(paths), games):
            once, twice = (_review(game, count, settings, stop) for count in (visits, 2 * visits))
            rows.append(_row(f"{Path(game.source).name} {game.number + 1}", once, twice))
            report(rows[-1])
    if not rows and stop is not None and stop.is_set():
        raise TengenError("interrupted before the first game was reviewed")
    if not rows:
        raise TengenError("there is no game to review: pass files, folders or archives of records")
    return [*rows, _sum(rows)]


def lag_autocorrelation(values: Sequence[float]) -> float:
    """Return the lag-1 autocorrelation of the steps of a series; 0 if it is too short or constant.

    Values that alternate with the side to move have one near -1.
    """
    steps = np.diff(np.asarray(values, dtype=float))
    if len(steps) < 2:
        return 0.0
    deviations = steps - steps.mean()
    total = float((deviations**2).sum())
    return float((deviations[1:] * deviations[:-1]).sum()) / total if total else 0.0


def _playable_games(paths: Sequence[Path]) -> Iterator[GameRecord]:
    for path in paths:
        yield from (game for game in read_games(path) if game.is_playable and game.moves)


def _review(
    game: GameRecord, visits: int, settings: Sequence[str], stop: StopFlag | None
) -> GameReview:
    overrides = [f"seed={SEED}", "threads=1", *settings]
    engine = create_engine(EngineSettings().with_overrides(overrides))
    return review_game(game, engine, lambda: SearchLimit(simulations=visits), stop=stop)


def _row(name: str, once: GameReview, twice: GameReview) -> Row:
    mistakes, mistakes_twice = (
        sum(move.is_mistake for move in review.moves) for review in (once, twice)
    )
    return {
        "game": name,
        "moves": len(once.moves),
        "lag1_winrate": lag_autocorrelation([one.winrate for one in once.estimates]),
        "lag1_lead": lag_autocorrelation([one.lead for one in once.estimates]),
        "mistakes": mistakes,
        "mistakes_twice": mistakes_twice,
        "change": _change(mistakes, mistakes_twice),
    }


def _change(mistakes: int, mistakes_twice: int) -> float:
    """Return the relative change of a number of mistakes."""
    return (mistakes_twice - mistakes) / max(mistakes, 1)


def _total(rows: Sequence[Row], name: str) -> int:
    return sum(int(str(row[name])) for row in rows)


def _sum(rows: Sequence[Row]) -> Row:
    """Return the row of all games: sums of counts and means of autocorrelations."""
    means = {
        name: float(np.mean([float(str(row[name])) for row in rows]))
        for name in ("lag1_winrate", "lag1_lead")
    }
    mistakes, mistakes_twice = _total(rows, "mistakes"), _total(rows, "mistakes_twice")
    return {
        "game": "all",
        "moves": _total(rows, "moves"),
        **means,
        "mistakes": mistakes,
        "mistakes_twice": mistakes_twice,
        "change": _change(mistakes, mistakes_twice),
    }
