"""Game database: one SQLite file, searched by whole positions and by local patterns.

`database.GameDatabase` opens and searches a file, `importer.import_games` adds games to it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
