"""What was played in a position in the games of a database, as layers."""

from collections.abc import Callable
from functools import partial

from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.database.answer import Continuation
from tengen.database.pattern import Pattern
from tengen.view.context import ViewContext
from tengen.view.info import (
    LayerInfo,
    Need,
    Said,
    best_points,
    empty_grid,
    label_grid,
    percent,
    put,
)
from tengen.view.search_layers import count_text


def _experts(
    value: Callable[[Continuation], float | None],
    text: Callable[[float], str],
    position: Position,
    context: ViewContext,
) -> Said:
    pattern = Pattern.whole(position)
    answer = context.database().search(pattern, examples=0)
    played = {one.move: one for one in answer.continuations if one.colour == position.to_play}
    stands_for, values = pattern.folds(), empty_grid(position)
    for point in position.points():
        found = played.get(int(stands_for[point]))
        said = None if found is None else value(found)
        if said is not None:
            put(values, point, said)
    most = max(played.values(), key=lambda one: one.games, default=None)
    best = () if most is None or most.move == PASS else (most.move,)
    note = f"in {answer.games:,} of {answer.searched:,} games"
    return Said(
        values, best or best_points(position, values)[:1], label_grid(values, text, 0), note
    )


def expert_layers() -> list[LayerInfo]:
    """Return how often each move was played, and with what result."""
    group, need = "experts", Need.GAMES
    games = (
        "How many games of the database went on like this from the same position, mirrored, "
        "turned or with colours swapped too; points that symmetry makes equal count together."
    )
    rates = "The share of those games that the player of the move won; labels are percent."
    count = partial(_experts, lambda one: float(one.games), count_text)
    rate = partial(_experts, lambda one: one.rate, percent)
    return [
        LayerInfo("experts", "Expert games", games, group, count, unit="games", needs=need),
        LayerInfo(
            "experts.winrate",
            "Expert games, results",
            rates,
            group,
            rate,
            unit="win rate",
            needs=need,
        ),
    ]
