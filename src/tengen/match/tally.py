"""Counting stored games: by engine, by colour, and by engine and colour.

Paper 001 tells of a tool that swaps the meaning of "B" in every second game. Here a result is
asked for by *player* (a number), by *colour*, or by both, and there is no other way.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tengen.board.colour import BLACK, Colour
from tengen.match.factory import is_in_process
from tengen.match.game import FAILURES
from tengen.match.plan import Entrant
from tengen.match.stats import Interval, wilson
from tengen.match.store import GameRow


class Score(NamedTuple):
    """Wins, draws and losses of one side."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games that is."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins and half of the draws."""
        return self.wins + self.draws / 2

    @property
    def rate(self) -> Interval:
        """The points a game, with their interval."""
        return wilson(self.points, self.games)


def score_of_player(rows: Iterable[GameRow], player: int, colour: Colour | None = None) -> Score:
    """Count a player's games, or only those in which it had that colour.

    Games of a player against itself are left out: they say nothing of it.
    """
    wins = draws = losses = 0
    for row in rows:
        if row.black == row.white or player not in (row.black, row.white):
            continue
        if colour is not None and player != (row.black if colour is BLACK else row.white):
            continue
        wins += row.winner == player
        draws += row.winner is None
        losses += row.winner not in (player, None)
    return Score(wins, draws, losses)


def score_of_colour(rows: Iterable[GameRow], colour: Colour) -> Score:
    """Count all games from the side of a colour, whoever had it."""
    results = Counter(row.winner_colour for row in rows)
    return Score(results[colour], results[None], results[colour.opponent])


def games_between(rows: Iterable[GameRow], one: int, other: int) -> list[GameRow]:
    """Return the games of two players against each other."""
    return [row for row in rows if {row.black, row.white} == {one, other}]


def pair_counts(rows: Iterable[GameRow], player: int) -> list[int]:
    """Return how many whole pairs brought `player` 0, 1/2, 1, 3/2 and 2 points."""
    points: dict[int, list[float]] = {}
    for row in rows:
        if player in (row.black, row.white):
            won = 0.5 if row.winner is None else float(row.winner == player)
            points.setdefault(row.pair, []).append(won)
    sums = Counter(int(2 * sum(pair)) for pair in points.values() if len(pair) == 2)
    return [sums[half_points] for half_points in range(5)]


def black_scores(rows: Iterable[GameRow]) -> list[tuple[int, int, float]]:
    """Return (black, white, score of Black) of each game, as the ratings want them."""
    return [
        (row.black, row.white, 0.5 if row.winner is None else float(row.winner == row.black))
        for row in rows
        if row.black != row.white
    ]


def reasons(rows: Iterable[GameRow], player: int, won: bool) -> Counter[int]:
    """Count why a player won, or why it lost."""
    mine = (row for row in rows if player in (row.black, row.white) and row.winner is not None)
    return Counter(row.reason for row in mine if (row.winner == player) == won)


def duplicates(rows: Sequence[GameRow]) -> int:
    """Return how many games of two players repeat an earlier one of theirs move for move.

    They add no knowledge. Games that ended by a failure tell of that, not of moves.
    """
    played = [row for row in rows if row.reason not in FAILURES]
    return len(played) - len({(row.black, row.white, row.digest) for row in played})


def crippled(entrants: Sequence[Entrant], rows: Iterable[GameRow]) -> list[str]:
    """Tell who played games without a net or a source of its own that had failed, a line each.

    Only of players in this process: what a program writes to standard error may mean anything.
    """
    logs: dict[int, list[str]] = {}
    for row in rows:
        for player, log in ((row.black, row.black_log), (row.white, row.white_log)):
            if log and is_in_process(entrants[player].spec):
                logs.setdefault(player, []).append(log)
    return [
        f"{entrants[player].label} played {len(found)} games without what failed: "
        f"{found[-1].splitlines()[-1]}"
        for player, found in sorted(logs.items())
    ]


class TimeUse(NamedTuple):
    """What a player spent."""

    moves: float
    time_s: float
    cpu_s: float | None
    """None if it is unknown for any game."""


def time_use(rows: Iterable[GameRow], player: int) -> TimeUse:
    """Add up a player's moves after the openings, its time and its CPU time."""
    moves, time_s = 0.0, 0.0
    cpus: list[float | None] = []
    for row in rows:
        # A player that does not start loses before the opening is on the board.
        mine = max(row.length - row.opening_moves, 0) / 2
        if row.black == player:
            moves, time_s = moves + mine, time_s + row.black_time_s
            cpus.append(row.black_cpu_s)
        if row.white == player:
            moves, time_s = moves + mine, time_s + row.white_time_s
            cpus.append(row.white_cpu_s)
    known = [cpu for cpu in cpus if cpu is not None]
    return TimeUse(moves, time_s, sum(known) if len(known) == len(cpus) else None)
