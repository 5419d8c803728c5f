"""Why the engine likes a move: what the search found, and what each source said before it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tengen.board.kernels import layout
from tengen.board.points import point_at
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.net import NONE
from tengen.knowledge.compiled import CompiledSource, evaluate
from tengen.knowledge.source import PythonSource, Values
from tengen.network.net import SMALLEST_BOARD
from tengen.playout.policy import Rule
from tengen.search.limit import Limit
from tengen.search.report import SearchReport

Source = CompiledSource | PythonSource


@dataclass(frozen=True)
class Opinion:
    """What one source says of one move."""

    source: str
    value: float
    """For the side to move, 0 bad to 1 good."""
    visits: float
    """How many equivalent visits it gives."""


@dataclass(frozen=True)
class Explanation:
    """A position with everything that led to the choice in it."""

    position: Position
    report: SearchReport
    sources: list[str]
    """By name, in the order in which they are asked."""
    opinions: dict[int, list[Opinion]]
    """By move; a source without an opinion is left out."""
    rules: dict[Rule, int]
    """How many playout moves each rule chose; empty for the flat search."""
    problems: list[str]
    """What sources raised."""
    has_net: bool = False
    """Whether a net was asked."""
    sources_count: bool = True
    """Whether what the sources said was heard: not beside a net whose policy is all there is."""


def explain(engine: Engine, position: Position, limit: Limit) -> Explanation:
    """Search a position and ask every source of the engine about it."""
    sources: list[Source] = [*engine.settings.priors.sources(), *engine.settings.sources]
    opinions, problems = ask_sources(sources, position)
    before = engine.rule_counts
    report = engine.analyse(position, limit)
    counts = engine.rule_counts - before
    is_large = min(position.rows, position.columns) >= SMALLEST_BOARD
    has_net = engine.settings.play.net != NONE and is_large
    return Explanation(
        position,
        report,
        [source.name for source in sources],
        opinions,
        {rule: int(counts[rule]) for rule in Rule} if counts.any() else {},
        list(dict.fromkeys([*problems, *engine.problems])),
        has_net,
        not (has_net and engine.settings.net.is_alone),
    )


def ask_sources(
    sources: Sequence[Source], position: Position
) -> tuple[dict[int, list[Opinion]], list[str]]:
    """Return what each source says, by move, and what went wrong with some."""
    opinions: dict[int, list[Opinion]] = {}
    problems: list[str] = []
    for source in sources:
        try:
            for move, opinion in _opinions_of(source, position):
                opinions.setdefault(move, []).append(opinion)
        except TengenError as error:
            problems.append(str(error))
    return opinions, problems


def _opinions_of(source: Source, position: Position) -> Iterator[tuple[int, Opinion]]:
    """Yield each move of which a source has an opinion, at the root of a search."""
    values, visits = _fields(source, position)
    for row, column in np.argwhere(~np.isnan(values) & (visits > 0)):
        value, weight = float(values[row, column]), float(visits[row, column])
        yield point_at(int(row), int(column)), Opinion(source.name, value, weight)


def _fields(source: Source, position: Position) -> tuple[Values, Values]:
    """Return the values and equivalent visits that a source gives, rows by columns."""
    if isinstance(source, CompiledSource):
        wins, visits = evaluate([source], position)
        return wins / np.where(visits > 0, visits, np.nan), visits
    shape = (position.rows, position.columns)
    if int(position.block[layout.MOVES]) >= source.before_move or source.to_depth < 0:
        return np.full(shape, np.nan), np.zeros(shape)
    return source.values(position), np.full(shape, source.equivalent_visits)
