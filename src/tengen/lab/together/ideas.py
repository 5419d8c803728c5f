"""Ideas of the five papers as engine settings, the players built from them, and their cost."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes

from tengen.board import Position
from tengen.engine import Engine, EngineSettings, create_engine
from tengen.lab.study import CsvTable
from tengen.match import Z_95, spec_overrides
from tengen.search import SearchLimit
from tengen.util import TengenError

NOTHING = "tactics=0 patterns=0 distance=0 lines=0 shape=0 net=none"
"""Settings without any prior or network."""
BUILT_IN = "tactics=20 patterns=14 distance=7 lines=20"
"""The engine's built-in priors, which come from none of the papers."""
NONE, ALL = "none", "all"


@dataclass(frozen=True)
class Idea:
    """An idea and the settings that enable it."""

    about: str
    words: str
    combined: str = ""
    """Additional settings when other ideas are enabled too."""


def ideas(net: str = "default") -> dict[str, Idea]:
    """Return the ideas by name."""
    return {
        "engine": Idea("the engine's built-in priors", BUILT_IN),
        "bigmove": Idea("paper 000: p2 and p3, before move 50", "prior=bigmove@160,before=50"),
        "potential": Idea(
            "paper 002: PF 9 as a prior", "prior=potential@20,filter=pf9,use=prior,switch=0.75"
        ),
        "filter": Idea(
            "paper 002: PF 9 prunes half of the moves at the root and one ply below",
            "prior=potential@20,filter=pf9,use=filter,switch=0.75,depth=1",
        ),
        "metric": Idea(
            "paper 003: the mixture of formula 17 at the root", "prior=metric@20,depth=0"
        ),
        "shape": Idea("paper 004: patterns of strong players", "shape=80"),
        "net": Idea(
            "paper 001: network policy mixed with the priors, network value at the leaves",
            f"net={net}",
            combined="net_weight=0.75",
        ),
    }


def players(pace: str, net: str = "default", without: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the players by name: no idea, each idea alone, all, all but one.

    `pace` is the search effort, e.g. `seconds=1` or `playouts=500`; ideas in `without` are omitted.
    """
    known = ideas(net)
    for name in without:
        if name not in known:
            raise TengenError(f"unknown idea {name!r}: use one of {', '.join(known)}")
    kept = {name: idea for name, idea in known.items() if name not in without}

    def player(names: list[str]) -> str:
        words = [kept[name].words for name in names]
        if len(names) > 1:
            words += [kept[name].combined for name in names if kept[name].combined]
        return " ".join(["tengen", pace, NOTHING, *words])

    found = {NONE: player([]), **{name: player([name]) for name in kept}}
    if len(kept) > 1:
        found[ALL] = player(list(kept))
    if len(kept) > 2:
        found |= {f"-{name}": player([k for k in kept if k != name]) for name in kept}
    return found


COLUMNS = ("size", "player", "phase", "simulations_per_cpu_s", "nodes_per_cpu_s")
PHASES = {"opening": 0.0, "middle": 0.35, "end": 0.7}
"""First move of each phase, as a share of the board's points."""
QUICK = ("threads=1", "seed=1", "playouts=100", "net=none", "resign=0")
"""Settings of the engine that plays the game for `phase_positions`."""


def phase_of(position: Position) -> str:
    """Return the phase of a position."""
    share = len(position.moves) / (position.rows * position.columns)
    return [name for name, begin in PHASES.items() if share >= begin][-1]


def phase_positions(size: int) -> dict[str, Position]:
    """Return one position per phase from a quick self-play game."""
    player, position = create_engine(EngineSettings().with_overrides(QUICK)), Position(size)
    found = {}
    for name, share in PHASES.items():
        while len(position.moves) < share * size * size and not position.is_over:
            position.play(player.think(position).move)
        found[name] = position.copy()
    return found


def measure_costs(table: CsvTable, size: int, players: Mapping[str, str], seconds: float) -> None:
    """Measure the missing costs: simulations per CPU second for each player and phase."""
    missing = [name for name in players if not table.has(size=size, player=name, phase="end")]
    positions = phase_positions(size) if missing else {}
    for name in missing:
        words = [*spec_overrides(players[name]), "threads=1", "seed=1"]
        engine = create_engine(EngineSettings().with_overrides(words))
        for phase, position in positions.items():
            if not table.has(size=size, player=name, phase=phase):
                _add(table, size, name, phase, engine, position, seconds)


def _add(
    table: CsvTable,
    size: int,
    name: str,
    phase: str,
    engine: Engine,
    position: Position,
    seconds: float,
) -> None:
    engine.restart(1)
    engine.analyze(position, SearchLimit(simulations=1))
    began_s = time.process_time()
    report = engine.analyze(position, SearchLimit.after(seconds))
    took_s = max(time.process_time() - began_s, 1e-9)
    table.add(
        size=size,
        player=name,
        phase=phase,
        simulations_per_cpu_s=round(report.simulations / took_s),
        nodes_per_cpu_s=round(report.nodes / took_s),
    )


ALONE, TOGETHER = "tab:blue", "tab:orange"


def title_of(name: str) -> str:
    """Return the label of a player in a plot."""
    if name.startswith("-"):
        return f"all but {name[1:]}"
    return "nothing" if name == NONE else name


def plot_differences(
    axes: Axes, differences: Mapping[str, tuple[float, float]], meaning: str
) -> None:
    """Plot the difference of each player to a baseline with its interval, best on top."""
    order = sorted(differences, key=lambda name: differences[name][0])
    for place, name in enumerate(order):
        value, error = differences[name]
        color = TOGETHER if name == ALL or name.startswith("-") else ALONE
        axes.errorbar([value], [place], xerr=[Z_95 * error], fmt="o", capsize=3, color=color)
    axes.axvline(0, color="gray", linewidth=0.8)
    axes.set_yticks(range(len(order)), [title_of(name) for name in order])
    axes.set_xlabel(f"{meaning} (95% intervals)")
    axes.grid(axis="x", alpha=0.3)
