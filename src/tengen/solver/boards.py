"""Boards of the solver: one whole number for all stones, made from positions."""

from collections.abc import Iterator

from tengen.board.colour import BLACK
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.board.rules import Ko, Scoring
from tengen.core.errors import TengenError
from tengen.solver.kernels import memory


def check_rules(position: Position) -> None:
    """Raise TengenError for rules that the solver does not know."""
    rules = position.rules
    if rules.scoring is not Scoring.AREA or rules.ko is not Ko.POSITIONAL or rules.suicide:
        raise TengenError(
            "the solver wants area scoring, positional superko and no suicide: chinese"
        )


def board_of(position: Position) -> int:
    """Return the stones on the board as the kernels write them."""
    colours = [position.colour(point) for point in position.points()]
    halves = ((colour != BLACK) * memory.HALF_BITS for colour in colours)
    stones = zip(colours, halves, range(len(colours)), strict=True)
    return sum(1 << half + place for colour, half, place in stones if colour)


def boards_so_far(position: Position) -> Iterator[int]:
    """Yield the boards of the game, the present one last."""
    moves = position.moves
    earlier = position.copy()
    earlier.undo(len(moves))
    yield board_of(earlier)
    for move in moves:
        earlier.play(move.move, move.colour)
        yield board_of(earlier)


def move_from_kernel(position: Position, move: int) -> int:
    """Return a kernel's move as a move on the position's board."""
    return PASS if move == memory.PASS else position.points()[move]
