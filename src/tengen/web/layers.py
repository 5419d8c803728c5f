"""Layers displayed by the viewers of a room, updated whenever the position changes."""

from tengen.board import Position
from tengen.util import Json, TengenError
from tengen.view import Need, ViewContext, make_layer
from tengen.web.messages import LayerUpdate, ShowLayer
from tengen.web.room import Room, Viewer

SLOTS = 2
"""Layers displayed side by side."""


class LayerViews:
    """The layer that each viewer displays in each slot."""

    def __init__(self, room: Room):
        self._room = room
        self._names: dict[Viewer, dict[int, str]] = {}

    def show(self, viewer: Viewer, message: ShowLayer) -> None:
        """Display a layer in a slot, or clear it; raise TengenError for an unknown layer."""
        if not 0 <= message.slot < SLOTS:
            raise TengenError(f"slot must be from 0 to {SLOTS - 1}, got {message.slot}")
        if message.layer is not None and message.layer not in self._room.context.layers:
            # Pages must not name files, since that would run their code.
            raise TengenError(f"unknown layer {message.layer[:40]!r}")
        names = self._names.setdefault(viewer, {})
        names.pop(message.slot, None)
        self._room.stop(_task_name(viewer, message.slot))
        if message.layer is not None:
            names[message.slot] = message.layer
            self._start(viewer, message.slot)

    def remove_viewer(self, viewer: Viewer) -> None:
        """Stop updating a viewer."""
        for slot in self._names.pop(viewer, {}):
            self._room.stop(_task_name(viewer, slot))

    def refresh(self) -> None:
        """Recompute all layers, for a new position."""
        for viewer, names in self._names.items():
            for slot in names:
                self._start(viewer, slot)

    def refresh_search(self) -> None:
        """Recompute the layers that show search results."""
        for viewer, names in self._names.items():
            for slot, name in names.items():
                if self._room.context.layers[name].needs is Need.SEARCH:
                    self._start(viewer, slot)

    def _start(self, viewer: Viewer, slot: int) -> None:
        self._room.start(_task_name(viewer, slot), self._send(viewer, slot))

    async def _send(self, viewer: Viewer, slot: int) -> None:
        """Compute a layer in a thread and send it, or the reason why it is not available."""
        room, name = self._room, self._names[viewer][slot]
        node, context = room.game.node, room.context
        view_context = ViewContext(room.settings, room.report, context.database)
        try:
            position = room.game.position.copy()
            layer = await context.run_in_thread(_layer_dict, name, position, view_context)
        except TengenError as error:
            viewer.send(LayerUpdate(slot, name, node, problem=str(error)))
        else:
            viewer.send(LayerUpdate(slot, name, node, layer))


def _layer_dict(name: str, position: Position, context: ViewContext) -> Json:
    return make_layer(name, position, context).as_dict()


def _task_name(viewer: Viewer, slot: int) -> str:
    return f"layer {id(viewer)} {slot}"
