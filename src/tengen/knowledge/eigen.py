"""Many ways to the fundamental mode: those of paper 000, chapter 4, those it did not try, our own.

Each takes the matrix in the form it likes (that is not part of its work: the thesis loaded it from
a file), may factorise it, and then finds the vector. All give the same: positive, of length 1.
Methods without a tolerance of their own go as far as they can; ours and the plain iterations stop
at the residual they are given.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.sparse.linalg

from tengen.board.kernels.layout import POINTS, STRIDE
from tengen.core.errors import TengenError
from tengen.knowledge.dirichlet import Dirichlet, Vector, upright
from tengen.knowledge.kernels import mode as solver
from tengen.knowledge.power import inverse_power, naive_power, shifted_power

TOLERANCE = 1e-6
OWN = "tengen"
OWN_COLD = "tengen, one stone more"
OWN_WARM = "tengen, from the parent's mode"
OWN_IN_TREE = "tengen, from the parent's mode, as in the tree"


class Method(NamedTuple):
    """One way to find the mode."""

    form: Callable[[Dirichlet], Any]
    """The matrix as the method wants it."""
    find: Callable[[Any, float], Vector]
    """From that, or from its factors, to the vector, given a tolerance."""
    factor: Callable[[Any], Any] | None = None


class OwnMatrix(NamedTuple):
    """The matrix as Tengen's solver wants it, with room for the mode."""

    work: Vector
    mode: Vector
    rows: int
    columns: int
    points: npt.NDArray[np.int64]
    """Where the points of the board lie in them, rows by columns."""


def own_matrix(matrix: Dirichlet) -> OwnMatrix:
    """Return a solver's work with the matrix in it."""
    work, mode = np.zeros(solver.WORK), np.zeros(int(POINTS))
    solver.start_work(work, np.uintp(matrix.rows), np.uintp(matrix.columns))
    starts = (np.arange(matrix.rows) + 1) * int(STRIDE)
    points = starts[:, None] + np.arange(matrix.columns) + 1
    work[int(solver.DIAGONAL) + points] = matrix.diagonal
    return OwnMatrix(work, mode, matrix.rows, matrix.columns, points)


def solve_own(matrix: OwnMatrix, tolerance: float) -> float:
    """Find the mode from the empty board's, into `matrix.mode`; return its eigenvalue.

    Nothing is allocated but the number that is returned.
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
    """Return a method of SciPy's ARPACK, from a fixed start so that it does the same each time."""

    def find(matrix: Any, _tolerance: float) -> Vector:
        if matrix.shape[0] < 3:
            raise TengenError("ARPACK wants a board of at least three points")
        start = np.ones(matrix.shape[0])
        return np.asarray(function(matrix, k=1, v0=start, **options)[1][:, 0])

    return Method(_sparse, find)


def _krylov(function: Callable[..., Any]) -> Method:
    """Return the inverse power method with an iterative solver of linear systems."""

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
    "power, vectorised": Method(_dense, shifted_power),
    "inverse power, LU": Method(
        lambda matrix: matrix.sparse.tocsc(),
        _with_lu,
        lambda a: (a, scipy.sparse.linalg.splu(a)),
    ),
    "inverse power, Cholesky (banded)": Method(
        lambda matrix: matrix,
        _with_cholesky,
        lambda a: (a, scipy.linalg.cholesky_banded(a.banded, lower=True, check_finite=False)),
    ),
    "inverse power, conjugate gradient": _krylov(scipy.sparse.linalg.cg),
    "inverse power, BiCGSTAB": _krylov(scipy.sparse.linalg.bicgstab),
}
"""All methods by name, our own first. It is the default."""


def method_named(name: str) -> Method:
    """Return a method; raise TengenError if there is none of that name."""
    if name not in METHODS:
        raise TengenError(f"unknown method {name!r}: there are {'; '.join(METHODS)}")
    return METHODS[name]


def mode_by(matrix: Dirichlet, name: str = OWN, tolerance: float = TOLERANCE) -> Vector:
    """Return the fundamental mode, rows by columns, found by the method of that name."""
    method = method_named(name)
    prepared = method.form(matrix)
    if method.factor is not None:
        prepared = method.factor(prepared)
    return upright(method.find(prepared, tolerance)).reshape(matrix.diagonal.shape)
