"""What the paper's population lived on in each era: its parameters, intervals and fixed values."""

from tengen.knowledge.metric import Metric, Phases
from tengen.tune.parameter import Parameter, Values
from tengen.tune.population import PopulationSettings

WIDEST = 1024.0
"""How far an interval that is reached at its frontier may be doubled; the paper names no end."""

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
"""What the paper fixed before its third era (its text swaps the first two); b8 is b4 / 2."""

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
    """Return eras of given lengths in periods as long as the paper's.

    It had 8 periods in 400 tournaments and 6 in 200, ended by eye. Left to a shorter window,
    periods end as soon as the survivors, who play the same games in every tournament, stay the
    same: 49 of them in 400 tournaments, which narrowed every interval to a point by chance.
    """
    return PopulationSettings(window=33, longest_period=50, era_tournaments=lengths)


def early_phases(values: Values) -> Phases:
    """Return a program of the first two eras: one mix for the whole game."""
    weights = {"infinity": 1024.0, **values}
    return Phases.same(Metric.only(**weights))


def late_phases(values: Values) -> Phases:
    """Return a program of the third era; the endgame never opens before the opening has ended."""

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
