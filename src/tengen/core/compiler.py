"""The one place where Numba is set up and imported.

Every kernel is decorated with `kernel` from here. The settings are those that make Numba equal
C (see docs/performance.md): no GIL, no error checks on division, no bounds checks.
"""

import os

from tengen.core.cache import prepare_cache

_CACHE = prepare_cache()
if _CACHE is not None:
    # Read by Numba when it is imported, hence before the import below.
    os.environ["NUMBA_CACHE_DIR"] = str(_CACHE)

import numba  # noqa: E402
from numba.core import event  # noqa: E402

from tengen.core.progress import CompileProgress  # noqa: E402

_SETTINGS = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "cache": _CACHE is not None,
}

kernel = numba.njit(**_SETTINGS, _nrt=False)
"""The decorator of every kernel. Without Numba's run-time, so nothing can be allocated inside, and
no reference is counted: that is an atomic operation for every array at every turn."""

inline_kernel = numba.njit(**_SETTINGS, _nrt=False, forceinline=True)
"""For small kernels inside hot ones: a call passes seven words for every array."""

allocating_kernel = numba.njit(**_SETTINGS, _nrt=True)
"""For kernels that make arrays of their own; not for the hot path."""


class _CompileListener(event.Listener):
    """Tells the user what is being compiled: the first start takes a while."""

    def __init__(self):
        self._progress = CompileProgress()

    def on_start(self, happening):
        self._progress.start(happening.data["dispatcher"].py_func.__qualname__)

    def on_end(self, happening):
        self._progress.end()


event.register("numba:compile", _CompileListener())
