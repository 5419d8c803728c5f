"""What the kernels need to know of a board's shape: neighbours, symmetries, the centre."""

import numpy as np
import numpy.typing as npt

from tengen.core.errors import TengenError
from tengen.solver.kernels import memory

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]


class Geometry:
    """A board of rows x columns; its points are numbered row by row from 0."""

    def __init__(self, rows: int, columns: int):
        """Raise TengenError if the board has more points than the solver's words have room for."""
        if rows * columns > memory.POINT_LIMIT:
            limit = memory.POINT_LIMIT
            raise TengenError(
                f"the solver takes boards of up to {limit} points, not {rows}x{columns}"
            )
        self.rows, self.columns = rows, columns
        self.points = rows * columns
        self.symmetries = self._symmetries()

    def _symmetries(self) -> list[list[int]]:
        """Return for each symmetry where it takes the points; the identity comes first."""
        grid = np.arange(self.points).reshape(self.rows, self.columns)
        turns = range(4) if self.rows == self.columns else (0, 2)
        images = [np.rot90(flipped, turn) for flipped in (grid, grid[:, ::-1]) for turn in turns]
        found: list[list[int]] = []
        for image in images:
            # The image shows at each point which point came there: the way back.
            target = np.argsort(image.ravel()).tolist()
            if target not in found:
                found.append(target)
        return found

    def inverse(self, symmetry: int) -> int:
        """Return the symmetry that undoes one."""
        back = np.argsort(self.symmetries[symmetry]).tolist()
        return self.symmetries.index(back)

    def write_to(self, words: Words, numbers: Numbers) -> None:
        """Write the geometry where the kernels look for it."""
        full = (1 << self.points) - 1
        firsts = sum(1 << row * self.columns for row in range(self.rows))
        words[memory.FULL] = full
        words[memory.NOT_FIRST] = full & ~firsts
        words[memory.NOT_LAST] = full & ~(firsts << (self.columns - 1))
        words[memory.COLUMNS], words[memory.POINTS] = self.columns, self.points
        words[memory.SYMMETRY_COUNT] = len(self.symmetries)
        for symmetry in range(len(self.symmetries)):
            words[int(memory.INVERSE) + symmetry] = self.inverse(symmetry)
            for bit in range(64):
                image = 1 << self._image(bit, symmetry)
                words[int(memory.BIT) + bit * memory.SYMMETRIES + symmetry] = image
        for point in range(self.points):
            numbers[int(memory.PRIORITY) + point] = self.priority(point)

    def _image(self, bit: int, symmetry: int) -> int:
        """Return where a symmetry takes a bit of a board; bits beyond the points stay."""
        half, point = divmod(bit, 32)
        return half * 32 + self.symmetries[symmetry][point] if point < self.points else bit

    def priority(self, point: int) -> int:
        """Return a number that is low in the corners and high in the centre."""
        row, column = divmod(point, self.columns)
        return min(row, self.rows - 1 - row) + min(column, self.columns - 1 - column)

    def all_symmetries(self, board: int) -> list[int]:
        """Return a board as each symmetry shows it."""
        bits = [bit for bit in range(64) if board >> bit & 1]
        return [
            sum(1 << self._image(bit, symmetry) for bit in bits)
            for symmetry in range(len(self.symmetries))
        ]
