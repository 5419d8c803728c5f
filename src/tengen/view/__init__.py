"""What can be seen of a position: each source of knowledge as numbers on the board.

`make_layer` gives a `Layer` by its name; `LAYERS` tells which there are and what they mean.
"""

from tengen.view.catalogue import LAYERS, make_layer
from tengen.view.context import ViewContext
from tengen.view.info import LayerInfo, Need
from tengen.view.layer import Layer, Scale

__all__ = ["LAYERS", "Layer", "LayerInfo", "Need", "Scale", "ViewContext", "make_layer"]
