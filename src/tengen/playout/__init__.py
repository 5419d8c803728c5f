"""Playouts (light, heavy and batched), and the scoring of finished positions with them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
