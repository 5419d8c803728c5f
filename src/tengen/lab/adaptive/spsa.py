"""SPSA for theta of the adaptive weight (paper 001, eq. 3.1, figures 4.5 and 4.6).

As in the paper, the engine chooses a move with two perturbed thetas on a position from a game, and
a stronger engine evaluates both moves. Then the final theta plays against intermediate ones.
"""

import argparse
from collections.abc import Sequence

from tengen.lab.adaptive.matches import (
    POLICY_ONLY,
    START1,
    START2,
    Sides,
    match_options_with_net,
    sides_of,
    theta_words,
)
from tengen.lab.matches import Comparison, MatchOptions, run_comparisons, run_tuner
from tengen.lab.study import Study
from tengen.match.tuning import Spsa, TuneConfig, tune_config

CAPS = {"V1": 1.0, "V2": 0.25}
STARTS = {"V1": START1, "V2": START2}
RANGES = (("net_turn", -0.02, 0.02), ("net_value", -2.0, 2.0), ("net_weight", -2.0, 2.0))
"""Ranges of a, b and c; at the ends a game of 100 moves or a won game uses one evaluator alone."""


def run(arguments: argparse.Namespace) -> int:
    """Tune theta, resuming where possible, and play it against intermediate values."""
    options, sides = match_options_with_net(arguments), sides_of(arguments)
    config = spsa_config(arguments, sides, options)
    identity = {**config.identity, **options.identity}
    study = Study(arguments.output, f"{arguments.version}: theta by SPSA", identity)
    tuner = config.tuner()
    assert isinstance(tuner, Spsa)
    place = arguments.output / "tuning"
    run_tuner(tuner, config.objective(), config.identity, place, options.workers, options.cluster)
    cap = CAPS[arguments.version]
    history = [theta.tolist() for theta in tuner.history]
    comparisons = on_the_way(history, arguments.every, sides, cap)
    print(f"theta {theta_text(history[-1])}; tuning log: {place}")
    print(run_comparisons(study, comparisons, options))
    return 0


def spsa_config(arguments: argparse.Namespace, sides: Sides, options: MatchOptions) -> TuneConfig:
    """Return the tuning configuration of the command line; raise TengenError."""
    start = arguments.theta or STARTS[arguments.version]
    theta_words(start, 1.0)
    firsts = [float(number) for number in start.split(",")]
    entries = [
        {"name": name, "low": low, "high": high, "start": first}
        for (name, low, high), first in zip(RANGES, firsts, strict=True)
    ]
    cap = CAPS[arguments.version]
    table = {
        "method": "spsa",
        "player": sides.with_net(f"{POLICY_ONLY} net_max_weight={cap:g}"),
        "iterations": arguments.iterations,
        "size": options.size,
        "komi": options.komi,
        "seed": options.seed,
        "parameters": entries,
        "reference": {"command": arguments.judge, "positions": str(arguments.positions)},
    }
    return tune_config(table, "tengen lab adaptive spsa")


def theta_text(theta: Sequence[float]) -> str:
    """Return theta as `a,b,c`."""
    return ",".join(f"{number:.4g}" for number in theta)


def on_the_way(
    history: Sequence[Sequence[float]], every: int, sides: Sides, cap: float
) -> list[Comparison]:
    """Return the final theta against every `every`-th earlier one."""
    last = sides.with_net(theta_words(theta_text(history[-1]), cap))
    return [
        Comparison(
            f"theta{step}",
            (last, sides.with_net(theta_words(theta_text(history[step]), cap))),
            f"final theta vs. theta after {step} iterations",
        )
        for step in range(0, len(history) - 1, every)
    ]
