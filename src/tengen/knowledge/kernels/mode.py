"""The fundamental mode of a vibrating board (paper 000, section 3), found without a matrix.

The board is a grid of springs clamped at its edge. Its Dirichlet matrix has 4 and the *potential*
of the point on the diagonal, and -1 for every line between two points; the mode is the eigenvector
of the smallest eigenvalue, all of one sign (Perron and Frobenius). As each row has five entries
that are known beforehand, the matrix is never made: a product with it is a sum over neighbours.

The solver goes down the Rayleigh quotient by conjugate gradients: each step looks for the best
vector in the plane of the current one and a direction, which is an eigenproblem of two unknowns
(M. Longsine, S. McCormick, 1980). No step needs more than three loops over the board, and all of
it lies in the first-level cache: that is why this beats methods that need fewer steps.

Fields are over the padded points of a board, as everywhere; walls stay 0.
"""

import math

import numpy as np

from tengen.board.kernels.layout import DOWN, LEFT, POINTS, RIGHT, STRIDE, UP
from tengen.core.compiler import fast_kernel, inline_kernel, kernel

ONE = np.uintp(1)
DIAGONAL, INSIDE, IMAGE, STEP, STEP_IMAGE = (np.uintp(n) * POINTS for n in range(5))
"""Where the fields of a solver's `work` begin: the diagonal of the matrix; 1 on points and 0 on
walls; the mode's and the step's product with the matrix, and the step."""
WORK = 5 * int(POINTS)
"""Cells of a solver's work."""

MOST_STEPS = np.uintp(2000)
"""For boards that fall into parts that hardly know of each other: there the mode is slow to find,
and any mixture of the parts' modes has a small residual."""
RESTART = 0.5
"""The residual kept along the way drifts; it must fall below this share of the tolerance before
it is computed anew."""


@kernel
def start_work(work, rows, columns):
    """Begin the matrix of an empty board: 4 on the diagonal."""
    for cell in range(np.uintp(len(work))):
        work[cell] = 0.0
    for row in range(ONE, rows + ONE):
        for column in range(ONE, columns + ONE):
            point = row * STRIDE + column
            work[DIAGONAL + point] = 4.0
            work[INSIDE + point] = 1.0


@kernel
def empty_board_mode(rows, columns, mode):
    """Write the mode of an empty board without potential: a product of half waves."""
    for point in range(POINTS):
        mode[point] = 0.0
    for column in range(ONE, columns + ONE):
        mode[STRIDE + column] = math.sin(math.pi * column / (columns + ONE))
    # From the last row to the first, which holds the half wave of the columns until then.
    for back in range(rows):
        row = rows - back
        high = math.sin(math.pi * row / (rows + ONE))
        for column in range(ONE, columns + ONE):
            mode[row * STRIDE + column] = high * mode[STRIDE + column]


@inline_kernel
def _neighbours(field, point):
    return (field[point + UP] + field[point + DOWN]) + (field[point + LEFT] + field[point + RIGHT])


@fast_kernel
def _look(mode, diagonal, inside, image, step, end):
    """Make the mode positive and of length 1; return its Rayleigh quotient and squared residual.

    Writes its product with the matrix into `image`, and the way down into `step`. Taking absolute
    values never raises the quotient, since nothing off the diagonal is positive.
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
        product = inside[point] * (diagonal[point] * mode[point] - _neighbours(mode, point))
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
    """Return how much of the step to take, and the quotient and squared length after it.

    Writes the step's product with the matrix into `image`. With p the step, x the mode and t the
    share, the quotient (x + tp)A(x + tp) / (x + tp)(x + tp) is least at a root of a quadratic.
    """
    pp = xp = xap = pap = 0.0
    for point in range(STRIDE, end):
        product = inside[point] * (diagonal[point] * step[point] - _neighbours(step, point))
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
    """Take the step and choose the next one (Fletcher and Reeves); return the squared residual."""
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
    """Improve `mode` until its residual |Av - wv| is at most `tolerance`, its length being 1.

    `work` holds the matrix (`start_work`, then the diagonal); `mode` is positive and 0 on walls,
    the nearer the sooner done. Return the eigenvalue, the residual and how many steps it took: the
    residual is larger than the tolerance only where MOST_STEPS or rounding ended the search.
    """
    diagonal, inside = work[DIAGONAL : DIAGONAL + POINTS], work[INSIDE : INSIDE + POINTS]
    image, step = work[IMAGE : IMAGE + POINTS], work[STEP : STEP + POINTS]
    step_image = work[STEP_IMAGE : STEP_IMAGE + POINTS]
    end = (rows + ONE) * STRIDE
    goal = tolerance * tolerance
    steps = np.uintp(0)
    value, residual = _look(mode, diagonal, inside, image, step, end)
    last = 2.0 * residual
    while residual > goal and residual < last and steps < MOST_STEPS:
        last = residual
        while residual > RESTART * goal and steps < MOST_STEPS:
            before = residual
            share, value, length = _best_share(value, mode, step, step_image, diagonal, inside, end)
            residual = _take_step(mode, image, step, step_image, share, length, value, before, end)
            steps += ONE
        value, residual = _look(mode, diagonal, inside, image, step, end)
    return value, math.sqrt(residual), steps
