"""How many simulations a second: the whole search with its heavy playouts and priors."""

import sys
import time
from dataclasses import dataclass

from tengen.bench.figures import Figures
from tengen.board.position import Position
from tengen.engine.settings import EngineSettings
from tengen.knowledge.compiled import source_table
from tengen.search.limit import Limit
from tengen.search.searcher import Searcher
from tengen.search.voices import Knowledge

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


def measure(rows: int, columns: int, seconds: float, threads: int) -> SearchFigures:
    """Measure a search on so many threads, compilation and making the tree aside."""
    searcher = _searcher(rows, columns, threads)
    searcher.run(Limit(simulations=threads))
    searcher.set_position(Position(rows, columns))
    begin_s = time.monotonic()
    searcher.run(Limit.after(seconds))
    took_s = time.monotonic() - begin_s
    report = searcher.report()
    return SearchFigures(
        rows,
        columns,
        threads,
        simulations_per_s=report.simulations / took_s,
        nodes=report.nodes,
        rss_mib=round(_peak_mib(), 1),
    )


def _searcher(rows: int, columns: int, threads: int) -> Searcher:
    """Return a searcher with the engine's default settings, at the empty board."""
    settings = EngineSettings().with_words([f"search.threads={threads}", "search.reuse=no"])
    knowledge = Knowledge(source_table(settings.priors.sources()))
    searcher = Searcher(settings.search, settings.policy, knowledge, SEED)
    searcher.set_position(Position(rows, columns))
    return searcher


def _peak_mib() -> float:
    """Return the most resident memory of this process so far, in MiB, or 0."""
    if sys.platform == "win32":
        return 0.0
    import resource  # which Windows has not

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
