"""How a level plays, as a smooth function of its skill.

*Skill* is a number without unit; stronger players have larger numbers.
Calibration (`tengen lab levels`) maps ranks to skills for each board size.

Up to `POLICY_SKILL` a level samples moves from the network's policy. A move that loses `loss`
points is kept with probability `exp(-loss / tolerance)`. Above, it searches.
"""

import math
from dataclasses import dataclass

import numpy as np

POLICY_SKILL = 20.0
"""Largest skill of players that sample from the policy without a search."""
MIN_SKILL, MAX_SKILL = -10.0, 40.0
FIRST_VISITS = 10
"""Visits of a search at `POLICY_SKILL`."""
SKILL_PER_DOUBLING = 2.5
"""Skill that doubles the visits of a search."""
TOLERANCE_SIZE = 19
"""Board size that `tolerance` refers to; on smaller boards it is smaller in proportion."""

SKILLS = (-10.0, 0.0, 5.0, 10.0, 15.0, 20.0)
NAIVE_SHARES = (1.0, 0.75, 0.4, 0.15, 0.03, 0.0)
TEMPERATURES = (2.0, 1.6, 1.35, 1.1, 0.8, 0.5)
TOLERANCES = (400.0, 60.0, 26.0, 11.0, 4.5, 1.5)
OVERSIGHTS = (1.0, 0.6, 0.4, 0.2, 0.08, 0.02)
CANDIDATES = (1.0, 1.0, 2.0, 3.0, 4.0, 6.0)
SELF_ATARI_STONES = (20.0, 8.0, 5.0, 3.0, 2.0, 2.0)
SEARCH_TEMPERATURE = 0.3
"""Temperature of the visits at `POLICY_SKILL`; it falls to 0 at `MAX_SKILL`."""


@dataclass(frozen=True)
class LevelParameters:
    """How a level chooses moves."""

    visits: int
    """Simulations per move; 0 to sample from the policy only."""
    visits_temperature: float
    """Temperature of the visits of a search."""
    temperature: float
    """Temperature of the policy."""
    naive_share: float
    """Share of moves near other stones that ignore the network's policy."""
    tolerance: float
    """Points: a move that loses this much is kept with probability 1 / e."""
    oversight: float
    """Chance of a decision with a larger tolerance in a position of average entropy."""
    candidates: int
    """Moves evaluated before the best of them is played."""
    self_atari_stones: int
    """Largest chain for which self-atari needs no support by the policy, in stones."""


def level_parameters(skill: float, area: int) -> LevelParameters:
    """Return the parameters of a skill on a board with `area` points."""
    above = min(skill, MAX_SKILL) - POLICY_SKILL
    visits = round(FIRST_VISITS * 2 ** (above / SKILL_PER_DOUBLING)) if above >= 0 else 0

    def at(values: tuple[float, ...]) -> float:
        return float(np.interp(skill, SKILLS, values))

    tolerance = math.exp(at(tuple(map(math.log, TOLERANCES))))
    return LevelParameters(
        visits,
        SEARCH_TEMPERATURE * (1 - max(above, 0.0) / (MAX_SKILL - POLICY_SKILL)),
        at(TEMPERATURES),
        at(NAIVE_SHARES),
        tolerance * math.sqrt(area) / TOLERANCE_SIZE,
        at(OVERSIGHTS),
        round(at(CANDIDATES)),
        round(at(SELF_ATARI_STONES)),
    )
