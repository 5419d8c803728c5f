"""Training of a network with a playout plane."""

import json

import numpy as np
import pytest

from tengen.board import Position
from tengen.engine import EngineSettings, create_engine
from tengen.nets.kernels.features import PLANES
from tengen.nets.tengen_net import load_tengen_net
from tengen.util import TengenError

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'tengen-go[train]'")

from tengen.nets.training import (
    Dataset,
    Trainer,
    TrainingFolder,
    TrainSettings,
    train,
)
from tengen.nets.training.dataset import HeldOutSet
from tengen.nets.training.games import GamePosition, to_samples
from tengen.nets.training.loss import measure_held_out
from tengen.nets.training.sources import SampleSource

SEEING = TrainSettings(
    blocks=1, channels=8, input_playouts=4, steps=80, batch=16, check_minutes=60.0, averaging=0.9
)


def playout_samples(count, seed):
    """Return samples of empty boards that differ only in the playout plane."""
    taken = [GamePosition(Position(7).block, 24, 7.5, 1.0) for _ in range(count)]
    samples = to_samples(taken, playouts=4)
    samples.win[:] = np.random.default_rng(seed).integers(2, size=count)
    samples.playouts[:] = np.where(samples.win > 0, 127, -127)[:, None]
    return samples


@pytest.fixture(scope="module")
def material():
    apart = HeldOutSet("playouts", playout_samples(32, 2))
    return Dataset([SampleSource(playout_samples(64, 1))], [apart])


@pytest.fixture(scope="module")
def learned(material, tmp_path_factory):
    folder = TrainingFolder(tmp_path_factory.mktemp("seeing"), SEEING)
    trainer = Trainer(SEEING, folder.checkpoint)
    train(folder, trainer, material, lambda progress: None)
    return trainer, folder


def test_net_learns_from_the_playout_plane(learned, material):
    (figures,) = measure_held_out(learned[0].average, material.held_out)
    assert figures.win_error < 0.1


def test_file_names_its_features(learned, material):
    trainer, folder = learned
    net = load_tengen_net(folder.net)
    assert net.features.kind == "own-playouts:4"
    batch = material.held_out[0].samples.batch(np.arange(8))
    assert batch.planes.shape[1] == PLANES + 1
    with torch.no_grad():
        expected = trainer.average(*map(torch.from_numpy, (batch.planes, batch.numbers)))
    outputs = net._model.run(batch.planes, batch.numbers)
    np.testing.assert_allclose(outputs.win, torch.sigmoid(expected.win), atol=1e-5)
    np.testing.assert_allclose(outputs.policy, expected.policy, atol=1e-4)


def test_rejects_resuming_without_playouts(learned):
    _, folder = learned
    other = TrainSettings(**{**vars(SEEING), "input_playouts": 0})
    with pytest.raises(TengenError, match="other settings"):
        TrainingFolder(folder.path, other)
    with pytest.raises(TengenError, match="4 input playouts"):
        Trainer(other, folder.checkpoint)
    started = TrainSettings(**{**vars(other), "start": str(folder.net)})
    with pytest.raises(TengenError, match="8 channels, without input playouts"):
        Trainer(started, folder.path / "none.pt")


def test_resumes_folder_of_an_older_version(tmp_path):
    """Old settings files lack `input_playouts`, which means 0."""
    plain = TrainSettings(blocks=1, channels=8)
    TrainingFolder(tmp_path, plain).checkpoint.touch()
    path = tmp_path / "settings.json"
    known = json.loads(path.read_text())
    del known["input_playouts"]
    path.write_text(json.dumps(known))
    TrainingFolder(tmp_path, plain)
    path.write_text(json.dumps(known))
    with pytest.raises(TengenError, match="input_playouts"):
        TrainingFolder(tmp_path, TrainSettings(blocks=1, channels=8, input_playouts=4))


def test_engine_plays_with_playout_net(learned):
    words = [f"net={learned[1].net}", "threads=1", "seed=3", "memory_mib=16", "playouts=24"]
    engine = create_engine(EngineSettings().with_overrides(words))
    decision = engine.think(Position(7))
    assert Position(7).is_legal(decision.move)
    assert not engine.problems
