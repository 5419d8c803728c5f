"""How many simulations a second: the whole search, with playouts and priors or with a net."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tengen.bench.figures import Figures
from tengen.board.position import Position
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.search.limit import Limit

SEED = 2026


@dataclass
class SearchFigures(Figures):
    """One measurement of the search from the empty board."""

    simulations_per_s: float = 0.0
    nodes: int = 0
    """Of the tree at the end."""
    rss_mib: float = 0.0
    """The most memory that the process had so far; 0 where the system does not tell."""

    @property
    def rate(self) -> float:
        """Simulations a second."""
        return self.simulations_per_s


def measure(
    rows: int, columns: int, seconds: float, threads: int, settings: Sequence[str] = ()
) -> SearchFigures:
    """Measure a search on so many threads, compilation and making the tree aside.

    `settings` are words of the engine's, like `net=default`.
    """
    words = [*settings, f"threads={threads}", "reuse=no", f"seed={SEED}"]
    engine, empty = Engine(EngineSettings().with_words(words)), Position(rows, columns)
    engine.analyse(empty, Limit(simulations=threads))
    begin_s = time.monotonic()
    report = engine.analyse(empty, Limit.after(seconds))
    took_s = time.monotonic() - begin_s
    return SearchFigures(
        rows,
        columns,
        threads,
        simulations_per_s=report.simulations / took_s,
        nodes=report.nodes,
        rss_mib=round(_peak_mib(), 1),
    )


def _peak_mib() -> float:
    """Return the most resident memory of this process so far, in MiB, or 0."""
    if sys.platform == "win32":
        return 0.0
    import resource  # which Windows has not

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
