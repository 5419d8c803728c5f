"""Explanation of a position: search results and the score of every source for every move."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tengen.board import Position, point_at
from tengen.board.kernels import layout
from tengen.engine import NONE, Engine
from tengen.nets import MIN_BOARD_SIZE
from tengen.playout import PlayoutRule
from tengen.search import SearchLimit, SearchReport
from tengen.sources import CompiledSource, PythonSource, Values, evaluate_sources
from tengen.util import TengenError

Source = CompiledSource | PythonSource


@dataclass(frozen=True)
class SourceScore:
    """The score of one move by one source."""

    source: str
    value: float
    """Expected win rate of the player to move, from 0 to 1."""
    visits: float
    """Weight as a prior, in equivalent visits."""


@dataclass(frozen=True)
class Explanation:
    """A search report and everything that influenced it."""

    position: Position
    report: SearchReport
    sources: list[str]
    """Names of the sources in order of evaluation."""
    scores: dict[int, list[SourceScore]]
    """Scores by move; sources that do not score a move are omitted."""
    rules: dict[PlayoutRule, int]
    """Number of playout moves chosen by each rule; empty for flat search."""
    problems: list[str]
    """Errors raised by sources."""
    has_net: bool = False
    """Whether a network evaluated the position."""
    uses_sources: bool = True
    """False if the network's policy is the only prior."""


def explain(engine: Engine, position: Position, limit: SearchLimit) -> Explanation:
    """Search a position and evaluate every source of the engine."""
    sources: list[Source] = [*engine.settings.priors.sources(), *engine.settings.sources]
    scores, problems = score_moves(sources, position)
    before = engine.rule_counts
    report = engine.analyze(position, limit)
    counts = engine.rule_counts - before
    is_large = min(position.rows, position.columns) >= MIN_BOARD_SIZE
    has_net = engine.settings.play.net != NONE and is_large
    return Explanation(
        position,
        report,
        [source.name for source in sources],
        scores,
        {rule: int(counts[rule]) for rule in PlayoutRule} if counts.any() else {},
        list(dict.fromkeys([*problems, *engine.problems])),
        has_net,
        not (has_net and engine.settings.net.ignores_priors),
    )


def score_moves(
    sources: Sequence[Source], position: Position
) -> tuple[dict[int, list[SourceScore]], list[str]]:
    """Return the scores of all sources by move, and the errors of failing sources."""
    scores: dict[int, list[SourceScore]] = {}
    problems: list[str] = []
    for source in sources:
        try:
            for move, score in _source_scores(source, position):
                scores.setdefault(move, []).append(score)
        except TengenError as error:
            problems.append(str(error))
    return scores, problems


def _source_scores(source: Source, position: Position) -> Iterator[tuple[int, SourceScore]]:
    """Yield each move that a source scores at the root of a search."""
    values, visits = _values_and_visits(source, position)
    for row, column in np.argwhere(~np.isnan(values) & (visits > 0)):
        value, weight = float(values[row, column]), float(visits[row, column])
        yield point_at(int(row), int(column)), SourceScore(source.name, value, weight)


def _values_and_visits(source: Source, position: Position) -> tuple[Values, Values]:
    """Return values and equivalent visits of a source, both of shape (rows, columns)."""
    if isinstance(source, CompiledSource):
        wins, visits = evaluate_sources([source], position)
        return wins / np.where(visits > 0, visits, np.nan), visits
    shape = (position.rows, position.columns)
    if int(position.block[layout.MOVES]) >= source.before_move or source.to_depth < 0:
        return np.full(shape, np.nan), np.zeros(shape)
    return source.values(position), np.full(shape, source.equivalent_visits)
