"""The power methods of paper 000, sections 4.2.2 and 4.2.3: shifted, and of the inverse."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tengen.knowledge.dirichlet import Vector

Entries = Sequence[Sequence[tuple[int, float]]]
MOST_TURNS = 10**6
STILL = 1e-7
"""The dominant eigenvalue, by which the matrix is shifted, need not be known better than this."""


def inverse_power(matrix: Any, solve: Callable[[Vector], Vector], tolerance: float) -> Vector:
    """Return the eigenvector to which repeated solving of `Ax = v` leads, up to a residual."""
    vector = np.full(matrix.shape[0], 1 / math.sqrt(matrix.shape[0]))
    for _ in range(MOST_TURNS):
        vector = solve(vector)
        vector /= np.linalg.norm(vector)
        if _residual(matrix, vector) <= tolerance:
            break
    return vector


def shifted_power(matrix: Vector, tolerance: float) -> Vector:
    """Return the eigenvector of the smallest eigenvalue by powers of `wI - A`, w the largest."""
    largest = _largest(matrix)
    vector = np.full(len(matrix), 1 / math.sqrt(len(matrix)))
    for _ in range(MOST_TURNS):
        vector = largest * vector - matrix @ vector
        vector /= np.linalg.norm(vector)
        if _residual(matrix, vector) <= tolerance:
            break
    return vector


def _largest(matrix: Vector) -> float:
    vector = _uneven(len(matrix))
    before, value = 0.0, 1.0
    while abs(value - before) > STILL * value:
        image = matrix @ vector
        before, value = value, float(np.linalg.norm(image))
        vector = image / value
    return value * (1 + STILL)


def _uneven(size: int) -> Vector:
    """Return a vector that no symmetry makes orthogonal to the dominant one."""
    return np.random.default_rng(361).random(size)


def _residual(matrix: Any, vector: Vector) -> float:
    image = matrix @ vector
    return float(np.linalg.norm(image - (vector @ image) * vector))


def naive_power(entries: Entries, tolerance: float) -> Vector:
    """Do what `shifted_power` does in plain Python, entry by entry."""
    largest = _naive_largest(entries)
    vector = [1 / math.sqrt(len(entries))] * len(entries)
    for _ in range(MOST_TURNS):
        image = _naive_product(entries, vector)
        quotient = sum(a * b for a, b in zip(vector, image, strict=True))
        rest = [a - quotient * b for a, b in zip(image, vector, strict=True)]
        if math.sqrt(sum(a * a for a in rest)) <= tolerance:
            break
        vector = _unit([largest * b - a for a, b in zip(image, vector, strict=True)])
    return np.array(vector)


def _naive_largest(entries: Entries) -> float:
    vector = _uneven(len(entries)).tolist()
    before, value = 0.0, 1.0
    while abs(value - before) > STILL * value:
        image = _naive_product(entries, vector)
        before, value = value, math.sqrt(sum(a * a for a in image))
        vector = [a / value for a in image]
    return value * (1 + STILL)


def _naive_product(entries: Entries, vector: list[float]) -> list[float]:
    return [sum(entry * vector[column] for column, entry in row) for row in entries]


def _unit(vector: list[float]) -> list[float]:
    length = math.sqrt(sum(a * a for a in vector))
    return [a / length for a in vector]
