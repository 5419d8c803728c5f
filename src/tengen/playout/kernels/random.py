"""Random numbers for kernels: xorshift64*, one state word, no locks, the same everywhere."""

import numpy as np

from tengen.core.compiler import inline_kernel

_MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)


@inline_kernel
def next_random(state):
    """Advance `state` (one uint64 in an array) and return 32 random bits."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return (x * _MULTIPLIER) >> np.uint64(32)


@inline_kernel
def random_below(state, bound):
    """Return a random number from 0 to bound - 1 (bias below 2^-23 for boards)."""
    return (next_random(state) * np.uint64(bound)) >> np.uint64(32)
