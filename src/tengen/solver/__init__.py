"""Solver for small boards: proves the value of a position with up to 30 points.

`solver.Solver` solves positions, `solver.SolverPlayer` plays without mistakes and `store` keeps
proved bounds on disk.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
