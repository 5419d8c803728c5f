"""An evolving population of programs (paper 003, section 5.3).

Eight programs play a tournament in which each meets each other twice, once with each colour: 56
games, or 28 duels. A win is 2 points, a draw 1; equal points are ranked by the score average.
The first six stay. With them come a mutant of the best (one weight up or down a step) and a
newcomer drawn at random. Weights lie on 17 values of an interval.

- A **period** ends when the mean of the first six has settled. Then each interval is fitted
  anew: doubled where the mean lies at a frontier, kept where the weight is noisy, else narrowed
  to where the population is.
- An **era** ends by rule, when every weight is settled or noisy, or after so many tournaments;
  or by hand, after the tournament in which `end_era` was called.
  Settled weights are fixed, noisy ones live on, and the next era's weights are admitted.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tengen.core.errors import TengenError
from tengen.tune.duel import Duel, DuelResult
from tengen.tune.parameter import Parameter, check_parameters

Program = tuple[int, ...]
"""The place of each weight on its interval, 0 to 16."""

PROGRAMS = 8
SURVIVORS = 6
PLACES = 17
FRONTIER = 2
"""So many steps from an end of its interval the mean of a weight counts as at the frontier."""
PAIRINGS = tuple(itertools.combinations(range(PROGRAMS), 2))


@dataclass(frozen=True)
class PopulationSettings:
    """When periods and eras end. The paper decided this by eye; these numbers are ours."""

    window: int = 8
    """So many tournaments are looked at to see whether the mean has settled."""
    threshold: float = 1.0
    """A period ends when the mean varies by less: the sum over the weights of its variance
    over the window, in squared steps."""
    longest_period: int = 60
    """A period ends after so many tournaments in any case."""
    noisy: float = 0.2
    """A weight is noisy if its standard deviation among survivors over the window is more than
    this part of its interval (drawn at random it is 0.29)."""
    settled: float = 0.1
    """A weight is settled when its interval is at most this part of the range it started with."""
    era_periods: int = 8
    """An era ends after so many periods in any case."""
    era_tournaments: tuple[int, ...] = ()
    """The length of each era, if it is to be that and nothing else: the rules above then end
    periods only."""


class Fate(IntEnum):
    """What becomes of an interval at the end of a period."""

    NARROWED = 0
    DOUBLED = 1
    NOISY = 2


@dataclass(frozen=True)
class Interval:
    """Where a weight lies at present: 17 values from `low` to `high`."""

    parameter: Parameter
    low: float
    high: float
    fate: Fate = Fate.NARROWED
    """What the last period made of it."""

    def value(self, place: float) -> float:
        """Return the value at a place from 0 to 16."""
        value = self.low + (self.high - self.low) * place / (PLACES - 1)
        return round(value) if self.parameter.whole else value

    def text(self) -> str:
        """Return the interval as the paper's tables have it: `[32, 96]`."""
        return f"[{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class EraRecord:
    """How an era ended: a line of the paper's tables 9 to 11."""

    tournaments: int
    periods: int
    intervals: tuple[Interval, ...]
    fixed: dict[str, float]


@dataclass
class _Tournament:
    programs: list[Program]
    next_pairing: int = 0
    results: dict[int, DuelResult] = field(default_factory=dict)


