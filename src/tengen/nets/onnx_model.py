"""Networks as ONNX files, run by ONNX Runtime on the CPU.

A network file is an ONNX model with this interface:

- inputs `planes` (n, planes, rows, columns) and `numbers` (n, numbers), float32;
- outputs `policy` (n, rows * columns + 1) as logits with the pass last, `win` (n,) as a
  probability, `lead` (n,) in points and `ownership` (n, rows, columns) from -1 to 1, all for the
  side to move;
- n, rows and columns are dynamic; a batch holds boards of one size, which fill the planes;
- the metadata `tengen.features` names the features (`FEATURES`) and `tengen.name` the network;
  other metadata under `tengen.` are informative.
"""

import importlib
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, cast
from weakref import WeakValueDictionary

from tengen.nets.evaluation import Floats, Outputs
from tengen.nets.files import find_net, split_profile
from tengen.nets.net import Features, Net, NetSettings
from tengen.util import TengenError

if TYPE_CHECKING:
    import onnxruntime

INPUTS = ("planes", "numbers")
OUTPUTS = Outputs._fields
PREFIX = "tengen."
FIRST_BYTE = b"\x08"
"""ONNX files begin with the version of the format, field 1."""
MAX_BYTES = 1 << 31
"""Maximum size of an ONNX file without external data."""

FEATURES = {
    "katago-7": "tengen.nets.katago.features:KataGoFeatures",
    "katago-7-human": "tengen.nets.katago.features:HumanFeatures",
    "own-1": "tengen.nets.tengen_net:TengenFeatures",
    "own-playouts": "tengen.nets.tengen_net:TengenFeatures",
}
"""Feature classes by kind, imported on first use. They take no argument, or the number after the
kind: `own-playouts:32`, or a player profile (`HUMAN`)."""
HUMAN = "katago-7-human"


_SESSIONS: "WeakValueDictionary[tuple[bytes, int], onnxruntime.InferenceSession]" = (
    WeakValueDictionary()
)
"""Sessions in use, by file content and threads. Loading a network is slow, and one session can
serve several engines."""
_LOADING = Lock()


class OnnxModel:
    """A model in an ONNX file."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Load a file; raise TengenError if it does not have Tengen's interface."""
        self.path = path
        self._session = _open_session(path, threads)
        self.metadata = _own_metadata(self._session)
        self._check()

    @property
    def name(self) -> str:
        """Name of the network."""
        return self.metadata.get("name", self.path.stem)

    @property
    def features(self) -> str:
        """Kind of its features."""
        return self.metadata["features"]

    def run(self, planes: Floats, numbers: Floats) -> Outputs:
        """Compute a batch: planes (n, planes, rows, columns), numbers (n, numbers), float32."""
        return Outputs(*self._session.run(OUTPUTS, {"planes": planes, "numbers": numbers}))

    def _check(self) -> None:
        """Raise TengenError unless inputs, outputs and metadata are as expected."""
        inputs = {entry.name for entry in self._session.get_inputs()}
        outputs = {entry.name for entry in self._session.get_outputs()}
        if "features" not in self.metadata or not outputs >= set(OUTPUTS) or inputs != set(INPUTS):
            raise TengenError(
                f"{self.path}: not a Tengen network; create one with `tengen net import` or"
                " `tengen net train`"
            )

    def input_sizes(self) -> tuple[int, int]:
        """Return the number of planes and of global features."""
        shapes = {entry.name: entry.shape for entry in self._session.get_inputs()}
        return int(shapes["planes"][1]), int(shapes["numbers"][1])


def load_net(path: Path | str, settings: NetSettings | None = None) -> Net:
    """Load the network of an ONNX file; raise TengenError if that fails."""
    settings = settings or NetSettings()
    model = OnnxModel(Path(path), settings.threads)
    return Net(model.name, make_features(model, settings.profile), model, settings)


def load_net_named(name: str, settings: NetSettings | None = None) -> Net:
    """Load a network by name or path, with a player profile after `@` if it is human-like.

    Raise TengenError if that fails.
    """
    settings = settings or NetSettings()
    _, profile = split_profile(name)
    return load_net(find_net(name), replace(settings, profile=profile or settings.profile))


def make_features(model: OnnxModel, profile: str = "") -> Features:
    """Return the features of a model; raise TengenError if they are unknown or do not fit.

    `profile` names the players that a human-like network imitates; others do not need it.
    """
    features = _features_named(model, profile)
    if (features.planes, features.numbers) != model.input_sizes():
        raise TengenError(
            f"{model.path}: expects {model.input_sizes()} planes and numbers, but features"
            f" {model.features!r} have {features.planes, features.numbers}; export it again"
        )
    return features


def _features_named(model: OnnxModel, profile: str) -> Features:
    if model.features == HUMAN and not profile:
        raise TengenError(
            f"{model.path}: a human-like network needs a player profile: append @PROFILE to its"
            " name, for example @rank_5k"
        )
    kind, _, number = model.features.partition(":")
    try:
        module, _, name = FEATURES[kind].partition(":")
        make = cast(Callable[..., Features], getattr(importlib.import_module(module), name))
        if kind == HUMAN:
            return make(profile)
        return make(int(number)) if number else make()
    except (KeyError, ValueError, TypeError):
        known = ", ".join(FEATURES)
        raise TengenError(
            f"{model.path}: unknown features {model.features!r}; this version supports {known}"
        ) from None


def make_session(content: bytes, threads: int) -> "onnxruntime.InferenceSession":
    """Create a CPU session that leaves other cores idle."""
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
        raise TengenError(f"{path}: no such network; `tengen net list` shows the available ones")
    damaged = TengenError(
        f"{path}: not an ONNX model, or damaged; import KataGo files (.bin.gz) with"
        " `tengen net import`"
    )
    with path.open("rb") as file:
        if file.read(1) != FIRST_BYTE or path.stat().st_size > MAX_BYTES:
            raise damaged  # before a large file fills the memory
    content = path.read_bytes()
    try:
        return _shared_session(content, threads)
    except TengenError:
        raise
    except Exception:  # not all exceptions of ONNX Runtime are public
        raise damaged from None


def _shared_session(content: bytes, threads: int) -> "onnxruntime.InferenceSession":
    """Return the session already loaded for this model, or a new one."""
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
        raise TengenError("networks need ONNX Runtime: pip install onnxruntime") from None


def _own_metadata(session: "onnxruntime.InferenceSession") -> dict[str, str]:
    """Return the metadata with Tengen's prefix, without the prefix."""
    found = session.get_modelmeta().custom_metadata_map
    return {
        key.removeprefix(PREFIX): value for key, value in found.items() if key.startswith(PREFIX)
    }
