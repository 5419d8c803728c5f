"""Methods to compute the fundamental mode: those of paper 000 (chapter 4), others, and Tengen's.

A method converts the matrix to its own form (not timed; the thesis loaded it from a file), may
factorize it, and then finds the vector. All results are positive and of length 1. Library methods
without a tolerance run to machine precision; the others stop at a given residual.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.sparse.linalg
from scipy import sparse

from tengen.board.kernels.layout import POINTS, STRIDE
from tengen.sources.kernels import mode as solver
from tengen.util import TengenError

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Dirichlet:
    """The matrix with a given diagonal (rows by columns) and -1 for every line of the board."""

    diagonal: Vector

    @property
    def rows(self) -> int:
        """Number of rows of the board."""
        return int(self.diagonal.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns of the board."""
        return int(self.diagonal.shape[1])

    @cached_property
    def sparse(self) -> Any:
        """The matrix in SciPy's compressed row format."""
        lines = sparse.kron(sparse.eye_array(self.rows), _path(self.columns))
        lines = lines + sparse.kron(_path(self.rows), sparse.eye_array(self.columns))
        return (sparse.diags_array(self.diagonal.ravel()) - lines).tocsr()

    @cached_property
    def dense(self) -> Vector:
        """The dense matrix."""
        whole: Vector = self.sparse.toarray()
        return whole

    @cached_property
    def banded(self) -> Vector:
        """The diagonal and the bands below it in LAPACK's format."""
        width = self.columns if self.rows > 1 else min(1, self.columns - 1)
        bands = np.zeros((width + 1, self.diagonal.size))
        for place in range(width + 1):
            band = self.sparse.diagonal(-place)
            bands[place, : band.size] = band
        return bands

    @cached_property
    def entries(self) -> list[list[tuple[int, float]]]:
        """The entries of each row as (column, value), for plain Python."""
        rows, columns = self.sparse.tocoo().coords
        listed: list[list[tuple[int, float]]] = [[] for _ in range(self.diagonal.size)]
        for row, column, entry in zip(rows, columns, self.sparse.tocoo().data, strict=True):
            listed[row].append((int(column), float(entry)))
        return listed

    def residual(self, vector: Vector) -> float:
        """Return |Av - wv| for a vector of length 1, where w is its Rayleigh quotient."""
        image = self.sparse @ vector
        return float(np.linalg.norm(image - (vector @ image) * vector))


def _path(length: int) -> Any:
    """Return the adjacency matrix of a row of points."""
    return sparse.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(length, length))


def upright(vector: Vector) -> Vector:
    """Return an eigenvector of constant sign as real, positive and of length 1."""
    real = np.real(vector)
    turned: Vector = np.abs(real / np.linalg.norm(real))
    return turned


Entries = Sequence[Sequence[tuple[int, float]]]
MOST_TURNS = 10**6
STILL = 1e-7
"""Tolerance of the dominant eigenvalue used as the shift."""


def inverse_power(matrix: Any, solve: Callable[[Vector], Vector], tolerance: float) -> Vector:
    """Return the eigenvector by inverse iteration with `solve`, up to a residual."""
    vector = np.full(matrix.shape[0], 1 / math.sqrt(matrix.shape[0]))
    for _ in range(MOST_TURNS):
        vector = solve(vector)
        vector /= np.linalg.norm(vector)
        if _residual(matrix, vector) <= tolerance:
            break
    return vector


def shifted_power(matrix: Vector, tolerance: float) -> Vector:
    """Return the eigenvector of the smallest eigenvalue by powers of `wI - A`, where w is the
    largest.
    """
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
    """Return a vector that is not orthogonal to the dominant eigenvector by symmetry."""
    return np.random.default_rng(361).random(size)


def _residual(matrix: Any, vector: Vector) -> float:
    image = matrix @ vector
    return float(np.linalg.norm(image - (vector @ image) * vector))


def naive_power(entries: Entries, tolerance: float) -> Vector:
    """Compute `shifted_power` in plain Python, entry by entry."""
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


TOLERANCE = 1e-6
OWN = "tengen"
OWN_COLD = "tengen, one stone more"
OWN_WARM = "tengen, from the parent's mode"
OWN_IN_TREE = "tengen, from the parent's mode, as in the tree"


class Method(NamedTuple):
    """A method to find the mode."""

    form: Callable[[Dirichlet], Any]
    """Conversion of the matrix to the form of the method."""
    find: Callable[[Any, float], Vector]
    """Function from that form, or its factors, and a tolerance to the vector."""
    factor: Callable[[Any], Any] | None = None


class OwnMatrix(NamedTuple):
    """The matrix in the form of Tengen's solver, with memory for the mode."""

    work: Vector
    mode: Vector
    rows: int
    columns: int
    points: npt.NDArray[np.int64]
    """Positions of the board points in it, rows by columns."""


def own_matrix(matrix: Dirichlet) -> OwnMatrix:
    """Return the solver's memory with the matrix in it."""
    work, mode = np.zeros(solver.WORK), np.zeros(int(POINTS))
    solver.start_work(work, np.uintp(matrix.rows), np.uintp(matrix.columns))
    starts = (np.arange(matrix.rows) + 1) * int(STRIDE)
    points = starts[:, None] + np.arange(matrix.columns) + 1
    work[int(solver.DIAGONAL) + points] = matrix.diagonal
    return OwnMatrix(work, mode, matrix.rows, matrix.columns, points)


def solve_own(matrix: OwnMatrix, tolerance: float) -> float:
    """Find the mode from that of the empty board, in `matrix.mode`; return its eigenvalue.

    Only the returned number is allocated.
    """
    rows = np.uintp(matrix.rows)
    solver.empty_board_mode(rows, np.uintp(matrix.columns), matrix.mode)
    return float(solver.find_mode(matrix.work, matrix.mode, rows, tolerance)[0])


