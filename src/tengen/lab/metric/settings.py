"""Settings of the experiments; importing this module is cheap."""

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tengen.util import TengenError, check, parameter

if TYPE_CHECKING:
    from tengen.solver import Question

REFEREES = ("e1", "search")
ERA_LENGTHS = (400, 200, 200)
"""Tournaments of the paper's three eras."""


@dataclass(frozen=True)
class TablesSettings:
    """Settings of `tables`."""

    games: str = parameter(
        "", "game records for the remarks: file, folder or archive; empty for none"
    )
    count: int = parameter(200, "number of games", low=1)
    solve: int = parameter(3, "largest board of table 7", low=1, high=4)
    nodes: int = parameter(3_000_000, "node limit per board of table 7", low=1000)
    share: float = parameter(1 / 16, "lambda of remark 2: weight of E1 relative to E0", low=0)
    seed: int = parameter(1, "random seed")

    def __post_init__(self) -> None:
        check(self)


EFFORT = ("pairs", "workers")
"""Settings that can change when a study is resumed."""


@dataclass(frozen=True)
class EvolveSettings:
    """Settings of `evolve`."""

    nodes: int = parameter(2000, "search nodes per move", low=200)
    referee: str = parameter("e1", "scoring of the games", choices=REFEREES)
    tournaments: int = parameter(800, "total number of tournaments; half of them are era 1", low=4)
    pairs: int = parameter(24, "pairs of games per pairing of the final round robins", low=1)
    seed: int = parameter(1, "random seed")

    def __post_init__(self) -> None:
        check(self)

    @property
    def lengths(self) -> tuple[int, int, int]:
        """Tournaments per era."""
        first, second, third = (self.tournaments * n // sum(ERA_LENGTHS) for n in ERA_LENGTHS)
        return first, second, third


@dataclass(frozen=True)
class ScaleSettings:
    """Settings of `scale`."""

    sizes: str = parameter("5,7,9", "comma-separated board sizes")
    pairs: int = parameter(200, "maximum pairs of games per test", low=2)
    sprt: str = parameter("0,50", "Elo hypotheses of the SPRT")
    playouts: int = parameter(100, "playouts per move in the tests of priors", low=1)
    prior: str = parameter("metric@20,depth=1", "prior to test; empty for none")
    openings: str = parameter("random:4", "openings, as for tengen match")
    workers: int = parameter(1, "concurrent games in the tests of priors", low=1)
    seed: int = parameter(1, "random seed")

    def __post_init__(self) -> None:
        check(self)
        _ = self.boards

    @property
    def boards(self) -> list[int]:
        """Board sizes as numbers; raise TengenError."""
        words = self.sizes.split(",")
        if not all(word.isdecimal() and 2 <= int(word) <= 19 for word in words):
            raise TengenError(f"sizes must be integers from 2 to 19, got {self.sizes!r}")
        return [int(word) for word in words]


@dataclass(frozen=True)
class EnhancementsSettings:
    """Settings of `enhancements`."""

    first: int = parameter(0, "first position of the line; early ones take longest", low=0)
    nodes: int = parameter(100_000_000, "node limit of a proof", low=1000)
    endless: int = parameter(500_000, "node limit without table or deepening", low=1000)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class QuestionsSettings:
    """Settings of `questions`."""

    boards: str = parameter(
        "3x3>=9,3x4>=4,3x4<=4,3x5>=15", "questions about empty boards, rows x columns"
    )
    variants: str = parameter("3x4>=4,3x5>=15", "questions to repeat without each enhancement")
    nodes: int = parameter(100_000_000, "node limit of a search", low=1000)
    table_bits: int = parameter(24, "log2 of the number of table entries", low=4, high=28)

    def __post_init__(self) -> None:
        check(self)
        for text in (self.boards, self.variants):
            self.questions(text)

    @staticmethod
    def questions(text: str) -> "list[tuple[str, Question]]":
        """Parse questions such as `3x5>=15`; raise TengenError."""
        from tengen.solver import Question

        found = []
        for word in filter(None, text.split(",")):
            if (match := re.fullmatch(r"(\d+x\d+)([<>]=)([+-]?\d+)", word)) is None:
                raise TengenError(f"invalid question {word!r}: write 3x5>=15 or 3x4<=4")
            make = Question.at_least if match[2] == ">=" else Question.at_most
            found.append((match[1], make(int(match[3]))))
        return found


def identity_of(settings: EvolveSettings | ScaleSettings) -> dict[str, object]:
    """Return the settings that cannot change when a study is resumed."""
    return {name: value for name, value in asdict(settings).items() if name not in EFFORT}
