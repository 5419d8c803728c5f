"""A folder of reviews: for each game NAME.html, NAME.sgf and NAME.json, and an index of all.

The JSON file is written last: a game that has one is done. Running again goes on where it was
stopped, and nothing that was not written by a review is ever overwritten.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.whole_file import write_whole
from tengen.records.game import GameRecord
from tengen.records.writer import sgf_bytes, write_games
from tengen.review.annotate import annotated
from tengen.review.data import as_dict
from tengen.review.journal import Journal
from tengen.review.page import game_page, index_page, is_index
from tengen.review.review import Review

FORMAT = "tengen review 1"
"""The mark of our JSON files."""
INDEXES = ("index", "review-index")
"""Names of the index: the second where the first is somebody else's file."""
LONGEST_NAME = 80
_UNFIT = re.compile(r"[^\w.+-]+")
"""What does not belong into a file name on some system."""


class ReviewFolder:
    """Where reviews of many games are kept."""

    def __init__(self, path: Path, made_by: str):
        """Open or make the folder; `made_by` tells engine and settings. Raise TengenError."""
        self.path = path
        self.made_by = made_by
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TengenError(f"cannot make the folder {str(path)!r}: {error.strerror}") from None
        self._index = _index_of(path)
        found = ((file.stem, _read(file)) for file in sorted(path.glob("*.json")))
        self._summaries = {name: data for name, data in found if data is not None}

    @property
    def summaries(self) -> list[dict[str, Any]]:
        """What is known of every game in the folder, in the order of their names."""
        names = sorted(self._summaries, key=_natural)
        return [{"name": name, **self._summaries[name]} for name in names]

    def summary(self, game: GameRecord) -> dict[str, Any] | None:
        """Return what is known of a game that was reviewed with these settings, else None."""
        name = self.name_of(game)
        known = self._summaries.get(name)
        if known is None or known["made_by"] != self.made_by:
            return None
        return {"name": name, **known}

    def is_own(self, source: str) -> bool:
        """Tell whether a file was written by a review in this folder: it is no game to look at."""
        place = Path(source)
        if place.suffix != ".sgf" or place.parent.resolve() != self.path.resolve():
            return False
        return place.stem in self._summaries or self._journal_path(place.stem).exists()

    def name_of(self, game: GameRecord) -> str:
        """Return the name of a game's files: that of its record, with a number if it is taken."""
        key = key_of(game)
        for name in _names(game):
            known = self._summaries.get(name)
            is_its_own = known["key"] == key if known else self._is_begun(name, key)
            if is_its_own or not (known or self._is_taken(name)):
                return name
        raise AssertionError("the names never end")

    def _is_begun(self, name: str, key: str) -> bool:
        """Tell whether a review of that game was stopped, perhaps while its files were written."""
        return Journal.key_in(self._journal_path(name)) == key

    def _journal_path(self, name: str) -> Path:
        return self.path / f"{name}.partial"

    def _is_taken(self, name: str) -> bool:
        return any((self.path / f"{name}.{end}").exists() for end in ("json", "sgf", "html"))

    def journal(self, game: GameRecord) -> Journal:
        """Open the journal of a game that is being reviewed."""
        path = self._journal_path(self.name_of(game))
        return Journal(path, game, key_of(game), self.made_by)

    def keep(self, review: Review) -> dict[str, Any]:
        """Write the files of a game and the index; return what is known of it."""
        name = self.name_of(review.game)
        data = {
            "format": FORMAT,
            "key": key_of(review.game),
            "made_by": self.made_by,
            **as_dict(review),
        }
        write_games(self.path / f"{name}.sgf", [annotated(review)])
        page = game_page(review, self.made_by, f"{name}.sgf", self._index.name)
        write_whole(self.path / f"{name}.html", page)
        write_whole(self.path / f"{name}.json", json.dumps(data, ensure_ascii=False) + "\n")
        self._summaries[name] = _summary(data)
        return {"name": name, **self._summaries[name]}

    def write_index(self, skipped: list[str]) -> Path:
        """Write the index of all games; return its path."""
        write_whole(self._index, index_page(self.summaries, skipped))
        return self._index


def _index_of(folder: Path) -> Path:
    """Return where the index of a folder is, or shall be; raise TengenError if there is no room."""
    for name in INDEXES:
        path = folder / f"{name}.html"
        if not path.exists() or is_index(_text(path)):
            return path
    taken = " and ".join(f"{name}.html" for name in INDEXES)
    raise TengenError(f"{taken} in {str(folder)!r} are no review's: choose another folder")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def key_of(game: GameRecord) -> str:
    """Return what tells a game from all others: a hash of its whole record."""
    return hashlib.sha256(sgf_bytes(game)).hexdigest()


def _names(game: GameRecord) -> Iterator[str]:
    """Yield `game`, `game-2`, `game-3`...; the second game of a file begins with its `-2`."""
    stem = _UNFIT.sub("_", Path(game.source).stem).strip("._")[:LONGEST_NAME] or "game"
    base = f"game-{stem}" if stem in INDEXES else stem
    first = f"{base}-{game.number + 1}" if game.number else base
    yield first
    yield from (f"{first}-{count}" for count in itertools.count(2))


def _natural(name: str) -> list[tuple[int, str]]:
    """Order `game-2` before `game-10`."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]


def _read(path: Path) -> dict[str, Any] | None:
    """Return the summary in a file that a review wrote; None for all others."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_ours = isinstance(data, dict) and data.get("format") == FORMAT
    return _summary(data) if is_ours else None


def _summary(data: dict[str, Any]) -> dict[str, Any]:
    """Return what an index needs of a review: without its positions."""
    kept = {name: value for name, value in data.items() if name not in ("positions", "moves")}
    return {**kept, "move_count": len(data["moves"])}
