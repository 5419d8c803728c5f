"""The layers that pages look at, made anew whenever the position changes."""

from typing import TYPE_CHECKING

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.view.catalogue import make_layer
from tengen.view.context import ViewContext
from tengen.view.info import Need
from tengen.view.layer import Layer
from tengen.web.messages import Json, Look

if TYPE_CHECKING:
    from tengen.web.table import Listener, Table

SLOTS = 2
"""Layers side by side."""


class Looks:
    """Which layer each page of a table shows in each slot."""

    def __init__(self, table: "Table"):
        self._table = table
        self._names: dict[Listener, dict[int, str]] = {}

    def look(self, listener: "Listener", message: Look) -> None:
        """Show another layer in a slot, or none; raise TengenError if there is no such layer."""
        if not 0 <= message.slot < SLOTS:
            raise TengenError(f"there are {SLOTS} slots, from 0")
        if message.layer is not None and message.layer not in self._table.house.layers:
            # Nor may a page name a file: its code would run here.
            raise TengenError(f"unknown layer {message.layer[:40]!r}")
        names = self._names.setdefault(listener, {})
        names.pop(message.slot, None)
        self._table.stop(_task(listener, message.slot))
        if message.layer is not None:
            names[message.slot] = message.layer
            self._make(listener, message.slot)

    def forget(self, listener: "Listener") -> None:
        """Make nothing more for a page."""
        for slot in self._names.pop(listener, {}):
            self._table.stop(_task(listener, slot))

    def refresh(self) -> None:
        """Make all layers anew, for a new position."""
        for listener, names in self._names.items():
            for slot in names:
                self._make(listener, slot)

    def refresh_search(self) -> None:
        """Make those layers anew that show the running search."""
        for listener, names in self._names.items():
            for slot, name in names.items():
                if self._table.house.layers[name].needs is Need.SEARCH:
                    self._make(listener, slot)

    def _make(self, listener: "Listener", slot: int) -> None:
        self._table.start(_task(listener, slot), self._send(listener, slot))

    async def _send(self, listener: "Listener", slot: int) -> None:
        """Make a layer in a thread and send it, or the reason why there is none."""
        table, name = self._table, self._names[listener][slot]
        node, report = table.game.at, table.thinking.report
        context = ViewContext(table.house.settings, report, table.house.games)
        said: Json
        try:
            position = table.game.position.copy()
            layer = await table.house.in_thread(_layer_dict, name, position, context)
            said = {"layer": layer}
        except TengenError as error:
            said = {"problem": str(error)}
        listener.send({"type": "layer", "slot": slot, "name": name, "node": node, **said})


def _layer_dict(name: str, position: Position, context: ViewContext) -> Json:
    layer: Layer = make_layer(name, position, context)
    return layer.as_dict()


def _task(listener: "Listener", slot: int) -> str:
    return f"layer {id(listener)} {slot}"
