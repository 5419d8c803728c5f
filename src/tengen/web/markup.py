"""Marks and labels that a record draws on the board."""

from tengen.board.points import vertex
from tengen.records.tree import plain_text
from tengen.records.values import parse_points
from tengen.web.tree import GameTree

SHAPES = {"TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross", "SL": "square"}
LONGEST_LABEL = 4
"""Characters that can be read on a point."""


def markup_at(tree: GameTree, number: int) -> list[list[str]]:
    """Return [vertex, shape or `label`, text] of every mark at a node."""
    record, node = tree.record, tree.place(number).node
    marks: list[list[str]] = []
    for name, shape in SHAPES.items():
        for value in node.properties.get(name, ()):
            points = parse_points(value, record.rows, record.columns) or []
            marks += [[vertex(point, record.rows), shape, ""] for point in points]
    for value in node.properties.get("LB", ()):
        where, _, text = plain_text(value).partition(":")
        points = parse_points(where, record.rows, record.columns) or []
        marks += [[vertex(p, record.rows), "label", text[:LONGEST_LABEL]] for p in points]
    return marks
