"""Matches between engines: players, games, storage, statistics, reports, regression suites.

`tengen.match.tuning` optimizes parameters by games.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
