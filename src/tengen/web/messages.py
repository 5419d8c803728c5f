"""WebSocket messages between the page and the server.

Every message is a JSON object whose `type` is the tag of one of the classes below. `ClientMessage`
subclasses come from the page, `ServerMessage` subclasses go to it. Colors are `black` and `white`,
points are vertices such as `D4`, win rates range from 0 to 1.
"""

from functools import reduce
from operator import or_
from typing import Annotated, Any

import msgspec

from tengen.review import MISTAKE_POINTS
from tengen.util import Json, TengenError, schema
from tengen.web.collection_messages import (
    CancelImport as CancelImport,
    CollectionList as CollectionList,
    Continuations as Continuations,
    ExampleGame as ExampleGame,
    ExperimentList as ExperimentList,
    ExperimentsChanged as ExperimentsChanged,
    GameList as GameList,
    ImportProgress as ImportProgress,
    ListCollections as ListCollections,
    ListExperiments as ListExperiments,
    ListGames as ListGames,
    ListMatchGames as ListMatchGames,
    MatchGames as MatchGames,
    NextMove as NextMove,
    OpenExample as OpenExample,
    OpenGame as OpenGame,
    RemoveCollection as RemoveCollection,
    RemoveGame as RemoveGame,
    ResumeExperiment as ResumeExperiment,
    ShowContinuations as ShowContinuations,
    StartExperiment as StartExperiment,
    StopExperiment as StopExperiment,
    WriteExample as WriteExample,
)
from tengen.web.editing_messages import (
    GameInfo as GameInfo,
    PromoteVariation as PromoteVariation,
    SetAnnotation as SetAnnotation,
    SetInfo as SetInfo,
    SetMark as SetMark,
)
from tengen.web.learning_messages import (
    TEACHING_POINTS as TEACHING_POINTS,
    CollectionRow as CollectionRow,
    DeleteProblems as DeleteProblems,
    JudgedMove as JudgedMove,
    ListProblems as ListProblems,
    OpenProblem as OpenProblem,
    PlayOn as PlayOn,
    ProblemAction as ProblemAction,
    ProblemList as ProblemList,
    ProblemState as ProblemState,
    Teach as Teach,
    TeachingUpdate as TeachingUpdate,
    TryMove as TryMove,
)
from tengen.web.message_types import ClientMessage as ClientMessage, ServerMessage as ServerMessage

MAX_MESSAGE_LENGTH = 1_000_000
"""Characters; files are uploaded over HTTP."""
MAX_PING_LENGTH = 1_000


class Hello(ClientMessage, frozen=True, tag="hello"):
    """Join an existing game or start a new one; the first message of a connection."""

    game: str | None = None


class Ping(ClientMessage, frozen=True, tag="ping"):
    """Request a `Pong` with the same text."""

    text: Annotated[str, msgspec.Meta(max_length=MAX_PING_LENGTH)] = ""


class NewGame(ClientMessage, frozen=True, tag="new_game"):
    """Start a new game in this room."""

    size: str = "9"
    """`9`, or columns x rows: `7x9`."""
    color: str = "black"
    """The user's color: `black`, `white`, `both` (no engine) or `none` (engine self-play)."""
    handicap: int = 0
    komi: float | None = None
    """None for the default of the rules."""
    rules: str = "chinese"
    level: str = "strongest"
    seconds: float | None = None
    """Thinking time per move of the level `strongest`; None for that of the settings."""
    clock: str = "none"
    """`none`, `absolute`, `byoyomi` or `fischer`."""
    main_s: float = 0.0
    period_s: float = 0.0
    periods: int = 1


class Play(ClientMessage, frozen=True, tag="play"):
    """Play a move at the current node: a vertex or `pass`."""

    vertex: str


class EngineMove(ClientMessage, frozen=True, tag="engine_move"):
    """Let the engine play the next move."""


class Undo(ClientMessage, frozen=True, tag="undo"):
    """Go back to the position before the user's last move."""


class Resign(ClientMessage, frozen=True, tag="resign"):
    """Resign the game."""


class RequestHint(ClientMessage, frozen=True, tag="hint"):
    """Request a `HintMove`."""


class GoTo(ClientMessage, frozen=True, tag="go_to"):
    """Make another node the current one."""

    node: int


class DeleteBranch(ClientMessage, frozen=True, tag="delete_branch"):
    """Delete a node and its descendants."""

    node: int


class SetComment(ClientMessage, frozen=True, tag="comment"):
    """Set the comment of a node; an empty text removes it."""

    node: int
    text: str


