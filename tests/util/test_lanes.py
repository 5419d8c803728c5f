"""Tests of SIMD lanes against NumPy, for every operation and both lane widths in use."""

import numpy as np
import pytest

from tengen.util import lanes
from tengen.util.compiler import kernel

pytestmark = pytest.mark.kernels


@kernel
def compute(one, other, out, shift):
    """Write the result of each operation to its own part of `out`."""
    a, b, n = lanes.load(one, np.uintp(1)), lanes.load(other, np.uintp(0)), np.uintp(one.size)
    lanes.store(out, np.uintp(0), a & b)
    lanes.store(out, n, a | b)
    lanes.store(out, np.uintp(2) * n, a ^ b)
    lanes.store(out, np.uintp(3) * n, a + b)
    lanes.store(out, np.uintp(4) * n, a - b)
    lanes.store(out, np.uintp(5) * n, a * b)
    lanes.store(out, np.uintp(6) * n, a << shift)
    lanes.store(out, np.uintp(7) * n, a >> shift)
    lanes.store(out, np.uintp(8) * n, ~a)
    lanes.store(out, np.uintp(9) * n, lanes.less_than(a, b))
    lanes.store(out, np.uintp(10) * n, lanes.equal(a, b))
    lanes.store(out, np.uintp(11) * n, lanes.not_equal(a, b))
    lanes.store(out, np.uintp(12) * n, lanes.popcounts(a))
    lanes.store(out, np.uintp(13) * n, lanes.multiply_high(a, b))
    lanes.store(out, np.uintp(14) * n, lanes.broadcast(one, shift))
    lanes.store(out, np.uintp(15) * n, b & np.uintp(7))
    return lanes.any_nonzero(a), lanes.any_nonzero(a ^ a), lanes.any_nonzero(lanes.equal(a, b))


@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
def test_operations_match_numpy(kind):
    count, bits = lanes.VECTOR_BITS // (8 * kind().itemsize), 8 * kind().itemsize
    rng = np.random.default_rng(1)
    # One element more than a vector: loads need not start at the first element.
    one, other = rng.integers(0, 2**bits, size=(2, count + 1), dtype=np.uint64).astype(kind)
    other[:5] = one[1:6]
    out = np.zeros((16, count + 1), dtype=kind)
    anything = compute(one, other, out.reshape(-1), np.uintp(3))
    a, b = one[1:], other[:-1]
    all_ones, three = kind(2**bits - 1), kind(3)
    expected = [a & b, a | b, a ^ b, a + b, a - b, a * b, a << three, a >> three, ~a]
    expected += [np.where(held, all_ones, kind(0)) for held in (a < b, a == b, a != b)]
    expected += [np.bitwise_count(a), (a.astype(np.uint64) * b) >> bits, np.full(count, 3), b & 7]
    for row, values in zip(out, expected, strict=True):
        assert row[:-1].tolist() == values.tolist()
        assert row[-1] == 0, "nothing is written past the vector"
    assert anything == (True, False, True)


@kernel
def draw(out, states, times):
    for turn in range(times):
        lanes.store(out, np.uintp(turn) * np.uintp(64), lanes.random_lanes(out, states))


def test_random_lanes_are_uniform_and_uncorrelated():
    out, states = np.zeros(64 * 5000, dtype=np.uint16), np.arange(1, 17, dtype=np.uint64) << 40
    draw(out, states, 5000)
    numbers = out[64 * 100 :].reshape(-1, 64)
    assert abs(numbers.mean() / 65535 - 0.5) < 0.002
    ones = ((numbers[:, :, None] >> np.arange(16)) & 1).mean(axis=0)
    assert abs(ones - 0.5).max() < 0.04, "each bit of each lane is set half of the time"
    apart = np.corrcoef(numbers.T.astype(float)) - np.eye(64)
    assert abs(apart).max() < 0.08, "lanes are uncorrelated"
    following = np.corrcoef(numbers[1:].ravel(), numbers[:-1].ravel())[0, 1]
    assert abs(following) < 0.01


@kernel
def nonzero_lanes(array):
    return lanes.lane_mask(lanes.load(array, np.uintp(0)))


@kernel
def lowest_bit_of(number):
    return lanes.lowest_set_bit(number)


@pytest.mark.parametrize(("kind", "count"), [(np.uint16, 64), (np.uint32, 32)])
def test_lane_mask_has_a_bit_for_each_nonzero_lane(kind, count):
    array = np.zeros(count, dtype=kind)
    assert nonzero_lanes(array) == 0
    array[[0, 5, count - 1]] = 1, 2, 1000
    assert nonzero_lanes(array) == 1 | 1 << 5 | 1 << (count - 1)
    assert [lowest_bit_of(np.uint64(n)) for n in (1, 40, 1 << 63, 0)] == [0, 3, 63, 64]
