"""Training: a toy rule, resuming, export."""

import numpy as np
import pytest
from matplotlib.axes import Axes

from tengen.board import BLACK, Move, Position
from tengen.board.kernels import layout
from tengen.nets.kernels.features import NUMBERS
from tengen.nets.tengen_net import load_tengen_net
from tengen.util import TengenError
from tengen.view import render_training_page

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'tengen-go[train]'")

from tengen.nets.training import (
    Dataset,
    TengenModel,
    Trainer,
    TrainingFolder,
    TrainSettings,
    read_checkpoint,
    train,
    trainer,
)
from tengen.nets.training.dataset import HeldOutSet
from tengen.nets.training.games import GamePosition, to_samples
from tengen.nets.training.loss import WIN_WEIGHT, measure_held_out
from tengen.nets.training.onnx_export import export
from tengen.nets.training.run import draw_curves
from tengen.nets.training.sources import SampleSource
from tengen.nets.training.trainer import learning_rate_schedule, require_bfloat16

SIZE = 7
TINY = TrainSettings(blocks=1, channels=8, steps=200, batch=32, check_minutes=60.0, averaging=0.97)


def toy_positions(count, seed):
    """Return random boards and moves of a rule that is invariant under symmetries.

    The last two moves are adjacent; the next one continues their line.
    """
    random = np.random.default_rng(seed)
    taken = []
    while len(taken) < count:
        position = Position(SIZE)
        for _ in range(int(random.integers(0, 20))):
            position.play(int(random.choice(position.legal_moves())))
        first = int(random.choice(position.points()))
        step = int(random.choice([1, -1, int(layout.STRIDE), -int(layout.STRIDE)]))
        line = [first, first + step, first + 2 * step]
        if not all(position.on_board(point) and not position.color(point) for point in line):
            continue
        moves = [Move(position.to_play, first), Move(position.to_play.opponent, line[1])]
        if position.play_sequence(moves) == 2 and position.is_legal(line[2]):
            place = position.points().index(line[2])
            win = float(position.to_play == BLACK)
            taken.append(GamePosition(position.block.copy(), place, 7.5, win))
    return to_samples(taken)


@pytest.fixture(scope="module")
def toy():
    return Dataset(
        [SampleSource(toy_positions(400, 1))], [HeldOutSet("toys", toy_positions(150, 2))]
    )


@pytest.fixture(scope="module")
def learned(toy, tmp_path_factory):
    folder = TrainingFolder(tmp_path_factory.mktemp("toy"), TINY)
    trainer = Trainer(TINY, folder.checkpoint)
    train(folder, trainer, toy, lambda progress: None)
    return trainer, folder


def test_tiny_net_learns_a_toy_rule(learned, toy):
    trainer, _ = learned
    (figures,) = measure_held_out(trainer.average, toy.held_out)
    assert trainer.progress.steps == 200
    assert figures.top_1 >= 0.95
    assert figures.win_error < 0.1, "komi identifies the side to move"


def test_folder_contains_net_curves_and_metrics(learned, toy):
    trainer, folder = learned
    assert {(row["games"], row["size"]) for row in folder.rows()} == {("toys", "7x7")}
    assert (folder.path / "curves.png").stat().st_size > 1000
    net = load_tengen_net(folder.net)
    batch = toy.held_out[0].samples.batch(np.arange(20))
    with torch.no_grad():
        expected = trainer.average(*map(torch.from_numpy, (batch.planes, batch.numbers)))
    outputs = net._model.run(batch.planes, batch.numbers)
    np.testing.assert_allclose(outputs.policy, expected.policy, atol=1e-4)
    np.testing.assert_allclose(outputs.win, torch.sigmoid(expected.win), atol=1e-5)
    np.testing.assert_allclose(outputs.lead, expected.lead, atol=1e-3)
    np.testing.assert_allclose(outputs.ownership, expected.ownership, atol=1e-5)


@pytest.mark.parametrize("size", [(9, 9), (7, 11)])
def test_export_matches_the_model(size, tmp_path):
    model = TengenModel(4, 12)
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.1)
    export(model, tmp_path / "net.onnx", "any", {})
    net = load_tengen_net(tmp_path / "net.onnx")
    planes, numbers = net.encode([Position(*size), Position(*size)])
    with torch.no_grad():
        expected = model(torch.from_numpy(planes), torch.from_numpy(numbers))
    outputs = net._model.run(planes, numbers)
    np.testing.assert_allclose(outputs.policy, expected.policy, atol=1e-4)
    np.testing.assert_allclose(outputs.lead, expected.lead, atol=1e-3)