def _own(matrix: OwnMatrix, tolerance: float) -> Vector:
    solve_own(matrix, tolerance)
    return matrix.mode[matrix.points].ravel()


def _smallest(values: Vector, vectors: Vector) -> Vector:
    return vectors[:, int(np.argmin(values.real))]


def _dense(matrix: Dirichlet) -> Vector:
    return matrix.dense


def _sparse(matrix: Dirichlet) -> Any:
    return matrix.sparse


def _lobpcg(matrix: Any, tolerance: float) -> Vector:
    start = np.ones((matrix.shape[0], 1))
    _, vectors = scipy.sparse.linalg.lobpcg(
        matrix, start, largest=False, tol=tolerance, maxiter=2000
    )
    return np.asarray(vectors)[:, 0]


def _arpack(function: Callable[..., Any], **options: Any) -> Method:
    """Return an ARPACK method of SciPy with a fixed, reproducible start."""

    def find(matrix: Any, _tolerance: float) -> Vector:
        if matrix.shape[0] < 3:
            raise TengenError("ARPACK needs a board of at least three points")
        start = np.ones(matrix.shape[0])
        return np.asarray(function(matrix, k=1, v0=start, **options)[1][:, 0])

    return Method(_sparse, find)


def _krylov(function: Callable[..., Any]) -> Method:
    """Return the inverse power method with an iterative linear solver."""

    def find(matrix: Any, tolerance: float) -> Vector:
        def solve(vector: Vector) -> Vector:
            return np.asarray(function(matrix, vector, rtol=tolerance / 100)[0])

        return inverse_power(matrix, solve, tolerance)

    return Method(_sparse, find)


def _with_lu(factors: Any, tolerance: float) -> Vector:
    matrix, lu = factors
    return inverse_power(matrix, lu.solve, tolerance)


def _with_cholesky(factors: Any, tolerance: float) -> Vector:
    matrix, lower = factors

    def solve(vector: Vector) -> Vector:
        return np.asarray(scipy.linalg.cho_solve_banded((lower, True), vector, check_finite=False))

    return inverse_power(matrix.sparse, solve, tolerance)


METHODS: dict[str, Method] = {
    OWN: Method(own_matrix, _own),
    "numpy.linalg.eig": Method(_dense, lambda a, _: _smallest(*np.linalg.eig(a))),
    "numpy.linalg.eigh": Method(_dense, lambda a, _: np.linalg.eigh(a)[1][:, 0]),
    "scipy.linalg.eig": Method(_dense, lambda a, _: _smallest(*scipy.linalg.eig(a))),
    "scipy.linalg.eigh": Method(_dense, lambda a, _: scipy.linalg.eigh(a)[1][:, 0]),
    "scipy.linalg.eigh(driver='evr')": Method(
        _dense, lambda a, _: scipy.linalg.eigh(a, driver="evr")[1][:, 0]
    ),
    "scipy.linalg.eigh(subset_by_index)": Method(
        _dense, lambda a, _: scipy.linalg.eigh(a, subset_by_index=[0, 0])[1][:, 0]
    ),
    "scipy.linalg.eig_banded": Method(
        lambda matrix: matrix.banded,
        lambda a, _: scipy.linalg.eig_banded(a, lower=True, select="i", select_range=(0, 0))[1][
            :, 0
        ],
    ),
    "scipy.sparse.linalg.eigs": _arpack(scipy.sparse.linalg.eigs, which="SM"),
    "scipy.sparse.linalg.eigsh": _arpack(scipy.sparse.linalg.eigsh, which="SM"),
    "scipy.sparse.linalg.eigsh(tol=1e-6)": _arpack(
        scipy.sparse.linalg.eigsh, which="SM", tol=TOLERANCE
    ),
    "scipy.sparse.linalg.eigs(sigma=0)": _arpack(scipy.sparse.linalg.eigs, sigma=0),
    "scipy.sparse.linalg.eigsh(sigma=0)": _arpack(scipy.sparse.linalg.eigsh, sigma=0),
    "scipy.sparse.linalg.lobpcg": Method(_sparse, _lobpcg),
    "power, naive": Method(lambda matrix: matrix.entries, naive_power),
    "power, vectorized": Method(_dense, shifted_power),
    "inverse power, LU": Method(
        lambda matrix: matrix.sparse.tocsc(), _with_lu, lambda a: (a, scipy.sparse.linalg.splu(a))
    ),
    "inverse power, Cholesky (banded)": Method(
        lambda matrix: matrix,
        _with_cholesky,
        lambda a: (a, scipy.linalg.cholesky_banded(a.banded, lower=True, check_finite=False)),
    ),
    "inverse power, conjugate gradient": _krylov(scipy.sparse.linalg.cg),
    "inverse power, BiCGSTAB": _krylov(scipy.sparse.linalg.bicgstab),
}
"""All methods by name; Tengen's is first and the default."""


def method_named(name: str) -> Method:
    """Return a method; raise TengenError for an unknown name."""
    if name not in METHODS:
        raise TengenError(f"unknown method {name!r}: use one of {'; '.join(METHODS)}")
    return METHODS[name]


def mode_by(matrix: Dirichlet, name: str = OWN, tolerance: float = TOLERANCE) -> Vector:
    """Return the fundamental mode, rows by columns, by the named method."""
    method = method_named(name)
    prepared = method.form(matrix)
    if method.factor is not None:
        prepared = method.factor(prepared)
    return upright(method.find(prepared, tolerance)).reshape(matrix.diagonal.shape)
