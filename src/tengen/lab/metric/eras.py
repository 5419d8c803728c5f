"""Parameters, intervals and fixed values of the three eras of paper 003."""

from dataclasses import dataclass

from tengen.match.tuning import Parameter, PopulationSettings, Values
from tengen.sources import Metric
from tengen.util import check, parameter


@dataclass(frozen=True)
class Phases:
    """Weights for each phase of a game, and the depth of the opening search (section 6.2)."""

    opening: Metric = Metric()
    middle: Metric = Metric()
    endgame: Metric = Metric(b4=12.0, b8=6.0)
    end_opening: int = parameter(4, "last move number of the opening", low=0, origin="table 11")
    open_endgame: int = parameter(10, "first move number of the endgame", low=1, origin="table 11")
    depth_opening: int = parameter(1, "search depth in the opening", low=1, origin="table 11")
    depth: int = parameter(60, "search depth after the opening", low=1)

    def __post_init__(self) -> None:
        check(self)

    def at(self, move_number: int) -> tuple[Metric, int]:
        """Return the weights and depth for a move number, starting at 1.

        Where the phases overlap, the opening takes precedence over the endgame.
        """
        if move_number <= self.end_opening:
            return self.opening, self.depth_opening
        return (self.endgame if move_number >= self.open_endgame else self.middle), self.depth

    @classmethod
    def same(cls, mix: Metric, depth: int = 60) -> "Phases":
        """Return the same weights and depth for the whole game."""
        return cls(mix, mix, mix, 0, 1, 1, depth)


WIDEST = 1024.0
"""Limit for doubling an interval; the paper gives none."""

FIRST = [Parameter(name, 0, 16, least=0, most=WIDEST) for name in ("a1", "a2", "b4", "b8")]
SECOND = [Parameter("infinity", 0, 2048, least=0, most=2 * 2048)]
THIRD = [
    Parameter("depthOpening", 1, 6, whole=True),
    Parameter("endOpening", 1, 16, whole=True),
    Parameter("openEndGame", 1, 20, whole=True),
    Parameter("bOpening", 48, 80, least=0, most=WIDEST),
    Parameter("bEndgame", 0, 80, most=WIDEST),
]

FIXED_IN_THIRD = {"a1": 8.0, "a2": 1.0, "infinity": 512.0}
"""Values fixed by the paper before its third era (its text swaps a1 and a2); b8 is b4 / 2."""

PRINTED = {
    1: {"a1": "[0, 8]", "a2": "[0, 8]", "b4": "[32, 96]", "b8": "[16, 48]"},
    2: {
        "a1": "[0, 8]",
        "a2": "[0, 1]",
        "b4": "[60, 68]",
        "b8": "[28, 36]",
        "infinity": "[384, 640]",
    },
    3: {
        "depthOpening": "1",
        "endOpening": "4",
        "openEndGame": "10",
        "bOpening": "[64, 80]",
        "bEndgame": "[8, 16]",
    },
}
"""Tables 9 to 11."""


def periods(lengths: tuple[int, ...]) -> PopulationSettings:
    """Return eras with periods as long as the paper's.

    The paper had 8 periods in 400 tournaments and 6 in 200, ended by inspection. With a shorter
    window periods end as soon as the survivors stay the same, which happens by chance because
    programs are deterministic: 49 periods in 400 tournaments narrow every interval to a point.
    """
    return PopulationSettings(window=33, longest_period=50, era_tournaments=lengths)


def early_phases(values: Values) -> Phases:
    """Return a program of the first two eras: one mixture for the whole game."""
    weights = {"infinity": 1024.0, **values}
    return Phases.same(Metric.only(**weights))


def late_phases(values: Values) -> Phases:
    """Return a program of the third era; the endgame never starts before the end of the opening."""

    def mix(b4: float) -> Metric:
        return Metric.only(**FIXED_IN_THIRD, b4=b4, b8=b4 / 2)

    before, after = mix(values["bOpening"]), mix(values["bEndgame"])
    end_opening = int(values["endOpening"])
    return Phases(
        before,
        before,
        after,
        end_opening,
        max(int(values["openEndGame"]), end_opening),
        int(values["depthOpening"]),
    )
