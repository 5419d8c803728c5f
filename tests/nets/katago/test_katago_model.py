"""KataGo model files: every version against an oracle, and invalid files."""

import gzip
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tiny_model import Writer, compute, write_tiny

from tengen.nets import OnnxModel
from tengen.nets.katago import import_net
from tengen.nets.katago.model import KataGoModel
from tengen.nets.katago.stream import ALWAYS_UNPACKED_BYTES, ModelStream
from tengen.util import TengenError


@pytest.mark.parametrize("version", range(8, 18))
def test_every_version_matches_the_oracle(tmp_path, version):
    source = write_tiny(tmp_path / "tiny.bin.gz", version, seed=version)
    model = import_net(source, tmp_path / "tiny.onnx")
    assert (model.version, len(model.trunk.blocks)) == (version, 3 if version >= 11 else 2)
    check_outputs(model, tmp_path / "tiny.onnx")


@pytest.mark.parametrize("version", [15, 16, 17])
def test_transformers_match_the_oracle(tmp_path, version):
    """Blocks with each kind of rotation, shared keys, inside and between convolutions."""
    source = write_tiny(tmp_path / "tiny.bin.gz", version, version, is_transformer=True)
    model = import_net(source, tmp_path / "tiny.onnx")
    assert (model.version, len(model.trunk.blocks)) == (version, 7)
    check_outputs(model, tmp_path / "tiny.onnx")


def check_outputs(model, path):
    """Compare the outputs of a network file on random inputs with the oracle."""
    version = model.version
    random = np.random.default_rng(version)
    planes = random.integers(0, 2, (2, 22, 7, 9)).astype(np.float32)
    numbers = random.normal(size=(2, 19)).astype(np.float32)
    outputs = OnnxModel(path).run(planes, numbers)
    for index in range(2):
        expected = compute(model, planes[index], numbers[index])
        for found, wanted in zip(outputs, expected, strict=True):
            assert found[index] == pytest.approx(wanted, abs=1e-4)


def test_metadata(tmp_path):
    import_net(write_tiny(tmp_path / "tiny.bin.gz", 14), tmp_path / "tiny.onnx")
    assert OnnxModel(tmp_path / "tiny.onnx").metadata == {
        "features": "katago-7",
        "name": "tiny",
        "origin": "KataGo, format version 14",
        "size": "3 blocks of 8 channels",
    }


def complaint(path, content, packed=True):
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(TengenError) as raised:
        import_net(path, path.with_suffix(".onnx"))
    message = str(raised.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert [file.name for file in path.parent.iterdir()] == [path.name], "no file is left behind"
    return message


def test_rejects_unsupported_versions(tmp_path):
    for version in (3, 7, 18, 99):
        message = complaint(tmp_path / "n.bin.gz", f"name {version} 22 19 ".encode())
        assert f"version {version}; Tengen reads 8 to 17" in message


def test_rejects_other_files(tmp_path):
    path = tmp_path / "n.bin.gz"
    assert "not a KataGo model" in complaint(path, b"(;GM[1]FF[4])", packed=False)
    assert "expected a number" in complaint(path, b"(;GM[1]FF[4] SZ[19])")
    assert "not a KataGo model" in complaint(path, bytes(range(128, 256)) * 9)
    assert "truncated" in complaint(path, b"")
    assert "not version 7 features" in complaint(path, b"name 8 17 4 ")


def test_rejects_unsupported_options(tmp_path):
    path = tmp_path / "n.bin.gz"
    whole = Writer(15).model()
    human = whole.replace(b"\n0 0 0 0 0 0 0 0\n", b"\n2 0 0 0 0 0 0 0\n", 1)
    assert "metadata of players of kind 2" in complaint(path, human)
    human = Writer(15, has_metadata=True).model().replace(b"metadata 192", b"metadata 191", 1)
    assert "player metadata is not 192 long" in complaint(path, human)
    option = whole.replace(b"\n0 0 0 0 0 0 0 0\n", b"\n0 0 0 0 7 0 0 0\n", 1)
    assert "unsupported option of KataGo" in complaint(path, option)
    block = whole.replace(b"ordinary_block", b"transformer_gab_block", 1)
    assert "unsupported block 'transformer_gab_block'" in complaint(path, block)
    strange = whole.replace(b"ACTIVATION_MISH", b"ACTIVATION_GELU", 1)
    assert "unsupported activation 'ACTIVATION_GELU'" in complaint(path, strange)


TRANSFORMER = Writer(17, is_transformer=True).model()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"ffn 6 10 1\n", b"ffn 6 10 0\n", "'transformer_ffn_block' (ffn) without SwiGLU"),
        (b"attention 4 2\n", b"attention 4 3\n", "4 heads share 3 heads of keys"),
        (b"\n6 3 1 1\n", b"\n5 3 1 1\n", "5 channels cannot be rotated in pairs"),
        (b"\n6 3 1 1\n", b"\n4 3 1 1\n", "a matrix is (6, 24), not (6, 16)"),
        (b"freqs 2 3 2\n", b"freqs 2 2 2\n", "frequencies are (2, 2, 2), not (2, 3, 2)"),
        (b"theta 100.0\n", b"theta -1\n", "base of rotations is -1.0"),
        (b"rms 8 0.01 1 0\n", b"rms 8 0.01 1 4\n", "unsupported norm 'rms': channels in groups"),
        (b"rms 8 0.01 1 0\n", b"rms 8 nan 1 0\n", "epsilon is nan"),
    ],
)
def test_rejects_unsupported_or_damaged_transformers(tmp_path, old, new, message):
    assert TRANSFORMER.count(old) >= 1
    assert message in complaint(tmp_path / "n.bin.gz", TRANSFORMER.replace(old, new, 1))


