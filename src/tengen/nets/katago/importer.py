"""Import of KataGo networks: conversion to ONNX and a trial evaluation."""

from pathlib import Path

import numpy as np

from tengen.nets.katago.graph import to_onnx
from tengen.nets.katago.model import PLANES, KataGoModel
from tengen.nets.katago.stream import ModelStream
from tengen.nets.onnx_graph import save_model
from tengen.nets.onnx_model import OnnxModel
from tengen.util import TengenError


def import_net(source: Path, target: Path) -> KataGoModel:
    """Write a KataGo model file as an ONNX model and return the model that was read.

    Raise TengenError, and leave no file behind, if it is invalid or does not work.
    """
    model = KataGoModel.read(ModelStream(source))
    trial = target.with_name(target.name + ".trial")
    try:
        save_model(to_onnx(model), trial)
        _check_outputs(trial, model.numbers)
        trial.replace(target)
    except OSError:
        raise
    except Exception as error:  # inconsistent layers fail in many ways
        message = f"{source}: damaged KataGo model (inconsistent layers or non-finite outputs)"
        raise TengenError(message) from error
    finally:
        trial.unlink(missing_ok=True)
    return model


def _check_outputs(path: Path, numbers: int) -> None:
    """Evaluate an empty board, without feature kernels, which may not be compiled yet."""
    planes = np.zeros((1, PLANES, 9, 9), dtype=np.float32)
    planes[:, 0] = 1
    outputs = OnnxModel(path).run(planes, np.zeros((1, numbers), dtype=np.float32))
    if not all(np.isfinite(part).all() for part in outputs):
        raise ValueError("non-finite outputs")
