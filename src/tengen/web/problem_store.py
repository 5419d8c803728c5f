"""Collections of problems in a folder of the user, and the progress in solving them.

Progress follows Leitner's scheme: a problem solved at the first try moves one box up, any other
outcome moves it to box 1. Problems in box n are due again `INTERVALS[n - 1]` days later.
"""

import copy
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

import msgspec

from tengen.records import (
    GameRecord,
    find_documents,
    ignore_warning,
    read_bytes,
    read_document,
    sgf_bytes,
)
from tengen.util import TengenError, atomic_write, atomic_write_text
from tengen.web.problems import Problem

INTERVALS = (1, 2, 4, 8, 16, 32, 64)
"""Days until a problem of each box is due."""
MIN_BETWEEN = 5
"""Other answers before a problem that was not solved comes again on the same day."""
MAX_PROBLEMS = 20_000
MAX_COLLECTIONS = 500
MAX_NAME = 60
_INDEX_SUFFIX, _PROBLEMS_SUFFIX = ".json", ".sgf"


class Card(msgspec.Struct):
    """The progress of one problem."""

    box: int
    due: date
    tries: int = 0
    solved: int = 0
    """Tries that solved the problem at once."""
    answer: int = 0
    """The number of answers to all problems when this one was answered last."""


class ProblemProgress(msgspec.Struct):
    """The progress of all problems, as stored."""

    cards: dict[str, Card] = {}  # noqa: RUF012  (msgspec copies defaults)
    days: dict[str, tuple[int, int]] = {}  # noqa: RUF012
    """Answers by day: right ones and others."""
    answers: int = 0

    def record(self, key: str, is_right: bool, today: date) -> Card:
        """Record an answer; return the card of the problem."""
        card = self.cards.setdefault(key, Card(0, today))
        self.answers += 1
        card.tries += 1
        card.solved += is_right
        card.answer = self.answers
        card.box = min(card.box + 1, len(INTERVALS)) if is_right else 1
        card.due = today + timedelta(INTERVALS[card.box - 1]) if is_right else today
        right, other = self.days.get(today.isoformat(), (0, 0))
        self.days[today.isoformat()] = (right + is_right, other + (not is_right))
        return card

    def streak(self, today: date) -> int:
        """Return the number of days in a row with a solved problem, up to today or yesterday."""
        day = today if self._has_solved(today) else today - timedelta(1)
        count = 0
        while self._has_solved(day):
            count += 1
            day -= timedelta(1)
        return count

    def _has_solved(self, day: date) -> bool:
        return self.days.get(day.isoformat(), (0, 0))[0] > 0

    def next_of(self, keys: list[str], today: date, current: str | None = None) -> int | None:
        """Return the index of the problem to solve next: due ones first, then new ones."""
        due = [
            (card.due, card.answer, index)
            for index, key in enumerate(keys)
            if (card := self.cards.get(key)) is not None and card.due <= today and key != current
        ]
        ready = [one for one in due if one[0] < today or self._is_rested(keys[one[2]], today)]
        if ready:
            return min(ready)[2]
        new = (index for index, key in enumerate(keys) if key not in self.cards and key != current)
        return next(new, min(due)[2] if due else None)

    def _is_rested(self, key: str, today: date) -> bool:
        return self.answers - self.cards[key].answer >= MIN_BETWEEN


@dataclass(frozen=True)
class Collection:
    """A stored collection."""

    id: str
    name: str
    keys: list[str]
    """Of its problems, in order."""
    titles: list[str]


