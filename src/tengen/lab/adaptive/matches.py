"""Matches of paper 001 and related comparisons, and SPSA for theta of the adaptive weight.

The paper's engine (Pachi) searched with RAVE and playouts and mixed the network policy into its
priors. Players with `POLICY_ONLY` do the same.

SPSA (eq. 3.1, figures 4.5 and 4.6): as in the paper, the engine chooses a move with two perturbed
thetas on a position from a game, and a stronger engine evaluates both moves. Then the final theta
plays against intermediate ones.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from tengen.engine import LATE_PLAYOUTS
from tengen.lab.matches import (
    Comparison,
    MatchOptions,
    match_options_of,
    run_comparisons,
    run_tuner,
)
from tengen.lab.study import Study
from tengen.match import file_identity
from tengen.match.tuning import Spsa, TuneConfig, tune_config
from tengen.nets import MIN_BOARD_SIZE
from tengen.util import TengenError

START1, START2 = "-0.002,-0.5,0.8", "-0.0005,-0.1,0.25"
"""Initial values of SPSA; the paper does not report theta."""
POLICY_ONLY = "algorithm=rave playout_share=1"
"""The network provides the policy, playouts provide the values."""
WEIGHTS = {0.0: 31, 0.1: 34, 0.25: 32, 0.5: 8, 0.75: 0, 0.9: 0, 1.0: 0}
"""Figure 4.1: games of 100 won by the paper's engine, by weight of the network."""
DEPTHS = {4: 11, 6: 23, 8: 30, 10: 35, 12: 41, 14: 43}
"""Figure 4.2: games of 100 won with the slow network down to this depth, at fixed playouts."""
TIMED_DEPTHS = {4: 10.0, 8: 25.0, 12: 34.0, 14: 100 * 41 / 110}
"""Figure 4.3: percentage won at fixed time; the last entry is from 110 games."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
MORE = 2.5
"""Ratio of playouts between the paper's stronger opponent (25,000) and its own engine (10,000)."""


@dataclass(frozen=True)
class Sides:
    """Settings shared by the players of a study."""

    unit: str
    """Unit of the search effort: `playouts` or `seconds` per move."""
    amount: float
    net: str
    engine: str = ""
    """Additional settings of all players."""

    def alone(self, more: float = 1.0) -> str:
        """Return the engine without network, with its effort multiplied by `more`."""
        return f"tengen {self._pace(more)} net=none {self.engine}".strip()

    def with_net(self, words: str, more: float = 1.0) -> str:
        """Return the engine with network and settings, with its effort multiplied by `more`."""
        net = quote(f"net={self.net}")
        return f"tengen {self._pace(more)} {net} {words} {self.engine}".strip()

    def _pace(self, more: float = 1.0) -> str:
        """Return the setting of the search effort; playouts are rounded."""
        amount = self.amount * more
        number = f"{round(amount)}" if self.unit == "playouts" else f"{amount:g}"
        return f"{self.unit}={number}"


def sides_of(arguments: argparse.Namespace) -> Sides:
    """Return the shared settings given on the command line."""
    if arguments.seconds:
        return Sides("seconds", arguments.seconds, arguments.net, arguments.engine)
    return Sides("playouts", arguments.playouts, arguments.net, arguments.engine)


def match_options_with_net(arguments: argparse.Namespace) -> MatchOptions:
    """Return the match options; raise TengenError if the board is too small for networks."""
    options = match_options_of(arguments)
    setting = options.match({"one": "", "other": ""}).settings()
    if min(setting.rows, setting.columns) < MIN_BOARD_SIZE:
        raise TengenError(f"networks need boards of at least {MIN_BOARD_SIZE}x{MIN_BOARD_SIZE}")
    return options


def weights(sides: Sides, opponent: str) -> list[Comparison]:
    """Compare fixed weights with an opponent (figures 3.3 and 4.1)."""
    return [
        Comparison(
            f"w{weight:g}",
            (sides.with_net(f"{POLICY_ONLY} net_weight={weight:g}"), opponent),
            f"weight {weight:g}",
            paper,
        )
        for weight, paper in WEIGHTS.items()
    ]


def depths(sides: Sides, opponent: str, fast: str) -> list[Comparison]:
    """Use the slow network down to a depth and the fast one below, both at weight 0.5 (figures 4.2,
    4.3).
    """
    known = TIMED_DEPTHS if sides.unit == "seconds" else DEPTHS
    words = f"{POLICY_ONLY} net_weight=0.5 {quote(f'net_below={fast}')} net_depth="
    return [
        Comparison(
            f"n{depth}",
            (sides.with_net(f"{words}{depth}"), opponent),
            f"slow network to depth {depth}",
            known.get(depth),
        )
        for depth in DEPTHS
    ]


def mixes(sides: Sides, opponent: str) -> list[Comparison]:
    """Compare fixed and phase-dependent shares of the playout in the leaf value (lambda)."""
    fixed = [
        Comparison(
            f"lambda{share:g}",
            (sides.with_net(f"playout_share={share:g}"), opponent),
            f"playout share {share:g}",
        )
        for share in SHARES
    ]
    grows = sides.with_net("playout_share=0 playout_phase=0.7")
    falls = sides.with_net("playout_share=0.7 playout_phase=-0.7")
    short = sides.with_net(" ".join(LATE_PLAYOUTS))
    return [
        *fixed,
        Comparison("grows", (grows, opponent), "playout share grows during the game"),
        Comparison("falls", (falls, opponent), "playout share falls during the game"),
        Comparison("short", (short, opponent), "playouts in the last 65 points only"),
    ]


