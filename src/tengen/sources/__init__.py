"""Sources: functions that score every point of a position.

`source` loads Python functions, `registry` finds the built-in compiled sources by name. The
built-in sources are `basic` (tactics, patterns, distance, lines), `bigmove`, `metric`, `potential`
and `shape`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