@dataclass(eq=False)
class ProblemStore:
    """The folder with the collections and the progress."""

    folder: Path
    today: Callable[[], date] = field(default=date.today)

    # Collections

    def collections(self) -> list[Collection]:
        """Return the collections by name; files that cannot be read are skipped."""
        found = []
        for path in sorted(self.folder.glob(f"*{_INDEX_SUFFIX}"))[:MAX_COLLECTIONS]:
            if path != self._progress_path:
                try:
                    found.append(self._read_index(path.stem))
                except TengenError:
                    continue
        return sorted(found, key=lambda one: one.name.lower())

    def collection(self, name: str) -> Collection:
        """Return a collection by id; raise TengenError if it does not exist."""
        if not re.fullmatch(r"[\w-]+", name):
            raise TengenError(f"no such collection: {name[:40]!r}")
        return self._read_index(name)

    def _read_index(self, name: str) -> Collection:
        try:
            data = json.loads((self.folder / f"{name}{_INDEX_SUFFIX}").read_text("utf-8"))
            return Collection(name, str(data["name"]), list(data["keys"]), list(data["titles"]))
        except (OSError, ValueError, KeyError, TypeError):
            raise TengenError(f"no such collection: {name[:40]!r}") from None

    def problem(self, collection: Collection, index: int) -> Problem:
        """Return a problem of a collection."""
        if not 0 <= index < len(collection.keys):
            raise TengenError(f"problem must be from 1 to {len(collection.keys)}, got {index + 1}")
        path = self.folder / f"{collection.id}{_PROBLEMS_SUFFIX}"
        try:
            records = _read_records(path, path.stat().st_mtime_ns)
        except OSError as error:
            raise TengenError(f"cannot read {path}: {error.strerror}") from None
        return Problem(copy.deepcopy(records[index]))

    def add(self, name: str, data: bytes) -> tuple[Collection, int]:
        """Store the problems of a file or archive; return the collection and the games skipped.

        A collection of the same name is replaced; the progress of its problems is kept. Raise
        TengenError if there is no problem in the data.
        """
        records: list[GameRecord] = []
        skipped = 0
        keys, titles = [], []
        for record in _read_upload(name, data):
            if len(records) >= MAX_PROBLEMS:
                raise TengenError(f"a collection can have {MAX_PROBLEMS:,} problems")
            try:
                problem = Problem(record)
            except TengenError:
                skipped += 1
                continue
            title = record.text("GN") or record.root.text("N") or Path(record.source).stem
            records.append(record)
            keys.append(problem.key)
            titles.append(title[:MAX_NAME])
        if not records:
            raise TengenError("there is no problem in this file")
        shown = _collection_name(name)
        identifier = re.sub(r"[^\w-]+", "-", shown.lower()).strip("-") or "problems"
        identifier = f"{identifier}-collection" if identifier == "progress" else identifier
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(self.folder / f"{identifier}{_PROBLEMS_SUFFIX}") as file:
            for record in records:
                file.write(sgf_bytes(record))
        index = {"name": shown, "keys": keys, "titles": titles}
        text = json.dumps(index, ensure_ascii=False)
        atomic_write_text(self.folder / f"{identifier}{_INDEX_SUFFIX}", text)
        return Collection(identifier, shown, keys, titles), skipped

    def delete(self, name: str) -> None:
        """Delete a collection; the progress is kept, in case it is opened again."""
        collection = self.collection(name)
        for suffix in (_INDEX_SUFFIX, _PROBLEMS_SUFFIX):
            (self.folder / f"{collection.id}{suffix}").unlink(missing_ok=True)

    # Progress

    @property
    def _progress_path(self) -> Path:
        return self.folder / "progress.json"

    def progress(self) -> ProblemProgress:
        """Return the progress; raise TengenError if its file is damaged."""
        try:
            return msgspec.json.decode(self._progress_path.read_bytes(), type=ProblemProgress)
        except FileNotFoundError:
            return ProblemProgress()
        except (OSError, msgspec.MsgspecError) as error:
            raise TengenError(f"cannot read {self._progress_path}: {error}") from None

    def record(self, key: str, is_right: bool) -> Card:
        """Record an answer; return the card of the problem."""
        progress = self.progress()  # another server may have changed it
        card = progress.record(key, is_right, self.today())
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(self._progress_path) as file:
            file.write(msgspec.json.encode(progress))
        return card


def _collection_name(name: str) -> str:
    """Return the name of a collection for that of its file."""
    plain = re.sub(
        r"(\.(sgf|tar|zip|gz|xz|bz2|tgz|txz|tbz2?|mgt))+$", "", Path(name).name, flags=re.I
    )
    return plain.strip()[:MAX_NAME] or "Problems"


def _read_upload(name: str, data: bytes) -> list[GameRecord]:
    """Return the records of an uploaded file or archive, in the order of their names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / re.sub(r"[^\w.-]", "_", Path(name).name or "upload")[-MAX_NAME:]
        path.write_bytes(data)
        documents = sorted(
            find_documents(path, ignore_warning), key=lambda one: (one.name, one.start)
        )
        return [game for one in documents for game in read_document(one, ignore_warning)]


@lru_cache(maxsize=4)
def _read_records(path: Path, changed_ns: int) -> list[GameRecord]:
    """Return the records of a file, which are not modified; `changed_ns` is its time."""
    return list(read_bytes(path.read_bytes(), path.name, ignore_warning))
