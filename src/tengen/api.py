"""Tengen for your own programs and notebooks, on one page.

    from tengen.api import Position, match, search, see

    position = Position(9).after("E5 C3")
    report = search(position, playouts=500)
    print(position.vertex(report.candidates[0].move), report.value)
    see(position, "bigmove")                     # shows itself as a heat map in a notebook

`docs/api.md` has an example for each; every part of Tengen can be imported on its own as well.
"""

import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.points import PASS
from tengen.board.position import Move, Position
from tengen.board.rules import Rules, rules_named
from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.engine.source_text import parse_source
from tengen.knowledge.compiled import CompiledSource
from tengen.knowledge.source import PythonSource, ValueFunction
from tengen.match.config import MatchConfig, override
from tengen.match.plan import Entrant
from tengen.match.runner import run_match
from tengen.match.store import GameRow, Store
from tengen.match.tally import Score, crippled, score_of_player
from tengen.match.workers import ThisProcess
from tengen.playout.judge import Judgement, judge
from tengen.records.game import GameRecord
from tengen.records.reader import read_bytes, read_games
from tengen.records.writer import record_from_position, write_games
from tengen.review.review import MoveReview, Review, review_game
from tengen.search.limit import Limit
from tengen.search.report import Candidate, SearchReport
from tengen.view import LAYERS, Layer, ViewContext, make_layer
from tengen.view.builtin_layers import source_layer
from tengen.view.catalogue import layer_of

__all__ = [
    "BLACK",
    "PASS",
    "WHITE",
    "Candidate",
    "Colour",
    "Engine",
    "GameRecord",
    "Judgement",
    "Layer",
    "MatchResult",
    "Move",
    "MoveReview",
    "Position",
    "Review",
    "Rules",
    "Score",
    "SearchReport",
    "TengenError",
    "analyse",
    "judge",
    "make_engine",
    "match",
    "read_games",
    "record_from_position",
    "rules_named",
    "search",
    "see",
    "sources",
    "write_games",
]

Source = ValueFunction | PythonSource | CompiledSource | str
"""A function of a position, or the text of a source: `shape@80`, `my_ideas.py:corner_lover`."""
ONE_SOURCE = (str, PythonSource, CompiledSource)


def make_engine(
    sources: Source | Iterable[Source] = (), weight: float = 20.0, **settings: Any
) -> Engine:
    """Return an engine with settings by name (`tengen gtp --help` lists them); raise TengenError.

    `sources`, one or several, are added to the built-in ones; functions get `weight` equivalent
    visits.
    """
    several = (sources,) if callable(sources) or isinstance(sources, ONE_SOURCE) else sources
    added = tuple(_source(source, weight) for source in several)
    words = [f"{name}={value}" for name, value in settings.items()]
    chosen = EngineSettings().with_words(words)
    return Engine(replace(chosen, sources=(*chosen.sources, *added)))


def _source(source: Source, weight: float) -> PythonSource | CompiledSource:
    if isinstance(source, str):
        return parse_source(source)
    if isinstance(source, PythonSource | CompiledSource):
        return source
    return PythonSource(_name(source), source.__doc__ or "", source, weight)


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def search(
    position: Position,
    engine: Engine | None = None,
    playouts: int | None = None,
    seconds: float | None = None,
    **settings: Any,
) -> SearchReport:
    """Search a position and return the candidates, best first, the win rate and the ownership.

    It ends after `playouts` or `seconds`, whichever is first, by itself after 1,000 playouts.
    Without an engine one is made, with the settings given; raise TengenError if there are both.
    A source that raises is warned of, and the search goes on without it.
    """
    if not isinstance(position, Position):
        raise TengenError(f"search a Position, not {position!r}")
    used = _engine_for(engine, settings)
    report = used.analyse(position, _limit(playouts, seconds, usual=1000))
    _warn_of(used.problems)
    return report


def _warn_of(problems: Iterable[str]) -> None:
    for problem in problems:
        warnings.warn(f"{problem}; without it", stacklevel=3)


