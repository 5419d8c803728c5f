"""Games between players of the calibration, stored one row per game.

A player is a skill (`12`), a rank (`10k`) or an anchor, another program with a known strength.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tengen.board import BLACK, HANDICAP_KOMI, WHITE, rules_named
from tengen.engine import RANKS
from tengen.lab.study import CsvTable, Study, progress
from tengen.match import MatchSettings, Player, game_seed, make_player, play_game, scorer_named
from tengen.util import TengenError

COLUMNS = (
    *("size", "black", "white", "handicap", "number"),
    *("seed", "score", "reason", "margin", "moves"),
)
RULES, KOMI = "chinese", 7.5
GNUGO = "gnugo --mode gtp --chinese-rules --positional-superko --capture-all-dead --level"
ANCHORS: Mapping[str, str] = {
    "gnugo-1": f"{GNUGO} 1",
    "gnugo-10": f"{GNUGO} 10",
    "pachi-1000": "pachi -t =1000 threads=1,pondering=0",
    "b6c96": "tengen net=b6c96 playouts=1 threads=1 memory_mib=16 playout_share=0",
}
"""Commands of the anchors, for `tengen match`."""
IN_PROCESS = "threads=1 memory_mib=16"


@dataclass(frozen=True)
class LevelGame:
    """A game to play; numbers distinguish games between the same players."""

    size: int
    black: str
    white: str
    handicap: int
    number: int

    @property
    def key(self) -> tuple[str, ...]:
        """The fields as in the table."""
        return str(self.size), self.black, self.white, str(self.handicap), str(self.number)


def command_of(player: str, anchors: Mapping[str, str]) -> str:
    """Return the command of a player, as for `tengen match`."""
    if player in anchors:
        return anchors[player]
    level = player if player in RANKS else f"skill:{player}"
    return f"tengen level={level} {IN_PROCESS}"


def usable_anchors(anchors: Mapping[str, str]) -> dict[str, str]:
    """Return the anchors whose programs are installed."""
    return {
        name: command
        for name, command in anchors.items()
        if command.startswith("tengen ") or shutil.which(command.split()[0])
    }


def play_games(
    study: Study,
    games: Callable[[CsvTable], Iterable[LevelGame]],
    seed: int,
    anchors: Mapping[str, str],
) -> CsvTable:
    """Play games that are not in the table `games` of a study yet; return the table.

    `games` yields the games to play from the table, which grows while it is read.
    """
    table = games_of(study)
    played = {tuple(row[name] for name in COLUMNS[:5]) for row in table.rows}
    with _players(anchors) as players, progress() as shown:
        task = shown.add_task("games", total=None)
        for game in games(table):
            shown.update(task, description=f"{game.size}x{game.size} {game.black} - {game.white}")
            if game.key not in played:
                table.add(**_play(game, players, seed))
            shown.advance(task)
    return table


def games_of(study: Study) -> CsvTable:
    """Return the table of the games of a study."""
    return study.table("games", COLUMNS)


class _Lender:
    """Creates players and keeps them for later games."""

    def __init__(self, anchors: Mapping[str, str]):
        self._anchors = anchors
        self._players: dict[tuple[str, int], Player] = {}

    def get(self, name: str, copy: int) -> Player:
        """Return a player; `copy` distinguishes the two sides of a game."""
        key = name, copy
        if key not in self._players:
            self._players[key] = make_player(command_of(name, self._anchors))
        return self._players[key]

    def close(self) -> None:
        for player in self._players.values():
            player.close()


@contextmanager
def _players(anchors: Mapping[str, str]) -> Iterator[_Lender]:
    lender = _Lender(anchors)
    try:
        yield lender
    finally:
        lender.close()


def _play(game: LevelGame, players: _Lender, seed: int) -> dict[str, object]:
    """Play a game; raise TengenError if a player fails."""
    rules = rules_named(RULES).with_komi(HANDICAP_KOMI if game.handicap else KOMI)
    settings = MatchSettings(game.size, game.size, rules, handicap=game.handicap)
    own_seed = game_seed(seed, hash_of(game))
    sides = {BLACK: players.get(game.black, 0), WHITE: players.get(game.white, 1)}
    played = play_game(settings, sides, (), own_seed, scorer_named("playouts"))
    if played.note:
        raise TengenError(f"{game.black} - {game.white}: {played.note}")
    result = played.result
    score = {BLACK: 1.0, WHITE: 0.0, None: 0.5}[result.winner]
    outcome = own_seed, score, result.reason.name.lower(), result.margin_black, len(played.moves)
    return dict(zip(COLUMNS, (*game.key, *outcome), strict=True))


def hash_of(game: LevelGame) -> int:
    """Return a number that follows from a game, for its seed."""
    number = 0
    for character in "/".join(game.key):
        number = (number * 131 + ord(character)) % (2**61 - 1)
    return number
