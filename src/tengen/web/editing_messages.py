"""Messages that edit a game record (see `messages`)."""

from typing import Annotated, Literal

import msgspec

from tengen.web.message_types import ClientMessage, ServerMessage

MAX_TEXT_LENGTH = 10_000
MAX_LABEL_LENGTH = 4

Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT_LENGTH)]

# From the page


class SetMark(ClientMessage, frozen=True, tag="mark"):
    """Put a mark on a point in place of others, or remove it if the point has the same mark."""

    node: int
    vertex: str
    shape: Literal["triangle", "square", "circle", "cross", "label"]
    text: Annotated[str, msgspec.Meta(max_length=MAX_LABEL_LENGTH)] = ""
    """Of a label."""


class SetAnnotation(ClientMessage, frozen=True, tag="annotate"):
    """Set the assessment of a move; an empty one removes it."""

    node: int
    annotation: Literal["", "good", "interesting", "doubtful", "bad"]


class PromoteVariation(ClientMessage, frozen=True, tag="promote"):
    """Make the path to a node the main line."""

    node: int


class SetInfo(ClientMessage, frozen=True, tag="set_info"):
    """Set root properties by SGF name; an empty text removes one."""

    properties: dict[str, Text]


# To the page


class GameInfo(ServerMessage, frozen=True, tag="info"):
    """The properties of the record, and those of the game that follow from them."""

    black: str
    white: str
    rules: str
    komi: float
    properties: dict[str, str]
    """By SGF name, those that the page can edit."""
