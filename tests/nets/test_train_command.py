"""The commands `tengen net train` and `tengen net distill`."""

import importlib.util
import signal

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from random_records import random_sgf

from tengen.board import Position
from tengen.cli import net_train
from tengen.cli.main import main
from tengen.nets import OnnxModel
from tengen.nets.onnx_graph import save_model
from tengen.nets.tengen_net import load_tengen_net
from tengen.util import TengenError

GATHER = "tengen.nets.training.load_dataset"


def run(*words):
    return main(["net", *(str(word) for word in words)])


@pytest.fixture
def games(tmp_path):
    random = np.random.default_rng(1)
    path = tmp_path / "games.sgf"
    path.write_text("\n".join(random_sgf(random, 12, 7, "KM[9]RE[W+1]") for _ in range(30)))
    return path


def test_reports_missing_pytorch(games, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TengenError, match=r"pip install 'tengen-go\[train\]'"):
        run("train", games, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("option", "value"), [("--blocks", "0"), ("--hours", "soon")])
def test_rejects_invalid_settings(option, value, games, tmp_path):
    with pytest.raises(TengenError, match=option[2:]):
        run("train", games, "-o", tmp_path / "out", option, value)


def test_train_from_games(games, tmp_path, capsys):
    pytest.importorskip("torch")
    small = ("--blocks", 1, "--channels", 4, "--batch", 8, "--held-out", 4)
    assert run("train", games, "-o", tmp_path / "out", *small, "--steps", 3) == 0
    path = capsys.readouterr().out.strip()
    policy, *_ = load_tengen_net(tmp_path / "out" / "net.onnx").evaluate_blocks(
        Position(7).block[None], 9.0
    )
    assert path == str(tmp_path / "out" / "net.onnx")
    assert policy.sum() == pytest.approx(1, abs=1e-4)
    assert run("train", games, "-o", tmp_path / "out", *small, "--steps", 5) == 0, "resumes"


def foreign_net():
    """A network whose weights are not constants of the graph."""
    weight = numpy_helper.from_array(np.ones((4, 19, 3, 3), np.float32))
    nodes = [
        helper.make_node("Constant", [], ["w"], value=weight),
        helper.make_node("Conv", ["planes", "w"], ["out"]),
    ]
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("planes", "out")
    ]
    return helper.make_model(helper.make_graph(nodes, "net", ends[:1], ends[1:]))


def test_warm_start(games, tmp_path):
    """Before training, the network equals the initial one; another size is rejected."""
    pytest.importorskip("torch")
    small = ("--blocks", 2, "--channels", 16, "--batch", 8, "--held-out", 4, "--steps", 2)
    assert run("train", games, "-o", tmp_path / "one", *small, "--rate", 0.05) == 0
    first = tmp_path / "one" / "net.onnx"
    assert run("quantize", first, "-o", tmp_path / "bytes.onnx", "--games", 1) == 0
    boards = np.array([Position(7).block, Position(7).after("C3 D4 E5").block])
    learned = load_tengen_net(first).evaluate_blocks(boards, 9.0)
    assert run("quantize", first, "-o", tmp_path / "half.onnx", "--bits", 16) == 0
    assert (tmp_path / "half.onnx").stat().st_size < 0.75 * first.stat().st_size
    starts = (first, 1e-5), (tmp_path / "half.onnx", 0.01), (tmp_path / "bytes.onnx", 0.05)
    for start, error in starts:
        folder = tmp_path / f"from-{start.stem}"
        assert run("train", games, "-o", folder, *small, "--rate", 0, "--start", start) == 0
        started = load_tengen_net(folder / "net.onnx").evaluate_blocks(boards, 9.0)
        for ours, theirs in zip(started, learned, strict=True):
            assert ours == pytest.approx(theirs, abs=error)
    other = ("train", games, "-o", tmp_path / "other", "--held-out", 4, "--start", first)
    with pytest.raises(
        TengenError, match="must be a Tengen network of at most 1 blocks of at most 32 channels"
    ):
        run(*other, "--blocks", 1)
    assert run(*other, *small) == 0, "a run that never started does not lock its folder"
    save_model(foreign_net(), tmp_path / "foreign.onnx")
    with pytest.raises(TengenError, match="must be a Tengen network"):
        run("train", games, "-o", tmp_path / "x", *small, "--start", tmp_path / "foreign.onnx")
    with pytest.raises(TengenError, match="no such network"):
        run("train", games, "-o", tmp_path / "gone", "--held-out", 4, "--start", "gone.onnx")


