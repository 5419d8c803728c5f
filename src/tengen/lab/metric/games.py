"""Programs of paper 003 and the parameters of its three eras; paired matches stored in a table.

A program mixes evaluations by phase of the game and searches with a node limit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tengen.board import BLACK, Move, Position, Rules
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
from tengen.match.tuning import Parameter, PopulationSettings, Values
from tengen.sources import Metric, evaluate
from tengen.util import check, parameter


@dataclass(frozen=True)
class Phases:
    """Weights for each phase of a game, and the depth of the opening search (section 6.2)."""

    opening: Metric = Metric()
    middle: Metric = Metric()
    endgame: Metric = Metric(b4=12.0, b8=6.0)
    end_opening: int = parameter(4, "last move number of the opening", low=0, origin="table 11")
    open_endgame: int = parameter(10, "first move number of the endgame", low=1, origin="table 11")
    depth_opening: int = parameter(1, "search depth in the opening", low=1, origin="table 11")
    depth: int = parameter(60, "search depth after the opening", low=1)

    def __post_init__(self) -> None:
        check(self)

    def at(self, move_number: int) -> tuple[Metric, int]:
        """Return the weights and depth for a move number, starting at 1.

        Where the phases overlap, the opening takes precedence over the endgame.
        """
        if move_number <= self.end_opening:
            return self.opening, self.depth_opening
        return (self.endgame if move_number >= self.open_endgame else self.middle), self.depth

    @classmethod
    def same(cls, mix: Metric, depth: int = 60) -> "Phases":
        """Return the same weights and depth for the whole game."""
        return cls(mix, mix, mix, 0, 1, 1, depth)


WIDEST = 1024.0
"""Limit for doubling an interval; the paper gives none."""

FIRST = [Parameter(name, 0, 16, least=0, most=WIDEST) for name in ("a1", "a2", "b4", "b8")]
SECOND = [Parameter("infinity", 0, 2048, least=0, most=2 * 2048)]
THIRD = [
    Parameter("depthOpening", 1, 6, whole=True),
    Parameter("endOpening", 1, 16, whole=True),
    Parameter("openEndGame", 1, 20, whole=True),
    Parameter("bOpening", 48, 80, least=0, most=WIDEST),
    Parameter("bEndgame", 0, 80, most=WIDEST),
]

FIXED_IN_THIRD = {"a1": 8.0, "a2": 1.0, "infinity": 512.0}
"""Values fixed by the paper before its third era (its text swaps a1 and a2); b8 is b4 / 2."""

PRINTED = {
    1: {"a1": "[0, 8]", "a2": "[0, 8]", "b4": "[32, 96]", "b8": "[16, 48]"},
    2: {
        "a1": "[0, 8]",
        "a2": "[0, 1]",
        "b4": "[60, 68]",
        "b8": "[28, 36]",
        "infinity": "[384, 640]",
    },
    3: {
        "depthOpening": "1",
        "endOpening": "4",
        "openEndGame": "10",
        "bOpening": "[64, 80]",
        "bEndgame": "[8, 16]",
    },
}
"""Tables 9 to 11."""


def periods(lengths: tuple[int, ...]) -> PopulationSettings:
    """Return eras with periods as long as the paper's.

    The paper had 8 periods in 400 tournaments and 6 in 200, ended by inspection. With a shorter
    window periods end as soon as the survivors stay the same, which happens by chance because
    programs are deterministic: 49 periods in 400 tournaments narrow every interval to a point.
    """
    return PopulationSettings(window=33, longest_period=50, era_tournaments=lengths)


def early_phases(values: Values) -> Phases:
    """Return a program of the first two eras: one mixture for the whole game."""
    weights = {"infinity": 1024.0, **values}
    return Phases.same(Metric.only(**weights))


def late_phases(values: Values) -> Phases:
    """Return a program of the third era; the endgame never starts before the end of the opening."""

    def mix(b4: float) -> Metric:
        return Metric.only(**FIXED_IN_THIRD, b4=b4, b8=b4 / 2)

    before, after = mix(values["bOpening"]), mix(values["bEndgame"])
    end_opening = int(values["endOpening"])
    return Phases(
        before,
        before,
        after,
        end_opening,
        max(int(values["openEndGame"]), end_opening),
        int(values["depthOpening"]),
    )


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
    resumed = Position(position.rows, position.columns, RULES)
    resumed.setup([(p, position.color(p)) for p in position.points()], position.to_play)
    sign = 1 if resumed.to_play is BLACK else -1
    return sign * searcher.search(resumed, AREA, REFEREE_DEPTH, REFEREE_NODES).value


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
