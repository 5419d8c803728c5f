"""Studies: the output folder of an experiment.

A study folder contains `settings.json`, CSV tables that grow row by row so that an interrupted
study can be resumed, plots as PNG and SVG, and a self-contained `report.html`. Tables that the
report names are also written to the subfolder `tables` as results files.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import matplotlib
from matplotlib.figure import Figure
from rich.progress import Progress, track as rich_track

from tengen.match import changed_files
from tengen.util import (
    Console,
    TengenError,
    atomic_write_text,
    current_command,
    first_difference,
    lock_folder,
    write_results,
)
from tengen.view import Section, figure_svg, html_table, inline_svg, render_report

matplotlib.use("Agg")  # works without a display


Row = Mapping[str, object]
Item = TypeVar("Item")


class CsvTable:
    """Rows in a CSV file; added rows are written at once."""

    def __init__(self, path: Path, columns: Sequence[str]):
        """Open or create a table; raise TengenError if the file has other columns.

        The folder is locked against other processes.
        """
        lock_folder(path.parent)
        self.path = path
        self.columns = list(columns)
        self.rows: list[dict[str, str]] = []
        if path.exists():
            self._read()
        else:
            path.write_text(_csv_line(self.columns), encoding="utf-8")

    def _read(self) -> None:
        text = self.path.read_text(encoding="utf-8")
        if not text.endswith("\n"):
            # The last row is incomplete: the process was killed while writing it.
            text = text[: text.rfind("\n") + 1]
            atomic_write_text(self.path, text)
        reader = csv.DictReader(io.StringIO(text))
        if list(reader.fieldnames or []) != self.columns:
            raise TengenError(f"{self.path} has other columns than this experiment writes")
        self.rows = list(reader)

    def add(self, **values: object) -> None:
        """Add a row with a value for every column."""
        self.add_all([values])

    def add_all(self, rows: Iterable[Row]) -> None:
        """Add rows in one write: an interruption leaves all of them or none."""
        added = [self._row(values) for values in rows]
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write("".join(_csv_line(list(row.values())) for row in added))
        self.rows += added

    def _row(self, values: Row) -> dict[str, str]:
        if set(values) != set(self.columns):
            raise ValueError(f"a row of {self.path.name} must have the columns {self.columns}")
        return {name: str(values[name]) for name in self.columns}

    def has(self, **key: object) -> bool:
        """Return whether a row with these values exists."""
        return any(all(row[name] == str(value) for name, value in key.items()) for row in self.rows)


class Study:
    """The folder of one experiment, and its report."""

    def __init__(self, folder: Path, title: str, settings: Mapping[str, object]):
        """Open or create a study; raise TengenError if the folder has data with other settings.

        A study without data is replaced unless another process uses its folder.
        """
        self.folder = folder
        self.title = title
        self.settings = dict(settings)
        self._sections: list[Section] = []
        self._tables: dict[str, Sequence[Row]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self._store_settings(folder / "settings.json")

    def _store_settings(self, path: Path) -> None:
        text = json.dumps({"title": self.title, **self.settings}, indent=2, default=str) + "\n"
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return
        if path.exists() and self._has_data():
            raise TengenError(
                f"{self.folder} contains a study with other settings: {_advice(path, text)}"
            )
        lock_folder(self.folder)
        atomic_write_text(path, text)

    def _has_data(self) -> bool:
        """Return whether the folder contains games, table rows or a tuning log."""
        rows = any(path.read_bytes().count(b"\n") > 1 for path in self.folder.glob("*.csv"))
        return rows or any(self.folder.glob("*.sqlite")) or any(self.folder.glob("*/*.jsonl"))

    def table(self, name: str, columns: Sequence[str]) -> CsvTable:
        """Open or create the table `NAME.csv`."""
        return CsvTable(self.folder / f"{name}.csv", columns)

    def clear_report(self) -> None:
        """Discard the sections added so far, to build the report again."""
        self._sections.clear()
        self._tables.clear()

    def add_section(self, heading: str, paragraph: str = "") -> None:
        """Add a heading and a paragraph to the report."""
        self._sections.append(Section(heading, [paragraph] if paragraph else []))

    def add_table(self, rows: CsvTable | Sequence[Row], caption: str, name: str = "") -> None:
        """Add rows to the report as a table with the columns of the first row.

        A table with a name is also written to `tables/NAME.csv` as a results file.
        """
        listed: Sequence[Row] = rows.rows if isinstance(rows, CsvTable) else rows
        columns = list(listed[0]) if listed else []
        table = html_table(columns, ([row.get(name, "") for name in columns] for row in listed))
        self._sections.append(Section(content=table, note=caption))
        if name and listed:
            self._tables[name] = listed

    @contextmanager
    def figure(
        self, name: str, caption: str, size: tuple[float, float] = (8, 4.5)
    ) -> Iterator[Figure]:
        """Yield a figure to draw on, then save `NAME.png` and `NAME.svg` and add it."""
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        figure.savefig(self.folder / f"{name}.png", dpi=110)
        picture = figure_svg(figure)
        atomic_write_text(self.folder / f"{name}.svg", picture)
        self._sections.append(Section(content=inline_svg(picture), note=caption))

    def write_report(self) -> Path:
        """Write `report.html` and the results files; return the path of the report."""
        settings = Section("Settings", content=html_table([], _flattened(self.settings)))
        page = render_report(self.title, [*self._sections, settings])
        path = self.folder / "report.html"
        atomic_write_text(path, page)
        for name, rows in self._tables.items():
            target = self.folder / "tables" / f"{name}.csv"
            write_results(target, rows, current_command(), dict(_flattened(self.settings)))
        return path


def _advice(path: Path, wanted: str) -> str:
    """Return the first difference between stored and wanted settings, and how to proceed."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        stored = None
    now = json.loads(wanted)
    differs = changed_files(stored, now) or f"its {first_difference(stored, now)}; "
    return f"{differs if stored else ''}choose another folder with -o"


def _csv_line(values: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()


def _flattened(settings: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield names and values; nested settings get the outer name as a prefix."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{prefix}{name}: ")
        else:
            yield f"{prefix}{name}", value


def track(items: Iterable[Item], description: str, total: int | None = None) -> Iterable[Item]:
    """Yield items and show a progress bar on stderr."""
    return rich_track(items, description, total, console=Console(stderr=True))


def progress() -> Progress:
    """Return a progress display on stderr for several tasks."""
    return Progress(console=Console(stderr=True))
