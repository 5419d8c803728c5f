"""The times of chapter 4 of the thesis, in seconds of user time on an i7 L640 at 2.13 GHz.

From its appendices, which are what was measured; where text and appendix differ (gsl, EigenSolver)
the appendix is meant. EigenSolver (C++) and gsl_eigen_symmv (C) are not repeated here: they are
not Python's, and the thesis found them the slowest of their kinds.
"""

from typing import NamedTuple


class ThesisTimes(NamedTuple):
    """Seconds of one call in a program of its own, and of one of a thousand, on A, B and C."""

    name: str
    single: tuple[float, float, float]
    of_thousand: tuple[float, float, float]


THESIS_TIMES = {
    "numpy.linalg.eig": ThesisTimes(
        "numpy.linalg.eig", (0.62, 0.68, 0.92), (0.24075, 0.25077, 0.25912)
    ),
    "numpy.linalg.eigh": ThesisTimes(
        "numpy.linalg.eigh", (0.48, 0.50, 0.632), (0.06238, 0.05959, 0.09112)
    ),
    "scipy.linalg.eig": ThesisTimes(
        "scipy.linalg.eig", (0.70, 0.70, 0.73), (0.2398, 0.25092, 0.26042)
    ),
    "scipy.linalg.eigh": ThesisTimes(
        "scipy.linalg.eigh", (0.56, 0.50, 0.684), (0.11722, 0.05959, 0.063232)
    ),
    "scipy.linalg.eigh(driver='evr')": ThesisTimes(
        "eigen() of R", (0.52, 0.56, 0.536), (0.13234, 0.07038, 0.092832)
    ),
    "scipy.sparse.linalg.eigs": ThesisTimes(
        "scipy.sparse.linalg.eigs", (0.496, 0.500, 0.496), (0.005004, 0.005884, 0.008976)
    ),
    "scipy.sparse.linalg.eigsh": ThesisTimes(
        "scipy.sparse.linalg.eigsh", (0.496, 0.480, 0.468), (0.004812, 0.006324, 0.010204)
    ),
    "power, naive": ThesisTimes(
        "naive self implementation (C)", (0.272, 22.44, 1.184), (0.131092, 11.273832, 0.577404)
    ),
    "power, vectorised": ThesisTimes(
        "spectral shift using Eigen (C++)", (0.032, 0.576, 0.076), (0.008276, 0.384872, 0.038552)
    ),
    "inverse power, LU": ThesisTimes(
        "SparseLU (C++)", (0.044, 0.052, 0.056), (0.017704, 0.018224, 0.021792)
    ),
    "inverse power, Cholesky (banded)": ThesisTimes(
        "SimplicialLDLT (C++)", (0.040, 0.040, 0.052), (0.009708, 0.010512, 0.014072)
    ),
    "inverse power, conjugate gradient": ThesisTimes(
        "ConjugateGradient (C++)", (0.392, 0.432, 0.208), (0.291596, 0.331712, 0.137468)
    ),
    "inverse power, BiCGSTAB": ThesisTimes(
        "BiCGSTAB (C++)", (0.196, 0.156, 0.124), (0.117448, 0.093468, 0.042380)
    ),
}
"""By the name of our method that comes nearest."""

NOT_REPEATED = {
    "EigenSolver (C++)": (0.40679, 0.50678, 0.40812),
    "gsl_eigen_symmv (C)": (0.258824, 0.306116, 0.280736),
}
