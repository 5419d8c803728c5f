"""Int8 quantization of networks.

The large convolutions and dense layers of the trunk run on int8 tensors. The range of each tensor
is chosen to minimize the squared quantization error on a *calibration set*: positions of games that
the bundled network, which is fast, plays against itself.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tengen.nets.bias_correction import correct_biases
from tengen.nets.calibration_set import (
    Inputs,
    OnProgress,
    calibration_batches,
    calibration_positions,
    tensor_statistics,
)
from tengen.nets.graph_quantizer import GraphQuantizer
from tengen.nets.net import NetSettings
from tengen.nets.onnx_graph import save_model
from tengen.nets.onnx_model import OnnxModel, load_net
from tengen.nets.quantization_parameters import choose_parameters
from tengen.nets.quantized_mish import fit_mish
from tengen.nets.tengen_net import DEFAULT_NET
from tengen.util import TengenError

CALIBRATION_PROFILE = "rank_1d"
"""Players that a human-like network imitates while it is quantized."""
PLAYING_SHARE = 0.2
"""Share of the calibration games in the work."""
MIN_HALF = 64
"""Smaller tensors stay float32 in networks with float16 weights."""
STATISTICS_SHARE = 0.5
"""Share of the statistics in the work after the games."""


def quantize_net(
    source: Path,
    target: Path,
    games: int,
    seed: int,
    bits: int = 7,
    on_progress: OnProgress = lambda share: None,
) -> int:
    """Write the int8 version of a network; return the size of the calibration set.

    Raise TengenError if the network cannot be quantized, before calibration games are played.
    """
    net = load_net(source, NetSettings(profile=CALIBRATION_PROFILE))
    model = onnx.load(str(source))
    check_quantizable(model)
    positions = calibration_positions(
        load_net(DEFAULT_NET),
        games,
        seed,
        on_progress=lambda share: on_progress(share * PLAYING_SHARE),
    )
    quantized = quantize(
        model,
        list(calibration_batches(net, positions)),
        bits,
        lambda share: on_progress(PLAYING_SHARE + share * (1 - PLAYING_SHARE)),
    )
    save_model(quantized, target)
    return len(positions)


def quantize(
    model: onnx.ModelProto,
    calibration: Sequence[Inputs],
    weight_bits: int = 7,
    on_progress: OnProgress = lambda share: None,
) -> onnx.ModelProto:
    """Return a copy of the model with its large layers in int8.

    Weights keep seven bits by default (see `GraphQuantizer`). Raise TengenError if there is
    nothing to quantize.
    """
    check_quantizable(model)
    quantized = onnx.ModelProto()
    quantized.CopyFrom(model)
    quantizer = GraphQuantizer(quantized.graph, weight_bits)
    statistics = tensor_statistics(
        model,
        quantizer.tensors(),
        calibration,
        lambda share: on_progress(share * STATISTICS_SHARE),
    )
    of_mish = quantizer.mish_inputs
    quantizer.rewrite(
        {
            name: choose_parameters(found.values)
            for name, found in statistics.items()
            if name not in of_mish
        },
        {name: fit_mish(statistics[name].values) for name in of_mish},
        {name: found.means for name, found in statistics.items()},
    )
    correct_biases(
        quantized,
        model,
        calibration,
        lambda share: on_progress(STATISTICS_SHARE + share * (1 - STATISTICS_SHARE)),
    )
    metadata = {entry.key: entry.value for entry in quantized.metadata_props}
    metadata["tengen.numbers"] = f"int8 trunk, {weight_bits}-bit weights"
    helper.set_model_props(quantized, metadata)
    onnx.checker.check_model(quantized)
    return quantized


def save_half_precision(source: Path, target: Path) -> None:
    """Write a network with float16 weights, which are converted to float32 when it is loaded."""
    OnnxModel(source)  # raises TengenError if it is not a network
    model = onnx.load(str(source))
    graph = model.graph
    casts = []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < MIN_HALF:
            continue
        whole = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{whole}_half"))
        casts.append(
            helper.make_node("Cast", [tensor.name], [whole], to=int(onnx.TensorProto.FLOAT))
        )
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    save_model(model, target)


def check_quantizable(model: onnx.ModelProto) -> None:
    """Raise TengenError if a model is quantized already or has no large layer."""
    if any(node.op_type == "QuantizeLinear" for node in model.graph.node):
        raise TengenError("the network is already quantized to int8")
    if not GraphQuantizer(model.graph, weight_bits=7).tensors():
        raise TengenError("the network has no large layer to quantize")
