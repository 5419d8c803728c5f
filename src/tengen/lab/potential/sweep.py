"""Sweep over filters and switching points: each filter against a plain player (paper 002).

Every switching point gets a minimum number of games. Points that can still narrow a filter's border
then get more games until the sequential test decides or the maximum is reached. Where neighboring
points disagree, points between them are tried.

Games share their opening. A filter with switching point s is active while there are more than s
legal moves, so two games that differ only in s are identical until the larger s is reached. A trunk
is played once with the filter active; at each switching point a copy is played to the end without
it. Each branch is a valid game of its switching point, but branches of one trunk are not
independent. On 9x9, ten branches cost as much as five games.
"""

import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np

from tengen.board import BLACK, Color, check_komi
from tengen.lab.potential.analysis import (
    PLAIN,
    PLAIN_RATES,
    Border,
    Cell,
    RateTest,
    RateVerdict,
    find_border,
    halfway,
    is_inside,
)
from tengen.lab.potential.kernels import game as kernels
from tengen.lab.study import CsvTable
from tengen.match import WorkerPool, Workers
from tengen.sources import Potential


@dataclass(frozen=True)
class GameTrunk:
    """A trunk to play, with everything a worker needs."""

    filter: str
    """Name of a filter, or PLAIN."""
    size: int
    switches: tuple[int, ...]
    """Switching points, descending; one arbitrary value for PLAIN."""
    number: int
    """Number of the trunk, unique by filter and size."""
    komi: float
    playouts: int = 100
    color: Color = BLACK
    """Filtering side."""
    fills_eyes: bool = False
    stencil: str = "horn"
    seed: int = 1


class TrunkBranch(NamedTuple):
    """Result of the game with one switching point."""

    switch: int
    area: int
    """Black's area minus White's."""
    black_won: int
    counted_black: int
    """Playouts of the paper's player: all for each candidate."""
    counted_white: int
    played: int
    """Playouts of both players that were actually played."""
    length: int
    filtered: int
    """Moves chosen with the filter active."""


def play_trunk(trunk: GameTrunk) -> list[TrunkBranch]:
    """Play a trunk and its branches."""
    match = kernels.FlatMatch(
        trunk.playouts,
        trunk.komi,
        0 if trunk.filter == PLAIN else int(trunk.color),
        trunk.fills_eyes,
    )
    stem = kernels.new_game(trunk.size, trunk.size, _seed(trunk, "stem"))
    endings = []
    for switch in trunk.switches:
        numbers = _numbers(trunk, switch)
        kernels.play_on(stem, match, numbers, True)
        branch = kernels.branch_of(stem, _seed(trunk, str(switch)))
        kernels.play_on(branch, match, numbers, False)
        endings.append(_ending(switch, branch, trunk.komi))
    return endings


def _seed(trunk: GameTrunk, part: str) -> int:
    """Return a distinct nonzero seed for each part of each trunk."""
    text = f"{trunk.seed} {trunk.filter} {trunk.size} {trunk.number} {part}"
    return zlib.crc32(text.encode()) * 2**32 + zlib.crc32(text[::-1].encode()) + 1


