"""Check of the record readers: damaged records."""

import random
from collections.abc import Iterator

from tengen.bench.selfcheck.check import Batch
from tengen.bench.selfcheck.record_damage import check_survival, random_case

RECORDS_PER_BATCH = 200


def damaged_records(rng: random.Random) -> Iterator[Batch]:
    """Read, write and read again damaged records."""
    while True:
        failures = []
        for _ in range(RECORDS_PER_BATCH):
            data = random_case(rng)
            try:
                check_survival(data)
            except Exception as error:
                failures.append(f"{type(error).__name__}: {error}; data = {data!r}"[:500])
        yield Batch(RECORDS_PER_BATCH, tuple(failures))
