"""An evolving population of programs (paper 003, section 5.3).

Eight programs play a tournament of 56 games (28 duels): each pair meets twice with swapped colors.
A win gives 2 points, a draw 1; ties are broken by the mean margin. The best six survive. They are
joined by a mutant of the best one (one weight one step up or down) and a random newcomer. Each
weight takes 17 values of an interval.

- A **period** ends when the mean of the survivors has converged. Then each interval is refitted:
  doubled if the mean is near a boundary, kept if the weight is noisy, otherwise narrowed.
- An **era** ends when every weight is settled or noisy, after a number of periods or tournaments,
  or manually after the tournament in which `end_era` was called. Settled weights are fixed, noisy
  ones remain, and the weights of the next era are admitted.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tengen.match.tuning.tuner import Duel, DuelResult, Parameter, check_parameters
from tengen.util import TengenError

Program = tuple[int, ...]
"""Position of each weight on its interval, 0 to 16."""

PROGRAMS = 8
SURVIVORS = 6
PLACES = 17
BOUNDARY_STEPS = 2
"""A mean within this many steps of an end of the interval is near the boundary."""
PAIRINGS = tuple(itertools.combinations(range(PROGRAMS), 2))


@dataclass(frozen=True)
class PopulationSettings:
    """When periods and eras end. The paper decided this by eye."""

    window: int = 8
    """Number of recent tournaments examined for convergence."""
    threshold: float = 1.0
    """A period ends when the variance of the mean over the window, summed over the weights, is
    below this value (in squared steps)."""
    longest_period: int = 60
    """Maximum number of tournaments in a period."""
    noisy: float = 0.2
    """A weight is noisy if its standard deviation among survivors over the window exceeds this
    fraction of its interval (0.29 for a uniform distribution)."""
    settled: float = 0.1
    """A weight is settled if its interval is at most this fraction of its initial range."""
    era_periods: int = 8
    """Maximum number of periods in an era."""
    era_tournaments: tuple[int, ...] = ()
    """Fixed length of each era in tournaments; the rules above then end only periods."""


class IntervalChange(IntEnum):
    """How an interval changes at the end of a period."""

    NARROWED = 0
    DOUBLED = 1
    NOISY = 2


@dataclass(frozen=True)
class ParameterInterval:
    """The current interval of a weight: 17 values from `low` to `high`."""

    parameter: Parameter
    low: float
    high: float
    change: IntervalChange = IntervalChange.NARROWED
    """Change in the last period."""

    def value(self, place: float) -> float:
        """Return the value at a position from 0 to 16."""
        value = self.low + (self.high - self.low) * place / (PLACES - 1)
        return round(value) if self.parameter.whole else value

    def text(self) -> str:
        """Return the interval as in the paper's tables: `[32, 96]`."""
        return f"[{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class EraRecord:
    """Final state of an era (paper 003, tables 9 to 11)."""

    tournaments: int
    periods: int
    intervals: tuple[ParameterInterval, ...]
    fixed: dict[str, float]


@dataclass
class _Tournament:
    programs: list[Program]
    next_pairing: int = 0
    results: dict[int, DuelResult] = field(default_factory=dict)


