"""Builder of ONNX graphs from the layers of Go networks.

Each method adds nodes and returns the name of the resulting value. Channels are axis 1, rows and
columns axes 2 and 3.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from tengen.nets.evaluation import Floats
from tengen.util import TengenError, atomic_write

OPSET = 18
IR_VERSION = 8
"""Supported by ONNX Runtime since 2022."""
RUNTIME_DOMAIN = "com.microsoft"
"""Domain of ONNX Runtime's own operators."""


class GraphBuilder:
    """Collects the nodes and constants of a model."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def add(self, kind: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        """Add a node; its output is called `name` if given."""
        value = name or f"v{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [value], **attributes))
        return value

    def constant(self, array: npt.ArrayLike, kind: type = np.float32) -> str:
        """Add a constant tensor."""
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
        """Add a same-size convolution with weights (out, in, height, width)."""
        across = [
            (size // 2) * step for size, step in zip(weights.shape[2:], dilation, strict=True)
        ]
        inputs = [value, self.constant(weights)]
        if bias is not None:
            inputs.append(self.constant(bias))
        return self.add("Conv", *inputs, pads=across * 2, dilations=list(dilation))

    def multiply(self, value: str, matrix: Floats, bias: Floats | None = None) -> str:
        """Add a dense layer: (n, in) times (in, out)."""
        inputs = [value, self.constant(matrix)]
        if bias is not None:
            inputs.append(self.constant(bias))
        return self.add("Gemm", *inputs)

    def normalize(self, value: str, scale: Floats, bias: Floats) -> str:
        """Add scale * x + bias per channel.

        Written as batch normalization, which ONNX Runtime fuses with its neighbors.
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
        """Add values (n, channels) to every point of a tensor."""
        axes = self.constant([2, 3], np.int64)
        return self.add("Sum", value, self.add("Unsqueeze", numbers, axes))

    def model(
        self,
        inputs: Mapping[str, Sequence[int | str]],
        outputs: Mapping[str, Sequence[int | str]],
        metadata: Mapping[str, str],
    ) -> onnx.ModelProto:
        """Return the checked model; inputs and outputs are float32 of the given shapes."""
        describe = helper.make_tensor_value_info
        graph = helper.make_graph(
            self._nodes,
            "net",
            [describe(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
            [describe(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
            self._constants,
        )
        opset = [helper.make_opsetid("", OPSET), helper.make_opsetid(RUNTIME_DOMAIN, 1)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)
        helper.set_model_props(model, dict(metadata))
        onnx.checker.check_model(model)
        return model


def save_model(model: onnx.ModelProto, path: Path) -> None:
    """Write a model atomically; raise TengenError if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TengenError(f"cannot write {str(path)!r}: {error.strerror}") from None
    with atomic_write(path) as file:
        file.write(model.SerializeToString())