def test_training_resumes(toy, tmp_path):
    checkpoint = tmp_path / "checkpoint.pt"
    first = Trainer(TINY, checkpoint)
    first.run(toy, lambda progress: None, lambda: first.progress.steps >= 5)
    again = Trainer(TINY, checkpoint)
    assert again.progress == first.progress
    for one, other in zip(first.average.parameters(), again.average.parameters(), strict=True):
        assert torch.equal(one, other)
    again.run(toy, lambda progress: None, lambda: again.progress.steps >= 7)
    assert read_checkpoint(checkpoint)["progress"]["steps"] == 7


def test_rejects_checkpoint_of_another_shape(toy, tmp_path):
    checkpoint = tmp_path / "checkpoint.pt"
    Trainer(TINY, checkpoint).run(toy, lambda progress: None, lambda: True)
    with pytest.raises(TengenError, match="1 blocks of 8 channels"):
        Trainer(TrainSettings(blocks=2, channels=8), checkpoint)
    checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    with pytest.raises(TengenError, match="damaged"):
        Trainer(TINY, checkpoint)
    torch.save({"other": 1}, checkpoint)
    with pytest.raises(TengenError, match="not a training checkpoint"):
        Trainer(TINY, checkpoint)


@pytest.fixture(scope="module")
def _bfloat16_support():
    try:
        require_bfloat16()
    except TengenError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("_bfloat16_support")
def test_learns_in_bfloat16(toy, tmp_path):
    trainer = Trainer(changed(precision="bfloat16"), tmp_path / "checkpoint.pt")
    (figures,) = trainer.run(toy, lambda progress: None, lambda: False)
    assert figures.top_1 >= 0.95
    kinds = {weights.dtype for weights in trainer.average.parameters()}
    assert kinds == {torch.float32}, "weights stay in float32"


@pytest.mark.usefixtures("_bfloat16_support")
def test_bfloat16_tower_is_close_and_heads_are_float32():
    model = TengenModel(2, 8)
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.1)
    inputs = torch.randn(3, model.planes, 9, 9), torch.randn(3, NUMBERS)
    exact = model(*inputs)
    model.uses_bfloat16 = True
    short = model(*inputs)
    for one, other in zip(exact, short, strict=True):
        assert other.dtype == torch.float32
        assert 0 < (one - other).abs().max() < 0.3


def test_reports_missing_bfloat16_support(tmp_path, monkeypatch):
    monkeypatch.setattr(
        trainer, "BFLOAT16_TRIAL", "raise RuntimeError('could not create a primitive')"
    )
    with pytest.raises(TengenError, match=r"bfloat16 does not work .* could not create"):
        Trainer(changed(precision="bfloat16"), tmp_path / "checkpoint.pt")
    monkeypatch.setattr(trainer, "BFLOAT16_TRIAL", "import os; os.abort()")
    with pytest.raises(TengenError, match="bfloat16 does not work"):
        Trainer(changed(precision="bfloat16"), tmp_path / "checkpoint.pt")


def changed(**settings):
    return TrainSettings(**{**vars(TINY), **settings})


def test_rejects_changed_settings(tmp_path):
    TrainingFolder(tmp_path, changed(channels=12))
    folder = TrainingFolder(tmp_path, TINY)
    folder.checkpoint.touch()
    TrainingFolder(tmp_path, changed(hours=2.0, steps=300, decay_share=0.1))
    with pytest.raises(TengenError, match=r"other settings \(channels\)"):
        TrainingFolder(tmp_path, changed(channels=16, hours=3.0))
    (tmp_path / "settings.json").write_text('{"blocks": ')
    with pytest.raises(TengenError, match=r"settings\.json is damaged"):
        TrainingFolder(tmp_path, TINY)


def test_rejects_zero_check_interval():
    with pytest.raises(TengenError, match="check_minutes must be at least"):
        changed(check_minutes=0)


def test_unknown_lead_has_no_error(toy):
    (figures,) = measure_held_out(TengenModel(1, 8), toy.held_out)
    assert np.isnan(figures.lead_error)
    known = toy_positions(40, 3)
    known.lead[:10] = 1000.0
    known.win[10:] = np.nan
    (figures,) = measure_held_out(TengenModel(1, 8), [HeldOutSet("some", known)])
    assert figures.lead_error == pytest.approx(1000, abs=100)
    assert figures.win_error == pytest.approx(0.5, abs=0.2)


def test_curves_by_folder_and_for_old_files(tmp_path, monkeypatch):
    labels = []
    honest = Axes.legend

    def legend(axes, **how):
        labels.append([line.get_label() for line in axes.lines])
        return honest(axes, **how)

    monkeypatch.setattr(Axes, "legend", legend)
    rows = [{"positions": "1", "top_1": "0", "top_5": "0", "win_error": "nan", "size": "9x9"}]
    rows += [{**rows[0], "games": name} for name in ("one", "other")]
    draw_curves(rows, tmp_path / "curves")
    assert labels == [["9x9", "9x9 one", "9x9 other"]] * 3


