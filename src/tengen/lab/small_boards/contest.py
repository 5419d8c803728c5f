"""Contests in pairs of games on one opening with colours swapped, kept in a table."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tengen.board.position import Move, Position
from tengen.lab.small_boards.game import RULES, Chooser, play_out
from tengen.lab.study import Table
from tengen.match.openings import load_openings
from tengen.match.setting import GameSetting
from tengen.match.stats import Decision, Interval, Sprt, elo_interval, pair_interval

COLUMNS = ["one", "other", "size", "pair", "as_black", "as_white"]
"""The margins are from the side of `one`."""


class Entry(NamedTuple):
    """Two players by name, and the board they meet on."""

    one: str
    other: str
    size: int


class Standing(NamedTuple):
    """How a contest stands after some pairs."""

    entry: Entry
    counts: list[int]
    """Pairs that scored 0, 1/2, 1, 3/2 and 2 points for the first."""
    decision: Decision = Decision.OPEN

    @property
    def score(self) -> Interval:
        """The first's points a game."""
        return pair_interval(self.counts)

    def row(self) -> dict[str, object]:
        """Return a line for a report."""
        score, elo = self.score, elo_interval(self.score)
        return {
            "player": self.entry.one,
            "against": self.entry.other,
            "board": f"{self.entry.size}x{self.entry.size}",
            "games": 2 * sum(self.counts),
            "score": f"{score.value:.3f} ({score.low:.3f} to {score.high:.3f})",
            "Elo": f"{elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})",
            "SPRT": {Decision.OPEN: "open", Decision.H0: "no", Decision.H1: "yes"}[self.decision],
        }


def counts_of(table: Table, entry: Entry) -> list[int]:
    """Count the pairs of a contest by the points of the first."""
    counts = [0] * 5
    for row in table.rows:
        if (row["one"], row["other"], row["size"]) == (entry.one, entry.other, str(entry.size)):
            counts[round(2 * sum(_points(float(row[game])) for game in COLUMNS[4:]))] += 1
    return counts


def _points(margin: float) -> float:
    return 0.5 if margin == 0 else float(margin > 0)


class Contest:
    """Players by name, how their games are scored, and the table they are kept in."""

    def __init__(
        self,
        table: Table,
        players: Mapping[str, Chooser],
        margin: Callable[[Position], float],
        openings: str,
        seed: int,
    ):
        """Take Black's margin of a finished game, and openings as `tengen match` names them."""
        self._table = table
        self._players = players
        self._margin = margin
        self._openings = openings
        self._seed = seed

    def play(
        self, entry: Entry, most: int, sprt: Sprt | None, advance: Callable[[], None]
    ) -> Standing:
        """Play until the test decides, or `most` pairs; what the table has is not played again."""
        setting = GameSetting(entry.size, entry.size, RULES)
        openings = load_openings(self._openings, setting, self._seed)
        standing = self._standing(entry, sprt)
        while standing.decision is Decision.OPEN and sum(standing.counts) < most:
            pair = sum(standing.counts)
            self._play_pair(entry, pair, openings.opening(pair).moves)
            standing = self._standing(entry, sprt)
            advance()
        return standing

    def _play_pair(self, entry: Entry, pair: int, opening: tuple[Move, ...]) -> None:
        one, other = self._players[entry.one], self._players[entry.other]
        as_black = self._margin(play_out(one, other, entry.size, opening))
        as_white = -self._margin(play_out(other, one, entry.size, opening))
        self._table.add(**entry._asdict(), pair=pair, as_black=as_black, as_white=as_white)

    def _standing(self, entry: Entry, sprt: Sprt | None) -> Standing:
        counts = counts_of(self._table, entry)
        return Standing(entry, counts, sprt.decide(counts) if sprt else Decision.OPEN)
