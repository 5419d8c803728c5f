"""Proofs: the value of positions with up to 30 points, and life and death on any board.

`solver.Solver` solves positions, `solver.SolverPlayer` plays without mistakes and `store` keeps
proved bounds on disk. `life.LifeSearcher` proves that stones are captured or saved.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