def test_rejects_deep_nesting(tmp_path):
    """Blocks nested in blocks do not exhaust the stack."""
    writer = Writer(15)
    writer.words("nested_bottleneck_block", "block", 1)
    writer.norm(4)
    writer.convolution(1, 4, 4)
    whole = Writer(15).model()
    start = whole.index(b"ordinary_block")
    deep = whole[:start] + b"".join(writer.parts) * 2000
    assert "nested_bottleneck_block nested 9 times" in complaint(tmp_path / "n.bin.gz", deep)


def test_rejects_gzip_bombs(tmp_path):
    path = tmp_path / "n.bin.gz"
    bomb = gzip.compress(Writer(8).model() + bytes(ALWAYS_UNPACKED_BYTES), compresslevel=1)
    path.write_bytes(bomb)
    tracemalloc.start()
    try:
        with pytest.raises(TengenError, match="decompresses to more than 32 MiB"):
            import_net(path, tmp_path / "n.onnx")
        assert tracemalloc.get_traced_memory()[1] < 2.5 * ALWAYS_UNPACKED_BYTES
    finally:
        tracemalloc.stop()


def test_rejects_inconsistent_layers(tmp_path):
    whole = Writer(8).model()
    wrong = whole.replace(b"mul 19 8\n", b"mul 8 19\n", 1)
    assert "inconsistent layers" in complaint(tmp_path / "n.bin.gz", wrong)


def test_rejects_trailing_data(tmp_path):
    path = tmp_path / "n.bin.gz"
    assert "unexpected data at the end" in complaint(path, Writer(8).model() + b"and more")


def test_rejects_missing_file(tmp_path):
    with pytest.raises(TengenError, match="no such file"):
        import_net(tmp_path / "n.bin.gz", tmp_path / "n.onnx")


WHOLE = {8: Writer(8).model(), 15: Writer(15).model(), 17: TRANSFORMER}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([8, 15, 17]), st.floats(0, 1, exclude_max=True))
def test_rejects_truncated_files(tmp_path_factory, version, share):
    path = tmp_path_factory.mktemp("cut") / "n.bin.gz"
    whole = WHOLE[version].rstrip()
    path.write_bytes(gzip.compress(whole[: int(len(whole) * share)], compresslevel=1))
    with pytest.raises(TengenError):
        KataGoModel.read(ModelStream(path))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([8, 15, 17]), st.integers(0, 10**6), st.binary(min_size=1, max_size=8))
def test_damage_is_reported_or_harmless(tmp_path_factory, version, place, damage):
    """Overwritten bytes give a model or a one-line error, nothing else."""
    path = tmp_path_factory.mktemp("hurt") / "n.bin.gz"
    whole = bytearray(WHOLE[version])
    place %= len(whole)
    whole[place : place + len(damage)] = damage
    path.write_bytes(gzip.compress(bytes(whole), compresslevel=1))
    try:
        KataGoModel.read(ModelStream(path))
    except TengenError as error:
        assert "\n" not in str(error)  # noqa: PT017


def test_rejects_truncated_gzip(tmp_path):
    path = write_tiny(tmp_path / "n.bin.gz", 8)
    content = path.read_bytes()
    assert "truncated" in complaint(path, content[: len(content) // 2], packed=False)
