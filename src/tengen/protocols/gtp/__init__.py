"""The Go Text Protocol, with the extensions of GoGui, KataGo, Leela Zero, KGS and CGOS."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
