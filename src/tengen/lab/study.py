"""A study: a folder with everything one experiment gave, and a page that shows it.

The settings stand in `settings.json`; the data in CSV tables that grow row by row, so that a study
that was stopped goes on where it was; the plots in PNG and SVG; all of it in `report.html`, which
needs nothing beside it.
"""

import csv
import html
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # no display is needed, and none may be opened
from matplotlib.figure import Figure

from tengen.core.difference import first_difference
from tengen.core.errors import TengenError
from tengen.core.file_lock import hold_folder
from tengen.core.whole_file import write_whole
from tengen.match.named_files import changed_files
from tengen.match.page import html_frame, html_table
from tengen.match.plots import inside_page, svg_text

Row = Mapping[str, object]


class Table:
    """Rows of data in a CSV file. What was added is on the disk at once."""

    def __init__(self, path: Path, columns: Sequence[str]):
        """Open or begin a table; raise TengenError if the file has other columns.

        Only one process at a time may add rows, so others are kept out of the folder.
        """
        hold_folder(path.parent)
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
            # The writer was killed inside a row: drop the piece.
            text = text[: text.rfind("\n") + 1]
            write_whole(self.path, text)
        reader = csv.DictReader(io.StringIO(text))
        if list(reader.fieldnames or []) != self.columns:
            raise TengenError(f"{self.path} has other columns than this experiment writes")
        self.rows = list(reader)

    def add(self, **values: object) -> None:
        """Add a row: a value for every column."""
        self.add_all([values])

    def add_all(self, rows: Iterable[Row]) -> None:
        """Add rows that belong together, in one piece: Ctrl-C leaves all of them or none."""
        added = [self._row(values) for values in rows]
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write("".join(_csv_line(list(row.values())) for row in added))
        self.rows += added

    def _row(self, values: Row) -> dict[str, str]:
        if set(values) != set(self.columns):
            raise ValueError(f"a row of {self.path.name} has the columns {self.columns}")
        return {name: str(values[name]) for name in self.columns}

    def has(self, **key: object) -> bool:
        """Tell whether a row with these values is there."""
        return any(all(row[name] == str(value) for name, value in key.items()) for row in self.rows)


class Study:
    """The folder of one experiment, and its report."""

    def __init__(self, folder: Path, title: str, settings: Mapping[str, object]):
        """Open or begin a study; raise TengenError if the folder holds one with other settings.

        One that came to no data, as when its games were not found, gives way to another, unless a
        process is still at work on it.
        """
        self.folder = folder
        self.title = title
        self.settings = dict(settings)
        self._parts: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)
        self._keep_settings(folder / "settings.json")

    def _keep_settings(self, path: Path) -> None:
        text = json.dumps({"title": self.title, **self.settings}, indent=2, default=str) + "\n"
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return
        if path.exists() and self._has_data():
            raise TengenError(
                f"{self.folder} holds a study with other settings: {_advice(path, text)}"
            )
        hold_folder(self.folder)
        write_whole(path, text)

    def _has_data(self) -> bool:
        """Tell whether the folder holds games, a row of a table, or a tuner's log."""
        rows = any(path.read_bytes().count(b"\n") > 1 for path in self.folder.glob("*.csv"))
        return rows or any(self.folder.glob("*.sqlite")) or any(self.folder.glob("*/*.jsonl"))

    def table(self, name: str, columns: Sequence[str]) -> Table:
        """Open or begin the table `NAME.csv`."""
        return Table(self.folder / f"{name}.csv", columns)

    # The report, from top to bottom

    def text(self, heading: str, paragraph: str = "") -> None:
        """Put a heading and a paragraph of plain text into the report."""
        self._parts.append(f"<h2>{html.escape(heading)}</h2>")
        if paragraph:
            self._parts.append(f"<p>{html.escape(paragraph)}</p>")

    def show(self, rows: Table | Sequence[Row], caption: str) -> None:
        """Put rows into the report as a table; the columns are those of the first row."""
        listed: Sequence[Row] = rows.rows if isinstance(rows, Table) else rows
        columns = list(listed[0]) if listed else []
        table = html_table(columns, ([row.get(name, "") for name in columns] for row in listed))
        self._parts.append(f'<p class="note">{html.escape(caption)}</p>{table}')

    @contextmanager
    def figure(
        self, name: str, caption: str, size: tuple[float, float] = (8, 4.5)
    ) -> Iterator[Figure]:
        """Give a figure to draw on; then save `NAME.png` and `NAME.svg` and show it."""
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        figure.savefig(self.folder / f"{name}.png", dpi=110)
        picture = svg_text(figure)
        write_whole(self.folder / f"{name}.svg", picture)
        note = f'<p class="note">{html.escape(caption)}</p>'
        self._parts.append(f"<div>{inside_page(picture)}</div>{note}")

    def write_report(self) -> Path:
        """Write `report.html` with everything so far; return its path."""
        heading = f"<h1>{html.escape(self.title)}</h1>"
        settings = html_table([], _lines_of(self.settings))
        parts = [heading, *self._parts, "<h2>Settings</h2>", settings]
        page = html_frame(self.title, parts)
        path = self.folder / "report.html"
        write_whole(path, page)
        return path


def _advice(path: Path, wanted: str) -> str:
    """Tell how to go on where a folder has other settings than those wanted."""
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


def _lines_of(settings: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    """Yield names and values, a line for each entry of those that have several."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _lines_of(value, f"{before}{name}: ")
        else:
            yield f"{before}{name}", value
