"""The end of the game: when to pass, and how to capture dead stones."""

from dataclasses import dataclass

from tengen.board import NEIGHBOR_OFFSETS, PASS, Color, Position, Scoring, column_of, row_of
from tengen.board.kernels import layout
from tengen.playout import ChainStatus, FinalScore, ownership, score_by_playouts, score_position

SETTLED_OWNERSHIP = 0.8
"""A point is settled if its absolute ownership is at least this, whichever side moves first."""
PLAYOUTS = 200
"""Playouts per side to move first when the endgame is assessed."""
QUICK_PLAYOUTS = 16
"""Playouts per side to move first in the quick check of `is_open`."""
OPEN_OWNERSHIP = 0.4
"""In the quick check, a point is open if its absolute ownership is below this."""
MAX_OPEN_POINTS = 8
"""With more open points than this, passing is not considered."""
LATE_EMPTY_SHARE = 0.55
"""A board with a smaller share of empty points may be near the end of the game."""


@dataclass(frozen=True)
class EndgameStatus:
    """Score of a position, and whether anything is left to play."""

    score: FinalScore
    """By the rules of the game."""
    is_settled: bool
    """No points are left to gain for either side."""
    unsettled_points: int
    cleanup: tuple[int, ...] = ()
    """Moves on liberties of dead stones, if these must be captured and nothing else is left."""

    def lead_of(self, color: Color) -> float:
        """Return the lead of a side in points."""
        return self.score.score if color is Color.BLACK else -self.score.score

    def safe_lead_of(self, color: Color) -> float:
        """Return the lead of a side in points if it loses every unsettled point."""
        return self.lead_of(color) - 2 * self.unsettled_points


def assess_endgame(position: Position) -> EndgameStatus:
    """Score a position and determine whether it is settled."""
    score = score_by_playouts(position)
    ownerships = [ownership(position, color, playouts=PLAYOUTS) for color in Color]
    unsettled = sum(
        any(_is_unsettled(owned[point], vacant[point]) for owned, vacant in ownerships)
        for point in position.points()
        if not _is_dame(position, point, score)
    )
    counts_dame = position.rules.scoring is Scoring.AREA
    is_settled = unsettled == 0 and not (counts_dame and _has_dame(position, score))
    if not position.rules.requires_capture:
        return EndgameStatus(score, is_settled, unsettled)
    moves = cleanup_moves(position, score)
    cleanup = tuple(moves) if is_settled else ()
    return EndgameStatus(score_position(position), is_settled and not moves, unsettled, cleanup)


def is_settled(position: Position) -> bool:
    """Return whether the game is over, or no point but neutral ones is left to gain.

    An exact score makes sense only then.
    """
    if position.is_over:
        return True
    return not is_open(position) and assess_endgame(position).unsettled_points == 0


def _is_unsettled(owned: float, vacant: float) -> bool:
    return abs(owned) < SETTLED_OWNERSHIP and vacant < 0.5


def _is_dame(position: Position, point: int, score: FinalScore) -> bool:
    """Return whether an empty point next to a stone belongs to neither side."""
    if position.color(point) or score.owner[row_of(point), column_of(point)] != 0:
        return False
    return any(position.color(point + offset) in tuple(Color) for offset in NEIGHBOR_OFFSETS)


def _has_dame(position: Position, score: FinalScore) -> bool:
    """Return whether there is a dame that can be filled without breaking a seki."""
    seki = {stone for chain in score.stones(ChainStatus.SEKI) for stone in chain}
    for point in position.points():
        beside_seki = any(point + offset in seki for offset in NEIGHBOR_OFFSETS)
        if _is_dame(position, point, score) and not beside_seki and position.is_legal(point):
            return True
    return False


def cleanup_moves(position: Position, score: FinalScore) -> list[int]:
    """Return the legal moves on liberties of the opponent's dead chains."""
    opponent = position.to_play.opponent
    moves: set[int] = set()
    for chain in score.stones(ChainStatus.DEAD):
        if position.color(chain[0]) == opponent:
            neighbors = (stone + offset for stone in chain for offset in NEIGHBOR_OFFSETS)
            moves.update(p for p in neighbors if position.on_board(p) and position.is_legal(p))
    return sorted(moves)


def should_pass(position: Position, endgame: EndgameStatus) -> bool:
    """Return whether the side to move should pass.

    It passes on a settled board, won or lost; after a pass of the opponent, a lead that does not
    depend on unsettled points is enough.
    """
    if _opponent_passed(position) and endgame.safe_lead_of(position.to_play) > 0:
        return True
    return endgame.is_settled


def may_be_over(position: Position) -> bool:
    """Return whether the game may be over, so that assessing the endgame is worth the time."""
    return _opponent_passed(position) or (is_late(position) and not is_open(position))


def _opponent_passed(position: Position) -> bool:
    return bool(position.moves) and position.moves[-1].move == PASS


def is_late(position: Position) -> bool:
    """Return whether the board is full enough that the end may be near."""
    return int(position.block[layout.EMPTY_COUNT]) < LATE_EMPTY_SHARE * position.area


def is_open(position: Position) -> bool:
    """Return whether many points are undecided; much faster than `assess_endgame`."""
    ownerships = [ownership(position, color, playouts=QUICK_PLAYOUTS) for color in Color]
    open_points = sum(
        any(abs(owned[p]) < OPEN_OWNERSHIP and vacant[p] < 0.5 for owned, vacant in ownerships)
        for p in position.points()
    )
    return open_points > MAX_OPEN_POINTS