def both(sides: Sides) -> list[Comparison]:
    """Compare search with the network's first choice without search."""
    choice = first_choice(sides.net, sides.engine)
    return [
        Comparison(
            "search", (sides.with_net(""), choice), "search with network vs. network alone", 87
        ),
        Comparison("engine", (sides.alone(), choice), "search without network vs. network alone"),
    ]


def first_choice(net: str, engine: str = "") -> str:
    """Return a player that plays the network's first choice without search."""
    return f"tengen playouts=2 algorithm=puct {quote(f'net={net}')} {engine}".strip()


def theta_words(theta: str, cap: float) -> str:
    """Return the settings of theta `a,b,c` (paper 001, eq. 3.1); raise TengenError."""
    try:
        turn, value, weight = (float(number) for number in theta.split(","))
    except ValueError:
        raise TengenError(f"theta must be three numbers a,b,c, got {theta!r}") from None
    adaptive = f"net_turn={turn:g} net_value={value:g} net_weight={weight:g}"
    return f"{POLICY_ONLY} {adaptive} net_max_weight={cap:g}"


def matches(sides: Sides, theta1: str, theta2: str, others: list[str]) -> list[Comparison]:
    """Compare the adaptive weights V1 and V2 with other players (figures 4.4 to 4.13)."""
    first = sides.with_net(theta_words(theta1, 1.0))
    words2 = theta_words(theta2, 0.25)
    second, second_more = sides.with_net(words2), sides.with_net(words2, MORE)
    half = sides.with_net(f"{POLICY_ONLY} net_weight=0.5")
    alone, more = sides.alone(), sides.alone(MORE)
    found = [
        Comparison("V1-engine", (first, alone), "V1 vs. engine without network", 0),
        Comparison("V1-half", (first, half), "V1 vs. weight 0.5", 0),
        Comparison("V2-V1", (second, first), "V2 vs. V1", 100),
        Comparison("V2-half", (second, half), "V2 vs. weight 0.5"),
        Comparison("engine-half", (alone, half), "engine without network vs. weight 0.5"),
        Comparison("V2-engine", (second, alone), "V2 vs. engine without network", 54),
        Comparison(
            "both-more",
            (second_more, more),
            f"the same with {MORE:g} times the effort for both",
            48,
        ),
        Comparison(
            "V2-more",
            (second, more),
            f"V2 vs. engine without network with {MORE:g} times the effort",
            8,
        ),
        Comparison(
            "engine-more",
            (alone, more),
            f"engine without network vs. {MORE:g} times the effort",
            16,
        ),
    ]
    for number, other in enumerate(others, 1):
        found.append(Comparison(f"V2-other{number}", (second, other), f"V2 vs. {other}"))
        found.append(
            Comparison(
                f"engine-other{number}", (alone, other), f"engine without network vs. {other}"
            )
        )
    return found


TITLES = {
    "weights": "Weight of the network policy",
    "depth": "Two networks by depth",
    "matches": "Adaptive weights",
    "lambda": "Playout and network in the leaf value",
    "both": "Search with a network and the network alone",
}


def run(arguments: argparse.Namespace) -> int:
    """Play the matches of an experiment and write the report."""
    options = match_options_with_net(arguments)
    comparisons_of = chosen(arguments)
    players = {comparison.name: " | ".join(comparison.players) for comparison in comparisons_of}
    files = file_identity(player for comparison in comparisons_of for player in comparison.players)
    identity = {**options.identity, "players": players, **files}
    study = Study(arguments.output, TITLES[arguments.experiment], identity)
    print(run_comparisons(study, comparisons_of, options))
    return 0


def chosen(arguments: argparse.Namespace) -> list[Comparison]:
    """Return the comparisons of an experiment; raise TengenError."""
    sides = sides_of(arguments)
    opponent = getattr(arguments, "opponent", "") or sides.alone()
    if arguments.experiment == "weights":
        return weights(sides, opponent)
    if arguments.experiment == "depth":
        if arguments.net == arguments.fast:
            raise TengenError("the slow and the fast network are the same: set --net or --fast")
        return depths(sides, opponent, arguments.fast)
    if arguments.experiment == "lambda":
        return mixes(sides, opponent)
    if arguments.experiment == "both":
        return both(sides)
    return matches(sides, arguments.theta1, arguments.theta2, arguments.other)


CAPS = {"V1": 1.0, "V2": 0.25}
STARTS = {"V1": START1, "V2": START2}
RANGES = (("net_turn", -0.02, 0.02), ("net_value", -2.0, 2.0), ("net_weight", -2.0, 2.0))
"""Ranges of a, b and c; at the ends a game of 100 moves or a won game uses one evaluator alone."""


def run_spsa(arguments: argparse.Namespace) -> int:
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
    comparisons = intermediate_comparisons(history, arguments.every, sides, cap)
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


def intermediate_comparisons(
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
