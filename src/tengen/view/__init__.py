"""Layers: evaluations of every point of a position, drawn as heat maps, surfaces or text.

`make_layer` computes a `Layer` by name; `LAYERS` describes all of them.
"""

from tengen.view.layer import Layer, Scale
from tengen.view.layer_info import LayerInfo, Need, ViewContext
from tengen.view.registry import LAYERS, make_layer

__all__ = ["LAYERS", "Layer", "LayerInfo", "Need", "Scale", "ViewContext", "make_layer"]
