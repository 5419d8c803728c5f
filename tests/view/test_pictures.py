"""Drawings of boards and layers as SVG, PNG, GIF and text."""

import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from tengen.board import BoardFrame, Position, point_at, star_points
from tengen.board.diagram import board_drawing
from tengen.util import Drawing, Ellipse, Gradient, Label, Polygon, Polyline, Rectangle, TengenError
from tengen.view import Layer, Scale, animate, draw_layers, make_layer, save, text_map
from tengen.view.evaluation_layers import count_text
from tengen.view.layer import (
    BLACK_OWNED,
    KEPT,
    PRUNED,
    WHITE_OWNED,
    heat_color,
    heat_map,
    interpolate_color,
    scaled_value,
    text_color,
)
from tengen.view.layer_info import label_grid
from tengen.view.picture import SUBDIVISIONS, paint, side_by_side, surface
from tengen.view.text import CELL_WIDTH

SVG = "{http://www.w3.org/2000/svg}"
STONES = """
.........
..X......
.....O...
.........
...X..O..
.........
.........
"""


def position():
    return Position.from_diagram(STONES)


def elements(svg, kind):
    return ElementTree.fromstring(svg).findall(f"{SVG}{kind}")


def shapes(drawing, kind):
    return [shape for shape in drawing.shapes if isinstance(shape, kind)]


def test_svg_of_a_position():
    board = position()
    board.play(point_at(0, 0))
    svg = board._repr_svg_()
    stones = [one for one in elements(svg, "ellipse") if "url" in one.get("fill", "")]
    assert len(stones) == 5
    texts = [one.text for one in elements(svg, "text")]
    assert texts.count("A") == texts.count("7") == 2
    assert "I" not in texts
    assert ElementTree.fromstring(svg).get("aria-label") == (
        "9x7 board, 3 black and 2 white stones"
    )


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (5, 5), (19, 19), (7, 19)])
def test_board_sizes(size):
    drawing = board_drawing(Position(*size).board())
    assert len(elements(drawing.svg(), "polyline")) >= sum(size)
    assert (drawing.width > drawing.height) == (size[1] > size[0])


def test_marks_the_last_move_unless_it_is_a_pass():
    plain = len(board_drawing(Position(9).board()).shapes)
    assert len(board_drawing(Position(9).board(), point_at(2, 3)).shapes) == plain + 1
    assert len(board_drawing(Position(9).board(), 0).shapes) == plain


def test_star_points():
    assert star_points(19, 19) == {(row, column) for row in (3, 9, 15) for column in (3, 9, 15)}
    corners = {(row, column) for row in (3, 9) for column in (3, 9)}
    assert star_points(13, 13) == {*corners, (6, 6)}
    assert star_points(9, 9) == {(2, 2), (2, 6), (6, 2), (6, 6), (4, 4)}
    assert star_points(7, 7) == {(2, 2), (2, 4), (4, 2), (4, 4)}
    assert star_points(5, 5) == {(2, 2)}
    assert star_points(4, 9) == set()


def test_escapes_text():
    drawing = Drawing(9, 9, (Label(1, 1, "a < b & c", 9, "#000000"),), title='"<x>" & y')
    assert elements(drawing.svg(), "text")[0].text == "a < b & c"
    assert ElementTree.fromstring(drawing.svg()).get("aria-label") == '"<x>" & y'


@pytest.mark.parametrize("name", ["bigmove.p1", "potential", "filter.pf4", "shape", "tactics"])
def test_layer_drawings_contain_title_and_meaning(name):
    layer = make_layer(name, position())
    for drawing in (heat_map(layer), surface(layer)):
        root = ElementTree.fromstring(drawing.svg())
        texts = " ".join(one.text for one in root.findall(f"{SVG}text"))
        assert layer.title in texts
        assert layer.meaning in texts
        assert all(0 <= shape.x <= drawing.width for shape in shapes(drawing, Label))
        assert all(0 < shape.y < drawing.height for shape in shapes(drawing, Label))
    assert layer._repr_svg_() == heat_map(layer).svg()


def test_heat_map_has_a_square_per_value():
    layer = make_layer("filter.pf1", position())
    squares = [
        box for box in shapes(heat_map(layer), Rectangle) if box.fill in _hexes(PRUNED, KEPT)
    ]
    kept = [box for box in squares if box.fill == _hexes(KEPT)[0]]
    legend = 1
    assert len(squares) == np.isfinite(layer.values).sum() + 2 * legend
    assert len(kept) == np.nansum(layer.values) + legend


