"""The parameters of the search."""

from dataclasses import dataclass

from tengen.core.parameters import check, parameter
from tengen.search.kernels import selection
from tengen.search.kernels.selection import Formula

KINDS = {"uct": selection.UCT, "rave": selection.RAVE, "puct": selection.PUCT}
AUTO, FLAT = "auto", "flat"
FINAL_CHOICES = (AUTO, "visits", "value", "lcb")


@dataclass(frozen=True)
class SearchSettings:
    """How the tree is searched."""

    kind: str = parameter(
        AUTO,
        "the formula of the tree, or flat for no tree; auto is puct with a net, else rave",
        choices=[AUTO, *KINDS, FLAT],
    )
    exploration: float = parameter(
        0.0,
        "C of the UCT term (paper 001, eq. 2.2)",
        low=0,
        high=10,
        origin="0 with RAVE, as in Pachi",
    )
    equivalent_rave: float = parameter(
        1200.0,
        "weight of RAVE (paper 000, section 5.1)",
        low=1,
        high=1e6,
        origin="docs/strength.md",
    )
    prior_in_rave: bool = parameter(False, "count the priors to RAVE too")
    first_play: float = parameter(
        1.0, "value of a move of which nothing is known", low=-10, high=10
    )
    puct_exploration: float = parameter(
        1.1,
        "C of puct",
        low=0,
        high=100,
        origin="docs/strength.md; KataGo's, whose values go from -1 to 1, is about half of it",
    )
    puct_reduction: float = parameter(
        0.2, "how much worse than its parent puct takes an unseen move to be", low=-1, high=1
    )
    wide_root: float = parameter(
        0.0,
        "in an analysis, how much better than it is a first move may look by chance, so that more"
        " of them are tried; not in play",
        low=0,
        high=5,
        origin="KataGo's wideRootNoise, halved",
    )
    expand_at: int = parameter(2, "visits after which a leaf gets children", low=1, high=1000)
    score_weight: float = parameter(
        0.01, "share of the margin, beside winning, in the reward", low=0, high=1
    )
    final: str = parameter(
        AUTO,
        "what the final choice goes by (lcb: the value's lower bound); auto is lcb with a net",
        choices=FINAL_CHOICES,
        origin="docs/strength.md",
    )
    flat_playouts: int = parameter(
        100, "playouts for each move of the flat search", low=1, high=10**7, origin="paper 002"
    )
    flat_eyes: bool = parameter(False, "let the flat search fill own eyes")
    threads: int = parameter(0, "threads on one tree; 0 for all cores", low=0, high=256)
    memory_mib: int = parameter(512, "memory of the tree, in MiB", low=1, high=300_000)
    reuse: bool = parameter(True, "keep the part of the tree that still holds after a move")

    def __post_init__(self) -> None:
        check(self)

    def final_choice(self, has_net: bool) -> str:
        """Return what the final choice goes by: visits, value or lcb."""
        automatic = "lcb" if has_net else "visits"
        return automatic if self.final == AUTO else self.final

    def formula(self, has_net: bool = False) -> Formula:
        """Return what the selection kernel wants to know."""
        automatic = "puct" if has_net else "rave"
        kind = KINDS.get(automatic if self.kind == AUTO else self.kind, selection.UCT)
        is_puct = kind == selection.PUCT
        return Formula(
            kind=int(kind),
            exploration=self.puct_exploration if is_puct else self.exploration,
            equivalent_rave=self.equivalent_rave,
            first_play=self.puct_reduction if is_puct else self.first_play,
            prior_in_rave=self.prior_in_rave,
        )
