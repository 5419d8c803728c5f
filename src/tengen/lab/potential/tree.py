"""Does a filter still help a tree? RAVE with heavy playouts, with the filter against without.

The paper leaves it open. Two matches with colours swapped, each until a sequential test decides:
at equal simulations, where pruning can only show by better moves, and at equal time, where what
the filter costs counts as well.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from tengen.core.errors import TengenError
from tengen.lab.study import Study
from tengen.match.config import MatchConfig
from tengen.match.runner import Status, run_match
from tengen.match.stats import Decision, elo_interval, pair_interval
from tengen.match.store import Store
from tengen.match.table import elo_text, live_table, percent
from tengen.match.tally import pair_counts, score_of_player
from tengen.match.workers import open_workers

DECISIONS = {
    Decision.OPEN: "open",
    Decision.H0: "does not help",
    Decision.H1: "helps",
}


@dataclass(frozen=True)
class TreeRules:
    """What does not change within a study."""

    filter: str = "pf9"
    switch: float = 0.75
    use: str = "filter"
    visits: float = 20.0
    """Equivalent visits, where it is a prior."""
    depth: int = 1000
    """Of the tree, down to which it is asked."""
    kind: str = "rave"
    size: int = 9
    komi: float = 7.5
    openings: str = "random:2"
    simulations: int = 1000
    seconds: float = 0.2
    sprt: str = "0,40"
    seed: int = 1

    def player(self, effort: str) -> str:
        """Return the player without the filter."""
        return f"tengen kind={self.kind} threads=1 memory_mib=64 stop_early=no {effort}"

    def filtering_player(self, effort: str) -> str:
        """Return the player with it."""
        parts = f"filter={self.filter},switch={self.switch:g},use={self.use},depth={self.depth}"
        return f"{self.player(effort)} prior=potential@{self.visits:g},{parts}"

    def config(self, effort: str, games: int) -> MatchConfig:
        """Return the match of the two."""
        return MatchConfig(
            players=(self.filtering_player(effort), self.player(effort)),
            names=(self.filter, "without"),
            games=games,
            size=str(self.size),
            komi=self.komi,
            openings=self.openings,
            sprt=self.sprt,
            seed=self.seed,
        )


def run(folder: Path, rules: TreeRules, parts: tuple[str, ...], games: int, workers: int) -> Path:
    """Play the parts ("simulations", "time") until decided or `games`; return the report."""
    study = Study(folder, "Potential filters: tree", asdict(rules))
    efforts = {
        "simulations": f"playouts={rules.simulations}",
        "time": f"seconds={rules.seconds:g}",
    }
    if not parts or not set(parts) <= set(efforts):
        raise TengenError(f"parts are {' and '.join(efforts)}, not {','.join(parts)!r}")
    rows = []
    for part in parts:
        config = rules.config(efforts[part], games)
        status = _play(folder / f"{part}.sqlite", config, workers)
        rows.append(_row(part, efforts[part], status))
    study.text("With the filter against without", f"Sequential test of Elo {rules.sprt}.")
    study.show(rows, "From the side of the player with the filter; 95% intervals.")
    return study.write_report()


def _play(path: Path, config: MatchConfig, workers: int) -> Status:
    limits, plan = config.limits(), config.plan()
    store = Store(path)
    try:
        with live_table(Console()) as watch:
            return run_match(plan, store, limits, open_workers(workers, None), watch)
    finally:
        store.close()


def _row(part: str, effort: str, status: Status) -> dict[str, object]:
    score = score_of_player(status.rows, 0)
    counts = pair_counts(status.rows, 0)
    sprt = status.limits.sprt
    return {
        "equal": part,
        "a move": effort,
        "games": score.games,
        "wins": score.wins,
        "score": percent(score.rate),
        "Elo": elo_text(elo_interval(pair_interval(counts))),
        "LLR": f"{sprt.llr(counts):+.2f}" if sprt else "-",
        "the filter": DECISIONS[status.decision],
    }
