"""Results of a match: counts by player and color, and rows for results tables.

A result is always requested for a *player* (a number), a *color*, or both. Paper 001 describes a
tool that confused the two in every second game.
"""

import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tengen import __version__
from tengen.board import BLACK, WHITE, Color
from tengen.match.entrants import Entrant, is_in_process
from tengen.match.game import FAILURES
from tengen.match.stats import Interval, wilson
from tengen.match.store import GameRow, Store
from tengen.util import TengenError, read_results, write_results


@dataclass(frozen=True)
class MatchResults:
    """The games of a match file."""

    title: str
    players: list[Entrant]
    rows: list[GameRow]
    summary: str = ""
    """Board, rules and clock in one line, if known."""
    handicap: int = 0

    @classmethod
    def from_store(cls, store: Store) -> "MatchResults":
        """Read a match file."""
        title = store.path.stem
        return cls(title, store.players(), store.games(), store.summary(), store.handicap())

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Pairs of players with games against each other, lower number first."""
        met = {(min(row.black, row.white), max(row.black, row.white)) for row in self.rows}
        return sorted(pairing for pairing in met if pairing[0] != pairing[1])

    def label(self, player: int) -> str:
        """Return the label of a player."""
        return self.players[player].label


class MatchScore(NamedTuple):
    """Wins, draws and losses.

    Examples
    --------
    >>> score = MatchScore(wins=6, draws=1, losses=3)
    >>> score.games, score.points, round(score.rate.low, 2)
    (10, 6.5, 0.35)
    """

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins plus half of the draws."""
        return self.wins + self.draws / 2

    @property
    def rate(self) -> Interval:
        """Points per game with their Wilson interval."""
        return wilson(self.points, self.games)


def score_of_player(rows: Iterable[GameRow], player: int, color: Color | None = None) -> MatchScore:
    """Count a player's results, optionally with one color; games against itself are ignored."""
    wins = draws = losses = 0
    for row in rows:
        if row.black == row.white or player not in (row.black, row.white):
            continue
        if color is not None and player != (row.black if color is BLACK else row.white):
            continue
        wins += row.winner == player
        draws += row.winner is None
        losses += row.winner not in (player, None)
    return MatchScore(wins, draws, losses)


def score_of_color(rows: Iterable[GameRow], color: Color) -> MatchScore:
    """Count the results of a color over all games."""
    results = Counter(row.winner_color for row in rows)
    return MatchScore(results[color], results[None], results[color.opponent])


def games_between(rows: Iterable[GameRow], one: int, other: int) -> list[GameRow]:
    """Return the games of two players against each other."""
    return [row for row in rows if {row.black, row.white} == {one, other}]


def points_of(row: GameRow, player: int) -> float:
    """Return a player's points in a game: 1, 1/2 or 0."""
    return 0.5 if row.winner is None else float(row.winner == player)


def pair_counts(rows: Iterable[GameRow], player: int) -> list[int]:
    """Return how many complete pairs gave `player` 0, 1/2, 1, 3/2 and 2 points."""
    points: dict[int, list[float]] = {}
    for row in rows:
        if player in (row.black, row.white):
            points.setdefault(row.pair, []).append(points_of(row, player))
    sums = Counter(int(2 * sum(pair)) for pair in points.values() if len(pair) == 2)
    return [sums[half_points] for half_points in range(5)]


def black_scores(rows: Iterable[GameRow]) -> list[tuple[int, int, float]]:
    """Return (black, white, score of Black) of each game, for `bradley_terry`."""
    return [
        (row.black, row.white, points_of(row, row.black)) for row in rows if row.black != row.white
    ]


def end_reasons(rows: Iterable[GameRow], player: int, won: bool) -> Counter[int]:
    """Count the reasons why a player won or lost."""
    decided = (row for row in rows if player in (row.black, row.white) and row.winner is not None)
    return Counter(row.reason for row in decided if (row.winner == player) == won)


def duplicates(rows: Sequence[GameRow]) -> int:
    """Return the number of games that repeat an earlier game of the same players exactly.

    Games that ended by a failure are not counted.
    """
    played = [row for row in rows if row.reason not in FAILURES]
    return len(played) - len({(row.black, row.white, row.digest) for row in played})


