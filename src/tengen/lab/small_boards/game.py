"""Games between simple players, and who says how they ended."""

from collections.abc import Callable, Sequence

from tengen.board.colour import BLACK
from tengen.board.position import Move, Position
from tengen.board.rules import Rules
from tengen.knowledge.metric_board import evaluate
from tengen.lab.small_boards.program import AREA, Searcher

Chooser = Callable[[Position], int]
"""A player: gives the move for the side to move."""

RULES = Rules(komi=0.0)
"""Area scoring, positional superko, no suicide, no komi: table 7 of the paper."""
REFEREE_NODES = 20_000
"""Enough to read a 4x4 board out once most of it is settled."""
REFEREE_DEPTH = 24


def play_out(
    black: Chooser, white: Chooser, size: int = 4, opening: Sequence[Move] = ()
) -> Position:
    """Play until two passes, or until the game is four times as long as the board is large."""
    position = Position(size, rules=RULES)
    position.play_sequence(opening)
    while not position.is_over and len(position.moves) < 4 * size * size:
        chooser = black if position.to_play is BLACK else white
        position.play(chooser(position))
    return position


def margin_of(position: Position, searcher: Searcher, referee: str) -> float:
    """Return Black's margin: E1 as the stones lie, or as they would after a search with E1.

    The paper's referee counted stones as they lay, so that programs that stopped early, without
    taking what was lost for the opponent, had a penalty. The other one searches on.
    """
    if referee == "e1":
        return evaluate(position, AREA).e1
    going_on = Position(position.rows, position.columns, RULES)
    going_on.setup([(p, position.colour(p)) for p in position.points()], position.to_play)
    sign = 1 if going_on.to_play is BLACK else -1
    return sign * searcher.search(going_on, AREA, REFEREE_DEPTH, REFEREE_NODES).value
