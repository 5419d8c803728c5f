"""Solver for the fundamental mode of a vibrating board (paper 000, section 3).

The board is a grid of springs clamped at its edge. Its Dirichlet matrix has 4 plus the *potential*
of the point on the diagonal and -1 for every line between two neighboring points. The mode is the
eigenvector of the smallest eigenvalue; all its entries have one sign (Perron-Frobenius). The matrix
is never stored: a product with it is a sum over neighbors.

The solver minimizes the Rayleigh quotient by conjugate gradients. Each step finds the best vector
in the plane of the current vector and a search direction, an eigenproblem with two unknowns (M.
Longsine and S. McCormick, 1980). A step takes three loops over the board and all data fits in the
first-level cache.

Fields are indexed by padded point; walls are 0.
"""

import math

import numpy as np

from tengen.board.kernels.layout import DOWN, LEFT, POINTS, RIGHT, STRIDE, UP
from tengen.util.compiler import fast_kernel, inline_kernel, kernel

ONE = np.uintp(1)
DIAGONAL, INSIDE, IMAGE, STEP, STEP_IMAGE = (np.uintp(n) * POINTS for n in range(5))
"""Offsets of the fields in the solver's `work`: the diagonal of the matrix; 1 on points and 0 on
walls; the products of the matrix with the mode and with the step; the step."""
WORK = 5 * int(POINTS)
"""Length of the solver's `work`."""

MAX_STEPS = np.uintp(2000)
"""Iteration limit. On boards split into nearly independent parts the mode converges slowly, and any
mixture of the modes of the parts has a small residual."""
RESTART = 0.5
"""The residual updated incrementally drifts; it must fall below this share of the tolerance before
it is recomputed."""


@kernel
def start_work(work, rows, columns):
    """Initialize the matrix of an empty board: 4 on the diagonal."""
    for cell in range(np.uintp(len(work))):
        work[cell] = 0.0
    for row in range(ONE, rows + ONE):
        for column in range(ONE, columns + ONE):
            point = row * STRIDE + column
            work[DIAGONAL + point] = 4.0
            work[INSIDE + point] = 1.0


@kernel
def empty_board_mode(rows, columns, mode):
    """Write the mode of an empty board without potential: a product of two half sine waves."""
    for point in range(POINTS):
        mode[point] = 0.0
    for column in range(ONE, columns + ONE):
        mode[STRIDE + column] = math.sin(math.pi * column / (columns + ONE))
    # The first row holds the half wave of the columns, so it is overwritten last.
    for back in range(rows):
        row = rows - back
        high = math.sin(math.pi * row / (rows + ONE))
        for column in range(ONE, columns + ONE):
            mode[row * STRIDE + column] = high * mode[STRIDE + column]


@inline_kernel
def _neighbors(field, point):
    return (field[point + UP] + field[point + DOWN]) + (field[point + LEFT] + field[point + RIGHT])


@fast_kernel
def _look(mode, diagonal, inside, image, step, end):
    """Normalize the mode; return its Rayleigh quotient and squared residual.

    Write the product with the matrix into `image` and the descent direction into `step`. Taking
    absolute values never raises the quotient, because no off-diagonal entry is positive.
    """
    squares = 0.0
    for point in range(STRIDE, end):
        mode[point] = abs(mode[point])
        squares += mode[point] * mode[point]
    scale = 1.0 / math.sqrt(squares)
    for point in range(STRIDE, end):
        mode[point] *= scale
    value = 0.0
    for point in range(STRIDE, end):
        product = inside[point] * (diagonal[point] * mode[point] - _neighbors(mode, point))
        image[point] = product
        value += mode[point] * product
    residual = 0.0
    for point in range(STRIDE, end):
        rest = image[point] - value * mode[point]
        step[point] = -rest
        residual += rest * rest
    return value, residual


@fast_kernel
def _best_share(value, mode, step, image, diagonal, inside, end):
    """Return the step length, and the quotient and squared norm after the step.

    Write the product of the step with the matrix into `image`. With mode x, step p and step length
    t, the quotient (x + tp)A(x + tp) / (x + tp)(x + tp) is minimal at a root of a quadratic.
    """
    pp = xp = xap = pap = 0.0
    for point in range(STRIDE, end):
        product = inside[point] * (diagonal[point] * step[point] - _neighbors(step, point))
        image[point] = product
        pp += step[point] * step[point]
        xp += mode[point] * step[point]
        xap += mode[point] * product
        pap += step[point] * product
    square, linear, constant = pap * xp - pp * xap, pap - value * pp, xap - value * xp
    root = math.sqrt(max(linear * linear - 4.0 * square * constant, 0.0))
    share = -2.0 * constant / (linear + root)
    length = 1.0 + 2.0 * share * xp + share * share * pp
    return share, (value + 2.0 * share * xap + share * share * pap) / length, length


@fast_kernel
def _take_step(mode, image, step, step_image, share, length, value, before, end):
    """Take the step and choose the next one (Fletcher-Reeves); return the squared residual."""
    scale = 1.0 / math.sqrt(length)
    residual = 0.0
    for point in range(STRIDE, end):
        mode[point] = (mode[point] + share * step[point]) * scale
        image[point] = (image[point] + share * step_image[point]) * scale
        rest = image[point] - value * mode[point]
        residual += rest * rest
    keep = residual / before * scale
    for point in range(STRIDE, end):
        step[point] = keep * step[point] - (image[point] - value * mode[point])
    return residual


@kernel
def find_mode(work, mode, rows, tolerance):
    """Improve `mode` until its residual |Av - wv| is at most `tolerance`.

    `work` holds the matrix (see `start_work`). `mode` is positive, 0 on walls, and has norm 1 on
    return; a good start saves steps. Return the eigenvalue, the residual and the number of steps.
    The residual exceeds the tolerance only if MAX_STEPS or rounding ended the iteration.
    """
    diagonal, inside = work[DIAGONAL : DIAGONAL + POINTS], work[INSIDE : INSIDE + POINTS]
    image, step = work[IMAGE : IMAGE + POINTS], work[STEP : STEP + POINTS]
    step_image = work[STEP_IMAGE : STEP_IMAGE + POINTS]
    end = (rows + ONE) * STRIDE
    goal = tolerance * tolerance
    steps = np.uintp(0)
    value, residual = _look(mode, diagonal, inside, image, step, end)
    last = 2.0 * residual
    while residual > goal and residual < last and steps < MAX_STEPS:
        last = residual
        while residual > RESTART * goal and steps < MAX_STEPS:
            before = residual
            share, value, length = _best_share(value, mode, step, step_image, diagonal, inside, end)
            residual = _take_step(mode, image, step, step_image, share, length, value, before, end)
            steps += ONE
        value, residual = _look(mode, diagonal, inside, image, step, end)
    return value, math.sqrt(residual), steps
