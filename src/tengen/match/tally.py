"""Counts over stored games: by player, by color, and by player and color.

A result is always requested for a *player* (a number), a *color*, or both. Paper 001 describes a
tool that confused the two in every second game.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tengen.board import BLACK, Color
from tengen.match.entrants import Entrant, is_in_process
from tengen.match.game import FAILURES
from tengen.match.stats import Interval, wilson
from tengen.match.store import GameRow, Store


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
