"""The public Python API of Tengen, for notebooks and scripts.

    from tengen.api import Position, match, search, see

    position = Position(9).after("E5 C3")
    report = search(position, playouts=500)
    print(position.vertex(report.candidates[0].move), report.value)
    see(position, "bigmove")                     # a heat map in a notebook

docs/api.md explains it by examples. Errors of the caller raise `TengenError`.
"""

import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tengen.board import BLACK, PASS, WHITE, Color, Move, Position, Rules, rules_named
from tengen.engine import (
    Engine,
    EngineSettings,
    ProblemAnswer,
    ProblemSolver,
    create_engine,
    parse_source,
)
from tengen.match import (
    Entrant,
    GameRow,
    InProcessWorkers,
    MatchConfig,
    MatchScore,
    PlayerSpec,
    Store,
    component_failures,
    open_workers,
    override,
    run_match,
    score_of_player,
)
from tengen.playout import FinalScore, score_position
from tengen.records import GameRecord, read_bytes, read_games, record_from_position, write_games
from tengen.review import GameReview, MoveReview, review as _review
from tengen.search import Candidate, SearchLimit, SearchReport
from tengen.sources import CompiledSource, PythonSource, ValueFunction
from tengen.util import TengenError
from tengen.view import LAYERS, Layer, ViewContext, compute_layer, make_layer, source_layer

__all__ = [
    "BLACK",
    "PASS",
    "WHITE",
    "Candidate",
    "Color",
    "Engine",
    "EngineSettings",
    "FinalScore",
    "GameRecord",
    "GameReview",
    "Layer",
    "MatchResult",
    "MatchScore",
    "Move",
    "MoveReview",
    "Position",
    "ProblemAnswer",
    "Rules",
    "SearchReport",
    "TengenError",
    "engine_settings",
    "make_engine",
    "match",
    "read_games",
    "record_from_position",
    "review_game",
    "rules_named",
    "score_position",
    "search",
    "see",
    "solve_problem",
    "sources",
    "write_games",
]

Source = ValueFunction | PythonSource | CompiledSource | str
"""A function of a position, or the text of a source: `shape@80`, `my_sources.py:corners`."""
_SINGLE_SOURCE = (str, PythonSource, CompiledSource)
_DEFAULT_PLAYOUTS = 1000
_DEFAULT_REVIEW_PLAYOUTS = 200


def engine_settings(
    sources: Source | Iterable[Source] = (), weight: float = 20.0, **settings: Any
) -> EngineSettings:
    """Return engine settings, for `match` or to keep.

    Parameters
    ----------
    sources : source or iterable of sources
        Sources in addition to the built-in ones: functions that map a position to an array of
        values (rows x columns, 0 bad to 1 good, NaN for no opinion), or texts such as
        ``"bigmove@160"``.
    weight : float
        Equivalent visits of each function.
    **settings
        Settings by name, as listed by ``tengen gtp --help``.

    Returns
    -------
    EngineSettings

    Raises
    ------
    TengenError
        If a setting is unknown or a value is invalid.

    Examples
    --------
    >>> engine_settings(playouts=100, algorithm="uct").search.algorithm
    'uct'
    """
    several = (sources,) if callable(sources) or isinstance(sources, _SINGLE_SOURCE) else sources
    added = tuple(_as_source(source, weight) for source in several)
    overrides = [f"{name}={value}" for name, value in settings.items()]
    chosen = EngineSettings().with_overrides(overrides)
    return replace(chosen, sources=(*chosen.sources, *added))


def make_engine(
    sources: Source | Iterable[Source] = (), weight: float = 20.0, **settings: Any
) -> Engine:
    """Create an engine.

    Parameters
    ----------
    sources, weight, **settings
        As for `engine_settings`. Without settings, the engine uses no network;
        ``preset="laptop"`` uses the bundled one.

    Returns
    -------
    Engine

    Raises
    ------
    TengenError
        If a setting, source or network is invalid.

    Examples
    --------
    >>> engine = make_engine(playouts=20, threads=1, memory_mib=8, seed=1)
    >>> engine.think(Position(5)).resigns
    False
    """
    return create_engine(engine_settings(sources, weight, **settings))


