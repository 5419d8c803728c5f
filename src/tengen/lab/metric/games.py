"""Programs of paper 003, their games, and paired matches stored in a table.

A program mixes evaluations by phase of the game and searches with a node limit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tengen.board import BLACK, Move, Position, Rules
from tengen.lab.metric.eras import Phases
from tengen.lab.metric.kernels.alphabeta import (
    LONGEST_GAME,
    NODES,
    PLIES,
    SearchMemory,
    deepen,
    new_tree,
)
from tengen.lab.study import CsvTable
from tengen.match import (
    Interval,
    MatchSettings,
    Sprt,
    SprtDecision,
    elo_interval,
    load_openings,
    pair_interval,
)
from tengen.sources import Metric, evaluate

AREA = Metric.only(a1=1)
"""E1 alone: the area score."""


class MoveChoice(NamedTuple):
    """Result of a search."""

    move: int
    value: float
    """For the side to move."""
    depth: int
    nodes: int


class MetricSearcher:
    """Searches positions under positional superko; nothing is kept between searches."""

    def __init__(self) -> None:
        self._tree: SearchMemory = new_tree()
        self._size = (0, 0)

    def search(self, position: Position, mix: Metric, deepest: int, nodes: int) -> MoveChoice:
        """Search a position; the result is deterministic."""
        tree = self._tree
        known = len(position.history())
        self._set_size(position)
        tree.blocks[0] = position.block
        tree.history[:known] = position.history()
        depth = min(deepest, PLIES, LONGEST_GAME - known)
        move, value, reached = deepen(
            tree, np.uintp(known), mix.vector(), np.uintp(depth), np.uint64(nodes)
        )
        return MoveChoice(int(move), float(value), int(reached), int(tree.counters[NODES]))

    def _set_size(self, position: Position) -> None:
        """Initialize the boards of all plies; the search copies only the points inside the edge."""
        size = position.rows, position.columns
        if self._size != size:
            self._tree.blocks[:] = position.block
            self._size = size


@dataclass(frozen=True)
class Program:
    """A player of the paper's tournaments."""

    phases: Phases
    nodes: int = 2000
    opening_nodes: int | None = None
    """Node limit in the opening if different; there the depth is limited instead."""

    def chooser(self, searcher: MetricSearcher) -> Callable[[Position], int]:
        """Return a player that searches with the mixture and depth of the game phase."""

        def choose(position: Position) -> int:
            number = len(position.moves) + 1
            mix, depth = self.phases.at(number)
            opening = number <= self.phases.end_opening
            nodes = self.opening_nodes if opening and self.opening_nodes else self.nodes
            return searcher.search(position, mix, depth, nodes).move

        return choose


Chooser = Callable[[Position], int]
"""A player: returns the move of the side to move."""

RULES = Rules(komi=0.0)
"""Area scoring, positional superko, no suicide, no komi (paper 003, table 7)."""
REFEREE_NODES = 20_000
"""Node limit that suffices to solve mostly settled 4x4 boards."""
REFEREE_DEPTH = 24


def play_out(
    black: Chooser, white: Chooser, size: int = 4, opening: Sequence[Move] = ()
) -> Position:
    """Play until two passes or four times as many moves as points."""
    position = Position(size, rules=RULES)
    position.play_sequence(opening)
    while not position.is_over and len(position.moves) < 4 * size * size:
        chooser = black if position.to_play is BLACK else white
        position.play(chooser(position))
    return position


def margin_of(position: Position, searcher: MetricSearcher, referee: str) -> float:
    """Return Black's margin: E1 of the final board (`e1`), or the result of a search with E1.

    The paper's referee scored the final board, which penalized programs that stopped before
    capturing dead stones.
    """
    if referee == "e1":
        return evaluate(position, AREA).e1
    going_on = Position(position.rows, position.columns, RULES)
    going_on.setup([(p, position.color(p)) for p in position.points()], position.to_play)
    sign = 1 if going_on.to_play is BLACK else -1
    return sign * searcher.search(going_on, AREA, REFEREE_DEPTH, REFEREE_NODES).value


COLUMNS = ["one", "other", "size", "pair", "as_black", "as_white"]
"""Margins are from the point of view of `one`."""


class Entry(NamedTuple):
    """Two players by name and the board size."""

    one: str
    other: str
    size: int


class Standing(NamedTuple):
    """State of a match after some pairs of games."""

    entry: Entry
    counts: list[int]
    """Pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points."""
    decision: SprtDecision = SprtDecision.OPEN

    @property
    def score(self) -> Interval:
        """Points per game of the first player."""
        return pair_interval(self.counts)

    def row(self) -> dict[str, object]:
        """Return a report row."""
        score, elo = self.score, elo_interval(self.score)
        return {
            "player": self.entry.one,
            "against": self.entry.other,
            "board": f"{self.entry.size}x{self.entry.size}",
            "games": 2 * sum(self.counts),
            "score": f"{score.value:.3f} ({score.low:.3f} to {score.high:.3f})",
            "Elo": f"{elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})",
            "SPRT": {SprtDecision.OPEN: "open", SprtDecision.H0: "no", SprtDecision.H1: "yes"}[
                self.decision
            ],
        }


def counts_of(table: CsvTable, entry: Entry) -> list[int]:
    """Count the pairs of a match by the points of the first player."""
    counts = [0] * 5
    for row in table.rows:
        if (row["one"], row["other"], row["size"]) == (entry.one, entry.other, str(entry.size)):
            counts[round(2 * sum(_points(float(row[game])) for game in COLUMNS[4:]))] += 1
    return counts


def _points(margin: float) -> float:
    return 0.5 if margin == 0 else float(margin > 0)


class PairedMatch:
    """Plays pairs of games on one opening with colors swapped and stores them in a table."""

    def __init__(
        self,
        table: CsvTable,
        players: Mapping[str, Chooser],
        margin: Callable[[Position], float],
        openings: str,
        seed: int,
    ):
        """`margin` scores a finished game for Black; `openings` are named as for `tengen match`."""
        self._table = table
        self._players = players
        self._margin = margin
        self._openings = openings
        self._seed = seed

    def play(
        self, entry: Entry, most: int, sprt: Sprt | None, advance: Callable[[], None]
    ) -> Standing:
        """Play until the test decides or `most` pairs are played; stored pairs are not repeated."""
        setting = MatchSettings(entry.size, entry.size, RULES)
        openings = load_openings(self._openings, setting, self._seed)
        standing = self._standing(entry, sprt)
        while standing.decision is SprtDecision.OPEN and sum(standing.counts) < most:
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
        return Standing(entry, counts, sprt.decide(counts) if sprt else SprtDecision.OPEN)
