"""The game rooms of a server."""

import secrets
from dataclasses import dataclass, field

from tengen.web.autosave import restore_game
from tengen.web.context import ServerContext
from tengen.web.game import WebGame
from tengen.web.game_options import start_game
from tengen.web.game_room import GameRoom
from tengen.web.messages import ExperimentsChanged, NewGame, ServerMessage
from tengen.web.preparation import Preparer

MAX_ROOMS = 500
"""Beyond this number, rooms without viewers are deleted, the oldest first."""


@dataclass(eq=False)
class GameServer:
    """All rooms and the resources they share."""

    context: ServerContext
    first_game: NewGame = field(default_factory=NewGame)
    """Options of the game in a new room."""
    rooms: dict[str, GameRoom] = field(default_factory=dict)
    preparer: Preparer | None = None
    """Compiles the kernels while pages wait; None if they are compiled."""

    def __post_init__(self) -> None:
        self.context.nets.on_change = self._broadcast_nets
        self.context.library.on_import = self.broadcast
        self.context.jobs.on_change = self._announce_experiments

    def _broadcast_nets(self) -> None:
        for room in self.rooms.values():
            room.broadcast(room.engine_choice())

    def _announce_experiments(self) -> None:
        self.broadcast(ExperimentsChanged())

    def broadcast(self, message: ServerMessage) -> None:
        """Send a message to all pages."""
        for room in self.rooms.values():
            room.broadcast(message)

    def room(self, name: str | None) -> GameRoom:
        """Return the room of that id, if need be with its autosaved game, or a new one."""
        found = self.rooms.get(name or "")
        if found is not None:
            return found
        self._delete_old_rooms()
        saved = self.context.library.latest_of_room(name) if name else None
        if name is not None and saved is not None:
            return self._add_room(name, restore_game(saved))
        return self._add_room(secrets.token_urlsafe(12), WebGame(*start_game(self.first_game)))

    def _add_room(self, name: str, game: WebGame) -> GameRoom:
        self.rooms[name] = GameRoom(name, self.context, game)
        return self.rooms[name]

    def _delete_old_rooms(self) -> None:
        empty = [room for room in self.rooms.values() if not room.viewers]
        empty.sort(key=lambda room: room.left_s)
        for room in empty[: max(0, len(self.rooms) + 1 - MAX_ROOMS)]:
            del self.rooms[room.id]

    def close(self) -> None:
        """Stop all tasks and threads."""
        for room in self.rooms.values():
            room.stop()
            room.autosave.flush()
        if self.preparer is not None:
            self.preparer.close()
        self.context.close()
