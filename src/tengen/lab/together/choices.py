"""Quality of the moves that each player chooses at equal CPU time, judged by a strong network.

A few hundred positions separate players that would need hundreds of games. Each player gets the
number of simulations that it performs in the given CPU time at that phase of the game, so the load
of the machine has no effect. With `--visits`, all players get the same number of simulations.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from tengen.engine import Engine, EngineSettings, create_engine
from tengen.lab.labels import JudgedPosition, judged_positions
from tengen.lab.matches import parse_named
from tengen.lab.options import board_sizes
from tengen.lab.study import CsvTable, Row, Study, progress
from tengen.lab.together.compare import COMMON, identity_of, own_players
from tengen.lab.together.ideas import (
    COLUMNS,
    ideas,
    measure_costs,
    phase_of,
    plot_differences,
    title_of,
)
from tengen.match import Z_95
from tengen.search import SearchLimit
from tengen.util import TengenError

TITLE = "Together: quality of the chosen moves"
CHOICES = ("size", "player", "number", "phase", "simulations", "quality")

Qualities = npt.NDArray[np.float64]


def run(arguments: argparse.Namespace) -> int:
    """Let every player choose a move in every position and write the report."""
    sizes = board_sizes(arguments.size)
    pace = f"seconds={arguments.seconds:g}"
    players = own_players(arguments, pace)
    if arguments.player:
        given = parse_named(arguments.player, "NAME:SETTINGS")
        players = {name: f"tengen {pace} {COMMON} {words}" for name, words in given.items()}
    names = ("labels", "positions", "before", "all_games", "seconds", "visits", "seed")
    identity = {name: str(getattr(arguments, name)) for name in names}
    drawn = arguments.positions, arguments.seed, arguments.before, arguments.all_games
    judged = {size: judged_positions(arguments.labels, size, *drawn) for size in sizes}
    study = Study(arguments.output, TITLE, identity | identity_of(players))
    costs, choices = study.table("costs", COLUMNS), study.table("choices", CHOICES)
    with progress() as shown:
        for size in sizes:
            task = shown.add_task(f"{size}x{size}", total=len(players))
            if not arguments.visits:
                measure_costs(costs, size, players, arguments.cost_seconds)
            for name, text in players.items():
                own = _Pace(costs, size, name, arguments.seconds, arguments.visits)
                _choose(choices, own, text, judged[size])
                shown.advance(task)
    about = [{"player": name, "what": text} for name, text in players.items()]
    if not arguments.player:
        about = [{"idea": name, "what": idea.about} for name, idea in ideas(arguments.net).items()]
    print(write_report(study, list(players), sizes, about))
    return 0


class _Pace(NamedTuple):
    """The simulations per position of one player: `visits` if not 0, or by its costs."""

    costs: CsvTable
    size: int
    name: str
    seconds: float
    visits: int

    def simulations(self, phase: str) -> int:
        """Return the simulations for a position in a phase of the game."""
        if self.visits:
            return self.visits
        rows = (row for row in self.costs.rows if _is_of(row, self.size, self.name))
        row = next(row for row in rows if row["phase"] == phase)
        return max(1, round(self.seconds * float(row["simulations_per_cpu_s"])))


def _choose(choices: CsvTable, pace: _Pace, text: str, judged: Sequence[JudgedPosition]) -> None:
    """Add the missing choices of one player."""
    size, name = pace.size, pace.name
    have = {int(row["number"]) for row in choices.rows if _is_of(row, size, name)}
    if len(have) == len(judged):
        return
    engine = create_engine(
        EngineSettings().with_overrides([*text.split()[1:], "threads=1", "seed=1"])
    )
    for number, entry in enumerate(judged):
        if number not in have:
            phase = phase_of(entry.position)
            simulations = pace.simulations(phase)
            quality = choice_quality(engine, entry, simulations)
            choices.add(
                size=size,
                player=name,
                number=number,
                phase=phase,
                simulations=simulations,
                quality=round(quality, 4),
            )


def choice_quality(engine: Engine, entry: JudgedPosition, simulations: int) -> float:
    """Return the quality of the move that an engine chooses from a fresh tree.

    Raise TengenError if its network or a source fails.
    """
    engine.restart(1)
    report = engine.analyze(entry.position, SearchLimit(simulations=simulations))
    if engine.problems:
        raise TengenError(engine.problems[0])
    return entry.quality_of(report.candidates[0].move)


def _is_of(row: dict[str, str], size: int, name: str) -> bool:
    return row["size"] == str(size) and row["player"] == name


def move_qualities(choices: CsvTable, size: int, name: str) -> Qualities:
    """Return the move qualities of a player in the order of positions."""
    rows = [row for row in choices.rows if _is_of(row, size, name)]
    rows.sort(key=lambda row: int(row["number"]))
    return np.array([float(row["quality"]) for row in rows])


def choice_rows(choices: CsvTable, names: Sequence[str], size: int) -> list[dict[str, object]]:
    """Return a row per player, best first, with differences to the first of `names`."""
    base = move_qualities(choices, size, names[0])
    found: list[dict[str, object]] = []
    for name in sorted(names, key=lambda name: -move_qualities(choices, size, name).mean()):
        own = move_qualities(choices, size, name)
        difference, error = paired(own, base)
        rows = [row for row in choices.rows if _is_of(row, size, name)]
        found.append(
            {
                "player": name,
                "quality": f"{own.mean():.3f}",
                f"vs. {names[0]}": f"{difference:+.3f} ± {Z_95 * error:.3f}",
                "first choices": f"{100 * (own == 1).mean():.0f}%",
                "simulations": f"{np.mean([float(row['simulations']) for row in rows]):.0f}",
            }
        )
    return found


def paired(own: Qualities, base: Qualities) -> tuple[float, float]:
    """Return the mean difference on the same positions and its standard error."""
    difference = own - base
    return float(difference.mean()), float(difference.std(ddof=1) / len(difference) ** 0.5)


def plot_choices(axes: Axes, choices: CsvTable, names: Sequence[str], size: int) -> None:
    """Plot the difference of each player to the first of `names`, with its interval."""
    base = move_qualities(choices, size, names[0])
    differences = {name: paired(move_qualities(choices, size, name), base) for name in names}
    plot_differences(axes, differences, f"move quality minus {title_of(names[0])}")


def write_report(
    study: Study, names: Sequence[str], sizes: Sequence[int], about: Sequence[Row]
) -> Path:
    """Write the report; return its path."""
    choices = study.table("choices", CHOICES)
    study.add_table(about, "Ideas alone, together (all), and all but one (-name).")
    for size in sizes:
        study.add_section(
            f"{size}x{size}",
            "Quality: the network's probability of the move divided by that of its first choice.",
        )
        study.add_table(
            choice_rows(choices, names, size),
            "On the same positions; 95% confidence intervals.",
            name=f"choices-{size}",
        )
        with study.figure(f"quality-{size}", f"{size}x{size}") as figure:
            plot_choices(figure.add_subplot(), choices, names, size)
    if (costs := study.table("costs", COLUMNS)).rows:
        about_costs = "Simulations and nodes per CPU second, one thread, by phase of the game."
        study.add_section("Costs", about_costs)
        study.add_table(costs, "Costs.", name="costs")
    return study.write_report()