class RequestScore(ClientMessage, frozen=True, tag="score"):
    """Score the current position if it is settled, otherwise estimate it."""

    is_final: bool = False
    """Score it even if it is not settled."""


class ToggleDead(ClientMessage, frozen=True, tag="toggle_dead"):
    """Toggle the chain at a vertex between dead and alive."""

    vertex: str


class AcceptScore(ClientMessage, frozen=True, tag="accept_score"):
    """Accept the score as the result of the game."""


class ResumePlay(ClientMessage, frozen=True, tag="resume_play"):
    """Discard the score and continue the game."""


class Analyze(ClientMessage, frozen=True, tag="analyze"):
    """Turn the analysis of every position on or off."""

    on: bool
    seconds: float | None = None
    """Longest search of a position; None for the longest one that the server allows."""
    visits: int | None = None
    """Most visits of a position."""


class ChooseNet(ClientMessage, frozen=True, tag="choose_net"):
    """Use another network for analysis, hints, reviews and the strongest level."""

    net: str


class GetNet(ClientMessage, frozen=True, tag="get_net"):
    """Download and install a network, and use it in this game when it is ready."""

    net: str


class CancelNet(ClientMessage, frozen=True, tag="cancel_net"):
    """Cancel the installation of a network."""


class ShowLayer(ClientMessage, frozen=True, tag="show_layer"):
    """Show a layer in slot 0 or 1; None clears the slot."""

    slot: int
    layer: str | None = None


class RequestReview(ClientMessage, frozen=True, tag="review"):
    """Start or stop a review of the main line."""

    on: bool
    visits: int = 200
    """Visits per position."""
    mistake_points: float = MISTAKE_POINTS
    """Minimum points loss of a mistake."""


CLIENT_MESSAGES: dict[str, type[ClientMessage]] = {
    str(kind.__struct_config__.tag): kind for kind in ClientMessage.__subclasses__()
}
"""Message classes by tag."""
_ANY_CLIENT_MESSAGE: Any = reduce(or_, CLIENT_MESSAGES.values())


def parse_message(text: str) -> ClientMessage:
    """Decode a message of the page; raise TengenError if it is not valid."""
    if len(text) > MAX_MESSAGE_LENGTH:
        raise TengenError(f"the message is too long: {len(text):,} characters")
    message: ClientMessage = schema.decode(text, _ANY_CLIENT_MESSAGE)
    return message


class Welcome(ServerMessage, frozen=True, tag="welcome"):
    """Information about the server, the first message of a connection."""

    version: str
    rules: dict[str, float]
    """Default komi by name of the rules."""
    levels: list[Json]
    layers: list[Json]
    defaults: NewGame
    """Options of the first game."""
    lost_game: str | None = None
    """The requested game, if the server does not have it."""


class Preparation(ServerMessage, frozen=True, tag="preparation"):
    """The server is not ready yet: what it compiles, on the first start only."""

    compiled: int
    """Kernels compiled so far."""
    total: int
    """Approximate number of kernels."""
    kernel: str


class NetRow(msgspec.Struct, frozen=True):
    """A network that is installed or can be downloaded."""

    name: str
    """As in the setting `net`."""
    is_installed: bool
    meaning: str = ""
    download_bytes: int = 0


class NetInstallation(msgspec.Struct, frozen=True):
    """The progress of an installation."""

    name: str
    stage: str
    """`downloading`, `importing` or `quantizing`."""
    share: float
    """Of the stage, from 0 to 1."""


class EngineChoice(ServerMessage, frozen=True, tag="engine"):
    """The networks and the one in use."""

    net: str
    nets: list[NetRow]
    installation: NetInstallation | None = None


class GameHeader(ServerMessage, frozen=True, tag="game"):
    """A game and its properties."""

    id: str
    rows: int
    columns: int
    black: str
    white: str
    rules: str
    scoring: str
    komi: float
    handicap: int
    color: str
    """The user's color, as in `NewGame`."""
    level: str
    is_loaded: bool
    """Whether the game was loaded from a file."""
    properties: dict[str, str]
    """Root properties by SGF name, as in `GameInfo`."""
    estimate: Json | None = None
    """The user's estimated rank, in a game against the level `auto`."""


class TreeSnapshot(ServerMessage, frozen=True, tag="tree"):
    """The whole game tree in preorder, first children first."""

    version: int
    nodes: list["NodeRow"]


NodeRow = tuple[int, int | None, str | None, str | None, bool]
"""Number, parent, color, vertex and whether the node has a comment."""