def _hexes(*colors):
    return ["#{:02x}{:02x}{:02x}".format(*color) for color in colors]


def test_labels_and_marks():
    layer = make_layer("shape", position())
    drawing = heat_map(layer)
    labels = [text for row in layer.labels for text in row if text is not None]
    drawn = [one.text for one in shapes(drawing, Label)]
    assert set(labels) <= set(drawn)
    assert len([disc for disc in shapes(drawing, Ellipse) if disc.fill == "none"]) == 1


def test_colors():
    layer = Layer("x", "x", "x", np.array([[-2.0, 0.0, 1.0]]), Scale.DIVERGING)
    assert [scaled_value(layer, v) for v in (-2.0, 0.0, 1.0)] == [-1.0, 0.0, 0.5]
    assert heat_color(Scale.DIVERGING, 0.5).rgb == BLACK_OWNED
    assert heat_color(Scale.DIVERGING, -0.5).rgb == WHITE_OWNED
    assert heat_color(Scale.DIVERGING, 0.0).opacity == 0
    opacities = [heat_color(Scale.SEQUENTIAL, share).opacity for share in (0.0, 0.02, 0.1, 1.0)]
    assert opacities == sorted(opacities)
    assert opacities[0] == 0
    assert interpolate_color(((0, 0, 0), (100, 200, 50)), 0.5) == (50, 100, 25)
    assert text_color(heat_color(Scale.DIVERGING, 1.0)) == "#ffffff"
    assert text_color(heat_color(Scale.DIVERGING, -1.0)) != "#ffffff"


def test_surface_cells_and_heights():
    values = np.zeros((5, 7))
    values[2, 3] = 1.0
    drawing = surface(Layer("x", "x", "x", values, marks=(point_at(2, 3),)))
    assert len(shapes(drawing, Polygon)) == (6 * SUBDIVISIONS) * (8 * SUBDIVISIONS)
    flat = surface(Layer("x", "x", "x", np.zeros((5, 7)), marks=(point_at(2, 3),)))
    (peak,), (ground,) = (
        [disc.y for disc in shapes(one, Ellipse) if disc.fill == "none"] for one in (drawing, flat)
    )
    assert peak < ground


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (3, 19)])
def test_small_and_oblong_boards(size):
    layer = make_layer("bigmove.p1", Position(*size))
    for drawing in (heat_map(layer), surface(layer)):
        assert paint(drawing, zoom=1).size == (round(drawing.width), round(drawing.height))
        assert ElementTree.fromstring(drawing.svg()) is not None


def test_width_of_a_png(tmp_path):
    drawing = board_drawing(Position(9).board())
    save(drawing, tmp_path / "x.png", 99)
    with Image.open(tmp_path / "x.png") as image:
        assert image.width == 99
    for width in (1, 1_000_000):
        with pytest.raises(TengenError, match="16 to 10,000 pixels"):
            save(drawing, tmp_path / "x.png", width)


def test_side_by_side():
    one, other = heat_map(make_layer("bigmove.p1", position())), board_drawing(position().board())
    both = side_by_side([one, other])
    assert both.width == one.width + other.width
    assert both.height == max(one.height, other.height)
    assert len(both.shapes) == 1 + len(one.shapes) + len(other.shapes)
    assert both.title == f"{one.title}; {other.title}"
    moved = [shape for shape in both.shapes if isinstance(shape, Polyline)][-1]
    still = shapes(other, Polyline)[-1]
    assert moved.points[0][0] == pytest.approx(still.points[0][0] + one.width)


def test_stones_in_a_png(tmp_path):
    board = position()
    drawing = board_drawing(board.board())
    save(drawing, tmp_path / "board.png")
    with Image.open(tmp_path / "board.png") as image:
        assert image.format == "PNG"
        assert image.info["Title"] == drawing.title
        assert image.size == (round(drawing.width * 1.5), round(drawing.height * 1.5))
        pixels = np.asarray(image.convert("L"), dtype=int)
    frame = BoardFrame(board.rows, board.columns)
    for row, column in np.ndindex(board.rows, board.columns):
        x, y = frame.x(column - 0.2) * 1.5, frame.y(row - 0.2) * 1.5
        bright = pixels[round(y), round(x)]
        if board.board()[row, column] == 1:
            assert bright < 130
        elif board.board()[row, column] == 2:
            assert bright > 225
        else:
            assert 140 < bright < 210


