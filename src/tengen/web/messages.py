"""What the page says to the server, and what it may hear back.

Every message is one JSON object with a `type`. From the page come the dataclasses below, their
names in lower case: `{"type": "play", "vertex": "D4"}`. The server sends

| type          | holds                                                                      |
|---------------|----------------------------------------------------------------------------|
| `welcome`     | version, rules, levels, layers, defaults of a new game, lost: the game     |
|               | that was asked for, if there is none of that id (any more)                 |
| `game`        | id, rows, columns, names, rules, komi, handicap, person's sides, level,    |
|               | watching: whether it was opened                                            |
| `tree`        | version, `nodes`: all of [number, parent, colour, vertex, has a comment]   |
| `growth`      | since, version, `changes` that make the tree of one of the other, each     |
|               | [what, number, ...] as `GameTree.tell_changes` has it                      |
| `state`       | node, changes: how many since the game was begun or opened, board (rows of |
|               | `.XO`), to_play, last, prisoners, comment, marks, phase, passes: whether   |
|               | both have passed, result, thinking, clocks, score (dead stones and owners) |
| `search`      | node, visits, value, candidates (vertex, visits, value, prior, rave, line) |
| `layer`       | slot, node, and a layer as `tengen.view` gives it, or a `problem`          |
| `hint`        | node, vertex, value, line                                                  |
| `review`      | done, total, running; positions, moves and players as in `tengen.review`   |
| `experiments` | entries                                                                    |
| `pong`        | text: what came with the ping                                              |
| `note`        | text: one line for the person, such as what a source of one's own raised   |
| `refused`     | reason: one line for the person                                            |

Colours are `black` and `white`, points are vertices such as `D4`, win rates are from 0 to 1.
"""

import dataclasses
import json
import math
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

from tengen.core.errors import TengenError

LONGEST_MESSAGE = 1_000_000
"""Characters; files come by another way."""
Json = dict[str, Any]


@dataclass(frozen=True)
class Hello:
    """The first message: join a game that is there, or begin one."""

    game: str | None = None


@dataclass(frozen=True)
class Ping:
    """Ask whether the server is there; it answers `pong` with the same text."""

    text: str = ""


@dataclass(frozen=True)
class New:
    """Begin a new game at this table."""

    size: str = "9"
    """`9`, or columns x rows: `7x9`."""
    colour: str = "black"
    """The person's: `black`, `white`, `both` (no engine) or `none` (the engine alone)."""
    handicap: int = 0
    komi: float | None = None
    """None for what the rules say."""
    rules: str = "chinese"
    level: str = "strongest"
    """One of the levels of `welcome`; the strongest is the engine as it was started."""
    clock: str = "none"
    """`none`, `absolute`, `byoyomi` or `fischer`."""
    main_s: float = 0.0
    period_s: float = 0.0
    periods: int = 1


@dataclass(frozen=True)
class Play:
    """Play a move at the present node: a vertex or `pass`."""

    vertex: str


@dataclass(frozen=True)
class Go:
    """Let the engine move for the side to play."""


@dataclass(frozen=True)
class Undo:
    """Go back to before the person's last move."""


@dataclass(frozen=True)
class Resign:
    """Give up."""


@dataclass(frozen=True)
class Hint:
    """Ask what the engine would play here."""


@dataclass(frozen=True)
class Goto:
    """Look at another node of the tree."""

    node: int


@dataclass(frozen=True)
class Cut:
    """Take a node and all that follows it out of the tree."""

    node: int


@dataclass(frozen=True)
class Comment:
    """Write a comment at a node; an empty one takes it away."""

    node: int
    text: str


@dataclass(frozen=True)
class Score:
    """Judge the position: dead stones, territory, result."""


@dataclass(frozen=True)
class Mark:
    """Call the chain at a vertex dead, or alive again."""

    vertex: str


@dataclass(frozen=True)
class Accept:
    """Agree with the score: it becomes the result."""


@dataclass(frozen=True)
class Resume:
    """Play on instead of scoring."""


@dataclass(frozen=True)
class Analyse:
    """Search the position that is looked at, whichever it is, until told otherwise."""

    on: bool


@dataclass(frozen=True)
class Look:
    """Show a layer in slot 0 or 1; None for nothing."""

    slot: int
    layer: str | None = None


@dataclass(frozen=True)
class Review:
    """Look over the whole main line with so many simulations a position; off stops it."""

    on: bool
    visits: int = 200


@dataclass(frozen=True)
class Experiments:
    """Ask for matches, tunings and lab reports."""


Message = (
    Hello | Ping | New | Play | Go | Undo | Resign | Hint | Goto | Cut | Comment | Score | Mark
    | Accept | Resume | Analyse | Look | Review | Experiments
)  # fmt: skip
KINDS: dict[str, type] = {kind.__name__.lower(): kind for kind in get_args(Message)}


def parse_message(text: str) -> Message:
    """Return the message that a text holds; raise TengenError with a word about what is wrong."""
    if len(text) > LONGEST_MESSAGE:
        raise TengenError(f"a message of {len(text)} characters is too long")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise TengenError("the message is no JSON") from None
    if not isinstance(found, dict):
        raise TengenError("a message is a JSON object")
    name = found.pop("type", None)
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise TengenError(f"unknown message {str(name)[:40]!r}")
    message: Message = _filled(kind, found)
    return message


def _filled(kind: type, values: Json) -> Any:
    """Return a message of a kind with these values, checked against its fields."""
    wanted = get_type_hints(kind)
    name = kind.__name__.lower()
    for unknown in values.keys() - wanted.keys():
        raise TengenError(f"{name} has no {unknown[:40]!r}")
    for field in dataclasses.fields(kind):
        if field.name not in values and field.default is dataclasses.MISSING:
            raise TengenError(f"{name} needs {field.name!r}")
    return kind(**{key: _checked(name, key, wanted[key], value) for key, value in values.items()})


def _checked(name: str, key: str, wanted: Any, value: object) -> object:
    """Return a value if it is of the wanted type; whole numbers are floats too."""
    types = get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
    if value is None and NoneType in types:
        return None
    if isinstance(value, bool) != (bool in types):
        raise TengenError(f"{name}: {key!r} is of the wrong type")
    if float in types and isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    if not isinstance(value, types):
        raise TengenError(f"{name}: {key!r} is of the wrong type")
    return value
