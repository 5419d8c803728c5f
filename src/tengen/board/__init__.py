"""The game: `Position`, `Rules`, `Color`, points and symmetries, on top of compiled kernels."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
