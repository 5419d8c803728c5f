"""Editing of a game record: marks, assessments of moves, properties of the game."""

from dataclasses import replace

from tengen.board import PASS, parse_vertex, vertex
from tengen.records import escaped_text, parse_komi, parse_points, plain_text, point_text
from tengen.util import TengenError
from tengen.web.editing_messages import MAX_LABEL_LENGTH, SetAnnotation, SetInfo, SetMark
from tengen.web.tree import ROOT, GameTree

MARK_SHAPES = {"TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross", "SL": "square"}
"""Shapes by SGF property; the first one of a shape is written."""
LABELS = "LB"
ANNOTATIONS = {"TE": "good", "IT": "interesting", "DO": "doubtful", "BM": "bad"}
"""Assessments of a move by SGF property."""
EMPHASIS = {"TE": "1", "BM": "1", "IT": "", "DO": ""}
"""Values of these properties."""
INFO_PROPERTIES = ("PB", "BR", "PW", "WR", "GN", "EV", "RO", "DT", "PC", "GC", "AN", "SO")
"""Root properties that can be edited in every game."""
RULE_PROPERTIES = ("RU", "KM", "RE")
"""Root properties that can be edited in loaded games only; in others they follow from the game."""


# Marks


def record_marks(tree: GameTree, number: int) -> list[tuple[str, str, str]]:
    """Return vertex, shape (or `label`) and text of every mark at a node."""
    record = tree.record
    marks = [
        (vertex(point, record.rows), shape, "")
        for name, shape in MARK_SHAPES.items()
        for point in _points(tree, number, name)
    ]
    for where, text in _labels(tree, number):
        points = parse_points(where, record.rows, record.columns) or []
        marks += [(vertex(p, record.rows), "label", text[:MAX_LABEL_LENGTH]) for p in points]
    return marks


def toggle_mark(tree: GameTree, message: SetMark) -> None:
    """Put a mark on a point, or remove it if the point has the same mark."""
    record, number = tree.record, message.node
    point = parse_vertex(message.vertex, record.rows, record.columns)
    if point == PASS:
        raise TengenError("a pass cannot have a mark")
    text = message.text.strip()
    if message.shape == "label" and not text:
        raise TengenError("a label needs a text")
    mark = (vertex(point, record.rows), message.shape, text)
    had_mark = mark in record_marks(tree, number)
    _clear_marks(tree, number, point)
    if had_mark:
        return
    if message.shape == "label":
        value = f"{point_text(point)}:{escaped_text(text)}"
        tree.set_values(number, LABELS, [*_values(tree, number, LABELS), value])
    else:
        name = next(name for name, shape in MARK_SHAPES.items() if shape == message.shape)
        tree.set_values(number, name, [*_values(tree, number, name), point_text(point)])


def _clear_marks(tree: GameTree, number: int, point: int) -> None:
    """Remove all marks from a point; rectangles become single points."""
    for name in MARK_SHAPES:
        points = _points(tree, number, name)
        if point in points:
            tree.set_values(number, name, [point_text(p) for p in points if p != point])
    labels = _labels(tree, number)
    kept = [
        f"{point_text(p)}:{escaped_text(text)}"
        for where, text in labels
        for p in parse_points(where, tree.record.rows, tree.record.columns) or []
        if p != point
    ]
    if len(kept) < len(labels):
        tree.set_values(number, LABELS, kept)


def _values(tree: GameTree, number: int, name: str) -> list[str]:
    return list(tree.node(number).sgf.properties.get(name, ()))


def _points(tree: GameTree, number: int, name: str) -> list[int]:
    record = tree.record
    lists = [
        parse_points(value, record.rows, record.columns) or []
        for value in _values(tree, number, name)
    ]
    return [point for points in lists for point in points]


def _labels(tree: GameTree, number: int) -> list[tuple[str, str]]:
    """Return the point and the text of each label."""
    found = []
    for value in _values(tree, number, LABELS):
        where, _, text = plain_text(value).partition(":")
        found.append((where, text))
    return found


# Assessments of moves


def annotation_of(tree: GameTree, number: int) -> str:
    """Return the assessment of the move of a node; empty without one."""
    properties = tree.node(number).sgf.properties
    return next((text for name, text in ANNOTATIONS.items() if name in properties), "")


def set_annotation(tree: GameTree, message: SetAnnotation) -> None:
    """Set or remove the assessment of a move."""
    if tree.move_at(message.node) is None:
        raise TengenError("only moves can be assessed")
    for name, text in ANNOTATIONS.items():
        values = [EMPHASIS[name]] if text == message.annotation else []
        tree.set_values(message.node, name, values)


# Properties of the game


def editable_properties(is_loaded: bool) -> tuple[str, ...]:
    """Return the names of the root properties that the page can edit."""
    return (*INFO_PROPERTIES, *RULE_PROPERTIES) if is_loaded else INFO_PROPERTIES


def set_info(tree: GameTree, message: SetInfo, is_loaded: bool) -> None:
    """Set root properties; komi and rules apply at once."""
    properties = {name: text.strip() for name, text in message.properties.items()}
    for name in properties:
        if name not in editable_properties(is_loaded):
            raise TengenError(f"the property {name[:10]!r} cannot be edited here")
    komi = _komi(properties["KM"]) if "KM" in properties else tree.record.komi
    for name, text in properties.items():
        tree.set_property(ROOT, name, text)
    tree.set_record(replace(tree.record, komi=komi))


def _komi(text: str) -> float | None:
    """Parse a komi; None for an empty text."""
    if not text:
        return None
    komi = parse_komi(text)
    if komi is None:
        raise TengenError(f"komi must be a multiple of 0.5 from -400 to 400, got {text[:20]!r}")
    return komi
