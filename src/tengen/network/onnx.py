"""Nets as ONNX files, computed by ONNX Runtime on the CPU.

A net of ours is an ordinary ONNX model that keeps to this contract:

- inputs `planes` (n, planes, rows, columns) and `numbers` (n, numbers), all float32;
- outputs `policy` (n, rows * columns + 1) as logits with the pass last, `win` (n,) as a
  probability, `lead` (n,) in points and `ownership` (n, rows, columns) from -1 to 1, all for the
  side to move;
- n, rows and columns are free: batches hold boards of one size, which fill the planes wholly;
- the metadata `tengen.features` names the features it wants (`FEATURES`), `tengen.name` the net;
  anything else under `tengen.` is for people to read.
"""

import importlib
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, cast
from weakref import WeakValueDictionary

from tengen.core.errors import TengenError
from tengen.network.evaluation import Floats, Outputs
from tengen.network.net import Features, Net, NetSettings

if TYPE_CHECKING:
    import onnxruntime

INPUTS = ("planes", "numbers")
OUTPUTS = Outputs._fields
PREFIX = "tengen."

FEATURES = {
    "katago-7": "tengen.network.katago.features:KataGoFeatures",
    "own-1": "tengen.network.own:OwnFeatures",
    "own-playouts": "tengen.network.own:OwnFeatures",
}
"""The kinds of features, each a class, imported when needed. It is made without arguments, or with
the number that stands behind the kind: `own-playouts:32`."""


_SESSIONS: "WeakValueDictionary[tuple[bytes, int], onnxruntime.InferenceSession]" = (
    WeakValueDictionary()
)
"""What is in use, by the file's content and threads. To load a net takes as long as a hundred
simulations with it, and a session may compute for several engines at once."""
_LOADING = Lock()


class OnnxModel:
    """A model in an ONNX file; it computes on as many threads as it is told, one by default."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Load a file; raise TengenError if it is none of our nets."""
        self.path = path
        self._session = _open_session(path, threads)
        self.metadata = _own_metadata(self._session)
        self._check()

    @property
    def name(self) -> str:
        """What the net is called."""
        return self.metadata.get("name", self.path.stem)

    @property
    def features(self) -> str:
        """The kind of features it wants."""
        return self.metadata["features"]

    def run(self, planes: Floats, numbers: Floats) -> Outputs:
        """Compute a batch: planes (n, planes, rows, columns), numbers (n, numbers)."""
        return Outputs(*self._session.run(OUTPUTS, {"planes": planes, "numbers": numbers}))

    def _check(self) -> None:
        """Raise TengenError unless the model keeps to the contract."""
        inputs = {given.name for given in self._session.get_inputs()}
        outputs = {given.name for given in self._session.get_outputs()}
        if "features" not in self.metadata or not outputs >= set(OUTPUTS) or inputs != set(INPUTS):
            raise TengenError(
                f"{self.path}: an ONNX model, but none of Tengen's nets; make one with"
                " `tengen net import` or `tengen net train`"
            )

    def input_sizes(self) -> tuple[int, int]:
        """Return how many planes and how many numbers the model takes in."""
        shapes = {given.name: given.shape for given in self._session.get_inputs()}
        return int(shapes["planes"][1]), int(shapes["numbers"][1])


def load_net(path: Path | str, settings: NetSettings | None = None) -> Net:
    """Return the net of an ONNX file; raise TengenError with one clear line if that fails."""
    settings = settings or NetSettings()
    model = OnnxModel(Path(path), settings.threads)
    return Net(model.name, make_features(model), model, settings)


def make_features(model: OnnxModel) -> Features:
    """Return the features that a model wants; raise TengenError if that cannot be."""
    features = _features_named(model)
    if (features.planes, features.numbers) != model.input_sizes():
        raise TengenError(
            f"{model.path}: takes {model.input_sizes()} planes and numbers, but its features"
            f" {model.features!r} have {features.planes, features.numbers}; make the net again"
        )
    return features


def _features_named(model: OnnxModel) -> Features:
    kind, _, number = model.features.partition(":")
    try:
        module, _, name = FEATURES[kind].partition(":")
        make = cast(Callable[..., Features], getattr(importlib.import_module(module), name))
        return make(int(number)) if number else make()
    except (KeyError, ValueError, TypeError):
        known = ", ".join(FEATURES)
        raise TengenError(
            f"{model.path}: wants features {model.features!r}; this version has {known}"
        ) from None


def make_session(content: bytes, threads: int) -> "onnxruntime.InferenceSession":
    """Load a model for the CPU with settings that leave the other cores alone."""
    runtime = _runtime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = runtime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _open_session(path: Path, threads: int) -> "onnxruntime.InferenceSession":
    if not path.is_file():
        raise TengenError(f"{path}: no such net; `tengen net list` shows those there are")
    content = path.read_bytes()
    try:
        return _shared_session(content, threads)
    except TengenError:
        raise
    except Exception:  # ONNX Runtime has a family of its own, not all of it public
        raise TengenError(
            f"{path}: not an ONNX model, or a damaged one; KataGo's files (.bin.gz) are brought in"
            " by `tengen net import`"
        ) from None


def _shared_session(content: bytes, threads: int) -> "onnxruntime.InferenceSession":
    """Return the session of a model that somebody in this process uses already, or a new one."""
    key = blake2b(content).digest(), threads
    with _LOADING:
        session = _SESSIONS.get(key)
        if session is None:
            session = _SESSIONS[key] = make_session(content, threads)
    return session


def _runtime() -> ModuleType:
    try:
        return importlib.import_module("onnxruntime")
    except ImportError:
        raise TengenError("nets need ONNX Runtime: pip install onnxruntime") from None


def _own_metadata(session: "onnxruntime.InferenceSession") -> dict[str, str]:
    """Return the model's metadata that are ours, without their prefix."""
    found = session.get_modelmeta().custom_metadata_map
    return {
        key.removeprefix(PREFIX): value for key, value in found.items() if key.startswith(PREFIX)
    }