def _as_source(source: Source, weight: float) -> PythonSource | CompiledSource:
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
    """Search a position.

    Parameters
    ----------
    position : Position
    engine : Engine, optional
        Created from `settings` if omitted.
    playouts : int, optional
        Number of simulations; 1000 if neither `playouts` nor `seconds` is given.
    seconds : float, optional
        Time limit.
    **settings
        Settings of the engine, as for `make_engine`; not allowed with `engine`.

    Returns
    -------
    SearchReport
        Candidates (best first), win rate and ownership. A source that fails causes a warning, and
        the search continues without it.

    Raises
    ------
    TengenError
        If an argument is invalid.

    Examples
    --------
    >>> report = search(Position(5), playouts=30, threads=1, memory_mib=8)
    >>> report.simulations, report.ownership.shape
    (30, (5, 5))
    """
    if not isinstance(position, Position):
        raise TengenError(f"position must be a Position, got {position!r}")
    _limit(playouts, seconds, _DEFAULT_PLAYOUTS)  # reject invalid limits before creating an engine
    used = _engine_for(engine, settings)
    report = used.analyze(position, _limit(playouts, seconds, _DEFAULT_PLAYOUTS))
    _warn(used.problems)
    return report


def _warn(problems: Iterable[str]) -> None:
    for problem in problems:
        warnings.warn(f"{problem}; continuing without it", stacklevel=3)


def _engine_for(engine: Engine | None, settings: dict[str, Any]) -> Engine:
    if engine is None:
        return make_engine(**settings)
    if settings:
        names = ", ".join(settings)
        raise TengenError(
            f"settings cannot be combined with an engine: pass {names} to make_engine"
        )
    return engine


def _limit(playouts: int | None, seconds: float | None, default: int) -> SearchLimit:
    if playouts is not None and not (playouts >= 1 and playouts % 1 == 0):
        raise TengenError(f"playouts must be a positive integer, got {playouts}")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise TengenError(f"seconds must be positive and finite, got {seconds}")
    is_given = playouts is not None or seconds is not None
    return SearchLimit.after(seconds, playouts if is_given else default)


def solve_problem(
    position: Position, stones: str = "", seconds: float = 10.0, net: str = "default"
) -> ProblemAnswer:
    """Solve a life-and-death problem.

    Parameters
    ----------
    position : Position
    stones : str, optional
        Vertices of stones at stake, such as ``"C3 D2"``; found if omitted.
    seconds : float, optional
        Limit of the CPU time.
    net : str, optional
        A network, or ``"none"``; used for the order of moves, and when there is no proof.

    Returns
    -------
    ProblemAnswer
        What happens to the stones, whether that is proved, and the first moves that work.

    Raises
    ------
    TengenError
        If the position has no problem or an argument is invalid.

    Examples
    --------
    >>> rows = "...XO..", "XXXXO..", "OOOOO..", *4 * [7 * "."]
    >>> position = Position.from_diagram("\\n".join(rows), WHITE)
    >>> answer = solve_problem(position, net="none")
    >>> answer.status.value, answer.is_proved, position.vertex(answer.best)
    ('dead', True, 'B7')
    """
    points = frozenset(position.parse_move(vertex) for vertex in stones.split())
    return ProblemSolver(seconds, net).solve(position, points)


def sources() -> dict[str, str]:
    """Return name and description of everything that `see` can show.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> "bigmove.p1" in sources()
    True
    """
    return {name: info.meaning for name, info in LAYERS.items()}


def see(
    position: Position, source: str | ValueFunction, report: SearchReport | None = None
) -> Layer:
    """Evaluate a source at every point of a position.

    Parameters
    ----------
    position : Position
    source : str or function
        A name from `sources`, or a function as for `engine_settings`.
    report : SearchReport, optional
        Required by the sources ``search.*``.

    Returns
    -------
    Layer
        Its `values` (rows x columns, row 0 at the top); a heat map in a notebook.

    Raises
    ------
    TengenError
        If the source is unknown or fails.

    Examples
    --------
    >>> see(Position(9).after("E5"), "metric.e0").values.shape
    (9, 9)
    """
    if isinstance(source, str):
        return make_layer(source, position, ViewContext(report=report))
    own = PythonSource(_name(source), source.__doc__ or "", source)
    return compute_layer(source_layer(own.name, own), position)


