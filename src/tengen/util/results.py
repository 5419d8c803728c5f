"""Results files: CSV tables that record the command, seed and settings that made them.

A results file starts with comment lines `# NAME: VALUE`; `command` is required. The header row
and the data follow.
"""

import csv
import io
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tengen.util.errors import TengenError
from tengen.util.files import atomic_write_text

COMMENT = "# "


@dataclass(frozen=True)
class Results:
    """A table with the properties of the run that made it."""

    rows: list[dict[str, str]]
    columns: list[str]
    properties: dict[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The command that made the table."""
        return self.properties["command"]


def read_results(path: Path) -> Results:
    """Read a results file; raise TengenError if it is missing or records no command."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from None
    comments = [line[len(COMMENT) :] for line in lines if line.startswith(COMMENT)]
    reader = csv.DictReader(line for line in lines if not line.startswith("#"))
    pairs = (line.partition(":") for line in comments)
    properties = {name.strip(): value.strip() for name, _, value in pairs}
    if not properties.get("command"):
        raise TengenError(f"{path} has no command: add a line '# command: ...'")
    return Results(list(reader), list(reader.fieldnames or []), properties)


def write_results(
    path: Path,
    rows: Sequence[Mapping[str, object]],
    command: str,
    settings: Mapping[str, object] | None = None,
) -> None:
    """Write rows with the command and the settings that made them; columns are the first row's."""
    text = io.StringIO()
    for name, value in {"command": command, **(settings or {})}.items():
        text.write(f"{COMMENT}{name}: {_property_text(value)}\n")
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write_text(path, text.getvalue())


def _property_text(value: object) -> str:
    """Return a property on one line, without the folders of existing files."""
    values = value if isinstance(value, list | tuple) else [value]
    return " ".join(" ".join(_without_folder(str(one)).split()) for one in values)


def current_command(arguments: Iterable[str] | None = None) -> str:
    """Return the running `tengen` command without output options and folder names."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    kept = []
    while words:
        word = words.pop(0)
        if word in ("-o", "--output"):
            words = words[1:]
        elif not word.startswith("--output="):
            kept.append(_without_folder(word))
    return shlex.join(["tengen", *kept])


def _without_folder(word: str) -> str:
    """Return the file name of an existing absolute path; other words are unchanged."""
    path = Path(word)
    return path.name if path.is_absolute() and path.exists() else word
