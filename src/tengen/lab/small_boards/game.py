"""Games between the paper's programs, and who says how they ended."""

from collections.abc import Iterable
from typing import NamedTuple

from tengen.board.colour import BLACK
from tengen.board.position import Position
from tengen.board.rules import Rules
from tengen.knowledge.metric_board import evaluate
from tengen.lab.small_boards.program import AREA, Program, Searcher

RULES = Rules(komi=0.0)
"""Area scoring, positional superko, no suicide, no komi: table 7 of the paper."""
REFEREES = ("e1", "search")
REFEREE_NODES = 20_000
"""Enough to read a 4x4 board out once most of it is settled."""
REFEREE_DEPTH = 24


class Outcome(NamedTuple):
    """How a game ended."""

    margin: float
    """From Black's side."""
    length: int


def play_game(
    black: Program,
    white: Program,
    searcher: Searcher,
    referee: str = "e1",
    size: tuple[int, int] = (4, 4),
    opening: Iterable[int] = (),
) -> Outcome:
    """Play until two passes, or until the game is four times as long as the board is large."""
    position = Position(*size, rules=RULES)
    for move in opening:
        position.play(move)
    longest = 4 * size[0] * size[1]
    while not position.is_over and len(position.moves) < longest:
        program = black if position.to_play is BLACK else white
        position.play(program.choose(searcher, position).move)
    return Outcome(margin_of(position, searcher, referee), len(position.moves))


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
