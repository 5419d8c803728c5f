"""Settings of the search, and the weights of network, priors and playouts in it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.search.kernels import selection
from tengen.search.kernels.selection import SelectionParameters
from tengen.search.kernels.worker import MAX_QUEUED_LEAVES, NetWeights
from tengen.util import check, parameter

GUMBEL = "gumbel"
ALGORITHMS = {
    "uct": selection.UCT,
    "rave": selection.RAVE,
    "puct": selection.PUCT,
    GUMBEL: selection.PUCT,
}
AUTO, FLAT = "auto", "flat"
FINAL_CHOICES = (AUTO, "visits", "value", "lcb")
ROOT_VALUE, BEST_VALUE = "root", "best"

Floats = npt.NDArray[np.floating]


class FinalChoice(NamedTuple):
    """How the final move is chosen; `SearchSettings` has the descriptions."""

    criterion: str
    """visits, value or lcb."""
    lcb_stdevs: float
    lcb_min_share: float
    lcb_sample: bool


@dataclass(frozen=True)
class SearchSettings:
    """How the tree is searched."""

    algorithm: str = parameter(
        AUTO,
        "selection formula, or flat for a search without a tree; gumbel is puct, with sequential "
        "halving at the root if there is a network and a limit of simulations or time; auto is "
        "puct with a network, otherwise rave",
        choices=[AUTO, *ALGORITHMS, FLAT],
    )
    uct_exploration: float = parameter(
        0.0,
        "exploration constant C of UCT (paper 001, eq. 2.2)",
        low=0,
        high=10,
        origin="0 with RAVE, as in Pachi",
    )
    rave_equivalence: float = parameter(
        1200.0,
        "equivalence parameter of RAVE (paper 000, section 5.1)",
        low=1,
        high=1e6,
    )
    prior_in_rave: bool = parameter(False, "add the priors to the RAVE statistics as well")
    fpu_value: float = parameter(
        1.0, "first-play urgency of uct and rave: value of an unvisited move", low=-10, high=10
    )
    puct_exploration: float = parameter(
        1.1,
        "exploration constant C of PUCT",
        low=0,
        high=100,
        origin="0.5 corresponds to KataGo's 1.0, since values range from 0 to 1",
    )
    puct_growth: float = parameter(
        0.0,
        "growth of the exploration constant of PUCT per log(1 + visits / puct_growth_visits)",
        low=0,
        high=100,
        origin="KataGo: 0.45, halved for values from 0 to 1",
    )
    puct_growth_visits: float = parameter(
        500.0, "visits per unit in the logarithm of puct_growth", low=1, high=1e6, origin="KataGo"
    )
    puct_spread: float = parameter(
        0.0,
        "dependence of the exploration constant of PUCT on the standard deviation of the rewards "
        "below a node, 0 to 1",
        low=0,
        high=1,
        origin="KataGo: 0.85",
    )
    fpu_reduction: float = parameter(
        0.2,
        "first-play urgency of puct: value of an unvisited move below its parent's",
        low=-1,
        high=1,
    )
    root_fpu_factor: float = parameter(
        1.0, "factor of fpu_reduction at the root", low=0, high=10, origin="KataGo: 0.5"
    )
    fpu_by_policy: bool = parameter(
        False, "multiply fpu_reduction by the square root of the policy of the visited moves"
    )
    virtual_loss: float = parameter(
        1.0,
        "share of an unfinished visit of puct that counts as a loss; it always counts as a visit",
        low=0,
        high=1,
    )
    root_temperature: float = parameter(
        1.0, "temperature of the policy at the root of puct", low=0.1, high=10
    )
    wide_root_noise: float = parameter(
        0.0,
        "noise added to root moves in analysis, so that more of them are explored",
        low=0,
        high=5,
        origin="KataGo's wideRootNoise, halved",
    )
    expansion_visits: int = parameter(2, "visits after which a leaf is expanded", low=1, high=1000)
    score_weight: float = parameter(
        0.01, "share of the score margin in the reward of a playout", low=0, high=1
    )
    final_choice: str = parameter(
        AUTO,
        "criterion for the final move (lcb: lower confidence bound); auto is lcb with a network, "
        "otherwise visits",
        choices=FINAL_CHOICES,
    )
    lcb_stdevs: float = parameter(
        1.96, "width of the lower confidence bound, in standard errors", low=0, high=100
    )
    lcb_min_share: float = parameter(
        0.1,
        "minimum visits of a move chosen by lcb, as a share of the most visited move's",
        low=0,
        high=1,
    )
    lcb_sample: bool = parameter(
        False,
        "compute the confidence bound from the variance of the rewards, not of wins and losses",
        origin="KataGo, with lcb_stdevs=5 lcb_min_share=0.15",
    )
    gumbel_moves: int = parameter(
        4,
        "maximum number of root moves that gumbel visits",
        low=1,
        high=362,
        origin="results/search/matches.csv at 16 visits; 16 in Danihelka et al. 2022",
    )
    gumbel_noise: float = parameter(
        0.0, "scale of the Gumbel noise; 0 for a deterministic choice", low=0, high=10
    )
    gumbel_value_visits: float = parameter(
        50.0,
        "c_visit of gumbel: visits added to the most visited move in the weight of the value",
        low=0,
        high=1e6,
        origin="Danihelka et al. 2022",
    )
    gumbel_value_scale: float = parameter(
        0.3,
        "c_scale of gumbel: weight of the value per visit",
        low=0,
        high=100,
        origin="results/search/matches.csv at 16 visits; 0.1 to 1 in Danihelka et al. 2022",
    )
    flat_playouts: int = parameter(
        100, "playouts per move of the flat search", low=1, high=10**7, origin="paper 002"
    )
    flat_fill_eyes: bool = parameter(False, "let the flat search fill its own eyes")
    threads: int = parameter(0, "search threads; 0 for one per core", low=0, high=256)
    memory_mib: int = parameter(512, "memory of the tree, in MiB", low=1, high=300_000)
    subtree_reuse: bool = parameter(True, "keep the subtree of the moves played")

    def __post_init__(self) -> None:
        check(self)

    def final(self, has_net: bool) -> FinalChoice:
        """Return how the final move is chosen."""
        automatic = "lcb" if has_net else "visits"
        criterion = automatic if self.final_choice == AUTO else self.final_choice
        return FinalChoice(criterion, self.lcb_stdevs, self.lcb_min_share, self.lcb_sample)

    def selection(self, has_net: bool = False) -> SelectionParameters:
        """Return the parameters of the selection kernel."""
        automatic = "puct" if has_net else "rave"
        name = automatic if self.algorithm == AUTO else self.algorithm
        algorithm = ALGORITHMS.get(name, selection.UCT)
        is_puct = algorithm == selection.PUCT
        return SelectionParameters(
            algorithm=int(algorithm),
            exploration=self.puct_exploration if is_puct else self.uct_exploration,
            rave_equivalence=self.rave_equivalence,
            fpu=self.fpu_reduction if is_puct else self.fpu_value,
            prior_in_rave=self.prior_in_rave,
            exploration_growth=self.puct_growth,
            exploration_base=self.puct_growth_visits,
            exploration_spread=self.puct_spread,
            root_fpu=self.fpu_reduction * self.root_fpu_factor,
            fpu_by_policy=self.fpu_by_policy,
            virtual_loss=self.virtual_loss,
        )


class LeafContext(NamedTuple):
    """What the adaptive weight of a policy may depend on: the root and the evaluated leaves."""

    turns: npt.NDArray[np.integer]
    """Move number of each leaf."""
    points: int
    """Points of the board."""
    value: float = 0.5
    """Win rate of the side to move at the root."""
    best_value: float = 0.5
    """Win rate of the most visited root move."""
    spread: float = 0.0
    """Standard deviation of the win rates of the root moves."""
    entropy: Floats | float = 0.0
    """Normalized entropy of the policy of each leaf: 0 for a single move, 1 if uniform."""


class GameStage(NamedTuple):
    """What the share of the playouts may depend on."""

    moves: int
    """Moves played."""
    points: int
    """Points of the board."""
    disagreement_points: float = 0.0
    """Difference between the scores of network and playouts."""


GAME_START = GameStage(0, 1)


@dataclass(frozen=True)
class EvaluatorWeights:
    """Weights of network, priors and playouts in the search.

    The weight of the network's policy beside the priors is `net_turn * turn + net_value * value +
    net_weight` (paper 001, eq. 3.1), clipped to 0 and `net_max_weight`. It is constant if only
    `net_weight` is set.
    """

    net_weight: float = parameter(
        1.0, "weight of the network's policy beside the priors", low=-10, high=10
    )
    net_turn: float = parameter(
        0.0, "change of the weight per move of the game", low=-1, high=1, origin="paper 001"
    )
    net_value: float = parameter(
        0.0, "change of the weight with the win rate", low=-10, high=10, origin="paper 001"
    )
    net_value_node: str = parameter(
        ROOT_VALUE,
        "node of the win rate: the root or its best move",
        choices=(ROOT_VALUE, BEST_VALUE),
        origin="not specified in paper 001",
    )
    net_phase: float = parameter(
        0.0, "change of the weight with moves per point of the board", low=-10, high=10
    )
    net_spread: float = parameter(
        0.0,
        "change of the weight with the standard deviation of the root's win rates",
        low=-100,
        high=100,
    )
    net_entropy: float = parameter(
        0.0, "change of the weight with the entropy of the policy, 0 to 1", low=-10, high=10
    )
    net_max_weight: float = parameter(
        1.0, "maximum weight", low=0, high=1, origin="paper 001: 0.25 in its version 2"
    )
    net_visits: float = parameter(
        100.0, "equivalent visits of a move with policy 1; not for puct", low=0, high=10**4
    )
    playout_share: float = parameter(
        0.0,
        "share of the playout in the value of a leaf (lambda), before the next two terms; "
        "preset=laptop sets playout_left as well",
        low=-10,
        high=10,
        origin="paper 000, section 2.3.3",
    )
    playout_phase: float = parameter(
        0.0, "change of the share with moves per point of the board", low=-10, high=10
    )
    playout_left: float = parameter(
        0.0,
        "decrease of the share per point left to play: short playouts are more accurate",
        low=-1,
        high=1,
    )
    disagreement_points: float = parameter(
        0.0,
        "score difference between network and playouts at which playouts start to count; they "
        "count alone at twice the difference, which helps networks that misjudge dead groups; "
        "0 for never",
        low=0,
        high=1000,
    )
    lead_weight: float = parameter(
        0.0,
        "share of the score lead in the utility of puct with a network",
        low=0,
        high=1,
        origin="KataGo's score utility: about 0.3",
    )
    lead_centering: float = parameter(
        0.0,
        "share of the lead at the root that the score utility of lead_weight is centered at",
        low=0,
        high=1,
        origin="KataGo: 0.8",
    )
    net_batch_growth: float = parameter(
        0.0,
        "visits of the root per leaf of a batch, so that early batches are smaller; 0 for "
        "batches of net_batch leaves from the start",
        low=0,
        high=1e6,
    )
    net_batch: int = parameter(8, "leaves per network evaluation", low=1, high=MAX_QUEUED_LEAVES)

    def __post_init__(self) -> None:
        check(self)

    def net_weights(self, algorithm: int, stage: GameStage = GAME_START) -> NetWeights:
        """Return the weights for the kernels, for a search that starts at a stage of the game."""
        planned = (
            self.playout_share
            + self.playout_phase * stage.moves / stage.points
            - self.playout_left * max(stage.points - stage.moves, 0)
        )
        share = min(max(planned, self._disagreement_share(stage.disagreement_points), 0.0), 1.0)
        is_puct = bool(algorithm == selection.PUCT)
        lead_weight = float(self.lead_weight) if is_puct else 0.0
        return NetWeights(True, float(share), is_puct, float(self.net_visits), lead_weight)

    def _disagreement_share(self, points: float) -> float:
        """Return the share of the playouts for a score difference, 0 to 1."""
        if self.disagreement_points == 0:
            return 0.0
        return min(max(points / self.disagreement_points - 1, 0.0), 1.0)

    @property
    def is_constant(self) -> bool:
        """Whether the weight of the policy is constant."""
        terms = (self.net_turn, self.net_value, self.net_phase, self.net_spread, self.net_entropy)
        return not any(terms)

    @property
    def ignores_priors(self) -> bool:
        """Whether the network's policy always replaces the priors."""
        return self.is_constant and self.net_weight >= 1 and self.net_max_weight == 1

    @property
    def ignores_net(self) -> bool:
        """Whether the network has no influence, so that it need not be evaluated."""
        has_policy = not self.is_constant or min(self.net_weight, self.net_max_weight) > 0
        varying = (self.playout_phase, self.playout_left, self.lead_weight)
        has_value = self.playout_share < 1 or any(varying)
        return not (has_policy or has_value)

    def policy_weights(self, context: LeafContext) -> npt.NDArray[np.float32]:
        """Return the weight of the network's policy at each leaf."""
        value = context.value if self.net_value_node == ROOT_VALUE else context.best_value
        weight = (
            self.net_turn * context.turns
            + self.net_value * value
            + self.net_phase * context.turns / context.points
            + self.net_spread * context.spread
            + self.net_entropy * context.entropy
            + self.net_weight
        )
        return np.asarray(np.clip(weight, 0.0, self.net_max_weight), dtype=np.float32)
