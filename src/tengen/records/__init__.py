"""Game records: readers of SGF, GIB, NGF and UGF, an SGF writer, and the game database.

Reading goes through these modules: `collection` (files, folders, archives), `encoding` (bytes to
text), `grammar`, `gib`, `ngf` and `ugf` (text to a `tree`), and `interpret` (tree to a
`game.GameRecord`). `reader` combines them; `writer` writes SGF; `result` has `GameResult`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
