"""What paper 001 let play against each other, and what Tengen asks beyond it.

The paper's engine (Pachi) searched by RAVE with playouts, and mixed a net's policy into its
priors; so do these players unless they say otherwise (`POLICY_ONLY`).
"""

import argparse
from dataclasses import dataclass
from shlex import quote

from tengen.core.errors import TengenError
from tengen.engine.presets import SHORT_PLAYOUTS
from tengen.lab.contests import Contest
from tengen.lab.terms import Terms, terms_of
from tengen.network.net import SMALLEST_BOARD

POLICY_ONLY = "kind=rave playout_share=1"
"""The net names moves; playouts tell who wins."""
WEIGHTS = {0.0: 31, 0.1: 34, 0.25: 32, 0.5: 8, 0.75: 0, 0.9: 0, 1.0: 0}
"""Figure 4.1: games of 100 that the paper's engine won with this weight of its net."""
DEPTHS = {4: 11, 6: 23, 8: 30, 10: 35, 12: 41, 14: 43}
"""Figure 4.2: the same with the slow net down to this depth, fixed playouts."""
TIMED_DEPTHS = {4: 10.0, 8: 25.0, 12: 34.0, 14: 100 * 41 / 110}
"""Figure 4.3: by the clock. The last were 110 games."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
MORE = 2.5
"""The paper's stronger opponent had 25,000 playouts, its own side 10,000."""


@dataclass(frozen=True)
class Sides:
    """What the players of a study have in common."""

    unit: str
    """Of the pace: `playouts` or `seconds` a move."""
    amount: float
    net: str
    engine: str = ""
    """More settings for all sides."""

    def alone(self, more: float = 1.0) -> str:
        """Return the engine without a net, with so many times its pace."""
        return f"tengen {self._pace(more)} net=none {self.engine}".strip()

    def with_net(self, words: str, more: float = 1.0) -> str:
        """Return the engine with its net, how it is used, and so many times its pace."""
        net = quote(f"net={self.net}")
        return f"tengen {self._pace(more)} {net} {words} {self.engine}".strip()

    def _pace(self, more: float = 1.0) -> str:
        """Return the setting of the pace, so many times; playouts are whole."""
        amount = self.amount * more
        number = f"{round(amount)}" if self.unit == "playouts" else f"{amount:g}"
        return f"{self.unit}={number}"


def sides_of(arguments: argparse.Namespace) -> Sides:
    """Return the sides that the options give."""
    if arguments.seconds:
        return Sides("seconds", arguments.seconds, arguments.net, arguments.engine)
    return Sides("playouts", arguments.playouts, arguments.net, arguments.engine)


def terms_with_net(arguments: argparse.Namespace) -> Terms:
    """Return the terms of the games; raise TengenError for a board too small for nets."""
    terms = terms_of(arguments)
    setting = terms.match({"one": "", "other": ""}).setting()
    if min(setting.rows, setting.columns) < SMALLEST_BOARD:
        raise TengenError(f"nets know boards from {SMALLEST_BOARD}x{SMALLEST_BOARD} on")
    return terms


def weights(sides: Sides, opponent: str) -> list[Contest]:
    """Figures 3.3 and 4.1: each weight against a fixed opponent."""
    return [
        Contest(
            f"w{weight:g}",
            (sides.with_net(f"{POLICY_ONLY} net_weight={weight:g}"), opponent),
            f"weight {weight:g}",
            paper,
        )
        for weight, paper in WEIGHTS.items()
    ]


def depths(sides: Sides, opponent: str, fast: str) -> list[Contest]:
    """Figures 4.2 and 4.3: the slow net down to depth n, the fast one below, both at one half."""
    known = TIMED_DEPTHS if sides.unit == "seconds" else DEPTHS
    words = f"{POLICY_ONLY} net_weight=0.5 {quote(f'net_below={fast}')} net_depth="
    return [
        Contest(
            f"n{depth}",
            (sides.with_net(f"{words}{depth}"), opponent),
            f"slow net to depth {depth}",
            known.get(depth),
        )
        for depth in DEPTHS
    ]


def mixes(sides: Sides, opponent: str) -> list[Contest]:
    """How much of a leaf's value should be the playout's: lambda, fixed, and by what is left."""
    fixed = [
        Contest(
            f"lambda{share:g}",
            (sides.with_net(f"playout_share={share:g}"), opponent),
            f"{share:g} of the value from the playout",
        )
        for share in SHARES
    ]
    grows = sides.with_net("playout_share=0 playout_phase=0.7")
    falls = sides.with_net("playout_share=0.7 playout_phase=-0.7")
    short = sides.with_net(" ".join(SHORT_PLAYOUTS))
    return [
        *fixed,
        Contest("grows", (grows, opponent), "more playout late in the game"),
        Contest("falls", (falls, opponent), "less playout late in the game"),
        Contest("short", (short, opponent), "playouts of the last 65 points only"),
    ]


def both(sides: Sides) -> list[Contest]:
    """Search with a net against the net alone: its first choice, without any search."""
    choice = first_choice(sides.net, sides.engine)
    return [
        Contest("search", (sides.with_net(""), choice), "search with net - net alone", 87),
        Contest("engine", (sides.alone(), choice), "search without net - net alone"),
    ]


def first_choice(net: str, engine: str = "") -> str:
    """Return who plays the first choice of a net, without any search."""
    return f"tengen playouts=2 kind=puct {quote(f'net={net}')} {engine}".strip()


def theta_words(theta: str, cap: float) -> str:
    """Return the settings for `a,b,c` of equation 3.1; raise TengenError."""
    try:
        turn, value, weight = (float(number) for number in theta.split(","))
    except ValueError:
        raise TengenError(f"write theta as a,b,c, three numbers, not {theta!r}") from None
    adaptive = f"net_turn={turn:g} net_value={value:g} net_weight={weight:g}"
    return f"{POLICY_ONLY} {adaptive} net_cap={cap:g}"


def matches(sides: Sides, theta1: str, theta2: str, others: list[str]) -> list[Contest]:
    """Figures 4.4 to 4.13: the adaptive weights V1 and V2 against everything."""
    first = sides.with_net(theta_words(theta1, 1.0))
    words2 = theta_words(theta2, 0.25)
    second, second_more = sides.with_net(words2), sides.with_net(words2, MORE)
    half = sides.with_net(f"{POLICY_ONLY} net_weight=0.5")
    alone, more = sides.alone(), sides.alone(MORE)
    found = [
        Contest("V1-engine", (first, alone), "V1 - engine alone", 0),
        Contest("V1-half", (first, half), "V1 - weight 0.5", 0),
        Contest("V2-V1", (second, first), "V2 - V1", 100),
        Contest("V2-half", (second, half), "V2 - weight 0.5"),
        Contest("engine-half", (alone, half), "engine alone - weight 0.5"),
        Contest("V2-engine", (second, alone), "V2 - engine alone", 54),
        Contest("both-more", (second_more, more), f"the same, both {MORE:g} times as much", 48),
        Contest("V2-more", (second, more), f"V2 - engine with {MORE:g} times as much", 8),
        Contest("engine-more", (alone, more), f"engine - {MORE:g} times as much", 16),
    ]
    for number, other in enumerate(others, 1):
        found.append(Contest(f"V2-other{number}", (second, other), f"V2 - {other}"))
        found.append(Contest(f"engine-other{number}", (alone, other), f"engine - {other}"))
    return found
