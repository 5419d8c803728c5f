"""The score of a final board, by Tengen's own count and never by an engine's word."""

from collections.abc import Callable

from tengen.board.colour import BLACK, EMPTY, WHITE
from tengen.board.points import STRIDE
from tengen.board.position import Position
from tengen.core.errors import TengenError

Judge = Callable[[Position], float]
"""Returns the margin of a finished position from Black's side, komi and handicap included."""


def tromp_taylor_margin(position: Position) -> float:
    """Count stones and the empty regions that touch one colour only; all stones are alive."""
    area = {EMPTY: 0, BLACK: 0, WHITE: 0}
    seen: set[int] = set()
    for point in position.points():
        colour = position.colour(point)
        if colour:
            area[colour] += 1
        elif point not in seen:
            region, touched = _region(position, point)
            seen |= region
            area[touched.pop() if len(touched) == 1 else EMPTY] += len(region)
    return area[BLACK] - area[WHITE] - position.rules.white_bonus(position.handicap)


def _region(position: Position, start: int) -> tuple[set[int], set[int]]:
    """Return the empty points connected to `start` and the colours that they touch."""
    region, touched, todo = {start}, set[int](), [start]
    while todo:
        point = todo.pop()
        for near in (point - 1, point + 1, point - STRIDE, point + STRIDE):
            if not position.on_board(near) or near in region:
                continue
            colour = position.colour(near)
            if colour:
                touched.add(colour)
            else:
                region.add(near)
                todo.append(near)
    return region, touched


def judge_named(name: str) -> Judge:
    """Return the judge of that name; raise TengenError if there is none."""
    if name not in JUDGES:
        raise TengenError(f"unknown judge {name!r}: use one of {', '.join(JUDGES)}")
    return JUDGES[name]


DEFAULT_JUDGE = "tromp-taylor"
JUDGES: dict[str, Judge] = {
    "tromp-taylor": tromp_taylor_margin,
}
