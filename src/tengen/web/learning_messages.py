"""Messages of teaching mode and problems (see `messages`)."""

from typing import Literal

import msgspec

from tengen.web.message_types import ClientMessage, ServerMessage

TEACHING_POINTS = 3.0
"""Default minimum points loss of a move that teaching mode points out."""

# From the page


class Teach(ClientMessage, frozen=True, tag="teach"):
    """Turn teaching mode on or off."""

    on: bool
    points: float = TEACHING_POINTS
    """Minimum points loss of a move that is pointed out."""


class PlayOn(ClientMessage, frozen=True, tag="play_on"):
    """Continue the game after a mistake instead of taking it back."""


class ListProblems(ClientMessage, frozen=True, tag="list_problems"):
    """Request a `ProblemList`."""


class OpenProblem(ClientMessage, frozen=True, tag="open_problem"):
    """Show a problem of a collection."""

    collection: str
    number: int | None = None
    """From 1; None for the one to solve next."""


class DeleteProblems(ClientMessage, frozen=True, tag="delete_problems"):
    """Delete a collection of problems; the progress is kept."""

    collection: str


class TryMove(ClientMessage, frozen=True, tag="try_move"):
    """Play a move in the problem."""

    vertex: str


class ProblemAction(ClientMessage, frozen=True, tag="problem_action"):
    """Go back before a wrong move, show the solution, or play on against the engine."""

    action: Literal["retry", "solution", "play_out"]


# To the page


class JudgedMove(msgspec.Struct):
    """A move that teaching mode has compared with the best one."""

    node: int
    number: int
    """From 1."""
    color: str
    vertex: str
    best: str | None
    points_loss: float
    points_error: float
    """Standard error of the points loss."""
    winrate_loss: float
    visits: int
    is_mistake: bool
    line: list[str]
    """The better variation."""
    refutation: list[str]
    """The answer to a mistake and its continuation."""
    is_taken_back: bool = False


class TeachingUpdate(ServerMessage, frozen=True, tag="teaching"):
    """The state of teaching mode."""

    on: bool
    points: float
    judging: bool
    """Whether a move is being judged."""
    mistake: int | None
    """The node of a mistake after which the game waits."""
    moves: list[JudgedMove]


class CollectionRow(msgspec.Struct, frozen=True):
    """A collection of problems and the progress in it."""

    id: str
    name: str
    count: int
    new: int
    due: int
    learned: int
    """Problems whose last answer was right."""


class ProblemList(ServerMessage, frozen=True, tag="problems"):
    """The collections of problems."""

    collections: list[CollectionRow]
    streak: int
    """Days in a row with a solved problem."""
    solved_today: int
    answered_today: int


class ProblemState(ServerMessage, frozen=True, tag="problem"):
    """A problem and the attempt to solve it."""

    collection: str
    name: str
    number: int
    """From 1."""
    title: str
    boxes: list[int]
    """Of all problems of the collection; 0 for new ones."""
    rows: int
    columns: int
    board: list[str]
    """Rows of `.XO`."""
    to_play: str
    color: str
    """The side that solves the problem."""
    last: str | None
    comment: str
    marks: list[tuple[str, str, str]]
    """Vertex, shape or `label`, and text."""
    status: str
    """As in `problems.Status`."""
    is_start: bool
    line: list[str]
    """Moves to show after the position: a refutation, or the solution."""
    is_from_engine: bool
    """Whether verdict or line are the engine's."""
    points_loss: float | None
    """Points that the last move loses according to the engine."""
    has_solution: bool
    tries: int
    solved: int
    """Tries that solved the problem at once."""
    due: str | None
    """The date when the problem comes again."""
