"""Oracle of pattern keys in plain Python."""

import numpy as np

from tengen.board import Position, column_of, point_at, row_of
from tengen.sources.kernels.shape_keys import (
    BOARD_CELLS,
    RING_CELLS,
    RINGS,
    finish_keys,
    point_keys,
    spread_stones,
)

ALL_MARKS = 31


def random_position(seed: int, rows: int = 9, columns: int | None = None, moves: int = 40):
    """Return a position after random moves with few passes."""
    random = np.random.default_rng(seed)
    position = Position(rows, columns)
    for _ in range(moves):
        legal = position.legal_moves()
        position.play(int(random.choice(legal)) if legal else 0)
    return position


def keys_at(position: Position, point: int, marks: int = 1) -> list[int]:
    """Return the keys of 3x3 to 9x9 from the kernel for one point."""
    keys = np.zeros(int(RINGS), dtype=np.uint64)
    rings = np.zeros(int(RING_CELLS), dtype=np.uint64)
    point_keys(position.block, np.uintp(point), np.uintp(marks), rings, keys)
    return keys.tolist()


def keys_of_board(position: Position, marks: int = 1) -> dict[int, list[int]]:
    """Return the keys of all legal moves from the kernel for whole boards."""
    rings = np.zeros(int(BOARD_CELLS), dtype=np.uint64)
    spread_stones(position.block, rings)
    found = {}
    for point in position.legal_moves():
        keys = np.zeros(int(RINGS), dtype=np.uint64)
        at = np.uintp(point) * RING_CELLS
        finish_keys(position.block, np.uintp(point), np.uintp(marks), rings, at, keys)
        found[point] = keys.tolist()
    return found


def square(position: Position, point: int, ring: int, marks: int = 1) -> str:
    """Return a text that is equal for two points if and only if their patterns are."""
    size = 2 * ring + 3
    grid = np.full((size, size), "#", dtype="U4")
    for row in range(size):
        for column in range(size):
            r, c = row_of(point) + row - ring - 1, column_of(point) + column - ring - 1
            if 0 <= r < position.rows and 0 <= c < position.columns:
                grid[row, column] = _sign(position, point_at(r, c), point, marks)
    views = [np.rot90(g, turns) for g in (grid, grid[:, ::-1]) for turns in range(4)]
    texts = ["".join(view.flat) for view in views]
    ko = "ko" if marks & 4 and _takes_ko(position, point) else ""
    is_small = marks & 16 and ring == 3 and max(position.rows, position.columns) <= 11
    return (min(texts) if marks & 1 else texts[0]) + ko + ("small" if is_small else "")


def _sign(position: Position, here: int, middle: int, marks: int) -> str:
    color = position.color(here)
    if not color:
        return "."
    sign = "X" if color == position.to_play else "O"
    near = abs(row_of(here) - row_of(middle)) + abs(column_of(here) - column_of(middle)) == 1
    if marks & 2 and near and _liberties(position, here) == 1:
        sign += "!"
    if marks & 8 and here == position.last_move and sign[0] == "O":
        sign += "*"
    return sign


def _neighbors(position: Position, point: int) -> list[int]:
    adjacent = (point - 20, point - 1, point + 1, point + 20)
    return [p for p in adjacent if position.on_board(p)]


def _liberties(position: Position, stone: int) -> int:
    chain = position.chain(stone)
    return len({p for s in chain for p in _neighbors(position, s) if not position.color(p)})


def _takes_ko(position: Position, point: int) -> bool:
    after = position.copy()
    if not after.is_legal(point):
        return False
    enemy = position.to_play.opponent
    before = position.prisoners(enemy)
    after.play(point)
    taken = after.prisoners(enemy) - before
    return taken == 1 and len(after.chain(point)) == 1 and _liberties(after, point) == 1
