"""The command `tengen net` and the folder of networks."""

import json
import sys
import tempfile
from types import SimpleNamespace

import numpy as np
import pytest
from test_quantization import small_tower

from tengen.board import PASS, Position, parse_vertex
from tengen.cli.main import main
from tengen.nets import (
    DEFAULT_NET,
    Accuracy,
    Evaluation,
    RecordExamples,
    accuracy,
    files,
    onnx_model,
    quantization,
)
from tengen.nets.examples import Example, Size
from tengen.nets.katago import importer
from tengen.nets.onnx_graph import save_model
from tengen.util import TengenError


@pytest.fixture
def net_dir(tmp_path, monkeypatch):
    """A folder with one network."""
    monkeypatch.setenv("TENGEN_NET_DIR", str(tmp_path / "nets"))
    monkeypatch.setitem(onnx_model.FEATURES, "stones", "stones:Stones")
    save_model(small_tower(), tmp_path / "nets" / "tower-a.onnx")
    return tmp_path / "nets"


def test_net_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("TENGEN_NET_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert files.net_folder() == tmp_path / "tengen" / "nets"


def test_find_net(net_dir, monkeypatch):
    (net_dir / "tower-b.onnx").write_bytes(b"")
    assert files.find_net("tower-a") == net_dir / "tower-a.onnx"
    assert files.find_net("some/where.onnx").name == "where.onnx"
    with pytest.raises(TengenError, match="is ambiguous: tower-a, tower-b"):
        files.find_net("tower")
    (net_dir / "tower-b.onnx").unlink()
    assert files.find_net("tow") == net_dir / "tower-a.onnx"
    with pytest.raises(TengenError, match="no network 'x'"):
        files.find_net("x")
    monkeypatch.chdir(net_dir)
    (net_dir / "game.sgf").write_text("(;B[aa])")
    with pytest.raises(TengenError, match=r"game.sgf is not an .onnx file"):
        files.find_net("game.sgf")
    with pytest.raises(TengenError, match="download it with `tengen net get b15c192`"):
        files.find_net("b15c192-int8")


def test_default_is_the_bundled_net(net_dir):
    (net_dir / "default.onnx").write_bytes(b"")
    assert files.find_net("default") == DEFAULT_NET


def test_list_and_info(net_dir, capsys):
    assert main(["net", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["nets"]["tower-a"] == str(net_dir / "tower-a.onnx")
    assert main(["net", "list"]) == 0
    assert "tower-a  (0." in capsys.readouterr().out
    assert main(["net", "info", "tower-a", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["features"] == "stones"


def test_quantize(net_dir, capsys):
    assert main(["net", "quantize", "tower-a", "--games", "1"]) == 0
    assert "tower-a-int8.onnx" in capsys.readouterr().out
    assert onnx_model.OnnxModel(net_dir / "tower-a-int8.onnx").features == "stones"


def test_rejects_folder_as_output(net_dir, monkeypatch):
    monkeypatch.setattr(quantization, "calibration_positions", lambda *args: pytest.fail("plays"))
    with pytest.raises(TengenError, match="is a folder: name a file, for example"):
        main(["net", "quantize", "tower-a", "-o", str(net_dir)])
    with pytest.raises(TengenError, match="cannot write .*: it is a folder"):
        save_model(small_tower(), net_dir)
    assert not net_dir.with_name("nets.part").exists()


@pytest.mark.parametrize("command", ["quantize tower-a", "import x.bin.gz", "get b15c192"])
def test_rejects_output_with_wrong_suffix(net_dir, command):
    for place, message in ((".", "is a folder: name a file"), ("mine", "-o mine.onnx")):
        with pytest.raises(TengenError, match=message):
            main(["net", *command.split(), "-o", place])


def test_net_folder_expands_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TENGEN_NET_DIR", "~/mine")
    assert files.net_folder() == tmp_path / "mine"


@pytest.mark.parametrize("again", ["default", "tower-a-int8"])
def test_rejects_quantized_net(net_dir, again, monkeypatch):
    assert main(["net", "quantize", "tower-a", "--games", "1"]) == 0
    monkeypatch.setattr(quantization, "calibration_positions", lambda *args: pytest.fail("plays"))
    with pytest.raises(TengenError, match="already quantized"):
        main(["net", "quantize", again])


GAMES = "(;SZ[9]KM[7]RE[B+R];B[ee];W[cc];B[gg];W[cg])(;SZ[5];B[cc])(;SZ[9]RE[Void];B[ee])"


def test_eval(net_dir, tmp_path, capsys):
    (tmp_path / "games.sgf").write_text(GAMES)
    assert main(["net", "eval", "tower-a", str(tmp_path / "games.sgf"), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["positions"], figures["decided_positions"]) == (5, 4)
    assert 0 <= figures["top1"] <= figures["top5"] <= 1
    assert 0 < figures["value_error"] < 1
    assert main(["net", "eval", "tower-a", str(tmp_path / "games.sgf"), "--positions", "2"]) == 0
    assert "positions          2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("names", "complaint"),
    [("small.sgf", "no usable position"), ("small.sgf gone.sgf", "cannot read")],
)
def test_eval_rejects_unusable_games(net_dir, tmp_path, monkeypatch, names, complaint):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.sgf").write_text("(;SZ[5];B[cc])")
    with pytest.raises(TengenError, match=complaint):
        main(["net", "eval", "tower-a", *names.split()])


def test_examples_have_winners(tmp_path):
    (tmp_path / "games.sgf").write_text(GAMES)
    source = RecordExamples([str(tmp_path / "games.sgf")], seed=1)
    assert source.sizes() == [Size(9, 9)]
    found = list(source.drawn(Size(9, 9), count=10, each=10))
    assert len(found) == 5
    won = {(example.turn, example.won) for example in found}
    assert won == {(0, True), (1, False), (2, True), (3, False), (0, None)}
    second = next(example for example in found if example.turn == 1)
    assert second.position.to_play == 2
    assert second.move == parse_vertex("C7", 9, 9)


def evaluation(**probabilities):
    policy = np.zeros((9, 9), dtype=np.float32)
    for name, share in probabilities.items():
        if name != "passing":
            move = parse_vertex(name, 9, 9)
            policy[move // 20 - 1, move % 20 - 1] = share
    return Evaluation(policy, probabilities.get("passing", 0.0), 0.8, 0.0, policy)


def test_accuracy_counts():
    counts = Accuracy()
    opinion = evaluation(A1=0.3, B1=0.2, C1=0.15, D1=0.12, E1=0.1, F1=0.08, passing=0.05)
    for vertex, won in (("A1", True), ("E1", False), ("F1", None), ("pass", None)):
        move = PASS if vertex == "pass" else parse_vertex(vertex, 9, 9)
        counts.add(Example(Position(9), move, won), opinion)
    figures = counts.as_json()
    assert (counts.positions, figures["top1"], figures["top5"]) == (4, 0.25, 0.5)
    logs = np.log([0.3, 0.1, 0.08, 0.05])
    assert figures["log_loss"] == pytest.approx(-logs.mean(), abs=1e-5)
    assert figures["value_error"] == pytest.approx((0.04 + 0.64) / 2)
    assert figures["winner_right"] == 0.5


def test_log_loss_is_bounded():
    counts = Accuracy()
    counts.add(Example(Position(9), parse_vertex("J9", 9, 9), None), evaluation(A1=1.0))
    assert counts.log_loss_sum == pytest.approx(-np.log(accuracy.LEAST_PROBABILITY))
    assert counts.as_json()["value_error"] is None


# Downloads


def make_wheel(path, content=b"a net"):
    import zipfile

    with zipfile.ZipFile(path / "katrain-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("katrain/models/x.bin.gz", content)


@pytest.fixture
def known(monkeypatch):
    import hashlib

    digest = hashlib.sha256(b"a net").hexdigest()
    net = files.DownloadableNet("1.0", 1000, "x.bin.gz", digest, "for tests")
    monkeypatch.setattr(files, "DOWNLOADABLE_NETS", {"x": net})


def test_download_net(tmp_path, known, monkeypatch):
    monkeypatch.setattr(files, "_download", lambda net, folder, show: make_wheel(folder))
    path = files.download_net("x", tmp_path, print)
    assert path.read_bytes() == b"a net"


@pytest.fixture
def arriving(net_dir, known, monkeypatch):
    """A downloadable network that can be imported."""
    monkeypatch.setattr(files, "_download", lambda net, folder, show: make_wheel(folder))

    def bring_in(source, target):
        save_model(small_tower(), target)
        return SimpleNamespace(
            name=source.stem, trunk=SimpleNamespace(blocks=[]), channels=32, version=8
        )

    monkeypatch.setattr(importer, "import_net", bring_in)
    return net_dir


def test_get_writes_float_and_int8(arriving, capsys):
    assert main(["net", "get", "x"]) == 0
    output = capsys.readouterr().out
    assert f"written to {arriving / 'x.onnx'}" in output
    assert f"written to {arriving / 'x-int8.onnx'}" in output
    assert "int8" in onnx_model.OnnxModel(files.find_net("x-int8")).metadata["numbers"]
    assert "numbers" not in onnx_model.OnnxModel(files.find_net("x")).metadata


def test_get_with_floats_only(arriving):
    assert main(["net", "get", "x", "--floats", "-o", str(arriving / "mine.onnx")]) == 0
    assert {path.name for path in arriving.iterdir()} == {"mine.onnx", "tower-a.onnx"}


def test_rejects_wrong_hash(tmp_path, known, monkeypatch):
    monkeypatch.setattr(files, "_download", lambda net, folder, show: make_wheel(folder, b"bad"))
    with pytest.raises(TengenError, match="unexpected SHA-256"):
        files.download_net("x", tmp_path, print)
    assert list(tmp_path.iterdir()) == []


def test_rejects_wheel_without_net(tmp_path, known, monkeypatch):
    monkeypatch.setattr(files, "_download", lambda net, folder, show: None)
    with pytest.raises(TengenError, match=r"has no x\.bin\.gz"):
        files.download_net("x", tmp_path, print)


def test_pip_errors_are_one_line(tmp_path, known, monkeypatch):
    monkeypatch.setattr(files, "PACKAGE", "tengen-no-such-package-at-all")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(TengenError) as raised:
        files.download_net("x", tmp_path, print)
    assert str(raised.value).startswith("cannot download tengen-no-such-package-at-all 1.0: ")
    assert "\n" not in str(raised.value)


def pip_that_runs(monkeypatch, tmp_path, lines):
    """Replace pip by a shell script and return the folder of temporary files."""
    if sys.platform == "win32":
        pytest.skip("needs a POSIX shell")
    script, scratch = tmp_path / "pip.sh", tmp_path / "scratch"
    scratch.mkdir()
    script.write_text("\n".join(["#!/bin/sh", *lines]))
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    return scratch


def test_reports_missing_pip(tmp_path, known, monkeypatch):
    pip_that_runs(monkeypatch, tmp_path, ["echo python: No module named pip >&2", "exit 1"])
    with pytest.raises(TengenError, match=r"katrain 1\.0: python: No module named pip$"):
        files.download_net("x", tmp_path, print)


def test_interrupted_download_leaves_nothing_behind(tmp_path, known, monkeypatch):
    scratch = pip_that_runs(
        monkeypatch, tmp_path, ["head -c 500 /dev/zero > $TMPDIR/half.whl", "exec sleep 60"]
    )
    shares = []

    def interrupt(share):
        shares.append(share)
        if share > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.download_net("x", tmp_path, interrupt)
    assert shares[-1] == 0.5
    assert list(scratch.iterdir()) == []
