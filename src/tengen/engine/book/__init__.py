"""The opening book: positions of many games with the moves played in them and their results.

`build_book` (build.py) builds a `Book` (book.py) from a game database; `BookPlayer` (player.py)
chooses moves from it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
