"""Animated pictures of games: GIF files with one frame per move."""

import io
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from tengen.board import PASS, BoardFrame, Position, board_drawing, column_of, row_of
from tengen.view.picture import paint

FRAME_S = 0.8
LAST_FRAME_S = 3.0
MAX_FRAMES = 1000
WIDTH = 480
"""Approximate width of the picture in pixels."""
COLORS = 128
MARK_COLOR = "#d6301f"

Pixels = npt.NDArray[np.uint8]


def animate(positions: Sequence[Position]) -> bytes:
    """Return an animated GIF of positions of one board size, the last ones if there are many."""
    shown = positions[-MAX_FRAMES:]
    rows, columns = shown[0].rows, shown[0].columns
    boards = [_picture(rows, columns, color, WIDTH) for color in range(3)]
    palette = _palette(boards)
    tiles = _Tiles(rows, columns, [np.asarray(_quantized(board, palette)) for board in boards])
    mark = int(np.asarray(_quantized(Image.new("RGB", (1, 1), MARK_COLOR), palette))[0, 0])
    frames = [_frame(position, tiles, palette, mark) for position in shown]
    durations = [round(1000 * FRAME_S)] * (len(frames) - 1) + [round(1000 * LAST_FRAME_S)]
    output = io.BytesIO()
    frames[0].save(
        output, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0
    )
    return output.getvalue()


class _Tiles:
    """Pictures of an empty board and of boards full of stones, from which frames are composed."""

    def __init__(self, rows: int, columns: int, boards: list[Pixels]):
        frame = BoardFrame(rows, columns)
        self.zoom: float = boards[0].shape[1] / frame.width
        self.frame = frame
        self.boards = boards

    def compose(self, colors: Pixels) -> Pixels:
        """Return a picture of a position: rows x columns of 0, 1 and 2."""
        picture = self.boards[0].copy()
        for row, column in np.argwhere(colors).tolist():
            left, top, right, bottom = self.box(row, column)
            board = self.boards[int(colors[row, column])]
            picture[top:bottom, left:right] = board[top:bottom, left:right]
        return picture

    def box(self, row: int, column: int) -> tuple[int, int, int, int]:
        """Return the edges of a point's tile in pixels."""
        frame = self.frame

        def edge(place: float) -> int:
            return max(int(round(place * self.zoom)), 0)

        x, y, half = frame.x(column), frame.y(row), frame.cell / 2
        return edge(x - half), edge(y - half), edge(x + half), edge(y + half)


def _picture(rows: int, columns: int, color: int, width: int) -> Image.Image:
    drawing = board_drawing(np.full((rows, columns), color, dtype=np.uint8))
    return paint(drawing, width / drawing.width)


def _palette(boards: Sequence[Image.Image]) -> Image.Image:
    """Return an image with the palette of all boards and of the mark."""
    width, height = boards[0].size
    joined = Image.new("RGB", (width * 3, height), MARK_COLOR)
    for number, board in enumerate(boards):
        joined.paste(board, (number * width, 0))
    joined.paste(MARK_COLOR, (0, 0, width // 8, height // 8))
    return joined.quantize(COLORS)


def _quantized(picture: Image.Image, palette: Image.Image) -> Image.Image:
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


def _frame(position: Position, tiles: _Tiles, palette: Image.Image, mark: int) -> Image.Image:
    frame = Image.fromarray(tiles.compose(position.board()))
    frame.putpalette(palette.getpalette() or [])
    last = position.last_move
    if last is not None and last != PASS:
        left, top, right, bottom = tiles.box(row_of(last), column_of(last))
        inset = (right - left) / 3
        ImageDraw.Draw(frame).ellipse(
            (left + inset, top + inset, right - inset, bottom - inset), mark
        )
    return frame