class Population:
    """Eight programs through tournaments, periods and eras."""

    def __init__(
        self, eras: Sequence[Sequence[Parameter]], settings: PopulationSettings, seed: int
    ):
        """Take the parameters that each era admits; later ones live on the outcome of earlier."""
        check_parameters([parameter for era in eras for parameter in era])
        if settings.era_tournaments and len(settings.era_tournaments) != len(eras):
            raise TengenError(f"{len(settings.era_tournaments)} lengths for {len(eras)} eras")
        if not all(isinstance(length, int) for length in settings.era_tournaments):
            raise TengenError("era_tournaments are whole numbers")
        self.settings = settings
        self.fixed: dict[str, float] = {}
        self.intervals: tuple[Interval, ...] = ()
        self.eras: list[EraRecord] = []
        self.means: list[dict[str, float]] = []
        """The mean of the first six after every tournament, in values."""
        self.tournaments = 0
        self._waiting = [list(era) for era in eras]
        self._seed = seed
        self._era_start = 0
        self._periods = 0
        self._recent: list[list[Program]] = []
        self._period_length = 0
        self._now = _Tournament([])
        self._ends_by_hand = False
        self._begin_era()

    def end_era(self) -> None:
        """End the present era after the tournament under way."""
        self._ends_by_hand = True

    @property
    def done(self) -> bool:
        """Whether the last era has ended."""
        return not self.intervals

    @property
    def progress(self) -> tuple[int, int]:
        """Duels done, and how many it takes at most."""
        done = self.tournaments * len(PAIRINGS) + len(self._now.results)
        eras = len(self.eras) + len(self._waiting) + (not self.done)
        longest = eras * self.settings.era_periods * self.settings.longest_period
        longest = sum(self.settings.era_tournaments) or longest
        return done, done if self.done else longest * len(PAIRINGS)

    def next_duel(self) -> Duel | None:
        """Return the next duel of this tournament; None when all its duels are handed out."""
        now = self._now
        base = self.tournaments * len(PAIRINGS)
        while now.next_pairing < len(PAIRINGS) and base + now.next_pairing in now.results:
            now.next_pairing += 1
        if self.done or now.next_pairing >= len(PAIRINGS):
            return None
        one, other = PAIRINGS[now.next_pairing]
        number = base + now.next_pairing
        now.next_pairing += 1
        return Duel(number, self.values(now.programs[one]), self.values(now.programs[other]))

    def take(self, number: int, result: DuelResult) -> None:
        """Note a result; the last of a tournament brings the next generation."""
        if self.done or number // len(PAIRINGS) != self.tournaments:
            return
        self._now.results[number] = result
        if len(self._now.results) == len(PAIRINGS):
            self._finish_tournament()

    def recommend(self) -> dict[str, float]:
        """Return what is fixed, and the survivors' mean over the last tournaments."""
        if not self.intervals or not self._recent:
            middle = {i.parameter.name: i.value((PLACES - 1) / 2) for i in self.intervals}
            return {**self.fixed, **middle}
        return {**self.fixed, **self._mean_values(self._recent_places())}

    def values(self, program: Program) -> dict[str, float]:
        """Return the setting of a program, fixed weights included."""
        live = zip(self.intervals, program, strict=True)
        return {**self.fixed, **{i.parameter.name: i.value(place) for i, place in live}}

    # Tournaments

    def ranking(self) -> list[int]:
        """Return the programs of the finished tournament, best first."""
        points, margins = [0.0] * PROGRAMS, [0.0] * PROGRAMS
        for number, result in self._now.results.items():
            one, other = PAIRINGS[number % len(PAIRINGS)]
            points[one] += 2 * result.games * result.score
            points[other] += 2 * result.games * (1 - result.score)
            margins[one] += result.margin
            margins[other] -= result.margin
        return sorted(range(PROGRAMS), key=lambda p: (-points[p], -margins[p], p))

    def _finish_tournament(self) -> None:
        survivors = [self._now.programs[place] for place in self.ranking()[:SURVIVORS]]
        self.tournaments += 1
        self._recent = [*self._recent, survivors][-self.settings.window :]
        self.means.append({**self.fixed, **self._mean_values(np.array(survivors, dtype=float))})
        self._period_length += 1
        if self._period_over():
            self._finish_period()
        else:
            self._now = _Tournament([*survivors, self._mutant(survivors[0]), self._newcomer()])

    def _mutant(self, best: Program) -> Program:
        """Return a copy with one weight a step up or down."""
        dice = self._dice(1)
        weight = int(dice.integers(len(best)))
        steps = [step for step in (-1, 1) if 0 <= best[weight] + step < PLACES]
        step = int(dice.choice(steps))
        return tuple(p + step if place == weight else p for place, p in enumerate(best))

    def _newcomer(self, salt: int = 2) -> Program:
        return tuple(self._dice(salt).integers(PLACES, size=len(self.intervals)).tolist())

    def _dice(self, salt: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, self.tournaments, salt])

    # Periods

    def _time_is_up(self) -> bool:
        """Tell whether the era has the length it was given."""
        lengths = self.settings.era_tournaments
        return bool(lengths) and self.tournaments - self._era_start >= lengths[len(self.eras)]

    def _period_over(self) -> bool:
        if self._ends_by_hand or self._time_is_up():
            return True
        if self._period_length >= self.settings.longest_period:
            return True
        if self._period_length < self.settings.window:
            return False
        means = np.array([np.mean(survivors, axis=0) for survivors in self._recent])
        return float(means.var(axis=0).sum()) < self.settings.threshold

    def _finish_period(self) -> None:
        """Fit every interval to where the population is."""
        self._periods += 1
        places = self._recent_places()
        means = self._mean_values(places)
        self.intervals = tuple(
            self._refitted(interval, places[:, column])
            for column, interval in enumerate(self.intervals)
        )
        if self._era_over():
            self._finish_era(means)
        else:
            self._begin_period()

    def _refitted(self, interval: Interval, places: npt.NDArray[np.float64]) -> Interval:
        """Return where a weight is looked for next."""
        size, (least, most) = interval.high - interval.low, interval.parameter.limits
        mean, deviation = float(places.mean()), float(places.std())
        if deviation > self.settings.noisy * (PLACES - 1):
            return replace(interval, fate=Fate.NOISY)
        if mean >= PLACES - 1 - FRONTIER and interval.high < most:
            high = min(interval.low + 2 * size, most)
            return replace(interval, high=high, fate=Fate.DOUBLED)
        if mean <= FRONTIER and interval.low > least:
            low = max(interval.high - 2 * size, least)
            return replace(interval, low=low, fate=Fate.DOUBLED)
        return self._narrowed(interval, mean, deviation)

    def _narrowed(self, interval: Interval, mean: float, deviation: float) -> Interval:
        """Return an interval around the mean, wide enough for where the population lives.

        Never less than half of the present size, lest a chance narrowing lose the optimum.
        """
        size, (least, most) = interval.high - interval.low, interval.parameter.limits
        half = max(2 * deviation / (PLACES - 1), 0.25) * size
        centre = interval.low + size * mean / (PLACES - 1)
        # What a limit takes from one end is given back at the other.
        low = max(min(centre - half, most - size / 2), least)
        high = min(max(centre + half, least + size / 2), most)
        return Interval(interval.parameter, low, high, Fate.NARROWED)

    def _begin_period(self) -> None:
        """Draw a new population on the new intervals; nothing of the old places has a meaning."""
        self._recent = []
        self._period_length = 0
        self._now = _Tournament([self._newcomer(10 + place) for place in range(PROGRAMS)])

    # Eras

    def _era_over(self) -> bool:
        if self.settings.era_tournaments and not self._ends_by_hand:
            return self._time_is_up()
        if self._ends_by_hand or self._periods >= self.settings.era_periods:
            return True
        return all(
            interval.fate is Fate.NOISY or self._is_settled(interval) for interval in self.intervals
        )

    def _is_settled(self, interval: Interval) -> bool:
        whole = interval.parameter.high - interval.parameter.low
        narrow = interval.high - interval.low <= self.settings.settled * whole
        return narrow and interval.fate is Fate.NARROWED

    def _finish_era(self, means: dict[str, float]) -> None:
        """Fix what has settled, or in the last era all; keep what is noisy; admit what comes."""
        last = not self._waiting
        fixed = [i for i in self.intervals if last or self._is_settled(i)]
        self.fixed.update(
            {i.parameter.name: i.parameter.settle(means[i.parameter.name]) for i in fixed}
        )
        length = self.tournaments - self._era_start
        self.eras.append(EraRecord(length, self._periods, self.intervals, dict(self.fixed)))
        self.intervals = tuple(i for i in self.intervals if i not in fixed)
        self._begin_era()

    def _begin_era(self) -> None:
        self._ends_by_hand = False
        self._era_start = self.tournaments
        self._periods = 0
        admitted = self._waiting.pop(0) if self._waiting else []
        self.intervals += tuple(Interval(p, p.low, p.high) for p in admitted)
        self._begin_period()

    # Means

    def _recent_places(self) -> npt.NDArray[np.float64]:
        """Return the places of all survivors over the window, a row each."""
        return np.array([program for six in self._recent for program in six], dtype=float)

    def _mean_values(self, places: npt.NDArray[np.float64]) -> dict[str, float]:
        means = places.mean(axis=0).tolist()
        live = zip(self.intervals, means, strict=True)
        return {i.parameter.name: i.value(mean) for i, mean in live}
