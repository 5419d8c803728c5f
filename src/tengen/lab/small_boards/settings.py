"""What each experiment takes. No more than that, so that a command line is read at once."""

from dataclasses import asdict, dataclass

from tengen.core.errors import TengenError
from tengen.core.parameters import check, parameter

REFEREES = ("e1", "search")
ERA_LENGTHS = (400, 200, 200)
"""Tournaments of the paper's three eras."""


@dataclass(frozen=True)
class TablesSettings:
    """What to recompute, and the games for the remarks."""

    games: str = parameter("", "records for the remarks: a file, folder or archive; empty: none")
    count: int = parameter(200, "how many games of them", low=1)
    solve: int = parameter(3, "table 7 up to this board size", low=1, high=4)
    nodes: int = parameter(3_000_000, "the most nodes for a board of table 7", low=1000)
    share: float = parameter(1 / 16, "lambda of remark 2: the weight of E1 beside E0", low=0)
    seed: int = parameter(1, "of what is drawn at random")

    def __post_init__(self) -> None:
        check(self)


EFFORT = ("pairs", "workers")
"""What may change when a study is gone on with."""


@dataclass(frozen=True)
class EvolveSettings:
    """How the population lives."""

    nodes: int = parameter(2000, "nodes of search a move: some 10 ms on a busy laptop", low=200)
    referee: str = parameter("e1", "who scores the games", choices=REFEREES)
    tournaments: int = parameter(800, "in all; half of them are era 1", low=4)
    pairs: int = parameter(24, "pairs of games for each meeting of rivals afterwards", low=1)
    seed: int = parameter(1, "of populations and openings")

    def __post_init__(self) -> None:
        check(self)

    @property
    def lengths(self) -> tuple[int, int, int]:
        """The tournaments of each era."""
        first, second, third = (self.tournaments * n // sum(ERA_LENGTHS) for n in ERA_LENGTHS)
        return first, second, third


@dataclass(frozen=True)
class ScaleSettings:
    """What is tested, and how long."""

    sizes: str = parameter("5,7,9", "boards with commas between")
    pairs: int = parameter(200, "the most pairs of games for a test", low=2)
    sprt: str = parameter("0,50", "Elo differences between which a test decides")
    playouts: int = parameter(100, "of both sides in the tests of priors", low=1)
    prior: str = parameter("metric@20,depth=1", "the prior to test; empty for none")
    openings: str = parameter("random:4", "as for tengen match")
    workers: int = parameter(1, "games at a time in the tests of priors", low=1)
    seed: int = parameter(1, "of openings and games")

    def __post_init__(self) -> None:
        check(self)
        _ = self.boards

    @property
    def boards(self) -> list[int]:
        """The sizes as numbers; raise TengenError."""
        words = self.sizes.split(",")
        if not all(word.isdecimal() and 2 <= int(word) <= 19 for word in words):
            raise TengenError(f"sizes are whole numbers from 2 to 19, not {self.sizes!r}")
        return [int(word) for word in words]


@dataclass(frozen=True)
class EnhancementsSettings:
    """Which positions of the optimal 4x4 game, and when to give up."""

    first: int = parameter(0, "the first position of the line; early ones take longest", low=0)
    nodes: int = parameter(100_000_000, "the most nodes for a proof", low=1000)
    endless: int = parameter(500_000, "the same without table or deepening", low=1000)

    def __post_init__(self) -> None:
        check(self)


def identity_of(settings: EvolveSettings | ScaleSettings) -> dict[str, object]:
    """Return what must stay the same to go on with a study: not how much is played, nor by whom."""
    return {name: value for name, value in asdict(settings).items() if name not in EFFORT}