def component_failures(entrants: Sequence[Entrant], rows: Iterable[GameRow]) -> list[str]:
    """Return one line per in-process player whose network or source failed during games.

    Standard error of GTP engines may mean anything and is not considered.
    """
    logs: dict[int, list[str]] = {}
    for row in rows:
        for player, log in ((row.black, row.black_log), (row.white, row.white_log)):
            if log and is_in_process(entrants[player].spec):
                logs.setdefault(player, []).append(log)
    return [
        f"{entrants[player].label}: a component failed in {len(found)} games, "
        f"which continued without it: {found[-1].splitlines()[-1]}"
        for player, found in sorted(logs.items())
    ]


class TimeUse(NamedTuple):
    """Moves and time of a player."""

    moves: float
    time_s: float
    cpu_s: float | None
    """None if unknown for any game."""


def time_use(rows: Iterable[GameRow], player: int) -> TimeUse:
    """Sum up a player's moves after the openings, its time and its CPU time."""
    moves, time_s = 0.0, 0.0
    cpu_times: list[float | None] = []
    for row in rows:
        # A player that does not start loses before the opening has been played.
        own_moves = max(row.length - row.opening_moves, 0) / 2
        if row.black == player:
            moves, time_s = moves + own_moves, time_s + row.black_time_s
            cpu_times.append(row.black_cpu_s)
        if row.white == player:
            moves, time_s = moves + own_moves, time_s + row.white_time_s
            cpu_times.append(row.white_cpu_s)
    known = [cpu_s for cpu_s in cpu_times if cpu_s is not None]
    return TimeUse(moves, time_s, sum(known) if len(known) == len(cpu_times) else None)


SOURCE_FOLDER = Path(__file__).parents[1]
_KEY = ("command", "player", "opponent")
"""Columns that identify a row; a row with the same values is replaced."""


def code_revision() -> str:
    """Return the git commit of Tengen's source code, or its version outside a repository."""
    command = ["git", "-C", str(SOURCE_FOLDER), "log", "-1", "--format=%h", "--", "."]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return __version__
    return result.stdout.strip() or __version__


def summary_rows(store: Store) -> list[dict[str, str]]:
    """Return one row per pairing; raise TengenError if the file does not record its command."""
    results, command = MatchResults.from_store(store), store.metadata("command")
    if not isinstance(command, str):
        raise TengenError(f"{store.path} does not record its command: resume it with tengen match")
    date = max((row.started[:10] for row in results.rows), default="")
    rows = []
    for first, second in results.pairings:
        games = games_between(results.rows, first, second)
        score = score_of_player(games, first)
        rows.append(
            {
                "player": results.label(first),
                "opponent": results.label(second),
                "settings": results.summary,
                "games": str(score.games),
                "score": _interval(score.rate),
                "as Black": _points(score_of_player(games, first, BLACK)),
                "as White": _points(score_of_player(games, first, WHITE)),
                "date": date,
                "revision": str(store.metadata("revision") or ""),
                "versions": f"{_version(results, first)}; {_version(results, second)}",
                "command": command,
            }
        )
    return rows


def add_summary_rows(store: Store, path: Path) -> None:
    """Add the rows of a match to a results file, replacing rows of the same match."""
    rows = summary_rows(store)
    if not rows:
        raise TengenError(f"{store.path} has no games between different players")
    added = {tuple(row[name] for name in _KEY) for row in rows}
    stored = read_results(path).rows if path.exists() else []
    kept = [row for row in stored if tuple(row.get(name) for name in _KEY) not in added]
    write_results(path, [*kept, *rows], f"tengen report MATCH --row {path.as_posix()}")


def _version(results: MatchResults, player: int) -> str:
    return f"{results.players[player].name} {results.players[player].version}".strip()


def _interval(rate: Interval) -> str:
    return f"{100 * rate.value:.1f}% ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def _points(score: MatchScore) -> str:
    return f"{score.points:g}/{score.games}"
