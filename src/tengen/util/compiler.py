"""Numba setup and the decorators for compiled kernels.

Every kernel uses a decorator from this module. Only this module and `kernel_cache` import Numba.
Kernels release the GIL and skip division and bounds checks.
"""

# isort: off
import sys
import time

from tengen.util.kernel_cache import enable_cache  # sets the folder that Numba reads when imported
from tengen.util.terminal import raw_stream

import numba
import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import event
# isort: on

_OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False}


def _decorator(**options):
    """Return a decorator that compiles a function on its first call, or loads it."""
    compiler = numba.njit(**_OPTIONS, **options)

    def decorate(function):
        dispatcher = compiler(function)
        enable_cache(dispatcher)
        return dispatcher

    return decorate


kernel = _decorator(_nrt=False)
"""The default decorator. Numba's runtime is off: kernels cannot allocate, and array references are
not counted, which would cost an atomic operation per array and loop iteration."""

inline_kernel = _decorator(_nrt=False, forceinline=True)
"""For small kernels called from hot ones: a call passes seven words per array."""

allocating_kernel = _decorator(_nrt=True)
"""For kernels that allocate arrays; not for the hot path."""

fast_kernel = _decorator(_nrt=False, fastmath={"reassoc", "contract", "nsz", "arcp"})
"""For floating-point sums over whole boards: additions may be reordered, so they vectorize."""


def array_of(dtype):
    """Return the Numba type of a contiguous one-dimensional array, for kernel signatures."""
    return types.Array(numba.from_dtype(np.dtype(dtype)), 1, "C")


def address_of(function, signature):
    """Compile a kernel for a signature, or load it from the cache, and return its code address.

    The address is valid as long as the kernel object exists.
    """
    function.compile(signature)
    compiled = function.overloads[signature]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


@extending.intrinsic
def call_kernel(_context, address, first, second, third, fourth, fifth, sixth):
    """Call a kernel by address; it takes six arrays and returns nothing.

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
    """Start loading an array element into the CPU cache."""

    def generate(context, builder, signature, values):
        cells = context.make_array(signature.args[0])(context, builder, values[0]).data
        cell = builder.bitcast(builder.gep(cells, [values[1]]), ir.IntType(8).as_pointer())
        int32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cell.type, int32, int32, int32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [cell.type], kind)
        # Read access, highest locality, data cache.
        builder.call(function, [cell, int32(0), int32(3), int32(1)])
        return context.get_dummy_value()

    return types.none(array, index), generate


class _CompileProgress(event.Listener):
    """Shows on stderr which kernels are being compiled: a live line on terminals, else plain lines.

    Kernels compile their callees, so events nest; plain lines name only the outermost kernel.
    """

    def __init__(self):
        self._depth = 0
        self._compiled = 0
        self._start_s = 0.0
        self._is_terminal = sys.stderr.isatty()

    def on_start(self, started):
        name = started.data["dispatcher"].py_func.__qualname__
        if self._depth == 0:
            self._start_s = time.monotonic()
            if not self._is_terminal:
                self._write(f"tengen: compiling {name} (first start only)\n")
        self._depth += 1
        if self._is_terminal:
            bar = "█" * min(self._compiled // 2, 40)
            self._write(f"\r\x1b[Ktengen: first start, compiling {bar} {name}")

    def on_end(self, _ended):
        self._depth -= 1
        self._compiled += 1
        if self._depth == 0:
            elapsed_s = time.monotonic() - self._start_s
            done = f"tengen: compiled in {elapsed_s:.1f} s\n"
            self._write("\r\x1b[K" if self._is_terminal else done)

    @staticmethod
    def _write(text):
        stream = raw_stream(sys.stderr)
        stream.write(text)
        stream.flush()


event.register("numba:compile", _CompileProgress())