class Population:
    """A population tuner."""

    def __init__(
        self, eras: Sequence[Sequence[Parameter]], settings: PopulationSettings, seed: int
    ):
        """Create a population; each era admits some of the parameters."""
        check_parameters([parameter for era in eras for parameter in era])
        if settings.era_tournaments and len(settings.era_tournaments) != len(eras):
            raise TengenError(
                f"era_tournaments has {len(settings.era_tournaments)} entries for {len(eras)} eras"
            )
        if not all(isinstance(length, int) for length in settings.era_tournaments):
            raise TengenError("era_tournaments must be integers")
        self.settings = settings
        self.fixed: dict[str, float] = {}
        self.intervals: tuple[ParameterInterval, ...] = ()
        self.eras: list[EraRecord] = []
        self.means: list[dict[str, float]] = []
        """Mean values of the survivors after every tournament."""
        self.tournaments = 0
        self._waiting = [list(era) for era in eras]
        self._seed = seed
        self._era_start = 0
        self._periods = 0
        self._recent: list[list[Program]] = []
        self._period_length = 0
        self._now = _Tournament([])
        self._end_requested = False
        self._begin_era()

    def end_era(self) -> None:
        """End the era after the current tournament."""
        self._end_requested = True

    @property
    def done(self) -> bool:
        """Whether the last era has ended."""
        return not self.intervals

    @property
    def progress(self) -> tuple[int, int]:
        """Finished duels and their maximum number."""
        done = self.tournaments * len(PAIRINGS) + len(self._now.results)
        eras = len(self.eras) + len(self._waiting) + (not self.done)
        longest = eras * self.settings.era_periods * self.settings.longest_period
        longest = sum(self.settings.era_tournaments) or longest
        return done, done if self.done else longest * len(PAIRINGS)

    def next_duel(self) -> Duel | None:
        """Return the next duel of the tournament; None if all have been issued."""
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
        """Record a result; the last one of a tournament creates the next generation."""
        if self.done or number // len(PAIRINGS) != self.tournaments:
            return
        self._now.results[number] = result
        if len(self._now.results) == len(PAIRINGS):
            self._finish_tournament()

    def recommend(self) -> dict[str, float]:
        """Return the fixed values and the survivors' mean over the window."""
        if not self.intervals or not self._recent:
            middle = {i.parameter.name: i.value((PLACES - 1) / 2) for i in self.intervals}
            return {**self.fixed, **middle}
        return {**self.fixed, **self._mean_values(self._recent_places())}

    def values(self, program: Program) -> dict[str, float]:
        """Return the values of a program, including fixed weights."""
        live = zip(self.intervals, program, strict=True)
        return {**self.fixed, **{i.parameter.name: i.value(place) for i, place in live}}

    # Tournaments

    def ranking(self) -> list[int]:
        """Return the programs of the tournament, best first."""
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
        if self._is_period_over():
            self._finish_period()
        else:
            self._now = _Tournament([*survivors, self._mutant(survivors[0]), self._newcomer()])

    def _mutant(self, best: Program) -> Program:
        """Return a copy with one weight moved by one step."""
        rng = self._rng(1)
        weight = int(rng.integers(len(best)))
        steps = [step for step in (-1, 1) if 0 <= best[weight] + step < PLACES]
        step = int(rng.choice(steps))
        return tuple(p + step if place == weight else p for place, p in enumerate(best))

    def _newcomer(self, salt: int = 2) -> Program:
        return tuple(self._rng(salt).integers(PLACES, size=len(self.intervals)).tolist())

    def _rng(self, salt: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, self.tournaments, salt])

    # Periods

    def _era_is_full(self) -> bool:
        """Return whether the era has reached its fixed length."""
        lengths = self.settings.era_tournaments
        return bool(lengths) and self.tournaments - self._era_start >= lengths[len(self.eras)]

    def _is_period_over(self) -> bool:
        if self._end_requested or self._era_is_full():
            return True
        if self._period_length >= self.settings.longest_period:
            return True
        if self._period_length < self.settings.window:
            return False
        means = np.array([np.mean(survivors, axis=0) for survivors in self._recent])
        return float(means.var(axis=0).sum()) < self.settings.threshold

    def _finish_period(self) -> None:
        """Refit all intervals."""
        self._periods += 1
        places = self._recent_places()
        means = self._mean_values(places)
        self.intervals = tuple(
            self._refitted(interval, places[:, column])
            for column, interval in enumerate(self.intervals)
        )
        if self._is_era_over():
            self._finish_era(means)
        else:
            self._begin_period()

    def _refitted(
        self, interval: ParameterInterval, places: npt.NDArray[np.float64]
    ) -> ParameterInterval:
        """Return the next interval of a weight."""
        size, (least, most) = interval.high - interval.low, interval.parameter.limits
        mean, deviation = float(places.mean()), float(places.std())
        if deviation > self.settings.noisy * (PLACES - 1):
            return replace(interval, change=IntervalChange.NOISY)
        if mean >= PLACES - 1 - BOUNDARY_STEPS and interval.high < most:
            high = min(interval.low + 2 * size, most)
            return replace(interval, high=high, change=IntervalChange.DOUBLED)
        if mean <= BOUNDARY_STEPS and interval.low > least:
            low = max(interval.high - 2 * size, least)
            return replace(interval, low=low, change=IntervalChange.DOUBLED)
        return self._narrowed(interval, mean, deviation)

    def _narrowed(
        self, interval: ParameterInterval, mean: float, deviation: float
    ) -> ParameterInterval:
        """Return an interval around the mean that covers the population.

        It has at least half of the current size, so that chance does not exclude the optimum.
        """
        size, (least, most) = interval.high - interval.low, interval.parameter.limits
        half = max(2 * deviation / (PLACES - 1), 0.25) * size
        center = interval.low + size * mean / (PLACES - 1)
        # If a limit cuts one end, extend the other.
        low = max(min(center - half, most - size / 2), least)
        high = min(max(center + half, least + size / 2), most)
        return ParameterInterval(interval.parameter, low, high, IntervalChange.NARROWED)

    def _begin_period(self) -> None:
        """Draw a new random population on the new intervals."""
        self._recent = []
        self._period_length = 0
        self._now = _Tournament([self._newcomer(10 + place) for place in range(PROGRAMS)])

    # Eras

    def _is_era_over(self) -> bool:
        if self.settings.era_tournaments and not self._end_requested:
            return self._era_is_full()
        if self._end_requested or self._periods >= self.settings.era_periods:
            return True
        return all(
            interval.change is IntervalChange.NOISY or self._is_settled(interval)
            for interval in self.intervals
        )

    def _is_settled(self, interval: ParameterInterval) -> bool:
        whole = interval.parameter.high - interval.parameter.low
        narrow = interval.high - interval.low <= self.settings.settled * whole
        return narrow and interval.change is IntervalChange.NARROWED

    def _finish_era(self, means: dict[str, float]) -> None:
        """Fix settled weights (all in the last era), keep noisy ones and admit new ones."""
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
        self._end_requested = False
        self._era_start = self.tournaments
        self._periods = 0
        admitted = self._waiting.pop(0) if self._waiting else []
        self.intervals += tuple(ParameterInterval(p, p.low, p.high) for p in admitted)
        self._begin_period()

    # Means

    def _recent_places(self) -> npt.NDArray[np.float64]:
        """Return the positions of all survivors over the window, one row each."""
        return np.array([program for six in self._recent for program in six], dtype=float)

    def _mean_values(self, places: npt.NDArray[np.float64]) -> dict[str, float]:
        means = places.mean(axis=0).tolist()
        live = zip(self.intervals, means, strict=True)
        return {i.parameter.name: i.value(mean) for i, mean in live}
