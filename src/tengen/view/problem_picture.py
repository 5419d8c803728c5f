"""Pictures of problems and their answers."""

from tengen.board import PASS, BoardFrame, Position, board_drawing, column_of, row_of
from tengen.engine import ProblemAnswer
from tengen.util import Drawing, Ellipse, Label, Rectangle

_RIGHT, _REGION, _TARGET = "#1a7f37", "#2f6fbf", "#c62828"


def problem_drawing(position: Position, answer: ProblemAnswer) -> Drawing:
    """Return a board with the region shaded, the stones at stake marked and the moves numbered."""
    drawing = board_drawing(position.board())
    frame = BoardFrame(position.rows, position.columns)
    half = frame.cell / 2
    shapes = list(drawing.shapes)
    for point in sorted(answer.question.region):
        x, y = frame.x(column_of(point)), frame.y(row_of(point))
        shapes.append(Rectangle(x - half, y - half, frame.cell, frame.cell, _REGION, opacity=0.16))
    for point in sorted(answer.question.target):
        x, y = frame.x(column_of(point)), frame.y(row_of(point))
        shapes.append(Ellipse(x, y, 0.14 * frame.cell, _TARGET))
    for number, move in enumerate(move for move in answer.moves if move != PASS):
        x, y = frame.x(column_of(move)), frame.y(row_of(move))
        shapes.append(Ellipse(x, y, 0.4 * frame.cell, _RIGHT, opacity=0.9 if number == 0 else 0.55))
        text, size = str(number + 1), 0.55 * frame.cell
        shapes.append(Label(x, y + 0.36 * size, text, size, "#ffffff", "middle"))
    return Drawing(drawing.width, drawing.height, tuple(shapes), answer.sentence())
