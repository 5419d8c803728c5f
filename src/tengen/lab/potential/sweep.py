"""The paper's experiment: each filter against a plain player, switching point by switching point.

The games are spent where they tell something: every switching point gets a few; then those that
can still move a filter's border go on until the sequential test decides or the limit is reached;
where two neighbours disagree, the points between them are tried.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import inf

from tengen.board.colour import BLACK, Colour
from tengen.board.rules import check_komi
from tengen.lab.potential.border import (
    Border,
    Cell,
    RateTest,
    Verdict,
    find_border,
    halfway,
    is_inside,
)
from tengen.lab.potential.paper import PLAIN, PLAIN_RATES
from tengen.lab.potential.trunk import Ending, Trunk, play_trunk
from tengen.lab.study import Table
from tengen.match.crew import Crew
from tengen.match.workers import Workers

COLUMNS = ("filter", "size", "komi", "trunk", *Ending._fields)

SHARES = (0.975, 0.95, 0.9, 0.85, 0.8, 0.75, 0.68, 0.6, 0.5, 0.38)
"""The switching points that are tried first, as shares of the board's points."""

KOMI = {9: 0.5, 13: 0.5, 19: 0.5}
"""With this komi plain against plain comes near the paper's rates (docs/findings)."""

PLAIN_WEIGHT = 2
"""Plain against plain is what all are compared with: so many games for each of a filter's."""

_Crew = Crew[Trunk, Trunk, list[Ending]]


@dataclass(frozen=True)
class SweepRules:
    """What does not change within a study."""

    playouts: int = 100
    colour: Colour = BLACK
    fills_eyes: bool = False
    stencil: str = "horn"
    seed: int = 1
    komi: float | None = None
    """None for that of KOMI."""

    def __post_init__(self) -> None:
        if self.komi is not None:
            check_komi(self.komi)

    def komi_for(self, size: int) -> float:
        """Return the komi on a board."""
        return KOMI.get(size, KOMI[9]) if self.komi is None else self.komi


@dataclass(frozen=True)
class Effort:
    """How much is played; a study may be continued with more."""

    filters: tuple[str, ...]
    sizes: tuple[int, ...]
    shares: tuple[float, ...] = SHARES
    least: int = 20
    """Games for every switching point."""
    most: int = 400
    """Games for a switching point that stays open."""
    margin: float = 0.05
    minutes: float | None = None


def first_switches(size: int, shares: Iterable[float]) -> list[int]:
    """Return switching points near the shares of a board, descending: odd, as Black's turns are.

    They begin with 2, as the paper's: a lower one would be taken for a share.
    """
    points = size * size
    parity = points % 2
    found = {max(int(share * points) // 2 * 2, 2) + parity for share in shares}
    return sorted(found, reverse=True)


@dataclass
class Curve:
    """The games of one filter on one board so far."""

    filter: str
    size: int
    cells: dict[int, Cell] = field(default_factory=dict)
    trunks: int = 0
    """Given out so far, which is the number of the next."""

    def add(self, switch: int, won: int) -> None:
        """Count a game, won by the side that filters or not."""
        cell = self.cells.get(switch, Cell())
        self.cells[switch] = Cell(cell.wins + won, cell.games + 1)

    def verdicts(self, test: RateTest) -> dict[int, Verdict]:
        """Return what is known of each switching point."""
        return {switch: test.verdict(cell) for switch, cell in self.cells.items()}

    def border(self, test: RateTest) -> Border:
        """Return the interval in which the border lies."""
        return find_border(self.verdicts(test))


class Sweep:
    """The state of a study: read from its table, so that it can be stopped and continued."""

    def __init__(self, table: Table, rules: SweepRules, effort: Effort):
        self.rules, self.effort = rules, effort
        self._is_black = rules.colour is BLACK
        self._table = table
        self.curves = {
            (name, size): Curve(name, size)
            for size in effort.sizes
            for name in (PLAIN, *effort.filters)
        }
        for row in table.rows:
            self._count(row["filter"], int(row["size"]), int(row["trunk"]), row)

    def _count(self, name: str, size: int, trunk: int, row: dict[str, str]) -> None:
        curve = self.curves.setdefault((name, size), Curve(name, size))
        curve.add(int(row["switch"]), int(self._is_black == int(row["black_won"])))
        curve.trunks = max(curve.trunks, trunk + 1)

    @property
    def rows(self) -> list[dict[str, str]]:
        """All games so far."""
        return self._table.rows

    def take(self, trunk: Trunk, endings: list[Ending]) -> None:
        """Store what a trunk gave."""
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
        """Return the test against the plain player's rate as measured so far.

        Before it is measured, the paper's rate counts as much as `least` games.
        """
        known = self.curves[PLAIN, size].cells.values()
        wins, games = sum(cell.wins for cell in known), sum(cell.games for cell in known)
        printed = PLAIN_RATES.get(size, 0.5)
        believed = (printed if self._is_black else 1 - printed) * self.effort.least
        return RateTest((wins + believed) / (games + self.effort.least), self.effort.margin)

    def wanted(self, curve: Curve) -> tuple[int, ...]:
        """Return the switching points at which a filter needs games, descending.

        One that is not asked for, but has games from before, needs none.
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

    def _is_open(self, curve: Curve, switch: int, border: Border) -> bool:
        cell = curve.cells.get(switch, Cell())
        if cell.games < self.effort.least:
            return True
        verdict = self.test(curve.size).verdict(cell)
        is_telling = verdict is Verdict.OPEN and is_inside(switch, border)
        return is_telling and cell.games < self.effort.most

    def games_left(self) -> int:
        """Return how many games are still to be played, if what is open now stays so."""
        return sum(
            max(self._limit(curve, switch) - curve.cells.get(switch, Cell()).games, 0)
            for curve in self.curves.values()
            for switch in self.wanted(curve)
        )

    def _limit(self, curve: Curve, switch: int) -> int:
        if curve.filter == PLAIN:
            return self.effort.most * PLAIN_WEIGHT
        played = curve.cells.get(switch, Cell()).games
        return self.effort.least if played < self.effort.least else self.effort.most

    def next_trunk(self) -> Trunk | None:
        """Return the trunk that is needed most, and count it as given out; None at the end."""
        needs = [
            (curve, wanted) for curve in self.curves.values() if (wanted := self.wanted(curve))
        ]
        if not needs:
            return None
        curve, switches = min(needs, key=lambda need: _urgency(need[0]))
        trunk = Trunk(
            filter=curve.filter,
            size=curve.size,
            switches=switches,
            number=curve.trunks,
            komi=self.rules.komi_for(curve.size),
            playouts=self.rules.playouts,
            colour=self.rules.colour,
            fills_eyes=self.rules.fills_eyes,
            stencil=self.rules.stencil,
            seed=self.rules.seed,
        )
        curve.trunks += 1
        return trunk


def _urgency(curve: Curve) -> tuple[float, float]:
    """Return what is smallest for the filter that comes next: small boards, then few games."""
    weight = PLAIN_WEIGHT if curve.filter == PLAIN else 1
    return curve.size, curve.trunks / weight


def run_sweep(sweep: Sweep, workers: Workers, watch: Callable[[Sweep], None]) -> None:
    """Play until nothing is open or the time is over; on Ctrl-C what is under way is dropped.

    So is a trunk whose worker died: its number is never used.
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
    """Give the workers trunks; return whether any is under way."""
    while crew.has_room and time.monotonic() < until_s:
        trunk = sweep.next_trunk()
        if trunk is None:
            break
        crew.start(trunk, trunk)
    return bool(crew.running)
