"""Parameter tuning: SPSA and an evolving population, by games or by a reference engine."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
