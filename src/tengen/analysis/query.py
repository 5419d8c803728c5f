"""A question about some positions of a game, read from the fields of a JSON object."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tengen.analysis.fields import FieldError, Fields, whole
from tengen.analysis.game import Game, Reader
from tengen.board.colour import Colour
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.katago_settings import MOST_VISITS, Perspective, Translated, translate
from tengen.engine.move_limits import MoveLimits
from tengen.engine.settings import EngineSettings

LARGEST = 2**31 - 1
LONGEST_S = 86400.0
WITHOUT_EFFECT = (
    "rootPolicyTemperature",
    "rootFpuReductionMax",
    "includeOwnershipStdev",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
)
"""Fields of KataGo's that change nothing here; what they ask for is not there."""
FOR_ALL = (
    "numAnalysisThreads",
    "numSearchThreads",
    "numSearchThreadsPerAnalysisThread",
    "rules",
)
"""Settings that hold from the start, for all questions."""
OWN_LIMITS = {"play.playouts": "maxVisits", "play.seconds": "maxTime"}
"""What limits one search goes by KataGo's names, whatever it is called."""


@dataclass(frozen=True)
class Wanted:
    """What a reply shall tell beside the moves."""

    ownership: bool = False
    moves_ownership: bool = False
    policy: bool = False
    line_visits: bool = False
    line_length: int | None = None
    """Moves of a line after its first."""


@dataclass(frozen=True)
class Query:
    """A question; every turn of it gets one final reply."""

    id: str
    positions: dict[int, Position]
    """By turn."""
    priorities: dict[int, int]
    limits: dict[Colour, MoveLimits]
    wanted: Wanted
    visits: int | None
    seconds: float | None
    words: tuple[str, ...]
    """Settings of the engine for this question alone."""
    perspective: Perspective | None
    report_every_s: float | None
    first_report_s: float | None
    warnings: tuple[tuple[str, str], ...]
    """(field, message) of what has no effect."""


def read_query(query_id: str, given: Mapping[str, Any], settings: EngineSettings) -> Query:
    """Read a question; raise FieldError for what makes no sense.

    `settings` are the engine's, to see whether those of the question can be applied to them.
    """
    fields = Fields(given)
    fields.take("id")
    game = Game(fields)
    translated = _overrides(fields, settings)
    every_s = fields.number("reportDuringSearchEvery", 0.001, LONGEST_S)
    query = Query(
        id=query_id,
        positions=game.positions(),
        priorities=_priorities(fields, game.turns),
        limits=_limits(fields, game.reader),
        wanted=Wanted(
            fields.flag("includeOwnership"),
            fields.flag("includeMovesOwnership"),
            fields.flag("includePolicy"),
            fields.flag("includePVVisits"),
            fields.whole("analysisPVLen", 1, LARGEST),
        ),
        visits=fields.whole("maxVisits", 1, MOST_VISITS) or translated.visits,
        seconds=translated.seconds,
        words=tuple(translated.words),
        perspective=translated.perspective,
        report_every_s=every_s,
        first_report_s=fields.number("firstReportDuringSearchAfter", 0.001, LONGEST_S),
        warnings=(),
    )
    return _warned(query, fields, translated)


def _warned(query: Query, fields: Fields, translated: Translated) -> Query:
    """Return the query with a warning for everything that has no effect."""
    warnings = [*fields.warnings]
    warnings += [("overrideSettings", f"Unknown setting: {name}") for name in translated.unknown]
    for name in FOR_ALL:
        if name in fields.table("overrideSettings"):
            warnings.append(("overrideSettings", f"{name} has no effect in a question"))
    for name in fields.unused():
        kind = "has no effect here" if name in WITHOUT_EFFECT else "unexpected or unused field"
        warnings.append((name, kind))
    return replace(query, warnings=tuple(warnings))


def _overrides(fields: Fields, settings: EngineSettings) -> Translated:
    """Return what `overrideSettings` come to: KataGo's names, or ours as `search.threads`."""
    table = fields.table("overrideSettings")
    given = {OWN_LIMITS.get(name, name): value for name, value in table.items()}
    try:
        found = translate(given)
        own = [name for name in found.unknown if "." in name]
        found.unknown = [name for name in found.unknown if name not in own]
        found.words += [f"{name}={given[name]}" for name in own]
        settings.with_words(found.words)
    except TengenError as error:
        raise FieldError("overrideSettings", str(error)) from None
    return found


def _priorities(fields: Fields, turns: list[int]) -> dict[int, int]:
    """Return the priority of each turn: one for all, or one for each."""
    one = fields.whole("priority", -LARGEST, LARGEST) or 0
    each = fields.items("priorities")
    if not each:
        return dict.fromkeys(turns, one)
    asked = fields.items("analyzeTurns")
    if len(each) != len(asked):
        raise FieldError("priorities", "priorities must have one number for each of analyzeTurns")
    numbers = [whole("priorities", number, -LARGEST, LARGEST) for number in each]
    return {turn: max(numbers[i] for i, t in enumerate(asked) if t == turn) for turn in turns}


def _limits(fields: Fields, reader: Reader) -> dict[Colour, MoveLimits]:
    """Return what each side may try at the root."""
    found = {colour: MoveLimits() for colour in Colour}
    for name in ("avoidMoves", "allowMoves"):
        for item in fields.items(name):
            if not isinstance(item, dict):
                raise FieldError(name, f"{name} must be a list of objects")
            colour, moves = _limited(name, Fields(item), reader)
            limits = found[colour]
            narrow = limits.avoiding if name == "avoidMoves" else limits.allowing
            found[colour] = narrow(moves)
    return found


def _limited(name: str, item: Fields, reader: Reader) -> tuple[Colour, list[int]]:
    """Read one of `avoidMoves`; it holds at the root, whatever its depth."""
    try:
        item.whole("untilDepth", 1, LARGEST)
        moves = [reader.move(name, text) for text in item.items("moves")]
        return reader.colour(name, item.need("player")), moves
    except FieldError as error:
        raise FieldError(name, str(error)) from None
