"""When a game is over: passing in time, not too early, and taking dead stones off when asked."""

from dataclasses import dataclass

from tengen.board.colour import Colour
from tengen.board.kernels import layout
from tengen.board.points import AROUND, PASS, column_of, row_of
from tengen.board.position import Position
from tengen.board.rules import Scoring
from tengen.playout.judge import Judgement, Status, judge, judge_by_playouts, ownership

SETTLED = 0.8
"""A point is settled if one side holds it this clearly, whoever moves first."""
TRIES = 200
"""Playouts for each side to move first, to see which points are clear."""
GLANCE = 16
"""Playouts for each side to move first, to see whether much is left to play for."""
CONTESTED = 0.4
"""By a glance a point is contested if neither side holds it more clearly than this."""
MUCH = 8
"""With more contested points than this nobody should pass."""


@dataclass(frozen=True)
class Ending:
    """What is known about the end of the game at one position."""

    judgement: Judgement
    """By the rules."""
    is_settled: bool
    """Nothing is left that either side could win by moving."""
    unclear: int
    """Points that neither side holds clearly."""
    cleanup: tuple[int, ...] = ()
    """Moves that take liberties of dead stones, where these must be captured and nothing else is
    left to do."""

    def lead_of(self, colour: Colour) -> float:
        """Return by how many points a side wins."""
        return self.judgement.score if colour is Colour.BLACK else -self.judgement.score

    def sure_lead_of(self, colour: Colour) -> float:
        """Return by how many points a side wins even if it loses every unclear point."""
        return self.lead_of(colour) - 2 * self.unclear


def look_at_ending(position: Position) -> Ending:
    """Judge a position and tell whether it is settled."""
    judgement = judge_by_playouts(position)
    tries = [ownership(position, colour, playouts=TRIES) for colour in Colour]
    unclear = sum(
        any(_is_unclear(owned[point], vacant[point]) for owned, vacant in tries)
        for point in position.points()
        if not _is_dame(position, point, judgement)
    )
    dame_matters = position.rules.scoring is Scoring.AREA
    is_settled = unclear == 0 and not (dame_matters and _has_dame(position, judgement))
    if not position.rules.as_it_stands:
        return Ending(judgement, is_settled, unclear)
    cleanup = cleanup_moves(position, judgement)
    left = tuple(cleanup) if is_settled else ()
    return Ending(judge(position), is_settled and not cleanup, unclear, left)


def _is_unclear(owned: float, vacant: float) -> bool:
    return abs(owned) < SETTLED and vacant < 0.5


def _is_dame(position: Position, point: int, judgement: Judgement) -> bool:
    """Tell whether an empty point belongs to nobody; one without a stone beside it is open yet."""
    if position.colour(point) or judgement.owner[row_of(point), column_of(point)] != 0:
        return False
    return any(position.colour(point + offset) in tuple(Colour) for offset in AROUND)


def _has_dame(position: Position, judgement: Judgement) -> bool:
    """Tell whether a neutral point is left that can be taken without harm: one point each."""
    seki = {stone for chain in judgement.stones(Status.SEKI) for stone in chain}
    for point in position.points():
        beside_seki = any(point + offset in seki for offset in AROUND)
        if _is_dame(position, point, judgement) and not beside_seki and position.is_legal(point):
            return True
    return False


def cleanup_moves(position: Position, judgement: Judgement) -> list[int]:
    """Return the moves that take liberties of dead enemy chains."""
    enemy = position.to_play.opponent
    moves: set[int] = set()
    for chain in judgement.stones(Status.DEAD):
        if position.colour(chain[0]) == enemy:
            around = (stone + offset for stone in chain for offset in AROUND)
            moves.update(p for p in around if position.on_board(p) and position.is_legal(p))
    return sorted(moves)


def may_pass(position: Position, ending: Ending) -> bool:
    """Tell whether the side to move should pass.

    On a settled board nothing is left to play for, won or lost. When the opponent passed, a lead
    that holds without every unclear point is enough.
    """
    opponent_passed = bool(position.moves) and position.moves[-1].move == PASS
    if opponent_passed and ending.sure_lead_of(position.to_play) > 0:
        return True
    return ending.is_settled


def is_open(position: Position) -> bool:
    """Tell by a glance whether much is left to play for, so that judging would be a waste.

    Judging takes a quarter of a second on 19x19, a glance a fortieth of it.
    """
    tries = [ownership(position, colour, playouts=GLANCE) for colour in Colour]
    contested = sum(
        any(abs(owned[point]) < CONTESTED and vacant[point] < 0.5 for owned, vacant in tries)
        for point in position.points()
    )
    return contested > MUCH


def is_worth_judging(position: Position) -> bool:
    """Tell whether a pass may be right here: late, and little is left or the opponent passed."""
    passed = bool(position.moves) and position.moves[-1].move == PASS
    return passed or (is_late(position) and not is_open(position))


def is_late(position: Position) -> bool:
    """Tell whether so many stones are on the board that the end may be near."""
    empties = int(position.block[layout.EMPTIES])
    return empties < 0.55 * position.area
