from .book import (
    Book as Book,
    BookPosition as BookPosition,
    canonical_key as canonical_key,
    read_book as read_book,
    write_book as write_book,
)
from .build import Probabilities as Probabilities, build_book as build_book
from .player import WeightedMove as WeightedMove, weigh_moves as weigh_moves
from .settings import BookSettings as BookSettings, BuildSettings as BuildSettings
