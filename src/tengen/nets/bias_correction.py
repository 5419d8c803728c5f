"""Correction of the biases of a quantized network.

Clipped activations and rounded weights shift the mean outputs of layers, and with them the score
and the winning probability of every position. Layer by layer, in the order of computation, each
bias is changed so that the mean output of each channel over the calibration set equals that of the
float network (Nagel et al. 2019, "Data-free quantization through weight equalization and bias
correction").

In networks with Mish or SiLU, only the dense layers of the heads are corrected. Errors of strongly
negative values, which these functions ignore, would dominate the means of other layers.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from tengen.nets.evaluation import Floats
from tengen.nets.onnx_model import make_session

MAX_BATCHES = 24
"""Batches of the calibration set that are used."""
SMOOTH = ("Mish", "MatMul")
"""Operators of networks of which only the dense layers of the heads are corrected."""

Inputs = Mapping[str, Floats]
"""A batch of model inputs by name."""
Arrays = dict[str, npt.NDArray[Any]]


def correct_biases(
    quantized: onnx.ModelProto,
    original: onnx.ModelProto,
    calibration: Sequence[Inputs],
    on_progress: Callable[[float], None] = lambda share: None,
) -> None:
    """Correct the biases of a quantized network in place; `original` is the float network."""
    is_smooth = any(node.op_type in SMOOTH for node in original.graph.node)
    kinds = ("Gemm",) if is_smooth else ("Conv", "Gemm")
    layers = [n for n in quantized.graph.node if n.op_type in kinds and len(n.input) == 3]
    if not layers:
        return
    batches = calibration[:: -(-len(calibration) // MAX_BATCHES)]
    constants = {tensor.name: tensor for tensor in quantized.graph.initializer}
    producers = {name: node for node in quantized.graph.node for name in node.output}
    exact, found = StepwiseRun(original, batches), StepwiseRun(quantized, batches)
    for done, node in enumerate(layers):
        on_progress(done / len(layers))
        name = node.output[0]
        exact.run_to(name)
        found.run_to(name)
        change = exact.channel_means(name) - found.channel_means(name)
        found.add(name, change)
        bias = node.input[2]
        if bias in constants:
            _add(constants[bias], change)
        else:
            values, scale = producers[bias].input[:2]
            _add(constants[values], change / numpy_helper.to_array(constants[scale]))


class StepwiseRun:
    """Computes a model on some batches, step by step, and keeps the tensors still needed."""

    def __init__(self, model: onnx.ModelProto, batches: Sequence[Inputs]) -> None:
        self._model = model
        self._nodes = list(model.graph.node)
        self._constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self._steps = {name: step for step, node in enumerate(self._nodes) for name in node.output}
        self._last_use = {
            name: step for step, node in enumerate(self._nodes) for name in node.input
        }
        self._done = 0
        self._values: list[Arrays] = [dict(batch) for batch in batches]

    def run_to(self, name: str) -> None:
        """Compute a tensor and everything before it."""
        begin, end = self._done, self._steps[name] + 1
        if end <= begin:
            return
        nodes = self._nodes[begin:end]
        made = {output for node in nodes for output in node.output}
        read = {given for node in nodes for given in node.input if given}
        outputs = [o for o in made if self._last_use.get(o, -1) >= end or o == name]
        inputs = sorted(read - made - self._constants.keys())
        session = make_session(self._part(nodes, inputs, outputs, read), threads=1)
        for index, values in enumerate(self._values):
            results = session.run(outputs, {given: values[given] for given in inputs})
            kept = {key: v for key, v in values.items() if self._last_use.get(key, -1) >= end}
            self._values[index] = kept | dict(zip(outputs, results, strict=True))
        self._done = end

    def channel_means(self, name: str) -> Floats:
        """Return the mean of each channel of a computed tensor, batches with equal weight."""
        means = [
            values[name].reshape(*values[name].shape[:2], -1).mean(axis=(0, 2))
            for values in self._values
        ]
        return np.asarray(np.mean(means, axis=0), dtype=np.float32)

    def add(self, name: str, change: Floats) -> None:
        """Add a number per channel to a computed tensor."""
        for values in self._values:
            array = values[name]
            values[name] = array + change.reshape(1, -1, *[1] * (array.ndim - 2))

    def _part(
        self, nodes: list[onnx.NodeProto], inputs: list[str], outputs: list[str], read: set[str]
    ) -> bytes:
        """Return some of the nodes as a model."""
        first = self._values[0]
        graph = helper.make_graph(
            nodes,
            "part",
            [
                helper.make_tensor_value_info(
                    name, helper.np_dtype_to_tensor_dtype(first[name].dtype), None
                )
                for name in inputs
            ],
            [helper.make_empty_tensor_value_info(name) for name in outputs],
            [self._constants[name] for name in sorted(read & self._constants.keys())],
        )
        model = helper.make_model(
            graph,
            opset_imports=self._model.opset_import,
            ir_version=self._model.ir_version,
        )
        content: bytes = model.SerializeToString()
        return content


def _add(constant: onnx.TensorProto, change: Floats) -> None:
    """Add to a constant, which may be of integers."""
    old = numpy_helper.to_array(constant)
    new = old + change.reshape(old.shape)
    if old.dtype.kind == "i":
        new = np.rint(new)
    constant.CopyFrom(numpy_helper.from_array(new.astype(old.dtype), constant.name))
