"""The game rooms of a server."""

import secrets
from dataclasses import dataclass, field

from tengen.web.context import ServerContext
from tengen.web.game import WebGame
from tengen.web.game_options import start_game
from tengen.web.game_room import GameRoom
from tengen.web.messages import NewGame
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

    def _broadcast_nets(self) -> None:
        for room in self.rooms.values():
            room.broadcast(room.engine_choice())

    def room(self, name: str | None) -> GameRoom:
        """Return the room of that id, or a new one."""
        found = self.rooms.get(name or "")
        if found is not None:
            return found
        self._delete_old_rooms()
        fresh = secrets.token_urlsafe(12)
        self.rooms[fresh] = GameRoom(fresh, self.context, WebGame(*start_game(self.first_game)))
        return self.rooms[fresh]

    def _delete_old_rooms(self) -> None:
        empty = [room for room in self.rooms.values() if not room.viewers]
        empty.sort(key=lambda room: room.left_s)
        for room in empty[: max(0, len(self.rooms) + 1 - MAX_ROOMS)]:
            del self.rooms[room.id]

    def close(self) -> None:
        """Stop all tasks and threads."""
        for room in self.rooms.values():
            room.stop()
        if self.preparer is not None:
            self.preparer.close()
        self.context.close()
