"""`tengen net eval`: teachers, labels, calibration, outputs and errors."""

import json

import numpy as np
import pytest
from test_calibration import write_labels
from test_quantization import small_tower

from tengen.cli import net_eval
from tengen.cli.main import main
from tengen.nets import onnx_model
from tengen.nets.onnx_graph import save_model
from tengen.util import TengenError, read_results

MOVES = ";B[ee];W[cc];B[gg];W[cg];B[gc];W[dd];B[ff];W[df]"
GAMES = (
    f"(;SZ[9]KM[7]RE[B+R]{MOVES})(;SZ[9]KM[7]RE[W+R]{MOVES};B[aa])(;SZ[7]KM[7]RE[B+R];B[aa];W[bb])"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two networks, games and labels in the current folder."""
    monkeypatch.setenv("TENGEN_NET_DIR", str(tmp_path / "nets"))
    monkeypatch.setitem(onnx_model.FEATURES, "stones", "stones:Stones")
    for seed, name in enumerate(("tower-a", "tower-b")):
        save_model(small_tower(seed), tmp_path / "nets" / f"{name}.onnx")
    (tmp_path / "games.sgf").write_text(GAMES)
    write_labels(tmp_path / "labels")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_json(capsys, *words):
    assert main(["net", "eval", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def values(rows, part):
    return {(row["size"], row["figure"]): row["value"] for row in rows if row["part"] == part}


@pytest.mark.parametrize("option", ["--teacher", "--against"])
def test_net_agrees_with_itself(folder, capsys, option):
    found = run_json(capsys, "tower-a", "games.sgf", option, "tower-a")
    agreement = values(found["agreement"], "agreement")
    assert {size for size, _ in agreement} == {"7x7", "9x9"}
    assert agreement["9x9", "top1"] == 1
    for name in ("kl_divergence", "win_error_abs", "lead_error_rms", "ownership_error_abs"):
        assert agreement["9x9", name] == pytest.approx(0, abs=1e-5)
    assert found["positions"] == 19


def test_nets_differ(folder, capsys):
    found = run_json(capsys, "tower-a", "games.sgf", "--teacher", "tower-b")
    agreement = values(found["agreement"], "agreement")
    assert agreement["9x9", "kl_divergence"] > 0.001
    assert agreement["9x9", "win_error_rms"] >= agreement["9x9", "win_error_abs"] > 0


@pytest.mark.parametrize("words", [["labels"], ["--teacher", "labels"]])
def test_labels_are_the_teacher(folder, capsys, words):
    found = run_json(capsys, "tower-a", *words, "--calibration")
    assert found["teacher"] == "labels"
    assert {row["observations"] for row in found["agreement"]} == {8}
    errors = {row["figure"] for row in found["calibration"] if row["part"] == "value_error"}
    assert errors == {"played"}
    assert values(found["calibration"], "sawtooth")["9x9", "teacher"] == pytest.approx(0)


def test_calibration_is_written(folder, capsys):
    words = ["tower-a", "games.sgf", "--teacher", "tower-b", "--calibration", "--positions", "12"]
    command = ["net", "eval", *words, "-o", "out.csv", "--plot", "plot.svg"]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "Agreement with" in printed
    assert "Reliability, 9x9, teacher" in printed
    assert "written to out.csv" in printed
    results = read_results(folder / "out.csv")
    parts = {"agreement", "value_error", "reliability", "sawtooth", "step", "autocorrelation"}
    assert {row["part"] for row in results.rows} == parts, "no lead exceeds 2 points"
    assert results.properties["teacher"] == "tower-b"
    assert "<svg" in (folder / "plot.svg").read_text()
    assert all(np.isfinite(float(row["value"])) for row in results.rows)


def test_search_is_measured(folder, capsys):
    words = ["default", "games.sgf", "--calibration", "--whole-games", "1", "--visits", "4"]
    found = run_json(capsys, *words, "--positions", "2")
    assert 0 <= values(found["calibration"], "step")["9x9", "search"] < 1


def test_interruption_prints_partial_results(folder, capsys, monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(net_eval.Measurements, "measure_games", interrupted)
    assert main(["net", "eval", "tower-a", "games.sgf", "--calibration"]) == 130
    assert "Interrupted: the results are partial." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "no positions: name game records or a folder of labels"),
        (["games.sgf", "--teacher", "labels"], "labels contains its own positions"),
        (["games.sgf", "labels"], "must be the only path"),
        (["games.sgf", "--visits", "5"], "require --calibration"),
        (["games.sgf", "--calibration", "--plot", "x.txt"], "a plot must end in .png"),
        (["labels", "--calibration", "--plot", "x.png"], "labels have none"),
        (["games.sgf", "-o", "nets"], "is a folder: name a file"),
        (["games.sgf", "-o", "gone/x.csv"], "no such folder: gone"),
        (["games.sgf", "--teacher", "gone"], "no network 'gone'"),
        (["games.sgf", "--held-out", "99999"], "held out with --held-out 99999"),
    ],
)
def test_rejects_unusable_options(folder, words, complaint):
    with pytest.raises(TengenError, match=complaint):
        main(["net", "eval", "tower-a", *words])


def test_damaged_labels_are_reported(folder):
    (folder / "labels" / "labels-9.npz").write_bytes(b"damaged")
    with pytest.raises(TengenError, match="not a label file, or is damaged"):
        main(["net", "eval", "tower-a", "labels"])