def test_rejects_missing_inputs_before_training(games, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(net_train, "label", lambda *args: pytest.fail("labeled"))
    monkeypatch.setattr(GATHER, lambda *args: pytest.fail("read"))
    teacher = ("--teacher", "default")
    for action in (("train",), ("distill", *teacher)):
        with pytest.raises(TengenError, match="nowhere"):
            run(*action, games, tmp_path / "nowhere.sgf", "-o", tmp_path / "out")
        with pytest.raises(TengenError, match="must be a Tengen network"):
            run(*action, games, "-o", tmp_path / "out", "--start", "default")


def test_finished_training_reports_how_to_continue(games, tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    words = ("train", games, "-o", tmp_path / "out", "--blocks", 1, "--channels", 4, "--batch", 8)
    words += ("--held-out", 4, "--steps", 2)
    assert run(*words) == 0
    output = capsys.readouterr()
    assert "ownership error unknown  records" in output.err
    monkeypatch.setattr(GATHER, lambda *args: pytest.fail("read"))
    assert run(*words) == 0
    output = capsys.readouterr()
    assert "is complete (2 of 2 steps): to continue, raise --steps" in output.err
    assert output.out.strip() == str(tmp_path / "out" / "net.onnx")


def test_writes_net_missing_after_a_kill(games, tmp_path, monkeypatch):
    """An incomplete line of `progress.csv` is dropped."""
    pytest.importorskip("torch")
    out = tmp_path / "out"
    small = ("--blocks", 1, "--channels", 4, "--batch", 8, "--held-out", 4)
    assert run("train", games, "-o", out, *small, "--steps", 2) == 0
    assert OnnxModel(out / "net.onnx").metadata["steps"] == "2"
    with monkeypatch.context() as killed:
        killed.setattr("tengen.nets.training.run.export", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run("train", games, "-o", out, *small, "--steps", 4)
    figures = out / "progress.csv"
    figures.write_text(figures.read_text()[:-9])
    assert run("train", games, "-o", out, *small, "--steps", 4) == 0, "it is over"
    assert OnnxModel(out / "net.onnx").metadata["steps"] == "4"
    for steps, rows in ((6, 2), (8, 1)):
        assert run("train", games, "-o", out, *small, "--steps", steps) == 0
        lines = figures.read_text().splitlines()
        assert [line.split(",")[1] for line in lines][-rows:] == ["steps", str(steps)][-rows:]
        figures.write_text("")


def test_rejects_labels_of_another_teacher(games, tmp_path):
    """A quantized teacher has the name of the float one."""
    pytest.importorskip("torch")
    small = ("--blocks", 2, "--channels", 16, "--batch", 8, "--held-out", 4, "--steps", 1)
    assert run("train", games, "-o", tmp_path / "net", *small) == 0
    first, bytes_ = tmp_path / "net" / "net.onnx", tmp_path / "bytes.onnx"
    assert run("quantize", first, "-o", bytes_, "--games", 1) == 0
    words = ("distill", games, "-o", tmp_path / "out", "--label-positions", 400, *small)
    assert run(*words, "--teacher", first) == 0
    with pytest.raises(TengenError, match="labels of another teacher"):
        run(*words, "--teacher", bytes_)


def test_interrupt_while_reading(games, tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")

    def interrupted(*args):
        signal.raise_signal(signal.SIGINT)
        pytest.fail("reads on")

    monkeypatch.setattr(GATHER, interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("train", games, "-o", tmp_path / "out")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("blocks", [2, 3, 5])
def test_wider_and_deeper_net_computes_the_same_function(games, tmp_path, blocks):
    pytest.importorskip("torch")
    from tengen.nets.training.warm_start import read_weights

    usual = ("--batch", 8, "--held-out", 4, "--steps", 2)
    narrow, wide = tmp_path / "narrow", tmp_path / "wide"
    small = ("--blocks", 2, "--channels", 6, "--rate", 0.05)
    assert run("train", games, "-o", narrow, *usual, *small) == 0
    start = ("--blocks", blocks, "--channels", 16, "--rate", 0, "--start", narrow / "net.onnx")
    assert run("train", games, "-o", wide, *usual, *start) == 0
    boards = np.array([Position(7).block, Position(7).after("C3 D4 E5").block])
    one, other = (
        load_tengen_net(p / "net.onnx").evaluate_blocks(boards, 9.0) for p in (narrow, wide)
    )
    for narrow_says, wide_says in zip(one, other, strict=True):
        assert wide_says == pytest.approx(narrow_says, abs=1e-4)
    first_of_tower = list(read_weights(wide / "net.onnx"))[2][0]
    assert not np.allclose(first_of_tower[:, 0], first_of_tower[:, 6]), "copies can diverge"


def test_mix_weights_and_the_page(games, tmp_path, capsys):
    pytest.importorskip("torch")
    small = ("--blocks", 1, "--channels", 4, "--batch", 8, "--held-out", 4, "--steps", 3)
    other = tmp_path / "other.sgf"
    random = np.random.default_rng(2)
    other.write_text("\n".join(random_sgf(random, 12, 7, "KM[9]RE[W+1]") for _ in range(30)))
    out = tmp_path / "out"
    assert run("train", f"{games}=3", other, "-o", out, *small) == 0
    shown = capsys.readouterr().err
    assert f"75.0% of the steps  {games}" in shown
    assert "positions per CPU second" in shown
    page = (out / "report.html").read_text()
    assert "Held-out metrics" in page
    assert "75.0%" in page
    for wrong in ("-1", "x", "inf"):
        with pytest.raises(TengenError, match="must be a number of at least 0"):
            run("train", f"{games}={wrong}", "-o", tmp_path / "wrong", *small)
    with pytest.raises(TengenError, match="SIZE=WEIGHT"):
        run("train", games, "-o", tmp_path / "wrong", *small, "--size-weights", "9:2")
    assert not (tmp_path / "wrong").exists()


def test_time_limit_reports_how_to_continue(games, tmp_path, capsys):
    pytest.importorskip("torch")
    small = ("--blocks", 1, "--channels", 4, "--batch", 8, "--held-out", 4)
    words = ("train", games, "-o", tmp_path / "out", *small, "--steps", 10**6)
    assert run(*words, "--cpu-hours", "0.00002") == 0
    assert "raise --hours or --cpu-hours" in capsys.readouterr().err


def test_distills_the_default_net(games, tmp_path):
    pytest.importorskip("torch")
    folder = tmp_path / "out"
    small = ("--blocks", 1, "--channels", 4, "--batch", 8, "--held-out", 4, "--steps", 3)
    teacher = ("--teacher", "default", "--label-positions", 400)
    assert run("distill", games, "-o", folder, *teacher, *small) == 0
    assert list((folder / "labels").glob("labels-7-*.npz"))
    assert load_tengen_net(folder / "net.onnx").name == "out"


def test_missing_teacher_leaves_no_files(games, tmp_path):
    with pytest.raises(TengenError, match="no network 'nobody'"):
        run("distill", games, "-o", tmp_path / "out", "--teacher", "nobody")
    assert not (tmp_path / "out").exists()
