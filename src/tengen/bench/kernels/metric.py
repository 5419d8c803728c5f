"""Evaluating one board again and again, as a search would: without a call from Python each time."""

from tengen.core.compiler import kernel
from tengen.knowledge.kernels.metric import evaluate_board


@kernel
def evaluate_often(block, weights, scratch, values, times):
    """Evaluate a board so many times; return the sum of the mixes, so that none can be left out."""
    total = 0.0
    for _ in range(times):
        total += evaluate_board(block, weights, scratch, values)
    return total
