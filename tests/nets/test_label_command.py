"""The command `tengen net label`: a search as the teacher."""

import numpy as np
import pytest
from random_records import random_sgf

from tengen.board import Position
from tengen.cli.main import main
from tengen.engine import SearchTeacher
from tengen.nets.tengen_net import load_tengen_net
from tengen.nets.training import distillation, read_label_table
from tengen.nets.training.labels import read_labels
from tengen.util import TengenError

FEW = ("--playouts", 30, "--threads", 1, "--seed", 5, "memory_mib=4")


def run(*words):
    return main(["net", *(str(word) for word in words)])


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    random = np.random.default_rng(1)
    path = tmp_path_factory.mktemp("games") / "games.sgf"
    path.write_text("\n".join(random_sgf(random, 14, 7, "KM[9]RE[W+1]") for _ in range(8)))
    return path


@pytest.fixture(scope="module")
def labels(games, tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels") / "whole"
    assert run("label", games, "-o", folder, "--positions", 80, *FEW) == 0
    return folder


def same(one, other):
    (first,), (second,) = read_labels(one), read_labels(other)
    for name in ("bits", "moves", "shares", "win", "lead", "ownership"):
        np.testing.assert_array_equal(
            getattr(first.samples, name), getattr(second.samples, name), err_msg=name
        )
    return True


def test_labels_are_search_results(labels):
    (labeled,) = read_labels(labels)
    assert 80 <= len(labeled.samples) < 94
    batch = labeled.samples.batch(np.arange(len(labeled.samples)))
    assert batch.policy.sum(axis=1) == pytest.approx(1, abs=0.01)
    visits = batch.policy * 30
    assert np.abs(visits - np.rint(visits)).max() < 0.2, "shares of thirty visits"
    legal = np.append(batch.planes[:, 9].reshape(len(visits), -1), np.ones((len(visits), 1)), 1)
    assert not np.any(visits[legal == 0])
    assert (labels / "teacher.txt").read_text().startswith("Tengen ")


def test_resumes_after_a_kill(games, labels, tmp_path, monkeypatch):
    """Killed in the third game after saving: the same labels result.

    A killed process does not save again.
    """
    folder, looked_at = tmp_path / "killed", []
    honest = SearchTeacher.evaluate

    def evaluate_until_killed(teacher, positions):
        if len(looked_at) == 2:
            monkeypatch.setattr(distillation.LabelFolder, "save", lambda folder: None)
            raise MemoryError("killed")
        looked_at.append(len(positions))
        return honest(teacher, positions)

    monkeypatch.setattr(distillation, "SAVE_INTERVAL_S", 0.0)
    monkeypatch.setattr(SearchTeacher, "evaluate", evaluate_until_killed)
    with pytest.raises(MemoryError):
        run("label", games, "-o", folder, "--positions", 80, *FEW)
    assert len(read_labels(folder)[0].samples) == sum(looked_at)
    monkeypatch.undo()
    assert run("label", games, "-o", folder, "--positions", 80, *FEW) == 0
    assert same(folder, labels)


def test_network_labels_both_sides(games, tmp_path):
    folder = tmp_path / "labels"
    command = ("label", games, "-o", folder, "--teacher", "default", "--positions")
    assert run(*command, 40, "--each", 4) == 0
    assert (folder / "teacher.txt").read_text().startswith("network default (")
    columns = read_label_table(folder, 7).columns
    assert len(columns["turn"]) == 40
    assert (columns["to_play"] == 1).sum() == 20
    assert run(*command, 60, "--each", 4, "--no-both-sides", "--share", "1/1") == 0
    columns = read_label_table(folder, 7).columns
    in_turn = columns["to_play"] == 1 + columns["turn"] % 2
    assert (len(in_turn), (~in_turn).sum()) == (52, 20), "all eight games: 5 and 3 of them"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--playouts", 30), "labels without a search: omit playouts=30"),
        (("threads=2",), "omit threads=2"),
        (("--prior", "bigmove"), "omit --prior"),
    ],
)
def test_network_teacher_rejects_engine_options(words, message, games, tmp_path):
    with pytest.raises(TengenError, match=message):
        run("label", games, "-o", tmp_path / "labels", "--teacher", "default", *words)
    assert not (tmp_path / "labels").exists()


@pytest.mark.parametrize("share", ["0/2", "3/2", "1", "a/b"])
def test_rejects_invalid_shares(share, games, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run("label", games, "-o", tmp_path / "labels", "--share", share)
    assert "a share is I/N" in capsys.readouterr().err


def test_rejects_another_search(games, labels):
    with pytest.raises(TengenError, match="30 playouts per position"):
        run("label", games, "-o", labels, "--playouts", 40, "--seed", 5, "memory_mib=4")


def test_rejects_missing_games(tmp_path):
    with pytest.raises(TengenError, match="nowhere"):
        run("label", tmp_path / "nowhere.sgf", "-o", tmp_path / "labels", *FEW)
    assert not (tmp_path / "labels").exists()


def test_rejects_games_that_cannot_be_labeled(tmp_path):
    path = tmp_path / "small.sgf"
    path.write_text("(;GM[1]SZ[5];B[cc])")
    with pytest.raises(TengenError, match=r"no usable game in .*small\.sgf"):
        run("label", path, "-o", tmp_path / "labels", *FEW)


def test_net_learns_from_search_labels(labels, tmp_path):
    pytest.importorskip("torch")
    small = ("--blocks", 1, "--channels", 4, "--batch", 8, "--held-out", 3, "--steps", 3)
    folder = tmp_path / "out"
    assert run("train", labels, "-o", folder, *small, "--input-playouts", 4) == 0
    net = load_tengen_net(folder / "net.onnx")
    assert net.features.playouts == 4
    policy, *_ = net.evaluate_blocks(Position(7).block[None], 9.0)
    assert policy.sum() == pytest.approx(1, abs=1e-4)


IDEA = """
import numpy as np


def idea(position):
    {}
    return np.full((position.rows, position.columns), {})
"""


def test_rejects_labels_of_a_failing_source(games, tmp_path):
    idea, folder = tmp_path / "idea.py", tmp_path / "labels"
    idea.write_text(IDEA.format("raise ValueError('no idea')", 0.5))
    with pytest.raises(TengenError, match="no idea"):
        run("label", games, "-o", folder, "--positions", 20, *FEW, "--prior", f"{idea}:idea")


def test_rejects_labels_of_a_changed_source(games, tmp_path):
    idea, folder = tmp_path / "idea.py", tmp_path / "labels"
    idea.write_text(IDEA.format("pass", 0.5))
    command = ("label", games, "-o", folder, *FEW, "--prior", f"{idea}:idea", "--positions")
    assert run(*command, 5) == 0
    assert run(*command, 20) == 0
    idea.write_text(IDEA.format("pass", 0.6))
    with pytest.raises(TengenError, match="idea.py"):
        run(*command, 40)
