"""Counting passes by file."""

from dataclasses import asdict, dataclass, field

from tengen.regress.runner import CaseResult, Outcome


@dataclass
class Tally:
    """How many cases passed."""

    cases: int = 0
    """Those that were run."""
    passed: int = 0
    gnugo_passed: int = 0
    """Those that GNU Go is said to pass."""
    both_passed: int = 0
    not_run: int = 0

    def add(self, result: CaseResult) -> None:
        """Count one case."""
        if result.outcome is Outcome.NOT_RUN:
            self.not_run += 1
            return
        passed, gnugo = result.outcome is Outcome.PASSED, not result.answer.gnugo_fails
        self.cases += 1
        self.passed += passed
        self.gnugo_passed += gnugo
        self.both_passed += passed and gnugo


@dataclass
class SuiteResult:
    """What was found in a suite so far."""

    total: Tally = field(default_factory=Tally)
    files: dict[str, Tally] = field(default_factory=dict)
    results: list[CaseResult] = field(default_factory=list)

    def add(self, result: CaseResult) -> None:
        """Count one case."""
        self.results.append(result)
        self.total.add(result)
        self.files.setdefault(result.script, Tally()).add(result)

    @property
    def problems(self) -> list[str]:
        """Why cases were not run, each reason once."""
        return list(dict.fromkeys(result.problem for result in self.results if result.problem))

    def as_json(self) -> dict[str, object]:
        """Return everything as JSON wants it."""
        return {
            **asdict(self.total),
            "files": {name: asdict(tally) for name, tally in self.files.items()},
            "problems": self.problems,
            "results": [result.as_json() for result in self.results],
        }
