"""Layers: evaluations of every point of a position, drawn as heat maps, surfaces or text.

`make_layer` computes a `Layer` by name; `LAYERS` describes all of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
