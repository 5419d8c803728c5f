"""Positions of games with a strong net's word on every move, from a folder of labels."""

from pathlib import Path

from tengen.board.points import PASS, board_points
from tengen.board.position import Position
from tengen.board.rules import Rules
from tengen.core.errors import TengenError
from tengen.network.training.labels import is_label_folder, read_label_games, read_label_table
from tengen.records.game import lenient


class Labels:
    """The labelled positions of one board size, by row."""

    def __init__(self, folder: Path, size: int):
        """Read a folder, as `tengen net train` does; raise TengenError if it is none, or damaged.

        Labels of games that are not listed are left out.
        """
        if not is_label_folder(folder):
            raise TengenError(f"{folder} holds no labels: it has no games.json")
        self._games = read_label_games(folder / "games.json")
        self._table = read_label_table(folder, size, len(self._games))
        self._moves = [*board_points(size, size), PASS]
        self.game = self._table["game"]
        """The number of each row's game."""
        self.turn = self._table["turn"]
        """How many moves were played before."""

    def position(self, row: int) -> Position:
        """Return the board of a row, under the komi of its game."""
        game = self._games[int(self.game[row])]
        position = Position(game.size, rules=lenient(Rules().with_komi(game.komi)))
        for move in game.moves[: int(self.turn[row])]:
            position.play(move)
        return position

    def policy(self, row: int) -> dict[int, float]:
        """Return the net's probability of each move that it would play."""
        moves, shares = (self._table[name][row].tolist() for name in ("policy_move", "policy"))
        return {
            self._moves[move]: share for move, share in zip(moves, shares, strict=True) if share > 0
        }
