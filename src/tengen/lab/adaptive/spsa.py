"""Figures 4.5 and 4.6: theta of equation 3.1 by SPSA, and whether it was worth the way.

As the paper did: on a position of a game, the engine with theta a little this way and a little
that way chooses a move, and a stronger engine values both. Then the last theta meets those on the
way in games.
"""

import argparse
from collections.abc import Sequence

from tengen.lab.adaptive.commands import START1, START2
from tengen.lab.adaptive.contests import (
    POLICY_ONLY,
    Sides,
    sides_of,
    terms_with_net,
    theta_words,
)
from tengen.lab.contests import Contest, run_contests
from tengen.lab.study import Study
from tengen.lab.terms import Terms
from tengen.lab.tuning import tune_to_end
from tengen.tune.config import TuneConfig, tune_config
from tengen.tune.spsa import Spsa

CAPS = {"V1": 1.0, "V2": 0.25}
STARTS = {"V1": START1, "V2": START2}
RANGES = (("net_turn", -0.02, 0.02), ("net_value", -2.0, 2.0), ("net_weight", -2.0, 2.0))
"""Of a, b and c: at the ends, a game of 100 moves or a won one is all the net's or the engine's."""


def run_spsa(arguments: argparse.Namespace) -> int:
    """Tune theta, from where it was, and let the last one meet those on the way."""
    terms, sides = terms_with_net(arguments), sides_of(arguments)
    config = spsa_config(arguments, sides, terms)
    identity = {**config.identity, **terms.identity}
    study = Study(arguments.output, f"{arguments.version}: theta by SPSA", identity)
    tuner = config.tuner()
    assert isinstance(tuner, Spsa)
    place = arguments.output / "tuning"
    tune_to_end(tuner, config.objective(), config.identity, place, terms.workers, terms.cluster)
    cap = CAPS[arguments.version]
    history = [theta.tolist() for theta in tuner.history]
    entrants = on_the_way(history, arguments.every, sides, cap)
    print(f"theta {theta_text(history[-1])}; its way: {place}")
    print(run_contests(study, entrants, terms))
    return 0


def spsa_config(arguments: argparse.Namespace, sides: Sides, terms: Terms) -> TuneConfig:
    """Return the tuning that the options describe; raise TengenError."""
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
        "player": sides.with_net(f"{POLICY_ONLY} net_cap={cap:g}"),
        "iterations": arguments.iterations,
        "size": terms.size,
        "komi": terms.komi,
        "seed": terms.seed,
        "parameters": entries,
        "judge": {"command": arguments.judge, "positions": str(arguments.positions)},
    }
    return tune_config(table, "tengen lab adaptive spsa")


def theta_text(theta: Sequence[float]) -> str:
    """Return `a,b,c`."""
    return ",".join(f"{number:.4g}" for number in theta)


def on_the_way(
    history: Sequence[Sequence[float]], every: int, sides: Sides, cap: float
) -> list[Contest]:
    """Return the last theta against every so many-th before it."""
    last = sides.with_net(theta_words(theta_text(history[-1]), cap))
    return [
        Contest(
            f"theta{step}",
            (last, sides.with_net(theta_words(theta_text(history[step]), cap))),
            f"the last theta - that after {step} iterations",
        )
        for step in range(0, len(history) - 1, every)
    ]
