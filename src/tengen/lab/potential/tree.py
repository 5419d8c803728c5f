"""Filters in a RAVE tree with heavy playouts, which the paper does not test.

Two matches with and without the filter: at equal simulations, where only better moves help, and at
equal time, where the cost of the filter counts too.
"""

import argparse
from dataclasses import asdict, dataclass, fields

from tengen.lab.matches import Comparison, match_options_of, run_comparisons
from tengen.lab.study import Study
from tengen.util import TengenError


@dataclass(frozen=True)
class TreeRules:
    """The filter and the settings of both players."""

    filter: str = "pf9"
    switch: float = 0.75
    use: str = "filter"
    visits: float = 20.0
    """Equivalent visits when used as a prior."""
    depth: int = 1000
    """Maximum depth in the tree."""
    kind: str = "rave"
    engine: str = ""
    """Additional settings of both players."""
    simulations: int = 1000
    seconds: float = 0.2

    def player(self, effort: str) -> str:
        """Return the player without filter."""
        common = f"algorithm={self.kind} threads=1 memory_mib=64 stop_early=no {effort}"
        return f"tengen {common} {self.engine}".strip()

    def filtering_player(self, effort: str) -> str:
        """Return the player with filter."""
        parts = f"filter={self.filter},switch={self.switch:g},use={self.use},depth={self.depth}"
        return f"{self.player(effort)} prior=potential@{self.visits:g},{parts}"

    def comparison(self, part: str) -> Comparison:
        """Return the match at equal "simulations" or "time"; raise TengenError for another part."""
        efforts = {
            "simulations": f"playouts={self.simulations}",
            "time": f"seconds={self.seconds:g}",
        }
        if part not in efforts:
            raise TengenError(f"parts must be {' or '.join(efforts)}, got {part!r}")
        players = self.filtering_player(efforts[part]), self.player(efforts[part])
        return Comparison(part, players, f"{self.filter} vs. no filter, {efforts[part]}")


def run(arguments: argparse.Namespace) -> int:
    """Play the matches of a command line and print the path of the report."""
    rules = TreeRules(**{field.name: getattr(arguments, field.name) for field in fields(TreeRules)})
    options = match_options_of(arguments)
    comparisons = [rules.comparison(part) for part in arguments.parts.split(",")]
    identity = asdict(rules) | options.identity
    study = Study(arguments.output, "Potential filters: tree", identity)
    print(run_comparisons(study, comparisons, options))
    return 0
