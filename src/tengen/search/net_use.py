"""How much the word of a net counts in the tree, and what that may depend on."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.core.parameters import check, parameter
from tengen.search.kernels.leaves import MOST_LEAVES, Mixing
from tengen.search.kernels.selection import PUCT

Floats = npt.NDArray[np.floating]

ROOT_READING, BEST_READING = "root", "best"


class Moment(NamedTuple):
    """What an adaptive weight may depend on: the root, and the leaves that the net has seen."""

    turns: npt.NDArray[np.integer]
    """The move number of each leaf."""
    points: int
    """Of the board."""
    value: float = 0.5
    """The win rate to play at the root."""
    best_value: float = 0.5
    """That of the root's most visited move."""
    spread: float = 0.0
    """The standard deviation of the win rates of the root's moves."""
    entropy: Floats | float = 0.0
    """Of the policy at each leaf: 0 if it knows one move only, 1 if all are alike."""


class Stage(NamedTuple):
    """What the share of the playouts may depend on."""

    played: int
    """Moves of the game so far."""
    points: int
    """Of the board."""
    difference_points: float = 0.0
    """By how much net and playouts differ on the score."""


START = Stage(0, 1)
"""Before there is a board."""


@dataclass(frozen=True)
class NetUse:
    """How much the word of a net counts in the tree.

    The weight of its policy beside the engine's own priors is `net_turn * turn + net_value * value
    + net_weight` (paper 001, eq. 3.1), from 0 to `net_cap`: fixed unless a term beside
    `net_weight` is given. Spread, entropy and phase are the paper's outlook.
    """

    net_weight: float = parameter(
        1.0, "share of the net's policy beside the engine's priors", low=-10, high=10
    )
    net_turn: float = parameter(
        0.0, "how that share grows with every move of the game", low=-1, high=1, origin="paper 001"
    )
    net_value: float = parameter(
        0.0, "how it grows with the win rate", low=-10, high=10, origin="paper 001"
    )
    net_reading: str = parameter(
        ROOT_READING,
        "whose win rate: the root's, or its best move's",
        choices=(ROOT_READING, BEST_READING),
        origin="paper 001 does not tell",
    )
    net_phase: float = parameter(
        0.0, "how it grows with the share of the board that was played on", low=-10, high=10
    )
    net_spread: float = parameter(
        0.0, "how it grows with the spread of the root's win rates", low=-100, high=100
    )
    net_entropy: float = parameter(
        0.0, "how it grows with the entropy of the policy, 0 to 1", low=-10, high=10
    )
    net_cap: float = parameter(
        1.0, "the largest share", low=0, high=1, origin="paper 001: 0.25 in its version 2"
    )
    net_visits: float = parameter(
        100.0, "equivalent visits of a move the net is sure of; not for puct", low=0, high=10**4
    )
    playout_share: float = parameter(
        0.0,
        "share of the playout in the value of a leaf (lambda), before what the next two add; "
        "preset=laptop sets playout_left too",
        low=-10,
        high=10,
        origin="paper 000, section 2.3.3",
    )
    playout_phase: float = parameter(
        0.0, "how that grows with the share of the board that was played on", low=-10, high=10
    )
    playout_left: float = parameter(
        0.0,
        "how that falls with every point that was not played on: short playouts can be believed",
        low=-1,
        high=1,
    )
    doubt_points: float = parameter(
        0.0,
        "points by which net and playouts must differ on the score before playouts count; at twice"
        " as many they count alone; 0: never",
        low=0,
        high=1000,
        origin="docs/strength.md: a net that takes dead groups for alive",
    )
    lead_weight: float = parameter(
        0.0,
        "share of the lead, beside winning, in what puct goes by with a net",
        low=0,
        high=1,
        origin="KataGo's score utility: about 0.3; docs/strength.md",
    )
    net_batch: int = parameter(8, "leaves the net looks at together", low=1, high=MOST_LEAVES)

    def __post_init__(self) -> None:
        check(self)

    def mixing(self, kind: int, stage: Stage = START) -> Mixing:
        """Return what the kernels want to know, for a search by that formula from that stage."""
        planned = (
            self.playout_share
            + self.playout_phase * stage.played / stage.points
            - self.playout_left * max(stage.points - stage.played, 0)
        )
        share = min(max(planned, self.doubt(stage.difference_points), 0.0), 1.0)
        is_puct = bool(kind == PUCT)
        lead_weight = float(self.lead_weight) if is_puct else 0.0
        return Mixing(True, float(share), is_puct, float(self.net_visits), lead_weight)

    def doubt(self, difference_points: float) -> float:
        """Return the share of the playouts that such a difference asks for, 0 to 1."""
        if self.doubt_points == 0:
            return 0.0
        return min(max(difference_points / self.doubt_points - 1, 0.0), 1.0)

    @property
    def is_fixed(self) -> bool:
        """Whether the share of its policy is the same always."""
        terms = (self.net_turn, self.net_value, self.net_phase, self.net_spread, self.net_entropy)
        return not any(terms)

    @property
    def is_alone(self) -> bool:
        """Whether its policy is all there is, always: then no other prior is heard."""
        return self.is_fixed and self.net_weight >= 1 and self.net_cap == 1

    @property
    def is_silent(self) -> bool:
        """Whether it has no say at all: then it is not asked, and the engine is what it was."""
        has_policy = not self.is_fixed or min(self.net_weight, self.net_cap) > 0
        varying = (self.playout_phase, self.playout_left, self.lead_weight)
        has_value = self.playout_share < 1 or any(varying)
        return not (has_policy or has_value)

    def weights(self, moment: Moment) -> npt.NDArray[np.float32]:
        """Return the share of the net's policy at each leaf."""
        value = moment.value if self.net_reading == ROOT_READING else moment.best_value
        share = (
            self.net_turn * moment.turns
            + self.net_value * value
            + self.net_phase * moment.turns / moment.points
            + self.net_spread * moment.spread
            + self.net_entropy * moment.entropy
            + self.net_weight
        )
        return np.asarray(np.clip(share, 0.0, self.net_cap), dtype=np.float32)
