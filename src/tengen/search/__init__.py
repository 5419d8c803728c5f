"""Monte Carlo tree search and flat Monte Carlo search.

`Searcher` (searcher.py) owns a tree (tree.py), runs simulations (kernels/simulation.py) with the
evaluators (evaluators.py) and returns a `SearchReport` (report.py). The package knows the
interfaces of sources and networks, not concrete ones.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
