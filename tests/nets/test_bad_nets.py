"""Damaged and huge network files, and networks whose outputs are not finite."""

import gzip
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from tengen.board import Position
from tengen.cli.main import main
from tengen.engine import EngineSettings, evaluate_with_net
from tengen.nets import DEFAULT_NET, NonFiniteOutputsError, load_net
from tengen.nets.onnx_model import OnnxModel
from tengen.protocols.gtp.loop import Session
from tengen.util import TengenError

GIB = 1 << 30


def sparse_file(path, begin, size):
    """Write a file of zeros after some bytes; it takes no space on the disk."""
    with path.open("wb") as file:
        file.write(begin)
        file.truncate(size)
    return path


@pytest.mark.parametrize(
    ("begin", "size"), [(b"PK\x03\x04", 40 * GIB), (b"\x08\x08", 40 * GIB), (b"\x00", 20 * GIB)]
)
def test_huge_files_are_not_read(tmp_path, begin, size):
    path = sparse_file(tmp_path / "huge.onnx", begin, size)
    with pytest.raises(TengenError, match="not an ONNX model"):
        OnnxModel(path)


IMPORT = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
from pathlib import Path
from tengen.nets.katago import import_net
from tengen.util import TengenError
try:
    import_net(Path(sys.argv[1]), Path(sys.argv[1]).with_suffix(".onnx"))
except TengenError as error:
    print("error:", error)
"""


@pytest.mark.parametrize("kind", ["plain", "gzip"])
def test_import_of_a_huge_file_needs_little_memory(tmp_path, kind):
    path = tmp_path / "huge.bin.gz"
    if kind == "plain":
        sparse_file(path, b"\x00", 40 * GIB)
    else:
        with gzip.open(path, "wb", compresslevel=1) as file:
            for _ in range(256):
                file.write(bytes(1 << 20))
    done = subprocess.run(
        [sys.executable, "-c", IMPORT, path, str(2 * GIB)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "error:" in done.stdout, done.stderr
    assert "not a KataGo model" in done.stdout
    assert [found.name for found in tmp_path.iterdir()] == ["huge.bin.gz"]


@pytest.mark.parametrize("option", ["-model", "-human-model"])
def test_damaged_models_are_not_cached(tmp_path, monkeypatch, capsys, option):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "damaged.bin.gz"
    path.write_bytes(gzip.compress(b"name 8 22 19\ntrunk 1 2 3"))
    with pytest.raises(TengenError, match=r"damaged\.bin\.gz"):
        main(["gtp", option, str(path)])
    assert not [found for found in (tmp_path / "cache").rglob("nets/*") if found.is_file()]


@pytest.fixture
def nan_net(tmp_path):
    """Return the bundled network with a weight that makes all its outputs NaN."""
    model = onnx.load(str(DEFAULT_NET))
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT and tensor.dims:
            values = numpy_helper.to_array(tensor).copy()
            values[...] = np.nan
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    path = tmp_path / "nan.onnx"
    onnx.save(model, str(path))
    return path


@pytest.mark.kernels
def test_outputs_that_are_not_finite_are_an_error_and_not_cached(nan_net):
    net, position = load_net(nan_net), Position(9)
    for _ in range(2):
        with pytest.raises(NonFiniteOutputsError, match="outputs are not finite"):
            net.evaluate([position])
    assert len(net.cache) == 0
    assert evaluate_with_net(str(nan_net), position) is None


@pytest.mark.kernels
def test_play_continues_without_a_net_that_fails(nan_net, capsys):
    words = [f"net={nan_net}", "playouts=30", "threads=1", "memory_mib=16"]
    session = Session(EngineSettings().with_overrides(words))
    session.handle("boardsize 9")
    for command in (
        "genmove b",
        "genmove w",
        "final_score",
        "kata-search_analyze b ownership true",
    ):
        reply = session.handle(command)
        assert not reply.startswith("?"), reply
        assert "nan" not in reply.lower()
    assert len(session.position.moves) == 2
    assert capsys.readouterr().err.count("outputs are not finite") == 1
    assert "not finite" in session.handle("kata-raw-nn 0")
