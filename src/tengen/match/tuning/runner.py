"""Runs a tuner: keeps workers busy with duels and logs every result.

The log has one JSON line per result after a header line. An incomplete last line, left by a crash,
is dropped.
"""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from tengen.match.entrants import changed_files
from tengen.match.pool import WorkerPool, Workers
from tengen.match.tuning.objective import DuelTask, Objective, run_task
from tengen.match.tuning.population import Population
from tengen.match.tuning.report import write_tune_report
from tengen.match.tuning.tuner import Duel, DuelResult, Tuner
from tengen.util import TengenError, first_difference, try_lock

Observer = Callable[[Tuner], None]
MAX_PROBLEMS = 8
"""Consecutive duels with a problem before the run is aborted."""
_HEADER = '{"run": '
_Pool = WorkerPool[Duel, DuelTask, DuelResult]


def tune_in_folder(
    folder: Path,
    tuner: Tuner,
    objective: Objective,
    identity: Mapping[str, object],
    workers: Workers,
    display: AbstractContextManager[Observer],
    ends_era: bool = False,
    on_file: Callable[[Path], object] = lambda path: None,
) -> None:
    """Resume a tuner from the folder's log; at the end, and after Ctrl-C, write its report.

    `identity` must be equal to resume a log; `ends_era` ends the current era of a population.
    `on_file` is called with each file of the report.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = TuneLog(folder / "log.jsonl", dict(identity))
    try:
        if ends_era:
            log.end_era()
        with display as observe:
            run_tuner(tuner, objective, log, workers, observe)
    finally:
        log.close()
        for path in write_tune_report(tuner, folder):
            on_file(path)


def run_tuner(
    tuner: Tuner, objective: Objective, log: "TuneLog", workers: Workers, observe: Observer
) -> None:
    """Replay the log, then run the tuner until it is done.

    `observe` is called after every result. On any exception, including Ctrl-C, running duels are
    dropped. Raise TengenError after MAX_PROBLEMS consecutive duels with problems.
    """
    _replay(tuner, log)
    lost: list[Duel] = []
    problems = 0
    with _Pool(workers, run_task) as pool:
        observe(tuner)
        while _submit(tuner, objective, pool, lost):
            for duel, result in pool.results():
                if result is None:
                    lost.append(duel)
                    continue
                log.add(duel, result)
                tuner.take(duel.number, result)
                observe(tuner)
                problems = problems + 1 if result.problem else 0
                if problems == MAX_PROBLEMS:
                    raise TengenError(f"{MAX_PROBLEMS} duels in a row failed: {result.problem}")


def _replay(tuner: Tuner, log: "TuneLog") -> None:
    """Restore the tuner's state from the log."""
    for entry in log.results():
        if entry is not None:
            tuner.take(*entry)
        elif isinstance(tuner, Population):
            tuner.end_era()


def _submit(tuner: Tuner, objective: Objective, pool: _Pool, lost: list[Duel]) -> bool:
    """Start duels on idle workers, lost ones first; return whether any is running."""
    while pool.has_room and not tuner.done:
        duel = lost.pop() if lost else tuner.next_duel()
        if duel is None:
            break
        pool.start(duel, objective.task(duel))
    return bool(pool.running)


class TuneLog:
    """An append-only log of results, locked by one process at a time."""

    def __init__(self, path: Path, identity: dict[str, object]):
        """Open or create a log; raise TengenError if it is locked, damaged or of another run."""
        self.path = path
        try:
            self._file = path.open("a+", encoding="utf-8")
        except OSError as error:
            raise TengenError(f"cannot write {path}: {error.strerror}") from None
        try:
            self._adopt(json.loads(json.dumps(identity)))
        except TengenError:
            self._file.close()
            raise

    def results(self) -> list[tuple[int, DuelResult] | None]:
        """Return number and result of every duel in order, None where an era was ended."""
        return [_parse_result(entry) for entry in self._entries()[1:]]

    def end_era(self) -> None:
        """Record that the user ends the current era."""
        self._append({"end_era": True})

    def add(self, duel: Duel, result: DuelResult) -> None:
        """Append a result."""
        entry = {"duel": duel.number, **result._asdict()}
        self._append({**entry, "first": dict(duel.first), "second": dict(duel.second)})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _adopt(self, wanted: dict[str, object]) -> None:
        """Lock the file and check its header; other files are left unchanged."""
        if not try_lock(self._file.fileno()):
            raise TengenError(f"{self.path} is in use by another run")
        entries = self._entries()
        if not entries:
            self._append({"run": wanted})
        elif entries[0]["run"] != wanted:
            stored = entries[0]["run"]
            changed = changed_files(stored, wanted) or f"its {first_difference(stored, wanted)}; "
            raise TengenError(f"{self.path} is the log of another run: {changed}use a new folder")

    def _append(self, entry: dict[str, object]) -> None:
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _entries(self) -> list[dict[str, Any]]:
        try:
            return [json.loads(line) for line in self._complete_lines()]
        except ValueError:
            raise TengenError(f"{self.path} is damaged: use a new folder") from None

    def _complete_lines(self) -> list[str]:
        """Return the complete lines and truncate an incomplete last one."""
        self._file.seek(0)
        text = self._file.read()
        if not (text.startswith(_HEADER) or _HEADER.startswith(text)):
            raise TengenError(f"{self.path} is not a tuning log: use a new folder")
        complete = text[: text.rfind("\n") + 1]
        if len(complete) < len(text):
            self._file.truncate(len(complete.encode()))
        return complete.splitlines()


def _parse_result(entry: dict[str, Any]) -> tuple[int, DuelResult] | None:
    if "end_era" in entry:
        return None
    values = (entry["score"], entry["margin"], entry["games"], entry.get("problem", ""))
    return entry["duel"], DuelResult(*values)
