"""Suites of life-and-death problems with known first moves: which answers are right and proved?"""

import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tengen.board import PASS, Position
from tengen.engine import ProblemSolver
from tengen.records import GameRecord
from tengen.solver import verify_life
from tengen.util import TengenError, read_results, share_estimate, write_results


@dataclass(frozen=True)
class ProblemCase:
    """A problem with its known right first moves."""

    suite: str
    name: str
    position: Position
    right: frozenset[int]


@dataclass(frozen=True)
class ProblemOutcome:
    """The answer to a case; a row of the results file."""

    suite: str
    name: str
    answer: str
    right: str
    is_right: bool
    """Whether the recommended first move is right."""
    status: str
    succeeds: bool
    """Whether the side to move reaches its aim."""
    is_proved: bool
    probability: float
    working: str
    nodes: int
    cpu_s: float


def case_of(record: GameRecord, position: Position, right: frozenset[int]) -> ProblemCase:
    """Return a case named by the folder and the name of its file."""
    path = Path(record.source)
    return ProblemCase(path.parent.name, path.stem, position, right)


def sample_cases(cases: Sequence[ProblemCase], count: int | None, seed: int) -> list[ProblemCase]:
    """Return a random sample in a random order, or all cases in their order."""
    if count is None or count >= len(cases):
        return list(cases)
    return random.Random(seed).sample(list(cases), count)


def run_case(solver: ProblemSolver, case: ProblemCase, verifies: bool = False) -> ProblemOutcome:
    """Solve a case; raise ProofError if a proof does not hold."""
    began_s = time.process_time()
    position = case.position
    found = solver.solve(position)
    cpu_s = time.process_time() - began_s
    if verifies and found.is_proved and found.claim is not None and found.searcher is not None:
        verify_life(found.searcher, found.position, found.claim)
    return ProblemOutcome(
        suite=case.suite,
        name=case.name,
        answer=position.vertex(found.best),
        right=_vertices(position, sorted(case.right)),
        is_right=found.best in case.right,
        status=found.status.value,
        succeeds=found.succeeds,
        is_proved=found.is_proved and found.succeeds,
        probability=round(found.probability, 3),
        working=_vertices(position, [move for move in found.moves if move != PASS]),
        nodes=found.nodes,
        cpu_s=round(cpu_s, 2),
    )


def _vertices(position: Position, moves: Sequence[int]) -> str:
    return " ".join(position.vertex(move) for move in moves)


class OutcomeFile:
    """The results file of a run: rewritten after every case, so that a run can be resumed."""

    def __init__(self, path: Path | None, command: str, settings: dict[str, object]):
        """Read the rows of an earlier run; without a path, rows are only kept in memory."""
        self.path = path
        self._command = command
        self._settings = {name: str(value) for name, value in settings.items()}
        self.rows: list[dict[str, object]] = []
        if path is not None and path.exists():
            earlier = read_results(path)
            kept = {name: earlier.properties.get(name) for name in self._settings}
            if kept != self._settings:
                raise TengenError(f"{path} was written with other settings: choose another file")
            self.rows = [dict(row) for row in earlier.rows]

    def is_done(self, case: ProblemCase) -> bool:
        """Return whether a case was run before."""
        return any((row["suite"], row["name"]) == (case.suite, case.name) for row in self.rows)

    def add(self, outcome: ProblemOutcome) -> None:
        """Add a row and write the file."""
        self.rows.append(asdict(outcome))
        if self.path is not None:
            write_results(self.path, self.rows, self._command, self._settings)


def summary(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Return the shares of right and of proved answers by suite and in total."""
    names = sorted({str(row["suite"]) for row in rows})
    groups = [(name, [row for row in rows if row["suite"] == name]) for name in names]
    if len(groups) > 1:
        groups.append(("all", list(rows)))
    return [_summary_row(name, part) for name, part in groups]


def _summary_row(name: str, rows: Sequence[dict[str, object]]) -> dict[str, object]:
    right = [row for row in rows if str(row["is_right"]) == "True"]
    proved = [row for row in rows if str(row["is_proved"]) == "True"]
    proved_right = [row for row in right if str(row["is_proved"]) == "True"]
    values = np.array([row in right for row in rows], dtype=float)
    interval = share_estimate(values, np.arange(len(rows)))
    return {
        "suite": name,
        "problems": len(rows),
        "right": len(right),
        "right_percent": round(100 * len(right) / len(rows), 1),
        "low_percent": round(100 * interval.low, 1),
        "high_percent": round(100 * interval.high, 1),
        "proved": len(proved),
        "proved_right": len(proved_right),
        "cpu_s_mean": round(sum(float(str(row["cpu_s"])) for row in rows) / len(rows), 1),
    }
