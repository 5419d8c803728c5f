"""Calibration of quantized networks: positions of self-play games, and statistics of tensors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import onnx
from onnx import helper

from tengen.board import NAMED_RULES, Position
from tengen.nets.evaluation import Floats
from tengen.nets.net import Net
from tengen.nets.onnx_model import make_session
from tengen.nets.self_play import play_round

CALIBRATION_SIZES = (9, 13, 19)
SAMPLING_INTERVAL = 12
"""One of this many positions of a calibration game is used."""
KEPT_VALUES = 2_000
"""Values kept per tensor and batch."""
BATCH = 2
"""Positions per batch; all tensors of a batch are in memory at once."""

Inputs = Mapping[str, Floats]
"""A batch of model inputs by name."""

OnProgress = Callable[[float], None]
"""Called with the share of the work that is done, from 0 to 1."""


class TensorStatistics(NamedTuple):
    """Statistics of a tensor over the calibration set."""

    values: Floats
    """A sample of its values that includes the minimum and maximum."""
    means: Floats
    """Mean of each channel."""


def calibration_positions(
    net: Net,
    games: int,
    seed: int,
    sizes: Sequence[int] = CALIBRATION_SIZES,
    on_progress: OnProgress = lambda share: None,
) -> list[Position]:
    """Return positions of self-play games on several board sizes."""
    done, work = 0, sum(size**4 for size in sizes)
    random = np.random.default_rng(seed)
    rules = list(NAMED_RULES.values())
    taken: list[Position] = []
    for size in sizes:
        active = [Position(size, rules=rules[number % len(rules)]) for number in range(games)]
        for number in range(size * size):
            active = [position for position in active if not position.is_over]
            chosen = random.integers(SAMPLING_INTERVAL, size=len(active))
            is_taken = chosen == number % SAMPLING_INTERVAL
            taken += [active[index].copy() for index in np.flatnonzero(is_taken)]
            play_round(net, active, random)
            on_progress((done + number * size * size) / work)
        done += size**4
    return taken


def calibration_batches(net: Net, positions: Sequence[Position]) -> Iterator[dict[str, Floats]]:
    """Yield the positions as model inputs, boards of one size together."""
    size_limit = min(net.settings.batch, BATCH)
    for size in sorted({position.rows for position in positions}):
        group = [position for position in positions if position.rows == size]
        for begin in range(0, len(group), size_limit):
            planes, numbers = net.encode(group[begin : begin + size_limit])
            yield {"planes": planes, "numbers": numbers}


def tensor_statistics(
    model: onnx.ModelProto,
    tensors: Sequence[str],
    calibration: Sequence[Inputs],
    on_progress: OnProgress = lambda share: None,
) -> dict[str, TensorStatistics]:
    """Run the calibration set and return statistics of the named tensors."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    inputs = {entry.name for entry in model.graph.input}
    inner = [name for name in tensors if name not in inputs]
    for name in inner:
        probe.graph.output.append(helper.make_empty_tensor_value_info(name))
    session = make_session(probe.SerializeToString(), threads=1)
    values: dict[str, list[Floats]] = {name: [] for name in tensors}
    means: dict[str, list[Floats]] = {name: [] for name in tensors}
    random = np.random.default_rng(1)
    for done, batch in enumerate(calibration):
        on_progress(done / len(calibration))
        arrays = {**batch, **dict(zip(inner, session.run(inner, batch), strict=True))}
        for name in tensors:
            values[name].append(_sample(arrays[name], random))
            board_axes = (2, 3) if arrays[name].ndim == 4 else 1
            means[name].append(arrays[name].mean(axis=board_axes))
    return {
        name: TensorStatistics(
            np.concatenate(values[name]), np.concatenate(means[name]).mean(axis=0)
        )
        for name in tensors
    }


def _sample(array: Floats, random: np.random.Generator) -> Floats:
    """Return random values with the minimum and maximum."""
    flat = array.reshape(-1)
    drawn = flat if flat.size <= KEPT_VALUES else flat[random.integers(flat.size, size=KEPT_VALUES)]
    return np.append(drawn, [flat.min(), flat.max()])
