"""What a strong net says of the moves that each player chooses at equal time.

Games tell a strength, but hundreds are needed to tell it well. The worth of single moves is told
well by some hundred positions. The time is the processor's: each player gets the simulations that
it makes in it at that phase of the game, so a busy machine changes nothing.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.lab.opponents import named
from tengen.lab.options import board_sizes
from tengen.lab.progress import progress
from tengen.lab.study import Row, Study, Table
from tengen.lab.together.compare import COMMON, identity_of, own_players
from tengen.lab.together.costs import COLUMNS, measure_costs, phase_of
from tengen.lab.together.ideas import ideas
from tengen.lab.together.judged import Judged, judged_positions
from tengen.lab.together.pictures import plot_differences, title_of
from tengen.match.stats import Z_95
from tengen.search.limit import Limit

TITLE = "Together: what the chosen moves are worth"
CHOICES = ("size", "player", "number", "phase", "simulations", "worth")

Worths = npt.NDArray[np.float64]


def run(arguments: argparse.Namespace) -> int:
    """Let every player choose on every position, from where it was; write the report."""
    sizes = board_sizes(arguments.size)
    pace = f"seconds={arguments.seconds:g}"
    players = own_players(arguments, pace)
    if arguments.player:
        given = named(arguments.player, "NAME:SETTINGS")
        players = {name: f"tengen {pace} {COMMON} {words}" for name, words in given.items()}
    names = ("labels", "positions", "before", "all_games", "seconds", "seed")
    identity = {name: str(getattr(arguments, name)) for name in names}
    drawn = arguments.positions, arguments.seed, arguments.before, arguments.all_games
    judged = {size: judged_positions(arguments.labels, size, *drawn) for size in sizes}
    study = Study(arguments.output, TITLE, identity | identity_of(players))
    costs, choices = study.table("costs", COLUMNS), study.table("choices", CHOICES)
    with progress() as shown:
        for size in sizes:
            task = shown.add_task(f"{size}x{size}", total=len(players))
            measure_costs(costs, size, players, arguments.cost_seconds)
            for name, text in players.items():
                _choose(choices, costs, size, name, text, judged[size], arguments.seconds)
                shown.advance(task)
    about = [{"player": name, "what": text} for name, text in players.items()]
    if not arguments.player:
        about = [{"idea": name, "what": idea.about} for name, idea in ideas(arguments.net).items()]
    print(write_report(study, list(players), sizes, about))
    return 0


def _choose(
    choices: Table,
    costs: Table,
    size: int,
    name: str,
    text: str,
    judged: Sequence[Judged],
    seconds: float,
) -> None:
    """Add the choices of one player that are missing."""
    have = {int(row["number"]) for row in choices.rows if _is_of(row, size, name)}
    if len(have) == len(judged):
        return
    engine = Engine(EngineSettings().with_words([*text.split()[1:], "threads=1", "seed=1"]))
    for number, entry in enumerate(judged):
        if number not in have:
            phase = phase_of(entry.position)
            simulations = max(1, round(seconds * _pace(costs, size, name, phase)))
            worth = worth_of_choice(engine, entry, simulations)
            choices.add(
                size=size,
                player=name,
                number=number,
                phase=phase,
                simulations=simulations,
                worth=round(worth, 4),
            )


def worth_of_choice(engine: Engine, entry: Judged, simulations: int) -> float:
    """Return what the judge says of the move an engine chooses, alone with the position.

    Raise TengenError if its net or an idea fails: what is left would pass for the whole.
    """
    engine.restart(1)
    report = engine.analyse(entry.position, Limit(simulations=simulations))
    if engine.problems:
        raise TengenError(engine.problems[0])
    return entry.worth_of(report.candidates[0].move)


def _pace(costs: Table, size: int, name: str, phase: str) -> float:
    """Return the simulations a second of the processor."""
    row = next(row for row in costs.rows if _is_of(row, size, name) and row["phase"] == phase)
    return float(row["simulations_per_cpu_s"])


def _is_of(row: dict[str, str], size: int, name: str) -> bool:
    return row["size"] == str(size) and row["player"] == name


# The report


def worths(choices: Table, size: int, name: str) -> Worths:
    """Return what the player's moves were worth, by the position's number."""
    rows = [row for row in choices.rows if _is_of(row, size, name)]
    rows.sort(key=lambda row: int(row["number"]))
    return np.array([float(row["worth"]) for row in rows])


def choice_rows(choices: Table, names: Sequence[str], size: int) -> list[dict[str, object]]:
    """Return a line for each player, the best first; differences to the first of `names`."""
    base = worths(choices, size, names[0])
    found: list[dict[str, object]] = []
    for name in sorted(names, key=lambda name: -worths(choices, size, name).mean()):
        own = worths(choices, size, name)
        difference, error = paired(own, base)
        rows = [row for row in choices.rows if _is_of(row, size, name)]
        found.append(
            {
                "player": name,
                "worth": f"{own.mean():.3f}",
                f"more than {names[0]}": f"{difference:+.3f} ± {Z_95 * error:.3f}",
                "judge's own choice": f"{100 * (own == 1).mean():.0f} %",
                "simulations": f"{np.mean([float(row['simulations']) for row in rows]):.0f}",
            }
        )
    return found


def paired(own: Worths, base: Worths) -> tuple[float, float]:
    """Return the mean difference on the same positions, and its standard error."""
    difference = own - base
    return float(difference.mean()), float(difference.std(ddof=1) / len(difference) ** 0.5)


def plot_choices(axes: Axes, choices: Table, names: Sequence[str], size: int) -> None:
    """Draw each player's worth above that of the first of `names`, with its interval."""
    base = worths(choices, size, names[0])
    differences = {name: paired(worths(choices, size, name), base) for name in names}
    plot_differences(axes, differences, f"worth of a move above {title_of(names[0])}")


def write_report(
    study: Study, names: Sequence[str], sizes: Sequence[int], about: Sequence[Row]
) -> Path:
    """Write the page, with what the players are; return its path."""
    choices = study.table("choices", CHOICES)
    study.show(about, "Ideas stand alone, together (all), and all but one (-name).")
    for size in sizes:
        study.text(f"{size}x{size}", "A move's probability by that of the judge's first choice.")
        study.show(choice_rows(choices, names, size), "On the same positions; intervals of 95 %.")
        with study.figure(f"worth-{size}", f"{size}x{size}") as figure:
            plot_choices(figure.add_subplot(), choices, names, size)
    study.text("Costs", "A second of the processor, one thread, by phase of the game.")
    study.show(study.table("costs", COLUMNS), "Simulations and nodes.")
    return study.write_report()
