"""The engine: settings, time control, opening book, and the engines that use a search.

`create_engine` (search_engine.py) builds an `Engine` (engine.py) from `EngineSettings`
(settings.py).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
