"""Training a net that sees the ownership of playouts."""

import json

import numpy as np
import pytest

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.network.kernels.features import PLANES
from tengen.network.own import load_own_net

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install '.[train]'")

from tengen.network.training.archives import Taken, to_samples  # noqa: E402
from tengen.network.training.measure import measure  # noqa: E402
from tengen.network.training.pool import HeldOut, Material, SampleSource  # noqa: E402
from tengen.network.training.session import TrainingFolder, train  # noqa: E402
from tengen.network.training.settings import TrainSettings  # noqa: E402
from tengen.network.training.trainer import Trainer  # noqa: E402

SEEING = TrainSettings(
    blocks=1, channels=8, input_playouts=4, steps=80, batch=16, check_minutes=60.0, averaging=0.9
)


def told_by_playouts(count, seed):
    """Return samples of empty boards, alike in all but the playouts, which tell who wins."""
    taken = [Taken(Position(7).block, 24, 7.5, 1.0) for _ in range(count)]
    samples = to_samples(taken, playouts=4)
    samples.win[:] = np.random.default_rng(seed).integers(2, size=count)
    samples.playouts[:] = np.where(samples.win > 0, 127, -127)[:, None]
    return samples


@pytest.fixture(scope="module")
def material():
    apart = HeldOut("playouts", told_by_playouts(32, 2))
    return Material([SampleSource(told_by_playouts(64, 1))], [apart])


@pytest.fixture(scope="module")
def learned(material, tmp_path_factory):
    folder = TrainingFolder(tmp_path_factory.mktemp("seeing"), SEEING)
    trainer = Trainer(SEEING, folder.checkpoint)
    train(folder, trainer, material, lambda progress: None)
    return trainer, folder


def test_a_net_learns_what_only_the_playouts_tell(learned, material):
    (figures,) = measure(learned[0].average, material.held_out)
    assert figures.win_error < 0.1


def test_the_file_says_which_features_it_wants(learned, material):
    trainer, folder = learned
    net = load_own_net(folder.net)
    assert net.features.kind == "own-playouts:4"
    batch = material.held_out[0].samples.batch(np.arange(8))
    assert batch.planes.shape[1] == PLANES + 1
    with torch.no_grad():
        expected = trainer.average(*map(torch.from_numpy, (batch.planes, batch.numbers)))
    outputs = net._model.run(batch.planes, batch.numbers)
    np.testing.assert_allclose(outputs.win, torch.sigmoid(expected.win), atol=1e-5)
    np.testing.assert_allclose(outputs.policy, expected.policy, atol=1e-4)


def test_a_training_without_playouts_is_another_one(learned):
    _, folder = learned
    other = TrainSettings(**{**vars(SEEING), "input_playouts": 0})
    with pytest.raises(TengenError, match="other settings"):
        TrainingFolder(folder.path, other)
    with pytest.raises(TengenError, match="4 input playouts"):
        Trainer(other, folder.checkpoint)
    begun = TrainSettings(**{**vars(other), "start": str(folder.net)})
    with pytest.raises(TengenError, match="8 channels, without input playouts"):
        Trainer(begun, folder.path / "none.pt")


def test_a_folder_of_an_older_version_goes_on(tmp_path):
    """It does not say how many playouts the net sees: it sees none."""
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


def test_the_engine_plays_with_such_a_net(learned):
    words = [f"net={learned[1].net}", "threads=1", "seed=3", "memory_mib=16", "playouts=24"]
    engine = Engine(EngineSettings().with_words(words))
    decision = engine.think(Position(7))
    assert Position(7).is_legal(decision.move)
    assert not engine.problems
