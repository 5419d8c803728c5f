"""`tengen net label`: a search labels positions, and a net learns from them."""

import json

import numpy as np
import pytest
from random_records import random_sgf

from tengen.board.position import Position
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.network.own import load_own_net
from tengen.network.training import distill
from tengen.network.training.labels import read_labels

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


def test_labels_are_what_a_search_found(labels):
    (labelled,) = read_labels(labels)
    assert 80 <= len(labelled.samples) < 94
    batch = labelled.samples.batch(np.arange(len(labelled.samples)))
    assert batch.policy.sum(axis=1) == pytest.approx(1, abs=0.01)
    visits = batch.policy * 30
    assert np.abs(visits - np.rint(visits)).max() < 0.2, "shares of thirty visits"
    legal = np.append(batch.planes[:, 9].reshape(len(visits), -1), np.ones((len(visits), 1)), 1)
    assert not np.any(visits[legal == 0])
    assert (labels / "teacher.txt").read_text().startswith("Tengen ")


def test_a_killed_process_loses_little_and_goes_on(games, labels, tmp_path, monkeypatch):
    """Killed in the third game, with all before it saved: the same labels come out.

    Who is killed saves nothing any more.
    """
    folder, looked_at = tmp_path / "killed", []
    honest = distill._label

    def label_until_killed(teacher, record, number):
        if len(looked_at) == 2:
            monkeypatch.setattr(distill.LabelFolder, "save", lambda folder: None)
            raise MemoryError("killed")
        looked_at.append(number)
        return honest(teacher, record, number)

    monkeypatch.setattr(distill, "SECONDS_A_SAVE", 0.0)
    monkeypatch.setattr(distill, "_label", label_until_killed)
    with pytest.raises(MemoryError):
        run("label", games, "-o", folder, "--positions", 80, *FEW)
    assert len(json.loads((folder / "games.json").read_text())) == 2
    monkeypatch.undo()
    assert run("label", games, "-o", folder, "--positions", 80, *FEW) == 0
    assert same(folder, labels)


def test_labels_of_another_search_are_not_mixed_in(games, labels):
    with pytest.raises(TengenError, match="30 playouts a position"):
        run("label", games, "-o", labels, "--playouts", 40, "--seed", 5, "memory_mib=4")


def test_games_that_are_not_there_are_told(tmp_path):
    with pytest.raises(TengenError, match="nowhere"):
        run("label", tmp_path / "nowhere.sgf", "-o", tmp_path / "labels", *FEW)
    assert not (tmp_path / "labels").exists()


def test_nothing_to_label_is_told(tmp_path):
    path = tmp_path / "small.sgf"
    path.write_text("(;GM[1]SZ[5];B[cc])")
    with pytest.raises(TengenError, match=r"no game to label in .*small\.sgf"):
        run("label", path, "-o", tmp_path / "labels", *FEW)


def test_a_net_learns_from_them(labels, tmp_path):
    pytest.importorskip("torch")
    small = ("--blocks", 1, "--channels", 4, "--batch", 8, "--held-out", 3, "--steps", 3)
    folder = tmp_path / "out"
    assert run("train", labels, "-o", folder, *small, "--input-playouts", 4) == 0
    net = load_own_net(folder / "net.onnx")
    assert net.features.playouts == 4
    policy, *_ = net.evaluate_blocks(Position(7).block[None], 9.0)
    assert policy.sum() == pytest.approx(1, abs=1e-4)


IDEA = """
import numpy as np


def idea(position):
    {}
    return np.full((position.rows, position.columns), {})
"""


def test_no_labels_of_an_engine_whose_idea_failed(games, tmp_path):
    idea, folder = tmp_path / "idea.py", tmp_path / "labels"
    idea.write_text(IDEA.format("raise ValueError('no idea')", 0.5))
    with pytest.raises(TengenError, match="no idea"):
        run("label", games, "-o", folder, "--positions", 20, *FEW, "--prior", f"{idea}:idea")


def test_no_labels_of_an_idea_that_has_changed_since(games, tmp_path):
    idea, folder = tmp_path / "idea.py", tmp_path / "labels"
    idea.write_text(IDEA.format("pass", 0.5))
    command = ("label", games, "-o", folder, *FEW, "--prior", f"{idea}:idea", "--positions")
    assert run(*command, 5) == 0
    assert run(*command, 20) == 0
    idea.write_text(IDEA.format("pass", 0.6))
    with pytest.raises(TengenError, match="idea.py"):
        run(*command, 40)