def review_game(
    game: GameRecord | str | os.PathLike[str],
    engine: Engine | None = None,
    playouts: int | None = None,
    seconds: float | None = None,
    **settings: Any,
) -> GameReview:
    """Review a whole game: win rates, score leads and mistakes.

    Parameters
    ----------
    game : GameRecord or path
        A record, or a file whose first game is reviewed.
    engine, playouts, seconds, **settings
        As for `search`, per position; 200 playouts by default.

    Returns
    -------
    GameReview

    Raises
    ------
    TengenError
        If the file has no game or an argument is invalid.

    Examples
    --------
    >>> game = record_from_position(Position(5).after("C3 B2"))
    >>> review = review_game(game, playouts=10, threads=1, memory_mib=8)
    >>> len(review.moves)
    2
    """
    if not isinstance(game, GameRecord):
        game = _first_game(game)
    _limit(playouts, seconds, _DEFAULT_REVIEW_PLAYOUTS)
    used = _engine_for(engine, settings)
    review = _review.review_game(
        game, used, lambda: _limit(playouts, seconds, _DEFAULT_REVIEW_PLAYOUTS)
    )
    _warn(used.problems)
    return review


def _first_game(path: str | os.PathLike[str]) -> GameRecord:
    game = next(iter(read_games(path)), None)
    if game is None:
        raise TengenError(f"no game in {os.fspath(path)}")
    return game


@dataclass(frozen=True)
class MatchResult:
    """The games of a match; players are numbered from 0.

    Examples
    --------
    >>> MatchResult((), ()).score(0).games
    0
    """

    players: tuple[Entrant, ...]
    rows: tuple[GameRow, ...]

    def score(self, player: int = 0, color: Color | None = None) -> MatchScore:
        """Return wins, draws and losses of a player, with one color or both."""
        return score_of_player(self.rows, player, color)

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
    *players: PlayerSpec,
    output: str | os.PathLike[str] | None = None,
    workers: int = 0,
    **options: Any,
) -> MatchResult:
    """Play a match in pairs of games with colors swapped.

    Parameters
    ----------
    *players
        Each an `EngineSettings`, an `Engine`, a text (``"tengen playouts=100"``, a TOML file, or
        the command of a GTP engine), or a function. A function gets a position and returns a move
        (a point, a vertex such as ``"D4"``, ``"pass"`` or ``"resign"``) or an array of scores,
        rows x columns, of which the highest legal point is played.
    output : path, optional
        SQLite file of the match. The same call resumes it, and ``tengen report`` shows it.
    workers : int
        Worker processes; 0 plays in this process. Workers need players that can be pickled.
    **options
        Options of ``tengen match``: ``games=20``, ``size="9"``, ``komi=7``,
        ``openings="random:4"``.

    Returns
    -------
    MatchResult

    Raises
    ------
    TengenError
        If a player cannot be started or an option is invalid.

    Examples
    --------
    >>> def first_point(position):
    ...     return position.legal_grid() * 1.0
    >>> weak = engine_settings(playouts=2, threads=1, memory_mib=8)
    >>> match(first_point, weak, games=2, size="3", komi=0.5).score(0).games
    2
    """
    config = override(replace(MatchConfig(), players=players), options, "match")
    limits, plan = config.limits(), config.plan()
    backend = open_workers(workers, None) if workers else InProcessWorkers()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(output) if output is not None else Path(folder, "match.db"))
        try:
            run_match(plan, store, limits, backend, lambda _: None)
            rows = tuple(store.games())
        finally:
            store.close()
    _warn(component_failures(plan.entrants, rows))
    return MatchResult(tuple(plan.entrants), rows)
