"""Fuzz the record readers: `python tests/fuzz_records.py --cases 1000000`.

Cases are reproducible: `--seed S --first N --cases 1` repeats case N of seed S.
"""

import argparse
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tengen.bench.selfcheck import check_survival, random_case

CASES_PER_JOB = 2_000


def make_case(seed: int, number: int) -> bytes:
    return random_case(random.Random(f"{seed}/{number}"))


def show_progress(done: int, cases: int, started_s: float) -> None:
    rate = done / (time.monotonic() - started_s)
    end = "\r" if sys.stderr.isatty() else "\n"
    left_s = (cases - done) / rate
    text = f"{done:,} of {cases:,} cases, {rate:,.0f}/s, {left_s:.0f} s left   "
    print(text, end=end, file=sys.stderr, flush=True)


def find_failure(seed: int, first: int, cases: int) -> str | None:
    """Run some cases; return a description of the first failure."""
    for number in range(first, first + cases):
        data = make_case(seed, number)
        try:
            check_survival(data)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            return f"seed {seed} case {number}: {reason}\ndata = {data!r}"
    return None


def fuzz(seed: int, first: int, cases: int, workers: int) -> int:
    started_s = time.monotonic()
    starts = range(first, first + cases, CASES_PER_JOB)
    done = 0
    with ProcessPoolExecutor(workers) as pool:
        jobs = [
            pool.submit(find_failure, seed, n, min(CASES_PER_JOB, first + cases - n))
            for n in starts
        ]
        try:
            for start, job in zip(starts, jobs, strict=True):
                if failure := job.result():
                    print(f"\n{failure}")
                    return 1
                done = min(start + CASES_PER_JOB - first, cases)
                show_progress(done, cases, started_s)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    print(f"\nseed {seed}: {cases:,} cases from {first}, no failure")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    try:
        return fuzz(arguments.seed, arguments.first, arguments.cases, arguments.workers)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
