"""A process whose numerical libraries have one thread, to measure CPU time of methods fairly."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""What the libraries read when they are loaded, and never again."""


@contextmanager
def one_thread() -> Iterator[Executor]:
    """Give a process to measure in: here the libraries may have more threads."""
    before = dict(os.environ)
    os.environ.update(ONE_THREAD)
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            yield process
    finally:
        os.environ.clear()
        os.environ.update(before)
