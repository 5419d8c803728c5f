"""SPSA on the weights of all ideas, judged by a strong network, followed by a match.

Several starting points show whether the optimum is well determined. The match uses games that the
tuning has not seen.
"""

import argparse
import functools
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tengen.engine import EngineSettings, create_engine
from tengen.lab.labels import JudgedPosition, judged_positions
from tengen.lab.matches import (
    Comparison,
    MatchOptions,
    check_player,
    match_options_of,
    run_comparisons,
    run_tuner,
)
from tengen.lab.options import board_sizes
from tengen.lab.study import Study
from tengen.lab.together.ideas import NOTHING
from tengen.lab.together.losses import choice_quality
from tengen.match import file_identity
from tengen.match.tuning import Duel, DuelResult, Parameter, Spsa, SpsaSettings, fill_template
from tengen.util import TengenError

PLAYER = (
    "prior=bigmove@{bigmove},before={bigmove_before} "
    "prior=potential@{potential},filter=pf9,use=prior,switch=0.75,depth={potential_depth} "
    "prior=metric@{metric},depth=0"
)
"""Ideas that are sources; the weights of the others are appended as `name=value`."""

PARAMETERS = (
    Parameter("tactics", 0, 80),
    Parameter("patterns", 0, 80),
    Parameter("distance", 0, 40),
    Parameter("lines", 0, 80),
    Parameter("shape", 0, 240),
    Parameter("bigmove", 0.1, 160),
    Parameter("bigmove_before", 2, 60, whole=True),
    Parameter("potential", 0.1, 80),
    Parameter("potential_depth", 0, 6, whole=True),
    Parameter("metric", 0.1, 80),
)
"""Equivalent visits and limits of move number and depth; a source needs a positive weight."""
NET_PARAMETERS = (Parameter("net_weight", 0, 1), Parameter("playout_share", 0, 1))
"""Share of the network in the policy, and of the playout in the leaf value (lambda)."""

STARTS: dict[str, tuple[float, ...]] = {
    "tengen": (20, 14, 7, 20, 80, 5, 20, 5, 0, 5, 0.9, 0.05),
    "papers": (20, 14, 7, 20, 80, 160, 50, 20, 6, 20, 0.25, 0.7),
    "low": (5, 5, 5, 5, 10, 5, 10, 5, 0, 5, 0.75, 0.5),
}
"""Initial values in the order of the parameters."""


def parameters_from(start: str, has_net: bool) -> tuple[Parameter, ...]:
    """Return the parameters with the values of a starting point; raise TengenError if unknown."""
    if start not in STARTS:
        raise TengenError(f"unknown starting point {start!r}: use one of {', '.join(STARTS)}")
    wanted = PARAMETERS + (NET_PARAMETERS if has_net else ())
    values = STARTS[start][: len(wanted)]
    return tuple(replace(p, start=value) for p, value in zip(wanted, values, strict=True))


def template(pace: str, net: str) -> str:
    """Return the player with placeholders for the weights."""
    return f"tengen {pace} threads=1 memory_mib=64 {NOTHING} net={net} {PLAYER}"


NO_NET = "none"


@dataclass(frozen=True)
class ChoiceObjective:
    """Two settings choose moves in the same positions; the judge compares their quality."""

    template: str
    labels: Path
    size: int
    positions: int
    """Number of positions from which each duel draws."""
    batch: int
    simulations: int
    seed: int

    def task(self, duel: Duel) -> "ChoiceTask":
        """Draw the positions and return the task."""
        rng = np.random.default_rng([self.seed, duel.number])
        numbers = rng.choice(self.positions, self.batch, replace=False).tolist()
        texts = fill_template(self.template, duel.first), fill_template(self.template, duel.second)
        return ChoiceTask(self, texts, tuple(numbers))


@dataclass(frozen=True)
class ChoiceTask:
    """Two players and the positions of a duel."""

    objective: ChoiceObjective
    players: tuple[str, str]
    numbers: tuple[int, ...]

    def run(self) -> DuelResult:
        """Let both players choose and return the result."""
        o = self.objective
        judged = _positions(o.labels, o.size, o.positions, o.seed)
        entries = [judged[number] for number in self.numbers]
        first, second = (_mean_quality(text, entries, o.simulations) for text in self.players)
        return DuelResult((1 + first - second) / 2, games=o.batch)


@functools.cache
def _positions(labels: Path, size: int, count: int, seed: int) -> list[JudgedPosition]:
    return judged_positions(labels, size, count, seed)


def _mean_quality(text: str, entries: list[JudgedPosition], simulations: int) -> float:
    engine = create_engine(EngineSettings().with_overrides([*text.split()[1:], "seed=1"]))
    return float(np.mean([choice_quality(engine, entry, simulations) for entry in entries]))


def run(arguments: argparse.Namespace) -> int:
    """Tune from every starting point, then play the results against the default engine."""
    options = match_options_of(arguments)
    check(arguments, options)
    names = ("labels", "net", "starts", "iterations", "batch", "simulations", "positions", "pace")
    identity = {name: str(getattr(arguments, name)) for name in names}
    files = file_identity([_opponent(arguments)])
    settings = identity | options.identity | files
    study = Study(arguments.output, "Together: all weights by SPSA", settings)
    found = {start: tuned(arguments, options, start) for start in arguments.starts.split(",")}
    for start, values in found.items():
        print(f"{start}: {' '.join(f'{name}={value:.3g}' for name, value in values.items())}")
    print(run_comparisons(study, comparisons(arguments, found), options))
    return 0


def check(arguments: argparse.Namespace, options: MatchOptions) -> None:
    """Raise TengenError for errors that would otherwise appear only after the tuning."""
    for start in arguments.starts.split(","):
        parameters_from(start, arguments.net != NO_NET)
    if arguments.batch > arguments.positions:
        raise TengenError(
            f"--batch {arguments.batch} must not exceed --positions {arguments.positions}"
        )
    _positions(arguments.labels, board_sizes(options.size)[0], arguments.positions, options.seed)
    check_player("the match", _opponent(arguments))


def _opponent(arguments: argparse.Namespace) -> str:
    """Return the engine with default settings."""
    return f"tengen {arguments.pace} threads=1 memory_mib=64 net={arguments.net}"


def tuned(arguments: argparse.Namespace, options: MatchOptions, start: str) -> dict[str, float]:
    """Return the recommendation of SPSA from a starting point."""
    parameters = parameters_from(start, arguments.net != NO_NET)
    tuner = Spsa(parameters, SpsaSettings(arguments.iterations, arguments.step), options.seed)
    objective = ChoiceObjective(
        template(f"playouts={arguments.simulations}", arguments.net),
        arguments.labels,
        board_sizes(options.size)[0],
        arguments.positions,
        arguments.batch,
        arguments.simulations,
        options.seed,
    )
    identity = {
        "objective": str(objective),
        "parameters": str(parameters),
        "step": arguments.step,
        **file_identity([objective.template]),
    }
    folder = arguments.output / start
    run_tuner(tuner, objective, identity, folder, options.workers, options.cluster)
    return tuner.recommend()


def comparisons(
    arguments: argparse.Namespace, found: dict[str, dict[str, float]]
) -> list[Comparison]:
    """Return each result against the engine with default settings."""
    player, opponent = template(arguments.pace, arguments.net), _opponent(arguments)
    return [
        Comparison(start, (fill_template(player, values), opponent), f"from {start}")
        for start, values in found.items()
    ]
