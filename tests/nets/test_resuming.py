"""Exact resuming: training in pieces gives the weights of training in one go."""

import numpy as np
import pytest
from teachers import corner

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'tengen-go[train]'")

from tengen.nets.training import (
    LabelFolder,
    LabelPlan,
    Trainer,
    TrainSettings,
    label_games,
    load_dataset,
    sources,
)

TINY = TrainSettings(blocks=2, channels=4, steps=24, batch=16, held_out=4, check_minutes=60.0)


@pytest.fixture
def labels(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), LabelPlan(160))
    return folder


def train_pieces(paths, checkpoint, ends, settings=TINY):
    """Train in pieces that end after some steps; return the trainer."""
    for end in ends:
        trainer = Trainer(settings, checkpoint)
        dataset = load_dataset(paths, settings, lambda *_: None, trainer.data_state)
        trainer.run(dataset, lambda progress: None, lambda t=trainer, e=end: t.progress.steps >= e)
    return trainer


def assert_same(one, other):
    for name, weights in one._model.state_dict().items():
        assert torch.equal(weights, other._model.state_dict()[name]), name
    for first, second in zip(one.average.parameters(), other.average.parameters(), strict=True):
        assert torch.equal(first, second)
    assert one.progress.loss == other.progress.loss


def test_label_training_in_pieces_is_bit_identical(labels, tmp_path):
    """The pieces end within an epoch of 160 positions, and after more than one."""
    whole = train_pieces([labels], tmp_path / "whole.pt", [24])
    pieces = train_pieces([labels], tmp_path / "pieces.pt", [5, 6, 17, 24])
    assert whole.progress.steps == pieces.progress.steps == 24
    assert_same(whole, pieces)


def test_game_training_in_pieces_is_bit_identical(games, labels, tmp_path, monkeypatch):
    """The pool of positions is read again, less those that were dropped."""
    monkeypatch.setattr(sources, "FIRST_POSITIONS", 60)
    monkeypatch.setattr(sources, "POOL_POSITIONS", 200)
    monkeypatch.setattr(sources, "GAMES_PER_READ", 7)
    monkeypatch.setattr(sources, "DRAWS_PER_POSITION", 1)
    whole = train_pieces([games, labels], tmp_path / "whole.pt", [24])
    pieces = train_pieces([games, labels], tmp_path / "pieces.pt", [3, 20, 24])
    assert_same(whole, pieces)


def test_longer_schedule_after_resuming(labels, tmp_path):
    checkpoint = tmp_path / "checkpoint.pt"
    train_pieces([labels], checkpoint, [24])
    longer = TrainSettings(**{**vars(TINY), "steps": 40})
    trainer = train_pieces([labels], checkpoint, [40], longer)
    assert trainer.is_over
    assert trainer.progress.positions == 40 * 16


def test_follows_shards_added_while_training(games, labels, tmp_path):
    trainer = Trainer(TINY, tmp_path / "checkpoint.pt")
    dataset = load_dataset([labels], TINY, lambda *_: None)
    before, held_before = len(dataset.sources[0]), len(dataset.held_out[0].samples)
    trainer.run(dataset, lambda progress: None, lambda: trainer.progress.steps >= 4)
    label_games(corner(), [str(games)], LabelFolder(labels, "corner"), LabelPlan(400))
    trainer.run(dataset, lambda progress: None, lambda: trainer.progress.steps >= 8)
    added = len(dataset.sources[0]) + len(dataset.held_out[0].samples) - before - held_before
    assert added == 400 - 160
    rest = dataset.sources[0]._order
    assert len(set(rest.tolist())) == len(rest)
    assert rest.max() >= before, "new positions are part of the epoch"
    again = Trainer(TINY, tmp_path / "checkpoint.pt")
    resumed = load_dataset([labels], TINY, lambda *_: None, again.data_state)
    np.testing.assert_array_equal(resumed.sources[0].samples.bits, dataset.sources[0].samples.bits)
    np.testing.assert_array_equal(resumed.sources[0]._order, rest)


def test_changed_data_start_a_new_order(games, labels, tmp_path, caplog):
    train_pieces([labels], tmp_path / "checkpoint.pt", [5])
    for path in labels.glob("labels-9-*.npz"):
        path.unlink()
    label_games(corner(), [str(games)], LabelFolder(labels, "corner"), LabelPlan(112))
    trainer = train_pieces([labels], tmp_path / "checkpoint.pt", [8])
    assert trainer.progress.steps == 8
    assert "a new epoch starts" in caplog.text
