"""The game database as commands and pages use it."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board.position import Move, Position
from tengen.board.rules import Rules
from tengen.database.answer import Answer, summarise
from tengen.database.packing import Events, GameInfo, moves_of, setup_of
from tengen.database.pattern import Pattern
from tengen.database.shelf import Shelf
from tengen.database.store import GameStore
from tengen.records.game import GameRecord, lenient
from tengen.records.writer import record_from_position

EXAMPLES = 10


class GameDatabase:
    """A games file opened for questions. May be used by several threads.

    The games of a board size are read into memory at the first question about it (about 0.5 kB
    a game on 19x19) and again when an import has added some.
    """

    def __init__(self, path: str | Path):
        """Open a file that `tengen games import` made; raise TengenError if it is none."""
        self.store = GameStore(path)
        self._shelves: dict[tuple[int, int], tuple[int, Shelf]] = {}
        self._lock = threading.Lock()

    def shelf(self, rows: int, columns: int) -> Shelf:
        """Return all games of a board size."""
        with self._lock:
            newest = self.store.newest_chunk(rows, columns)
            known, shelf = self._shelves.get((rows, columns), (-1, None))
            if shelf is None or known != newest:
                shelf = Shelf(rows, columns, self.store.chunks(rows, columns))
                self._shelves[rows, columns] = newest, shelf
            return shelf

    def search(self, pattern: Pattern, examples: int = EXAMPLES, player: str = "") -> Answer:
        """Return what was played in a pattern; only in games of `player` if one is named.

        The time in the answer is that of the search, with the games in memory.
        """
        shelf = self.shelf(pattern.rows, pattern.columns)
        allowed = self._games_of(player, shelf) if player else None
        begun_s = time.perf_counter()
        answer = summarise(shelf, pattern, shelf.find(pattern), examples, allowed)
        return replace(answer, elapsed_s=time.perf_counter() - begun_s)

    def _games_of(self, player: str, shelf: Shelf) -> npt.NDArray[np.bool_]:
        return np.isin(shelf.ids, np.array(self.store.ids_where(player), dtype=np.uint32))

    def infos(self, games: list[int]) -> dict[int, GameInfo]:
        """Return the headers of games by their numbers."""
        return self.store.infos(games)

    def game(self, number: int) -> GameRecord:
        """Return a game as a record; raise TengenError if there is none of that number."""
        chunk = self.store.chunk_of(number)
        place = int(np.flatnonzero(chunk.facts["id"] == number)[0])
        start = int(chunk.facts["length"][:place].sum(dtype=np.int64))
        events = chunk.events[start : start + int(chunk.facts["length"][place])]
        return _record(self.store.infos([number])[number], events)


def _record(info: GameInfo, events: Events) -> GameRecord:
    """Return the record of stored events and headers."""
    position = Position(info.rows, info.columns, lenient(Rules()))
    moves = [Move(colour, move) for colour, move in moves_of(events)]
    position.setup(setup_of(events), moves[0].colour)
    position.handicap = info.handicap
    position.play_sequence(moves)
    texts = {"RU": info.rules, "BR": info.black_rank, "WR": info.white_rank}
    texts |= {"DT": info.date, "EV": info.event}
    record = record_from_position(position, info.black, info.white, info.result, None, texts)
    record.komi, record.source, record.number = info.komi, info.source, info.number
    return record
