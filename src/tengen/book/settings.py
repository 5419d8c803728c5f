"""How a book is made, and how the engine plays from it."""

from dataclasses import dataclass

from tengen.core.parameters import check, parameter


@dataclass(frozen=True)
class BuildSettings:
    """What goes into a book."""

    depth: int = parameter(40, "moves of each game to look at, from the first", low=1, high=400)
    fewest: int = parameter(10, "keep positions of at least so many games", low=1, high=10**6)
    least_share: float = parameter(
        0.01, "keep moves played in at least this share of them", low=0, high=1
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class BookSettings:
    """How the engine plays from a book."""

    book: str = parameter("", "opening book to play from: a file, or `shipped`; empty for none")
    book_games: int = parameter(20, "leave the book where it has fewer games", low=1, high=10**9)
    book_results: float = parameter(
        4.0,
        "results weigh as (win rate of the move / of the position) to this power; 0 for not at all",
        low=0,
        high=100,
    )
    book_shape: float = parameter(
        10.0, "games that SHAPE's playing probability counts for", low=0, high=10**6
    )
    book_least: float = parameter(
        0.3, "draw among moves of this share of the greatest weight; 1: no luck", low=0, high=1
    )

    def __post_init__(self) -> None:
        check(self)
