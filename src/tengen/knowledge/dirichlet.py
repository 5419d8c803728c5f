"""The Dirichlet matrix of a board (paper 000, section 3.2), in the forms that libraries want.

Points are numbered row by row. Tengen's own solver needs none of these; they are for the other
methods of `knowledge.eigen`, for tests, and for whoever wants to look at a matrix.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Dirichlet:
    """The matrix with a given diagonal (rows by columns) and -1 for every line of the board."""

    diagonal: Vector

    @property
    def rows(self) -> int:
        """How many rows the board has."""
        return int(self.diagonal.shape[0])

    @property
    def columns(self) -> int:
        """How many columns the board has."""
        return int(self.diagonal.shape[1])

    @cached_property
    def sparse(self) -> Any:
        """The matrix in SciPy's compressed rows."""
        lines = sparse.kron(sparse.eye_array(self.rows), _path(self.columns))
        lines = lines + sparse.kron(_path(self.rows), sparse.eye_array(self.columns))
        return (sparse.diags_array(self.diagonal.ravel()) - lines).tocsr()

    @cached_property
    def dense(self) -> Vector:
        """The whole matrix."""
        whole: Vector = self.sparse.toarray()
        return whole

    @cached_property
    def banded(self) -> Vector:
        """The diagonal and the bands below it, as LAPACK stores them."""
        width = self.columns if self.rows > 1 else min(1, self.columns - 1)
        bands = np.zeros((width + 1, self.diagonal.size))
        for place in range(width + 1):
            band = self.sparse.diagonal(-place)
            bands[place, : band.size] = band
        return bands

    @cached_property
    def entries(self) -> list[list[tuple[int, float]]]:
        """The entries of each row as (column, entry): for plain Python."""
        rows, columns = self.sparse.tocoo().coords
        listed: list[list[tuple[int, float]]] = [[] for _ in range(self.diagonal.size)]
        for row, column, entry in zip(rows, columns, self.sparse.tocoo().data, strict=True):
            listed[row].append((int(column), float(entry)))
        return listed

    def residual(self, vector: Vector) -> float:
        """Return |Av - wv| of a vector of length 1, w being its Rayleigh quotient."""
        image = self.sparse @ vector
        return float(np.linalg.norm(image - (vector @ image) * vector))


def _path(length: int) -> Any:
    """Return the adjacency matrix of points in a row."""
    return sparse.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(length, length))


def upright(vector: Vector) -> Vector:
    """Return an eigenvector of one sign as real, positive and of length 1."""
    real = np.real(vector)
    turned: Vector = np.abs(real / np.linalg.norm(real))
    return turned
