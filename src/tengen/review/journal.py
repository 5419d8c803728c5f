"""What is known of a game whose review is not done yet: a line a position, written at once."""

import json
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.records.game import GameRecord
from tengen.review.data import outlook_dict, outlook_from
from tengen.review.outlook import Outlook


class Journal:
    """A file of outlooks of one game; a killed process loses the position it was looking at."""

    def __init__(self, path: Path, game: GameRecord, key: str, made_by: str):
        """Open or begin the journal of a game, known by its key, that is reviewed by an engine.

        What was kept of another game or by another engine, or is damaged, counts for nothing.
        """
        self.path = path
        self._game = game
        mark = json.dumps([key, made_by])
        self.known = self._read(mark)
        self._begin(mark)

    @staticmethod
    def key_in(path: Path) -> str | None:
        """Return the key of the game in a journal; None if there is none."""
        try:
            with path.open(encoding="utf-8") as file:
                return str(json.loads(file.readline())[0])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def _read(self, mark: str) -> list[Outlook]:
        try:
            first, *lines = self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return []
        if first != mark:
            return []
        known: list[Outlook] = []
        for line in lines[: len(self._game.moves) + 1]:
            try:
                known.append(outlook_from(json.loads(line), self._game.rows, self._game.columns))
            except (ValueError, TengenError):
                break
        return known

    def _begin(self, mark: str) -> None:
        lines = [mark, *map(self._line, self.known)]
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _line(self, outlook: Outlook) -> str:
        return json.dumps(outlook_dict(outlook, self._game.rows))

    def add(self, outlook: Outlook) -> None:
        """Keep the outlook of the next position."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self._line(outlook) + "\n")

    def close(self) -> None:
        """Remove the file: the review is kept elsewhere."""
        self.path.unlink(missing_ok=True)
