"""Feed damaged records to the reader: `python tests/fuzz_records.py --cases 1000000`.

Case n of seed s is always the same, so that a failure can be looked at again with
`--seed s --first n --cases 1`.
"""

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "records"))

from record_damage import check_survival, random_case  # noqa: E402

STEP = 10_000


def case(seed: int, number: int) -> bytes:
    return random_case(random.Random(f"{seed}/{number}"))


def show_progress(done: int, cases: int, began_s: float) -> None:
    rate = done / (time.monotonic() - began_s)
    end = "\r" if sys.stderr.isatty() else "\n"
    left_s = (cases - done) / rate
    text = f"{done:,} of {cases:,} cases, {rate:,.0f} a second, {left_s:.0f} s left   "
    print(text, end=end, file=sys.stderr, flush=True)


def fuzz(seed: int, first: int, cases: int) -> int:
    began_s = time.monotonic()
    for done in range(cases):
        data = case(seed, first + done)
        try:
            check_survival(data)
        except Exception as error:
            print(f"\nseed {seed} case {first + done}: {type(error).__name__}: {error}")
            print(f"data = {data!r}")
            return 1
        if (done + 1) % STEP == 0:
            show_progress(done + 1, cases, began_s)
    print(f"\nseed {seed}: {cases:,} cases from {first}, no failure")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    try:
        return fuzz(arguments.seed, arguments.first, arguments.cases)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
