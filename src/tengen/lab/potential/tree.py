"""Does a filter still help a tree? RAVE with heavy playouts, with the filter against without.

The paper leaves it open. Two matches with colours swapped, each until a sequential test decides:
at equal simulations, where pruning can only show by better moves, and at equal time, where what
the filter costs counts as well.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.lab.contests import Contest, run_contests
from tengen.lab.study import Study
from tengen.lab.terms import Terms


@dataclass(frozen=True)
class TreeRules:
    """The two players: what they have in common, and the filter."""

    filter: str = "pf9"
    switch: float = 0.75
    use: str = "filter"
    visits: float = 20.0
    """Equivalent visits, where it is a prior."""
    depth: int = 1000
    """Of the tree, down to which it is asked."""
    kind: str = "rave"
    engine: str = ""
    """More settings for both."""
    simulations: int = 1000
    seconds: float = 0.2

    def player(self, effort: str) -> str:
        """Return the player without the filter."""
        common = f"kind={self.kind} threads=1 memory_mib=64 stop_early=no {effort}"
        return f"tengen {common} {self.engine}".strip()

    def filtering_player(self, effort: str) -> str:
        """Return the player with it."""
        parts = f"filter={self.filter},switch={self.switch:g},use={self.use},depth={self.depth}"
        return f"{self.player(effort)} prior=potential@{self.visits:g},{parts}"

    def contest(self, part: str) -> Contest:
        """Return the match at equal "simulations" or "time"; raise TengenError for another part."""
        efforts = {
            "simulations": f"playouts={self.simulations}",
            "time": f"seconds={self.seconds:g}",
        }
        if part not in efforts:
            raise TengenError(f"parts are {' and '.join(efforts)}, not {part!r}")
        players = self.filtering_player(efforts[part]), self.player(efforts[part])
        return Contest(part, players, f"{self.filter} - without, {efforts[part]}")


def run(folder: Path, rules: TreeRules, parts: Sequence[str], terms: Terms) -> Path:
    """Play the parts until decided or out of games; return the report."""
    contests = [rules.contest(part) for part in parts]
    study = Study(folder, "Potential filters: tree", asdict(rules) | terms.identity)
    return run_contests(study, contests, terms)
