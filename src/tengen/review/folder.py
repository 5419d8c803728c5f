"""A folder of reviews: NAME.html, NAME.sgf and NAME.json for each game, and an index.

The JSON file is written last, so a game that has one is complete. `NAME.partial` holds the
estimates of a review in progress. Files that were not written by a review are never overwritten.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tengen.records import GameRecord, sgf_bytes, write_games
from tengen.review.annotation import annotate_game
from tengen.review.page import game_page, index_page, is_index
from tengen.review.review import GameReview, PositionEstimate
from tengen.review.serialization import estimate_dict, parse_estimate, review_dict
from tengen.util import Json, TengenError, atomic_write_text

FORMAT = "tengen review 2"
"""Identifies JSON files of reviews."""
EARLIER_FORMATS = ("tengen review 1",)
"""Identifies reviews by an earlier method; these games are reviewed again."""
INDEX_NAMES = ("index", "review-index")
"""File names of the index; the second one if the first is taken by another file."""
MAX_NAME_LENGTH = 80
_UNSAFE = re.compile(r"[^\w.+-]+")
"""Characters that are not allowed in file names on all systems."""


@dataclass(frozen=True)
class FolderEntry:
    """A game and the name of its files in the folder."""

    game: GameRecord
    name: str
    key: str
    """Hash of the record, which identifies the game."""


class ReviewFolder:
    """The reviews of many games by one engine configuration."""

    def __init__(self, path: Path, made_by: str):
        """Open or create the folder; `made_by` identifies the engine and its settings.

        Raise TengenError if that is not possible.
        """
        self.path = path
        self.made_by = made_by
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TengenError(f"cannot create folder {str(path)!r}: {error.strerror}") from None
        self._index_path = _find_index_path(path)
        found = ((file.stem, _read_summary(file)) for file in sorted(path.glob("*.json")))
        self._summaries = {name: data for name, data in found if data is not None}

    @property
    def summaries(self) -> list[Json]:
        """Summaries of all games, in natural order of their names."""
        names = sorted(self._summaries, key=_natural_key)
        return [{"name": name, **self._summaries[name]} for name in names]

    def entry(self, game: GameRecord) -> FolderEntry:
        """Return the entry of a game: that of an earlier run, or one with an unused name."""
        key = hashlib.sha256(sgf_bytes(game)).hexdigest()
        for name in _candidate_names(game):
            summary = self._summaries.get(name)
            if summary is None:
                is_own = Journal.read_key(self._journal_path(name)) == key
            else:
                is_own = summary["key"] == key
            if is_own or not (summary or self._is_taken(name)):
                return FolderEntry(game, name, key)
        raise AssertionError("unreachable: the names are unlimited")

    def summary(self, entry: FolderEntry) -> Json | None:
        """Return the summary of a completed review with the current settings, or None."""
        summary = self._summaries.get(entry.name)
        if summary is None or summary["made_by"] != self.made_by:
            return None
        return {"name": entry.name, **summary}

    def is_own_file(self, source: str) -> bool:
        """Return whether a file was written by a review in this folder."""
        path = Path(source)
        if path.suffix != ".sgf" or path.parent.resolve() != self.path.resolve():
            return False
        return path.stem in self._summaries or self._journal_path(path.stem).exists()

    def _journal_path(self, name: str) -> Path:
        return self.path / f"{name}.partial"

    def _is_taken(self, name: str) -> bool:
        return any((self.path / f"{name}.{suffix}").exists() for suffix in ("json", "sgf", "html"))

    def journal(self, entry: FolderEntry) -> "Journal":
        """Open the journal of a game to review."""
        return Journal(self._journal_path(entry.name), entry.game, entry.key, self.made_by)

    def save(self, entry: FolderEntry, review: GameReview) -> Json:
        """Write the files of a game; return its summary."""
        name = entry.name
        header = {"format": FORMAT, "key": entry.key, "made_by": self.made_by}
        data = {**header, **review_dict(review)}
        write_games(self.path / f"{name}.sgf", [annotate_game(review)])
        page = game_page(review, self.made_by, f"{name}.sgf", self._index_path.name)
        atomic_write_text(self.path / f"{name}.html", page)
        atomic_write_text(self.path / f"{name}.json", json.dumps(data, ensure_ascii=False) + "\n")
        self._summaries[name] = _summarize(data)
        return {"name": name, **self._summaries[name]}

    def write_index(self, skipped: list[str]) -> Path:
        """Write the index of all games; return its path."""
        atomic_write_text(self._index_path, index_page(self.summaries, skipped))
        return self._index_path


def _find_index_path(folder: Path) -> Path:
    """Return the path of the index; raise TengenError if both names are taken."""
    for name in INDEX_NAMES:
        path = folder / f"{name}.html"
        if not path.exists() or is_index(_read_text(path)):
            return path
    taken = " and ".join(f"{name}.html" for name in INDEX_NAMES)
    raise TengenError(f"{taken} in {str(folder)!r} are other files: choose another folder")


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _candidate_names(game: GameRecord) -> Iterator[str]:
    """Yield `game`, `game-2`, `game-3`...; for the second game of a file `game-2`, `game-2-2`..."""
    stem = _UNSAFE.sub("_", Path(game.source).stem).strip("._")[:MAX_NAME_LENGTH] or "game"
    base = f"game-{stem}" if stem in INDEX_NAMES else stem
    first = f"{base}-{game.number + 1}" if game.number else base
    yield first
    yield from (f"{first}-{count}" for count in itertools.count(2))


def _natural_key(name: str) -> list[tuple[int, str]]:
    """Return a sort key that places `game-2` before `game-10`."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]


def _read_summary(path: Path) -> Json | None:
    """Return the summary of a JSON file; None if it was not written by a review."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or data.get("format") not in (FORMAT, *EARLIER_FORMATS):
        return None
    made_by = data["made_by"] if data["format"] == FORMAT else ""
    return {**_summarize(data), "made_by": made_by}


def _summarize(data: Json) -> Json:
    """Return the data of a review without its positions and moves."""
    kept = {name: value for name, value in data.items() if name not in ("positions", "moves")}
    return {**kept, "move_count": len(data["moves"])}


class Journal:
    """The estimates of a review in progress, one line per position, written immediately."""

    def __init__(self, path: Path, game: GameRecord, key: str, made_by: str):
        """Open or create the journal of a game.

        Estimates of another game or engine are discarded, and so are damaged ones.
        """
        self.path = path
        self._game = game
        header = json.dumps([key, made_by])
        self.known = self._read(header)
        lines = [header, *map(self._line, self.known)]
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    @staticmethod
    def read_key(path: Path) -> str | None:
        """Return the key of the game in a journal; None if there is none."""
        try:
            with path.open(encoding="utf-8") as file:
                return str(json.loads(file.readline())[0])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def _read(self, header: str) -> list[PositionEstimate]:
        try:
            first, *lines = self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return []
        if first != header:
            return []
        known: list[PositionEstimate] = []
        for line in lines[: len(self._game.moves) + 1]:
            try:
                known.append(parse_estimate(json.loads(line), self._game.rows, self._game.columns))
            except (ValueError, TengenError):
                break
        return known

    def _line(self, estimate: PositionEstimate) -> str:
        return json.dumps(estimate_dict(estimate, self._game.rows))

    def add(self, estimate: PositionEstimate) -> None:
        """Append the estimate of the next position."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self._line(estimate) + "\n")

    def delete(self) -> None:
        """Delete the file."""
        self.path.unlink(missing_ok=True)
