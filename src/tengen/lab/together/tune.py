"""All weights at once by SPSA, judged by a strong net's word on the moves; then a match.

From several starts: if they end in different places of equal worth, the place says little. The
match is of games of its own, which the tuning has not seen.
"""

import argparse
import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.lab.contests import Contest, run_contests
from tengen.lab.opponents import check_program
from tengen.lab.options import board_sizes
from tengen.lab.study import Study
from tengen.lab.terms import Terms, terms_of
from tengen.lab.together.choices import worth_of_choice
from tengen.lab.together.judged import Judged, judged_positions
from tengen.lab.together.weights import parameters_from, template
from tengen.lab.tuning import tune_to_end
from tengen.match.named_files import named_files
from tengen.tune.duel import Duel, DuelResult
from tengen.tune.parameter import fill
from tengen.tune.spsa import Spsa, SpsaSettings

NO_NET = "none"


@dataclass(frozen=True)
class ChoiceObjective:
    """Both settings choose moves on the same few positions; the judge tells what they are worth."""

    template: str
    labels: Path
    size: int
    positions: int
    """Of which each duel draws its own."""
    batch: int
    simulations: int
    seed: int

    def task(self, duel: Duel) -> "ChoiceTask":
        """Draw the positions and return the task."""
        dice = np.random.default_rng([self.seed, duel.number])
        numbers = dice.choice(self.positions, self.batch, replace=False).tolist()
        texts = fill(self.template, duel.first), fill(self.template, duel.second)
        return ChoiceTask(self, texts, tuple(numbers))


@dataclass(frozen=True)
class ChoiceTask:
    """Two players and the positions they look at."""

    objective: ChoiceObjective
    players: tuple[str, str]
    numbers: tuple[int, ...]

    def run(self) -> DuelResult:
        """Let both choose."""
        o = self.objective
        judged = _positions(o.labels, o.size, o.positions, o.seed)
        entries = [judged[number] for number in self.numbers]
        first, second = (_mean_worth(text, entries, o.simulations) for text in self.players)
        return DuelResult((1 + first - second) / 2, games=o.batch)


@functools.cache
def _positions(labels: Path, size: int, count: int, seed: int) -> list[Judged]:
    return judged_positions(labels, size, count, seed)


def _mean_worth(text: str, entries: list[Judged], simulations: int) -> float:
    engine = Engine(EngineSettings().with_words([*text.split()[1:], "seed=1"]))
    return float(np.mean([worth_of_choice(engine, entry, simulations) for entry in entries]))


def run(arguments: argparse.Namespace) -> int:
    """Tune from every start, from where it was, and let what was found meet the engine as it is."""
    terms = terms_of(arguments)
    check(arguments, terms)
    names = ("labels", "net", "starts", "iterations", "batch", "simulations", "positions", "pace")
    identity = {name: str(getattr(arguments, name)) for name in names}
    files = named_files([_opponent(arguments)])
    settings = identity | terms.identity | files
    study = Study(arguments.output, "Together: all weights by SPSA", settings)
    found = {start: tuned(arguments, terms, start) for start in arguments.starts.split(",")}
    for start, values in found.items():
        print(f"{start}: {' '.join(f'{name}={value:.3g}' for name, value in values.items())}")
    print(run_contests(study, contests(arguments, found), terms))
    return 0


def check(arguments: argparse.Namespace, terms: Terms) -> None:
    """Raise TengenError for whatever would show only after hours of tuning."""
    for start in arguments.starts.split(","):
        parameters_from(start, arguments.net != NO_NET)
    if arguments.batch > arguments.positions:
        raise TengenError(
            f"{arguments.batch} positions an iteration, of {arguments.positions} to draw from"
        )
    _positions(arguments.labels, board_sizes(terms.size)[0], arguments.positions, terms.seed)
    check_program("the match", _opponent(arguments))


def _opponent(arguments: argparse.Namespace) -> str:
    """Return the engine with what it knows by default."""
    return f"tengen {arguments.pace} threads=1 memory_mib=64 net={arguments.net}"


def tuned(arguments: argparse.Namespace, terms: Terms, start: str) -> dict[str, float]:
    """Return what SPSA recommends from a start."""
    parameters = parameters_from(start, arguments.net != NO_NET)
    tuner = Spsa(parameters, SpsaSettings(arguments.iterations, arguments.step), terms.seed)
    objective = ChoiceObjective(
        template(f"playouts={arguments.simulations}", arguments.net),
        arguments.labels,
        board_sizes(terms.size)[0],
        arguments.positions,
        arguments.batch,
        arguments.simulations,
        terms.seed,
    )
    identity = {
        "objective": str(objective),
        "parameters": str(parameters),
        "step": arguments.step,
        **named_files([objective.template]),
    }
    folder = arguments.output / start
    tune_to_end(tuner, objective, identity, folder, terms.workers, terms.cluster)
    return tuner.recommend()


def contests(arguments: argparse.Namespace, found: dict[str, dict[str, float]]) -> list[Contest]:
    """Return each result against the engine with what it knows by default."""
    player, opponent = template(arguments.pace, arguments.net), _opponent(arguments)
    return [
        Contest(start, (fill(player, values), opponent), f"from {start}")
        for start, values in found.items()
    ]