def _numbers(trunk: GameTrunk, switch: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    name = "random" if trunk.filter == PLAIN else trunk.filter
    seed = _seed(trunk, "lots") % 2**31
    parameters = Potential(filter=name, switch=switch, stencil=trunk.stencil, seed=seed)
    return parameters.kernel_parameters()


def _ending(switch: int, game: kernels.FlatGame, komi: float) -> TrunkBranch:
    area, tally = int(kernels.final_area(game)), game.tally
    counted, played = int(kernels.COUNTED), int(kernels.PLAYED)
    return TrunkBranch(
        switch=switch,
        area=area,
        black_won=int(area > komi),
        counted_black=int(tally[counted + 1]),
        counted_white=int(tally[counted + 2]),
        played=int(tally[played + 1] + tally[played + 2]),
        length=int(tally[kernels.LENGTH]),
        filtered=int(tally[kernels.FILTERED]),
    )


COLUMNS = ("filter", "size", "komi", "trunk", *TrunkBranch._fields)

SHARES = (0.975, 0.95, 0.9, 0.85, 0.8, 0.75, 0.68, 0.6, 0.5, 0.38)
"""Initial switching points as shares of the board's points."""

KOMI = {9: 0.5, 13: 0.5, 19: 0.5}
"""Komi at which plain against plain is close to the paper's win rates."""

PLAIN_WEIGHT = 2
"""Games of plain against plain per game of a filter; all filters are compared with them."""

_Crew = WorkerPool[GameTrunk, GameTrunk, list[TrunkBranch]]


@dataclass(frozen=True)
class SweepRules:
    """Settings that cannot change within a study."""

    playouts: int = 100
    color: Color = BLACK
    fills_eyes: bool = False
    stencil: str = "horn"
    seed: int = 1
    komi: float | None = None
    """None for the default of KOMI."""

    def __post_init__(self) -> None:
        if self.komi is not None:
            check_komi(self.komi)

    def komi_for(self, size: int) -> float:
        """Return the komi for a board size."""
        return KOMI.get(size, KOMI[9]) if self.komi is None else self.komi


@dataclass(frozen=True)
class Effort:
    """Amount of play; can be increased when a study is resumed."""

    filters: tuple[str, ...]
    sizes: tuple[int, ...]
    shares: tuple[float, ...] = SHARES
    least: int = 20
    """Minimum games per switching point."""
    most: int = 400
    """Maximum games per undecided switching point."""
    margin: float = 0.05
    minutes: float | None = None


def first_switches(size: int, shares: Iterable[float]) -> list[int]:
    """Return switching points near shares of a board, descending, with the parity of Black's turns.

    The smallest is 2, because a smaller number would be interpreted as a share.
    """
    points = size * size
    parity = points % 2
    found = {max(int(share * points) // 2 * 2, 2) + parity for share in shares}
    return sorted(found, reverse=True)


@dataclass
class SwitchCurve:
    """Games of one filter on one board size."""

    filter: str
    size: int
    cells: dict[int, Cell] = field(default_factory=dict)
    trunks: int = 0
    """Number of trunks started, which is the number of the next one."""

    def add(self, switch: int, won: int) -> None:
        """Count a game; `won` is from the filtering side's point of view."""
        cell = self.cells.get(switch, Cell())
        self.cells[switch] = Cell(cell.wins + won, cell.games + 1)

    def verdicts(self, test: RateTest) -> dict[int, RateVerdict]:
        """Return the verdict on each switching point."""
        return {switch: test.verdict(cell) for switch, cell in self.cells.items()}

    def border(self, test: RateTest) -> Border:
        """Return the interval of the border."""
        return find_border(self.verdicts(test))


class Sweep:
    """State of a sweep, read from its table so that it can be resumed."""

    def __init__(self, table: CsvTable, rules: SweepRules, effort: Effort):
        self.rules, self.effort = rules, effort
        self._is_black = rules.color is BLACK
        self._table = table
        self.curves = {
            (name, size): SwitchCurve(name, size)
            for size in effort.sizes
            for name in (PLAIN, *effort.filters)
        }
        for row in table.rows:
            self._count(row["filter"], int(row["size"]), int(row["trunk"]), row)

    def _count(self, name: str, size: int, trunk: int, row: dict[str, str]) -> None:
        curve = self.curves.setdefault((name, size), SwitchCurve(name, size))
        curve.add(int(row["switch"]), int(self._is_black == int(row["black_won"])))
        curve.trunks = max(curve.trunks, trunk + 1)

    @property
    def rows(self) -> list[dict[str, str]]:
        """All games so far."""
        return self._table.rows

    def take(self, trunk: GameTrunk, endings: list[TrunkBranch]) -> None:
        """Store the results of a trunk."""
        for ending in endings:
            self._table.add(
                filter=trunk.filter,
                size=trunk.size,
                komi=trunk.komi,
                trunk=trunk.number,
                **ending._asdict(),
            )
            self._count(trunk.filter, trunk.size, trunk.number, self._table.rows[-1])

    def test(self, size: int) -> RateTest:
        """Return the test against the measured win rate of the plain player.

        The paper's rate is a prior with the weight of `least` games.
        """
        known = self.curves[PLAIN, size].cells.values()
        wins, games = sum(cell.wins for cell in known), sum(cell.games for cell in known)
        printed = PLAIN_RATES.get(size, 0.5)
        prior_wins = (printed if self._is_black else 1 - printed) * self.effort.least
        return RateTest((wins + prior_wins) / (games + self.effort.least), self.effort.margin)

    def wanted(self, curve: SwitchCurve) -> tuple[int, ...]:
        """Return the switching points at which a filter needs games, descending.

        A filter or size that is not requested needs none.
        """
        is_asked = curve.filter in (PLAIN, *self.effort.filters)
        if not is_asked or curve.size not in self.effort.sizes:
            return ()
        if curve.filter == PLAIN:
            played = sum(cell.games for cell in curve.cells.values())
            is_open = played < self.effort.most * PLAIN_WEIGHT
            return (curve.size * curve.size,) if is_open else ()
        verdicts = curve.verdicts(self.test(curve.size))
        border = find_border(verdicts)
        tried = {*first_switches(curve.size, self.effort.shares), *curve.cells}
        if (between := halfway(border, dict.fromkeys(tried))) is not None:
            tried.add(between)
        return tuple(sorted((s for s in tried if self._is_open(curve, s, border)), reverse=True))

    def _is_open(self, curve: SwitchCurve, switch: int, border: Border) -> bool:
        cell = curve.cells.get(switch, Cell())
        if cell.games < self.effort.least:
            return True
        verdict = self.test(curve.size).verdict(cell)
        is_informative = verdict is RateVerdict.OPEN and is_inside(switch, border)
        return is_informative and cell.games < self.effort.most

    def games_left(self) -> int:
        """Return the number of games left if all open points stay open."""
        return sum(
            max(self._limit(curve, switch) - curve.cells.get(switch, Cell()).games, 0)
            for curve in self.curves.values()
            for switch in self.wanted(curve)
        )

    def _limit(self, curve: SwitchCurve, switch: int) -> int:
        if curve.filter == PLAIN:
            return self.effort.most * PLAIN_WEIGHT
        played = curve.cells.get(switch, Cell()).games
        return self.effort.least if played < self.effort.least else self.effort.most

    def next_trunk(self) -> GameTrunk | None:
        """Return the most urgent trunk and count it as started, or None if none is needed."""
        needs = [
            (curve, wanted) for curve in self.curves.values() if (wanted := self.wanted(curve))
        ]
        if not needs:
            return None
        curve, switches = min(needs, key=lambda need: _urgency(need[0]))
        trunk = GameTrunk(
            filter=curve.filter,
            size=curve.size,
            switches=switches,
            number=curve.trunks,
            komi=self.rules.komi_for(curve.size),
            playouts=self.rules.playouts,
            color=self.rules.color,
            fills_eyes=self.rules.fills_eyes,
            stencil=self.rules.stencil,
            seed=self.rules.seed,
        )
        curve.trunks += 1
        return trunk


def _urgency(curve: SwitchCurve) -> tuple[float, float]:
    """Return a sort key: small boards first, then filters with few games."""
    weight = PLAIN_WEIGHT if curve.filter == PLAIN else 1
    return curve.size, curve.trunks / weight


def run_sweep(sweep: Sweep, workers: Workers, watch: Callable[[Sweep], None]) -> None:
    """Play until nothing is open or the time is up; an interruption discards running trunks.

    A trunk whose worker died is discarded and its number is not reused.
    """
    minutes = sweep.effort.minutes
    until_s = inf if minutes is None else time.monotonic() + 60 * minutes
    with _Crew(workers, play_trunk) as crew:
        while _fill(sweep, crew, until_s):
            for trunk, endings in crew.results():
                if endings is not None:
                    sweep.take(trunk, endings)
            watch(sweep)


def _fill(sweep: Sweep, crew: _Crew, until_s: float) -> bool:
    """Start trunks on idle workers; return whether any is running."""
    while crew.has_room and time.monotonic() < until_s:
        trunk = sweep.next_trunk()
        if trunk is None:
            break
        crew.start(trunk, trunk)
    return bool(crew.running)
