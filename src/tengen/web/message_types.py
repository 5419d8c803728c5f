"""The base classes of the WebSocket messages (see `messages`)."""

import msgspec


class ClientMessage(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A message from the page."""


class ServerMessage(msgspec.Struct, frozen=True, tag_field="type"):
    """A message to the page."""

    @property
    def type(self) -> str:
        """The tag of the message."""
        return str(self.__struct_config__.tag)

    def encode(self) -> str:
        """Return the message as JSON."""
        return msgspec.json.encode(self).decode()
