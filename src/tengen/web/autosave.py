"""Autosaving of games in the library, and reopening of stored games."""

import asyncio
import time
from contextlib import suppress

import msgspec

from tengen.records import GameOrigin, OpenedGame, sgf_bytes
from tengen.util import TengenError
from tengen.web.game import WebGame
from tengen.web.game_options import LOADED_GAME, SIDES, GameOptions
from tengen.web.room import Room
from tengen.web.tree import GameTree

DELAY_S = 1.0
"""Time from a change until the game is saved, so that successive changes are saved together."""
MAX_SHARE = 0.05
"""Largest share of the time that saving may take in the event loop."""


class PlayedOptions(msgspec.Struct, frozen=True):
    """The options of a game that are stored with it. A reopened game has no clock."""

    color: str
    level: str
    seconds: float | None = None


class Autosave:
    """Saves the game of a room after changes."""

    def __init__(self, room: Room):
        self._room = room
        self._timer: asyncio.TimerHandle | None = None
        self._saved: tuple[str, int] | None = None
        """Key and change count of the last saved state."""
        self._cost_s = 0.0

    def schedule(self) -> None:
        """Save the game soon if it has changed."""
        if self._timer is None and self._is_changed():
            delay_s = max(DELAY_S, self._cost_s / MAX_SHARE)
            self._timer = asyncio.get_running_loop().call_later(delay_s, self.flush)

    def flush(self) -> None:
        """Save the game now if it has changed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._is_changed():
            return
        room, game, started_s = self._room, self._room.game, time.monotonic()
        options = ""
        if game.options is not LOADED_GAME:
            stored = PlayedOptions(game.options.side_name, game.options.level, game.options.seconds)
            options = msgspec.json.encode(stored).decode()
        room.context.library.save(
            GameOrigin(game.key, room.id, options), sgf_bytes(game.tree.record)
        )
        self._saved = game.key, game.tree.change_count
        self._cost_s = time.monotonic() - started_s

    def _is_changed(self) -> bool:
        """Return whether the game has moves and changes that are not saved."""
        tree = self._room.game.tree
        state = self._room.game.key, tree.change_count
        return tree.change_count > 0 and len(tree.nodes) > 1 and state != self._saved


def restore_game(stored: OpenedGame) -> WebGame:
    """Return a game of the library at its end; an unfinished game of the page continues.

    Raise TengenError if it cannot be displayed.
    """
    record, played = stored
    options = LOADED_GAME
    if played is not None and played.options and not record.result_text:
        options = _options(played.options)
    game = WebGame(GameTree(record), options)
    if played is not None:
        game.key = played.key
    with suppress(TengenError):  # a main line with an illegal move is shown from its start
        game.go_to(game.tree.main_line()[-1])
    return game


def _options(text: str) -> GameOptions:
    try:
        stored = msgspec.json.decode(text, type=PlayedOptions)
        return GameOptions(SIDES[stored.color], stored.level, seconds=stored.seconds)
    except (msgspec.DecodeError, KeyError):
        return LOADED_GAME
