"""Messages about the library, the game database and experiments (see `messages`)."""

from typing import Annotated

import msgspec

from tengen.util import Json
from tengen.web.experiment_jobs import JobRequest
from tengen.web.message_types import ClientMessage, ServerMessage

MAX_WORDS_LENGTH = 200

# From the page


class StartExperiment(ClientMessage, frozen=True, tag="start_experiment"):
    """Start a match or a lab experiment."""

    request: JobRequest


class StopExperiment(ClientMessage, frozen=True, tag="stop_experiment"):
    """Stop a running experiment; its results so far are kept."""

    name: str


class ResumeExperiment(ClientMessage, frozen=True, tag="resume_experiment"):
    """Continue an experiment."""

    name: str


class WriteExample(ClientMessage, frozen=True, tag="write_example"):
    """Write a file with an example function to the folder of experiments."""


class ListMatchGames(ClientMessage, frozen=True, tag="list_match_games"):
    """Show the games of a match in the library: request a `MatchGames`."""

    path: str


class ListExperiments(ClientMessage, frozen=True, tag="list_experiments"):
    """Request an `ExperimentList`."""


class ListCollections(ClientMessage, frozen=True, tag="list_collections"):
    """Request a `CollectionList`."""


class ListGames(ClientMessage, frozen=True, tag="list_games"):
    """Request a `GameList`: some games of a collection of the library."""

    collection: int
    words: Annotated[str, msgspec.Meta(max_length=MAX_WORDS_LENGTH)] = ""
    """Only games whose players, date, event or result contain all of these."""
    sort: str = "number"
    """A column of `LibraryGame`."""
    is_descending: bool = False
    offset: int = 0


class OpenGame(ClientMessage, frozen=True, tag="open_game"):
    """Open a game of the library in this room."""

    game: int


class OpenExample(ClientMessage, frozen=True, tag="open_example"):
    """Open a game of the game database in this room."""

    game: int
    move: int
    """Number of the position to go to."""


class ShowContinuations(ClientMessage, frozen=True, tag="show_continuations"):
    """Send `Continuations` of every position from now on, or stop."""

    on: bool
    is_local: bool = False
    """Match only the quarter of the board with the last move."""


class RemoveCollection(ClientMessage, frozen=True, tag="remove_collection"):
    """Remove a collection from the library."""

    collection: int


class RemoveGame(ClientMessage, frozen=True, tag="remove_game"):
    """Remove a game from the library."""

    game: int


class CancelImport(ClientMessage, frozen=True, tag="cancel_import"):
    """Cancel the import to a target."""

    target: str


# To the page


class ExperimentList(ServerMessage, frozen=True, tag="experiments"):
    """Matches, tuning runs and lab reports, and what can be started."""

    entries: list[Json]
    folder: str
    functions: list[str]
    """Functions of a position in the folder."""
    presets: list[Json]
    labs: list[str]
    """Names of lab experiments."""


class ExperimentsChanged(ServerMessage, frozen=True, tag="experiments_changed"):
    """An experiment was started or has ended."""


class MatchGames(ServerMessage, frozen=True, tag="match_games"):
    """The games of a match are in the library."""

    collection: int


class CollectionList(ServerMessage, frozen=True, tag="collections"):
    """The collections of the library, as `LibraryCollection`."""

    collections: list[Json]


class GameList(ServerMessage, frozen=True, tag="games"):
    """Games of a collection, as `LibraryGame`, from an offset on."""

    request: ListGames
    total: int
    """Games that contain all words."""
    games: list[Json]


class NextMove(msgspec.Struct, frozen=True):
    """A move that followed a position; results are those of its player."""

    vertex: str
    color: str
    games: int
    wins: int
    losses: int


class ExampleGame(msgspec.Struct, frozen=True):
    """A game of the database in which a position occurred."""

    game: int
    move: int
    """Number of moves played before."""
    black: str
    white: str
    date: str
    result: str


class Continuations(ServerMessage, frozen=True, tag="continuations"):
    """The next moves in the game database and in the opening book."""

    node: int
    is_local: bool
    searched: int | None
    """Games of this board size in the database; None without a database."""
    games: int
    """Games of the database in which the position occurred."""
    moves: list[NextMove]
    """Most frequent first; equivalent moves are merged."""
    book_games: int
    book: list[NextMove]
    examples: list[ExampleGame]
    problem: str = ""
    """Why the database cannot be used."""


class ImportProgress(ServerMessage, frozen=True, tag="import"):
    """The progress of an import to the library or to the game database."""

    target: str
    """`library` or `database`."""
    name: str
    share: float
    """Of the file, from 0 to 1."""
    games: int = 0
    """Games added so far."""
    read: int = 0
    """Games in the file, at the end."""
    is_running: bool = True
    is_cancelled: bool = False
    problem: str = ""
    """Why it failed."""
