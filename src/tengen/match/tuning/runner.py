"""Runs a tuner: keeps workers busy with duels, logs every result, and writes the report.

The log has one JSON line per result after a header line. An incomplete last line, left by a crash,
is dropped.
"""

import csv
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from tengen.match.entrants import changed_files
from tengen.match.pool import WorkerPool, Workers
from tengen.match.tuning.objective import DuelTask, Objective, run_task
from tengen.match.tuning.population import EraRecord, Population
from tengen.match.tuning.tuner import Duel, DuelResult, Spsa, Tuner, number_text
from tengen.util import TengenError, first_difference, try_lock
from tengen.view import Section, figure_svg, html_table, inline_svg, render_report

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


matplotlib.use("Agg")

_PLOT_TITLES = {
    Spsa: "Parameters by iteration",
    Population: "Mean of the surviving programs by tournament",
}


def write_tune_report(tuner: Tuner, folder: Path) -> list[Path]:
    """Write `report.html`, `path.csv`, `path.png` and `path.svg`; return their paths."""
    path = tuner_path(tuner)
    figure = path_figure(path)
    page, table, *images = (
        folder / name for name in ("report.html", "path.csv", "path.png", "path.svg")
    )
    for image in images:
        figure.savefig(image)
    table.write_text(path_csv(path), encoding="utf-8")
    page.write_text(html_page(tuner, figure), encoding="utf-8")
    return [page, table, *images]


def tuner_path(tuner: Tuner) -> list[dict[str, float]]:
    """Return the parameter values after each step."""
    if isinstance(tuner, Population):
        return tuner.means
    if isinstance(tuner, Spsa):
        names = [parameter.name for parameter in tuner.parameters]
        return [dict(zip(names, theta.tolist(), strict=True)) for theta in tuner.history]
    return []


def path_csv(path: Sequence[Mapping[str, float]]) -> str:
    """Return one line per step, with empty cells before a parameter is admitted."""
    names = sorted({name for step in path for name in step})
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["step", *names])
    for number, step in enumerate(path):
        writer.writerow([number, *(step.get(name, "") for name in names)])
    return text.getvalue()


def path_figure(path: Sequence[Mapping[str, float]]) -> Figure:
    """Plot one panel per parameter (paper 001, figures 4.5 and 4.6)."""
    names = sorted({name for step in path for name in step})
    figure = Figure(figsize=(8, 1 + 2 * max(len(names), 1)), layout="constrained")
    for place, name in enumerate(names):
        axes = figure.add_subplot(len(names), 1, place + 1)
        steps = [(number, step[name]) for number, step in enumerate(path) if name in step]
        axes.plot([number for number, _ in steps], [value for _, value in steps])
        axes.set_ylabel(name)
        axes.set_xlabel("step" if place == len(names) - 1 else "")
    return figure


def html_page(tuner: Tuner, figure: Figure) -> str:
    """Return the report page."""
    done, planned = tuner.progress
    state = "finished" if tuner.done else "not finished"
    values = [(name, number_text(value)) for name, value in sorted(tuner.recommend().items())]
    sections = [
        Section("Recommended values", content=html_table(["parameter", "value"], values)),
        *(_era_sections(tuner.eras) if isinstance(tuner, Population) else ()),
        Section(
            _PLOT_TITLES.get(type(tuner), "Parameters"), content=inline_svg(figure_svg(figure))
        ),
    ]
    return render_report("Tuning", sections, f"{done} duels of at most {planned}, {state}.")


def _era_sections(eras: Sequence[EraRecord]) -> Iterator[Section]:
    """Yield a table per era with its final intervals (paper 003, tables 9 to 11)."""
    for number, era in enumerate(eras, 1):
        names = [interval.parameter.name for interval in era.intervals]
        cells = [interval.text() for interval in era.intervals]
        changes = [interval.change.name.lower() for interval in era.intervals]
        fixed = [number_text(era.fixed[name]) if name in era.fixed else "–" for name in names]
        rows = [("interval", *cells), ("last period", *changes), ("fixed at", *fixed)]
        heading = f"Era {number}: {era.tournaments} tournaments, {era.periods} periods"
        yield Section(heading, content=html_table(["", *names], rows))
