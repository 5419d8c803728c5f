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
import numpy as np  # noqa: E402
from llvmlite import ir  # noqa: E402
from numba import extending, types  # noqa: E402
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


fast_kernel = numba.njit(**_SETTINGS, _nrt=False, fastmath={"reassoc", "contract", "nsz", "arcp"})
"""For sums over whole boards: the order of additions is free, so they run four at a time."""


def array_of(kind):
    """Return the type of a plain array of NumPy's `kind`, for the signature of a kernel."""
    return types.Array(numba.from_dtype(np.dtype(kind)), 1, "C")


def address_of(function, signature):
    """Compile a kernel for a signature, or load it, and return the address of its code.

    The address holds as long as the kernel, which modules hold for ever.
    """
    function.compile(signature)
    compiled = function.overloads[signature]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


@extending.intrinsic
def call_kernel(_context, address, first, second, third, fourth, fifth, sixth):
    """Call a kernel of six arrays, that returns nothing, by its address.

    Numba can pass functions as arguments, but then it cannot cache the caller.
    """
    given = (first, second, third, fourth, fifth, sixth)

    def generate(context, builder, signature, values):
        convention = context.call_conv
        kind = convention.get_function_type(types.none, given)
        function = builder.inttoptr(values[0], kind.as_pointer())
        convention.call_function(builder, function, types.none, given, values[1:])
        return context.get_dummy_value()

    return types.none(address, *given), generate


@extending.intrinsic
def prefetch(_context, array, index):
    """Tell the processor that a cell will be read soon, so that it need not be waited for then."""

    def generate(context, builder, signature, values):
        cells = context.make_array(signature.args[0])(context, builder, values[0]).data
        cell = builder.bitcast(builder.gep(cells, [values[1]]), ir.IntType(8).as_pointer())
        whole = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cell.type, whole, whole, whole])
        function = builder.module.declare_intrinsic("llvm.prefetch", [cell.type], kind)
        # To read, from all caches, data.
        builder.call(function, [cell, whole(0), whole(3), whole(1)])
        return context.get_dummy_value()

    return types.none(array, index), generate


class _CompileListener(event.Listener):
    """Tells the user what is being compiled: the first start takes a while."""

    def __init__(self):
        self._progress = CompileProgress()

    def on_start(self, happening):
        self._progress.start(happening.data["dispatcher"].py_func.__qualname__)

    def on_end(self, happening):
        self._progress.end()


event.register("numba:compile", _CompileListener())
