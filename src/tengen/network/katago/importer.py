"""Bringing a KataGo net in: its file is read, written as an ONNX model, and tried."""

from pathlib import Path

import numpy as np

from tengen.core.errors import TengenError
from tengen.network.graph import save_model
from tengen.network.katago.graph import to_onnx
from tengen.network.katago.model import NUMBERS, PLANES, KataGoModel
from tengen.network.katago.stream import ModelStream
from tengen.network.onnx import OnnxModel


def import_net(source: Path, target: Path) -> KataGoModel:
    """Write the net of a KataGo file as an ONNX model, and return what was read.

    Raise TengenError, and leave no file behind, if it is none or does not work.
    """
    model = KataGoModel.read(ModelStream(source))
    trial = target.with_name(target.name + ".trial")
    try:
        save_model(to_onnx(model), trial)
        _try(trial)
        trial.replace(target)
    except OSError:
        raise
    except Exception as error:  # layers that do not fit together fail in many ways
        message = f"{source}: a damaged KataGo model, its layers do not fit or say no numbers"
        raise TengenError(message) from error
    finally:
        trial.unlink(missing_ok=True)
    return model


def _try(path: Path) -> None:
    """Compute an empty board with a model, without features: kernels need not be compiled yet."""
    planes = np.zeros((1, PLANES, 9, 9), dtype=np.float32)
    planes[:, 0] = 1
    said = OnnxModel(path).run(planes, np.zeros((1, NUMBERS), dtype=np.float32))
    if not all(np.isfinite(part).all() for part in said):
        raise ValueError("what it says is no number")