def test_learning_rate_schedule():
    paces = [learning_rate_schedule(step, 1000) for step in range(0, 1001, 10)]
    assert max(paces) == pytest.approx(1, abs=0.01)
    assert paces[0] < 0.1
    assert paces[-1] == pytest.approx(0, abs=1e-6)
    assert all(one > other for one, other in zip(paces[2:], paces[3:], strict=False))


def test_rate_is_constant_before_the_decay():
    paces = [learning_rate_schedule(step, 1000, 0.2) for step in range(0, 1001, 10)]
    assert paces[0] < 0.1
    assert set(paces[2:81]) == {1.0}
    assert paces[-1] == pytest.approx(0, abs=1e-6)
    assert all(one > other for one, other in zip(paces[80:], paces[81:], strict=False))
    assert {learning_rate_schedule(step, 1000, 0.0) for step in range(20, 1100)} == {1.0}


def test_extending_a_constant_schedule_keeps_the_rate():
    """Beyond the warm-up, the rate does not depend on the length of the schedule."""
    short, long = (learning_rate_schedule(5000, steps, 0.1) for steps in (20_000, 10**6))
    assert short == long == 1.0


def test_schedule_counts_steps_not_time(toy, tmp_path, monkeypatch):
    """The rate of a step is the same however long the steps take."""
    rates = []
    for hours in (0.0, 1.0):
        slow = Trainer(changed(steps=10, hours=hours), tmp_path / f"{hours}.pt")
        slow.progress.elapsed_s = 3000.0 * hours
        slow.run(toy, lambda progress: None, lambda run=slow: run.progress.steps >= 5)
        rates.append(slow._optimizers[0].param_groups[0]["lr"])
    assert rates[0] == rates[1]


def test_stops_at_the_time_limit_and_continues(toy, tmp_path):
    checkpoint = tmp_path / "checkpoint.pt"
    for name in ("hours", "cpu_hours"):
        limited = Trainer(changed(steps=10**6, **{name: 0.0001}), checkpoint)
        limited.run(toy, lambda progress: None, lambda: False)
        assert limited.is_out_of_time
        assert not limited.is_over
    again = Trainer(changed(steps=10**6), checkpoint)
    assert not again.is_out_of_time
    assert again.progress.steps == limited.progress.steps > 0


def test_length_of_the_schedule_in_positions():
    assert changed(positions=6400, batch=64).total_steps == 100
    assert changed(positions=6401, batch=64).total_steps == 101
    assert changed(positions=0, steps=7).total_steps == 7


def test_skips_steps_with_a_non_finite_loss(toy, tmp_path):
    samples = toy_positions(40, 4)
    samples.numbers[:4] = np.nan
    broken = Dataset([SampleSource(samples)], toy.held_out)
    trainer = Trainer(changed(steps=8, batch=10), tmp_path / "checkpoint.pt")
    trainer.run(broken, lambda progress: None, lambda: False)
    assert trainer.progress.steps == 8
    assert 0 < trainer.progress.skipped < 8
    assert np.isfinite(trainer.progress.loss)
    for weights in trainer._model.parameters():
        assert torch.isfinite(weights).all()


def test_stops_after_many_skipped_steps(toy, tmp_path):
    samples = toy_positions(40, 4)
    samples.numbers[:] = np.inf
    broken = Dataset([SampleSource(samples)], toy.held_out)
    trainer = Trainer(changed(steps=100), tmp_path / "checkpoint.pt")
    with pytest.raises(TengenError, match="training diverged.*lower --rate"):
        trainer.run(broken, lambda progress: None, lambda: False)
    assert trainer.progress.skipped == 20


def test_progress_lists_the_loss_by_part(learned):
    _, folder = learned
    (row,) = folder.rows()
    parts = {name: float(row[f"train_{name}"]) for name in ("policy", "win", "lead", "ownership")}
    assert parts["lead"] == parts["ownership"] == 0, "unknown in the toy rule"
    assert float(row["loss"]) == pytest.approx(
        parts["policy"] + WIN_WEIGHT * parts["win"], abs=1e-3
    )
    assert float(row["positions_per_cpu_s"]) > 0
    assert float(row["cpu_hours"]) >= 0


def test_keeps_the_rows_of_old_files(toy, tmp_path):
    (tmp_path / "progress.csv").write_text(
        "hours,steps,positions,size,top_1\n0.1,5,320,7x7,0.5\n0.2,"
    )
    folder = TrainingFolder(tmp_path, changed(steps=2))
    train(folder, Trainer(changed(steps=2), folder.checkpoint), toy, lambda progress: None)
    assert [row["steps"] for row in folder.rows()] == ["5", "2"]
    page = render_training_page("name", {"steps": 2}, folder.rows(), toy.shares())
    assert "2 steps, 64 positions" in page
    assert "<svg" in page
