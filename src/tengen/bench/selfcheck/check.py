"""Checks: endless generators of cases, run for a share of the available time."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_REPORTED = 5
"""Failures of a check that are described; all are counted."""


class Batch(NamedTuple):
    """Some cases that were tried, and descriptions of those that failed."""

    tried: int
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """A part of the self-check."""

    name: str
    unit: str
    """What is counted, such as `positions`."""
    promise: str
    """What holds for every case."""
    cases: Callable[[random.Random], Iterator[Batch]]
    """Yields batches of cases without end; it releases its resources when it is closed."""
    share: float = 1.0
    """Share of the time, relative to other checks."""


@dataclass
class Outcome:
    """The result of one check."""

    name: str
    unit: str
    promise: str
    tried: int = 0
    failed: int = 0
    elapsed_s: float = 0.0
    problems: list[str] = field(default_factory=list)
    """Descriptions of the first failures."""

    def add(self, batch: Batch) -> None:
        """Count a batch."""
        self.tried += batch.tried
        self.failed += len(batch.failures)
        self.problems += batch.failures[: MAX_REPORTED - len(self.problems)]


def run_checks(
    checks: Sequence[Check],
    minutes: float,
    seed: int,
    on_progress: Callable[[Outcome], object],
) -> Iterator[Outcome]:
    """Run each check for its share of the time, at least one batch; yield the outcomes."""
    total = sum(check.share for check in checks)
    for number, check in enumerate(checks):
        limit_s = minutes * 60 * check.share / total
        yield _run(check, limit_s, random.Random(f"{seed}/{number}"), on_progress)


def _run(
    check: Check, limit_s: float, rng: random.Random, on_progress: Callable[[Outcome], object]
) -> Outcome:
    outcome = Outcome(check.name, check.unit, check.promise)
    started_s = time.monotonic()
    end_s = 0.0
    cases = check.cases(rng)
    try:
        for batch in cases:
            # The first batch may have to compile kernels: time counts from its end.
            end_s = end_s or time.monotonic() + limit_s
            outcome.add(batch)
            on_progress(outcome)
            if time.monotonic() >= end_s:
                break
    except Exception as error:
        # The check itself cannot continue, which is a failure of what it checks.
        outcome.add(Batch(1, (f"{type(error).__name__}: {error}",)))
    finally:
        if hasattr(cases, "close"):
            cases.close()
    outcome.elapsed_s = time.monotonic() - started_s
    return outcome
