"""Writing ONNX models node by node, with the layers that Go nets are made of.

A *value* is the name of what a node gives; each method adds a node and returns the name of its
value. Channels are axis 1, rows and columns axes 2 and 3.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from tengen.core.errors import TengenError
from tengen.core.whole_file import whole_file
from tengen.network.evaluation import Floats

OPSET = 18
IR_VERSION = 8
"""Old enough for every ONNX Runtime since 2022."""


class Graph:
    """A model in the making."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def add(self, kind: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        """Add a node; its value is called `name` if that is given."""
        value = name or f"v{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [value], **attributes))
        return value

    def constant(self, array: npt.ArrayLike, kind: type = np.float32) -> str:
        """Add fixed numbers."""
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(array, dtype=kind), name))
        return name

    def convolve(
        self,
        value: str,
        weights: Floats,
        bias: Floats | None = None,
        dilation: Sequence[int] = (1, 1),
    ) -> str:
        """Add a convolution with weights (out, in, height, width) that keeps the board's size."""
        across = [
            (size // 2) * step for size, step in zip(weights.shape[2:], dilation, strict=True)
        ]
        inputs = [value, self.constant(weights)]
        if bias is not None:
            inputs.append(self.constant(bias))
        return self.add("Conv", *inputs, pads=across * 2, dilations=list(dilation))

    def multiply(self, value: str, matrix: Floats, bias: Floats | None = None) -> str:
        """Add a layer without places: (n, in) times (in, out)."""
        inputs = [value, self.constant(matrix)]
        if bias is not None:
            inputs.append(self.constant(bias))
        return self.add("Gemm", *inputs)

    def normalise(self, value: str, scale: Floats, bias: Floats) -> str:
        """Add scale * x + bias with a scale and a bias for each channel.

        As a batch norm, since ONNX Runtime fuses that with its neighbours.
        """
        zeros, ones = np.zeros_like(scale), np.ones_like(scale)
        numbers = [self.constant(array) for array in (scale, bias, zeros, ones)]
        return self.add("BatchNormalization", value, *numbers, epsilon=0.0)

    def mean(self, value: str) -> str:
        """Add the mean over the board: (n, channels)."""
        return self.add("Flatten", self.add("GlobalAveragePool", value))

    def largest(self, value: str) -> str:
        """Add the maximum over the board: (n, channels)."""
        return self.add("Flatten", self.add("GlobalMaxPool", value))

    def everywhere(self, value: str, numbers: str) -> str:
        """Add numbers (n, channels) to every point of a value."""
        axes = self.constant([2, 3], np.int64)
        return self.add("Sum", value, self.add("Unsqueeze", numbers, axes))

    def model(
        self,
        inputs: Mapping[str, Sequence[int | str]],
        outputs: Mapping[str, Sequence[int | str]],
        metadata: Mapping[str, str],
    ) -> onnx.ModelProto:
        """Return the model, checked; inputs and outputs are float32 with shapes as given."""
        describe = helper.make_tensor_value_info
        graph = helper.make_graph(
            self._nodes,
            "net",
            [describe(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
            [describe(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
            self._constants,
        )
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)
        helper.set_model_props(model, dict(metadata))
        onnx.checker.check_model(model)
        return model


def save_model(model: onnx.ModelProto, path: Path) -> None:
    """Write a model; the file appears when it is whole. Raise TengenError if it cannot."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TengenError(f"cannot write {str(path)!r}: {error.strerror}") from None
    with whole_file(path) as file:
        file.write(model.SerializeToString())
