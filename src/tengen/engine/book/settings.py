"""Settings of building an opening book and of playing from it."""

from dataclasses import dataclass

from tengen.util import check, parameter


@dataclass(frozen=True)
class BuildSettings:
    """Contents of a book."""

    depth: int = parameter(40, "number of moves taken from the start of each game", low=1, high=400)
    min_games: int = parameter(10, "minimum number of games of a position", low=1, high=10**6)
    min_share: float = parameter(
        0.01, "minimum share of a position's games in which a move was played", low=0, high=1
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class BookSettings:
    """How the engine plays from a book."""

    book: str = parameter("", "opening book: a file, or `default` for the bundled one")
    book_min_games: int = parameter(20, "minimum number of games of a position", low=1, high=10**9)
    book_result_power: float = parameter(
        4.0,
        "exponent of (win rate of the move / win rate of the position) in the weight of a move; "
        "0 to ignore results",
        low=0,
        high=100,
    )
    book_shape_games: float = parameter(
        10.0, "number of games that a shape probability of 1 counts for", low=0, high=10**6
    )
    book_min_weight: float = parameter(
        0.3,
        "minimum weight of a move relative to the best; 1 to always play the best",
        low=0,
        high=1,
    )

    def __post_init__(self) -> None:
        check(self)