class TreeChanges(ServerMessage, frozen=True, tag="tree_changes"):
    """Changes of the game tree from version `since` to `version`, in order.

    Each change is a list: `add` and a `NodeRow` (a new last child); `main_line` and a node whose
    path becomes the main line; `delete` and a node; `comment`, a node, and whether it has one.
    """

    since: int
    version: int
    changes: list[list[object]]


class SideClock(msgspec.Struct, frozen=True):
    """The clock of one player."""

    left_s: float
    """Remaining main time, or time of the current period."""
    periods_left: int
    """Byo-yomi periods left, including the current one."""
    in_overtime: bool
    period_s: float


class ClockState(msgspec.Struct, frozen=True):
    """Both clocks."""

    running: str | None
    """Color whose clock runs."""
    elapsed_s: float
    """Time since the running clock was started."""
    black: SideClock
    white: SideClock


class ScoreState(msgspec.Struct, frozen=True):
    """The score of a position."""

    dead: list[str]
    owner: list[str]
    """Rows of `.XO`."""
    result: str
    handicap_compensation: float
    """Points White receives for handicap stones."""
    black: int
    white: int


class GameState(ServerMessage, frozen=True, tag="state"):
    """The current node and everything that changes during a game."""

    node: int
    change_count: int
    """Changes of the record since the game was started or loaded."""
    board: list[str]
    """Rows of `.XO`."""
    to_play: str
    last: str | None
    move: int
    prisoners: dict[str, int]
    """Stones lost by each color."""
    comment: str
    marks: list[tuple[str, str, str]]
    """Vertex, shape or `label`, and text."""
    annotation: str
    """Assessment of the last move, as in `SetAnnotation`."""
    phase: str
    """`play`, `scoring` or `over`."""
    both_passed: bool
    result: str
    clocks: ClockState | None
    score: ScoreState | None
    thinking: bool = False
    analyzing: bool = False
    """Whether analysis is on."""
    searching: bool = False
    """Whether an analysis is running; it ends at its limit."""


class CandidateRow(msgspec.Struct, frozen=True):
    """A candidate move of a search; values are those of the player to move."""

    vertex: str
    visits: int
    value: float
    lead: float
    """Lead in points after the move."""
    points_lost: float
    """Compared to the first candidate; negative if the lead is larger."""
    prior: float
    rave: float | None
    line: list[str]


class SearchUpdate(ServerMessage, frozen=True, tag="search"):
    """Results of a search so far."""

    node: int
    kind: str
    """`analysis`, `hint` or `move`."""
    to_play: str
    visits: int
    value: float
    """Win rate of the side to move."""
    lead: float
    """Black's lead in points."""
    error: float
    """Standard deviation of the final score, in points."""
    nodes: int
    depth: float
    ownership: list[list[float]]
    """Rows of values from -1 (White) to 1 (Black)."""
    candidates: list[CandidateRow]


class LayerUpdate(ServerMessage, frozen=True, tag="layer", omit_defaults=True):
    """A layer for the current position, or the reason why it is not available."""

    slot: int
    name: str
    node: int
    layer: Json | None = None
    problem: str | None = None


class HintMove(ServerMessage, frozen=True, tag="hint"):
    """The move that the engine would play."""

    node: int
    color: str
    vertex: str
    value: float
    """Win rate of that color."""
    visits: int
    line: list[str]


class ScoreEstimateUpdate(ServerMessage, frozen=True, tag="score_estimate"):
    """The estimate of a position that is not settled."""

    node: int
    text: str
    """Leader, lead, error and visits in words."""
    lead: float
    """Black's lead in points."""
    error: float
    """Standard deviation of the final score."""
    visits: int
    ownership: list[list[float]]
    """Rows of values from -1 (White) to 1 (Black)."""
    dead: list[str]
    """Stones of dead chains."""


class ReviewUpdate(ServerMessage, frozen=True, tag="review"):
    """Results of a review so far; positions, moves and players as in `tengen.review`."""

    done: int
    total: int
    running: bool
    visits: int
    """Visits per position; 0 if not known."""
    nodes: list[int]
    """The node of each position of the main line."""
    positions: list[Json]
    moves: list[Json]
    """The moves whose positions have been searched."""
    players: Json


class Pong(ServerMessage, frozen=True, tag="pong"):
    """The answer to `Ping`."""

    text: str


class Notice(ServerMessage, frozen=True, tag="notice"):
    """A message to the user."""

    text: str


class ErrorMessage(ServerMessage, frozen=True, tag="error"):
    """Why a request failed."""

    text: str