def test_png_of_every_shape():
    drawing = Drawing(
        40,
        40,
        (
            Rectangle(0, 0, 40, 40, "#ffffff"),
            Rectangle(2, 2, 10, 10, "#ff0000", 0.5, 2),
            Ellipse(30, 30, 6, Gradient("#ffffff", "#000000"), flat=0.5),
            Ellipse(30, 10, 6, "none", stroke="#0000ff", stroke_width=2),
            Polyline(((0, 20), (40, 20)), "#00ff00", 2),
            Polygon(((2, 30), (12, 30), (7, 38)), "#123456"),
            Label(20, 38, "x", 8, "#000000", "middle"),
        ),
    )
    image = paint(drawing, zoom=2)
    assert image.size == (80, 80)
    assert image.getpixel((14, 14)) == (255, 127, 127)
    assert image.getpixel((40, 40)) == (0, 255, 0)
    assert image.getpixel((14, 64)) == (0x12, 0x34, 0x56)
    assert image.getpixel((60, 20)) == (255, 255, 255)
    assert image.getpixel((60, 9))[2] > image.getpixel((60, 9))[0]


def test_rejects_other_formats(tmp_path):
    with pytest.raises(TengenError, match=r"\.svg or \.png, not 'x\.gif'"):
        save(board_drawing(Position(5).board()), tmp_path / "x.gif")


def test_saves_layers(tmp_path):
    layers = [make_layer(name, position()) for name in ("bigmove.p1", "potential")]
    for as_surface in (False, True):
        drawing = draw_layers(layers, as_surface)
        save(drawing, tmp_path / "x.svg")
        assert (tmp_path / "x.svg").read_text(encoding="utf-8") == drawing.svg()
        save(drawing, tmp_path / "x.png")
        with Image.open(tmp_path / "x.png") as image:
            assert image.width > image.height


def test_text_without_colors():
    lines = text_map(make_layer("potential", position())).plain.splitlines()
    assert lines[0] == "Potential"
    assert lines[2].startswith(" 7 ")
    assert "●" in lines[3]
    assert "○" in lines[4]
    assert "+9" in " ".join(lines)
    assert "White -" in lines[10]
    lines = text_map(make_layer("bigmove.p1", Position(9))).plain.splitlines()
    assert "[9]" in lines[6]
    lines = text_map(make_layer("filter.pf1", position())).plain.splitlines()
    assert {"x", "+"} <= set("".join(lines[2:9]))


def test_large_counts_fit_in_a_cell():
    values = np.array([[1_234.0, 9_949.0, 34_000.0, 340_000.0, 999_000.0, 2_100_000.0, 12.0]])
    layer = Layer("x", "x", "x", values, labels=label_grid(values, count_text, 0))
    row = text_map(layer).plain.splitlines()[2]
    cells = [
        row[at : at + CELL_WIDTH].strip() for at in range(CELL_WIDTH, len(row) - 2, CELL_WIDTH)
    ]
    assert cells == ["1k", "10k", "34k", ".3M", "1M", "2M", "12"]


def test_points_without_a_value_are_dots():
    text = text_map(Layer("x", "x", "x", np.full((2, 2), np.nan))).plain
    assert text.splitlines()[2] == " 2  .  .  2"


# Animations


def test_frames_follow_the_game():
    start = Position(9)
    positions = [start, start.after("E5"), start.after("E5 C3")]
    picture = Image.open(io.BytesIO(animate(positions)))
    frames = []
    for number in range(picture.n_frames):
        picture.seek(number)
        frames.append(np.asarray(picture.convert("L"), dtype=float))
    assert len(frames) == 3
    middle = frames[0].shape[0] // 2, frames[0].shape[1] // 2
    beside = middle[0] + 12, middle[1] + 12
    assert frames[1][beside] < 80 < frames[0][beside]
    changed = np.argwhere(np.abs(frames[2] - frames[1]) > 60)
    assert (changed.min(axis=0) > 0).all()


def test_size_follows_the_board():
    picture = Image.open(io.BytesIO(animate([Position(5, 9)])))
    assert picture.width > picture.height
