"""The log of a tuner: one line of JSON a result, and a first line that says whose it is.

A line that was cut short by a crash is dropped; everything before it counts.
"""

import json
import os
from pathlib import Path
from typing import Any

from tengen.core.difference import first_difference
from tengen.core.errors import TengenError
from tengen.core.file_lock import is_locked
from tengen.match.named_files import changed_files
from tengen.tune.duel import Duel, DuelResult

HEAD = '{"run": '
"""What every log begins with."""


class TuneLog:
    """An append-only file of results. One process at a time: it holds the file's lock."""

    def __init__(self, path: Path, identity: dict[str, object]):
        """Open or begin a log; raise TengenError if it is in use, damaged, or not of this run."""
        self.path = path
        try:
            self._file = path.open("a+", encoding="utf-8")
        except OSError as error:
            raise TengenError(f"cannot write {path}: {error.strerror}") from None
        try:
            self._take(json.loads(json.dumps(identity)))
        except TengenError:
            self._file.close()
            raise

    def results(self) -> list[tuple[int, DuelResult] | None]:
        """Return number and result of every logged duel in order, None where an era was ended."""
        return [_result(entry) for entry in self._entries()[1:]]

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

    def _take(self, wanted: dict[str, object]) -> None:
        """Lock the file and see whose it is; nothing in a file of something else is changed."""
        if is_locked(self._file.fileno()):
            raise TengenError(f"{self.path} is in use by another run")
        entries = self._entries()
        if not entries:
            self._append({"run": wanted})
        elif entries[0]["run"] != wanted:
            before = entries[0]["run"]
            changed = changed_files(before, wanted) or f"its {first_difference(before, wanted)}; "
            raise TengenError(f"{self.path} is the log of another run: {changed}use a new folder")

    def _append(self, entry: dict[str, object]) -> None:
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _entries(self) -> list[dict[str, Any]]:
        try:
            return [json.loads(line) for line in self._whole_lines()]
        except ValueError:
            raise TengenError(f"{self.path} is damaged: use a new folder") from None

    def _whole_lines(self) -> list[str]:
        """Return the complete lines; cut off what a crash left of another."""
        self._file.seek(0)
        text = self._file.read()
        if not (text.startswith(HEAD) or HEAD.startswith(text)):
            raise TengenError(f"{self.path} is no log of a tuner: use a new folder")
        whole = text[: text.rfind("\n") + 1]
        if len(whole) < len(text):
            self._file.truncate(len(whole.encode()))
        return whole.splitlines()


def _result(entry: dict[str, Any]) -> tuple[int, DuelResult] | None:
    if "end_era" in entry:
        return None
    known = (entry["score"], entry["margin"], entry["games"], entry.get("problem", ""))
    return entry["duel"], DuelResult(*known)
