"""Animated pictures of games."""

import io

import numpy as np
from PIL import Image

from tengen.board import Position
from tengen.view import animate


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