def _engine_for(engine: Engine | None, settings: dict[str, Any]) -> Engine:
    if engine is None:
        return make_engine(**settings)
    if settings:
        raise TengenError(f"an engine has its settings: give it {', '.join(settings)} when made")
    return engine


def _limit(playouts: int | None, seconds: float | None, usual: int) -> Limit:
    if playouts is not None and not (playouts >= 1 and playouts % 1 == 0):
        raise TengenError(f"playouts are a whole number from 1 up, not {playouts}")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise TengenError(f"seconds are a number above 0, not {seconds}")
    is_told = playouts is not None or seconds is not None
    return Limit.after(seconds, playouts if is_told else usual)


def sources() -> dict[str, str]:
    """Return the name and meaning of everything that `see` can show."""
    return {name: info.meaning for name, info in LAYERS.items()}


def see(
    position: Position, source: str | ValueFunction, report: SearchReport | None = None
) -> Layer:
    """Return what a source says of a position: by its name, or your own function.

    The sources `search.*` show the `report` of a search.
    """
    if isinstance(source, str):
        return make_layer(source, position, ViewContext(report=report))
    own = PythonSource(_name(source), source.__doc__ or "", source)
    return layer_of(source_layer(own.name, own), position)


def analyse(
    game: GameRecord | str | os.PathLike[str],
    engine: Engine | None = None,
    playouts: int | None = None,
    seconds: float | None = None,
    **settings: Any,
) -> Review:
    """Look over a whole game, a record or the first of a file: win rates, leads, mistakes.

    Each position gets `playouts` or `seconds`, whichever is first, by itself 200 playouts.
    """
    if not isinstance(game, GameRecord):
        game = _first_game(game)
    used = _engine_for(engine, settings)
    review = review_game(game, used, lambda: _limit(playouts, seconds, usual=200))
    _warn_of(used.problems)
    return review


def _first_game(path: str | os.PathLike[str]) -> GameRecord:
    game = next(iter(read_games(path)), None)
    if game is None:
        raise TengenError(f"no game in {os.fspath(path)}")
    return game


@dataclass(frozen=True)
class MatchResult:
    """The games of a match; players are numbered from 0."""

    players: tuple[Entrant, ...]
    rows: tuple[GameRow, ...]

    def score(self, player: int = 0, colour: Colour | None = None) -> Score:
        """Return wins, draws and losses of a player, with one colour or both."""
        return score_of_player(self.rows, player, colour)

    def games(self) -> Iterator[GameRecord]:
        """Yield the records of the games."""
        for row in self.rows:
            yield from read_bytes(row.sgf.encode())

    def __str__(self) -> str:
        lines = []
        for number, player in enumerate(self.players):
            score = self.score(number)
            low, high = score.rate.low, score.rate.high
            lines.append(
                f"{player.label}: {score.wins} wins, {score.draws} draws, {score.losses} losses "
                f"({low:.0%} to {high:.0%})"
            )
        return "\n".join(lines)


def match(
    *players: str, output: str | os.PathLike[str] | None = None, **options: Any
) -> MatchResult:
    """Play a match, one game after the other; games come in pairs with colours swapped.

    A player is `tengen playouts=100` or the command of a GTP program. Options are those of
    `tengen match`: `games=20`, `size="9"`, `komi=7`, `openings="random:4"`... With `output` all
    games are kept in that SQLite file: the same call goes on with them, and `tengen report` shows
    them. Raise TengenError.
    """
    config = override(replace(MatchConfig(), players=players), options, "match")
    limits, plan = config.limits(), config.plan()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(output) if output is not None else Path(folder, "match.db"))
        try:
            run_match(plan, store, limits, ThisProcess(), lambda _: None)
            rows = tuple(store.games())
        finally:
            store.close()
    _warn_of(crippled(plan.entrants, rows))
    return MatchResult(tuple(plan.entrants), rows)
