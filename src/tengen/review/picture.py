"""A board as SVG: the position before a mistake, the move that was played, and the better line."""

from html import escape

from tengen.board.colour import Colour
from tengen.board.points import LETTERS, PASS, column_of, row_of
from tengen.board.position import Position
from tengen.review.review import MoveReview

CELL = 22
MARGIN = 26
SHOWN_LINE = 5
"""Moves of the better line that are drawn."""
STAR_LINES = {9: (2, 6), 13: (3, 9), 19: (3, 9, 15)}


def mistake_picture(position: Position, move: MoveReview) -> str:
    """Return the board before a move, with it and the better line drawn in."""
    parts = [_frame(position), *_stars(position), *_letters(position), *_stones(position)]
    taken = {point for point in position.points() if position.colour(point)}
    if move.move != PASS:
        parts.append(_stone(position, move.move, move.colour, "played"))
        taken.add(move.move)
    colour = move.colour
    for step, point in enumerate(move.before.line[:SHOWN_LINE]):
        if point != PASS and point not in taken:
            parts.append(_stone(position, point, colour, "better", str(step + 1)))
            taken.add(point)
        colour = colour.opponent
    width, height = _size(position)
    label = escape(f"Board before move {move.number}", quote=True)
    head = f'<svg class="board" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
    return f"{head}{''.join(parts)}</svg>"


def _size(position: Position) -> tuple[int, int]:
    return (
        2 * MARGIN + CELL * (position.columns - 1),
        2 * MARGIN + CELL * (position.rows - 1),
    )


def _at(row: int, column: int) -> tuple[int, int]:
    return MARGIN + CELL * column, MARGIN + CELL * row


def _frame(position: Position) -> str:
    """Return the wood and the lines."""
    width, height = _size(position)
    right, bottom = width - MARGIN, height - MARGIN
    lines = [f"M{MARGIN} {_at(row, 0)[1]}H{right}" for row in range(position.rows)]
    lines += [f"M{_at(0, column)[0]} {MARGIN}V{bottom}" for column in range(position.columns)]
    wood = f'<rect class="wood" width="{width}" height="{height}" rx="4"/>'
    return f'{wood}<path class="grid" d="{"".join(lines)}"/>'


def _stars(position: Position) -> list[str]:
    lines = STAR_LINES.get(position.rows, ()) if position.rows == position.columns else ()
    centres = [_at(row, column) for row in lines for column in lines]
    return [f'<circle class="star" cx="{x}" cy="{y}" r="2.4"/>' for x, y in centres]


def _letters(position: Position) -> list[str]:
    """Return the coordinates on the left and below."""
    texts = [
        (MARGIN // 2 - 2, _at(row, 0)[1] + 3, str(position.rows - row))
        for row in range(position.rows)
    ]
    below = _size(position)[1] - 5
    texts += [(_at(0, column)[0], below, LETTERS[column]) for column in range(position.columns)]
    return [f'<text class="coordinate" x="{x}" y="{y}">{text}</text>' for x, y, text in texts]


def _stones(position: Position) -> list[str]:
    points = [point for point in position.points() if position.colour(point)]
    return [_stone(position, point, Colour(position.colour(point))) for point in points]


def _stone(position: Position, point: int, colour: Colour, kind: str = "", text: str = "") -> str:
    x, y = _at(row_of(point), column_of(point))
    side = colour.name.lower()
    stone = f'<circle class="{f"{side} {kind}".strip()}" cx="{x}" cy="{y}" r="{CELL / 2 - 0.8}"/>'
    if kind == "played":
        stone += f'<path class="cross" d="M{x - 4} {y - 4}l8 8m0 -8l-8 8"/>'
    return stone + (f'<text class="on-{side}" x="{x}" y="{y + 3.6}">{text}</text>' if text else "")
