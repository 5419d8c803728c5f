"""Random numbers for kernels: xorshift64* with one state word, reproducible on all platforms."""

import numpy as np

from tengen.util.compiler import inline_kernel

_MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)


@inline_kernel
def next_random(state):
    """Advance `state`, uint64 [1], and return 32 random bits."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return (x * _MULTIPLIER) >> np.uint64(32)


@inline_kernel
def random_below(state, bound):
    """Return a random integer from 0 to bound - 1 (bias below 2^-23 for board sizes)."""
    return (next_random(state) * np.uint64(bound)) >> np.uint64(32)
