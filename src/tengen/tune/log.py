"""The log of a tuner: one line of JSON a result, and a first line that says whose it is.

A line that was cut short by a crash is dropped; everything before it counts.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.tune.duel import Duel, DuelResult


class TuneLog:
    """An append-only file of results. One process at a time."""

    def __init__(self, path: Path, identity: dict[str, object]):
        """Open or begin a log; raise TengenError if it belongs to another run."""
        self.path = path
        wanted = json.loads(json.dumps(identity))
        try:
            self._file = path.open("a+", encoding="utf-8")
        except OSError as error:
            raise TengenError(f"cannot write {path}: {error.strerror}") from None
        lines = self._whole_lines()
        if not lines:
            self._append({"run": wanted})
        elif json.loads(lines[0]).get("run") != wanted:
            raise TengenError(f"{path} is the log of another run: use a new folder")

    def results(self) -> Iterator[tuple[int, DuelResult] | None]:
        """Yield number and result of every logged duel in order, None where an era was ended."""
        for line in self._whole_lines()[1:]:
            entry = json.loads(line)
            if "end_era" in entry:
                yield None
            else:
                yield entry["duel"], DuelResult(entry["score"], entry["margin"], entry["games"])

    def end_era(self) -> None:
        """Note that the user ends an era here."""
        self._append({"end_era": True})

    def add(self, duel: Duel, result: DuelResult) -> None:
        """Store a result for good."""
        entry = {"duel": duel.number, **result._asdict()}
        self._append({**entry, "first": dict(duel.first), "second": dict(duel.second)})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _append(self, entry: dict[str, object]) -> None:
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _whole_lines(self) -> list[str]:
        """Return the complete lines; cut off what a crash left of another."""
        self._file.seek(0)
        text = self._file.read()
        whole = text[: text.rfind("\n") + 1]
        if len(whole) < len(text):
            self._file.truncate(len(whole.encode()))
        return whole.splitlines()
