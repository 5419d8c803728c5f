"""Dynamic komi: in uneven games, begin with a komi that makes the game even.

With nine stones ahead every move wins, with nine behind every move loses, and a search that only
counts wins plays anything. So komi is led from the fair value to the real one over the first half
of the game: the engine first plays to keep (or win back) its share, later for the result.
"""

from tengen.board.position import Position

FAIR_KOMI = 7.0
UNEVEN_POINTS = 10.0
"""Below this difference the real komi is used from the start."""
END_OF_LEADING = 0.6
"""The share of the board's points after which the real komi counts alone."""


def stone_value(points: int) -> float:
    """Return what a handicap stone is worth: about 12 points on 19x19, 7 on 9x9."""
    return 7.0 + 5.0 * max(points - 81, 0) / (361 - 81)


def search_komi(bonus: float, handicap: int, moves: int, points: int) -> float:
    """Return the komi to search with, `bonus` being what White really gets."""
    fair = FAIR_KOMI + stone_value(points) * handicap
    if abs(fair - bonus) < UNEVEN_POINTS:
        return bonus
    progress = min(1.0, moves / (END_OF_LEADING * points))
    return float(round(2 * (fair + (bonus - fair) * progress))) / 2


def komi_for(position: Position, is_dynamic: bool) -> float:
    """Return what White gets in a search of this position."""
    bonus = position.area_bonus
    if not is_dynamic:
        return bonus
    return search_komi(bonus, position.handicap, len(position.moves), position.area)
