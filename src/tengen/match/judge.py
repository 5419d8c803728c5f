"""The score of a final board, by Tengen's own count and never by an engine's word."""

from collections.abc import Callable

import numpy as np

from tengen.board.kernels.area import area_owners
from tengen.board.kernels.layout import POINTS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.playout.judge import judge

Judge = Callable[[Position], float]
"""Returns the margin of a finished position from Black's side, komi and handicap included."""


def tromp_taylor_margin(position: Position) -> float:
    """Count stones and the empty regions that touch one colour only; all stones are alive."""
    area = int(area_owners(position.block, np.empty(int(POINTS), dtype=np.uint8)))
    return area - position.rules.white_bonus(position.handicap)


def judged_margin(position: Position) -> float:
    """Count by the rules of the position, with dead stones taken off as playouts find them."""
    return judge(position).score


def judge_named(name: str) -> Judge:
    """Return the judge of that name; raise TengenError if there is none."""
    if name not in JUDGES:
        raise TengenError(f"unknown judge {name!r}: use one of {', '.join(JUDGES)}")
    return JUDGES[name]


DEFAULT_JUDGE = "playouts"
JUDGES: dict[str, Judge] = {
    "playouts": judged_margin,
    "tromp-taylor": tromp_taylor_margin,
}
