"""Training: a toy rule is learned, work goes on where it was, exports say what the net says."""

import json
import shutil

import numpy as np
import pytest
from matplotlib.axes import Axes
from random_records import random_sgf

from tengen.board.colour import BLACK, WHITE
from tengen.board.kernels import layout
from tengen.board.points import PASS, point_at
from tengen.board.position import Move, Position
from tengen.core.errors import TengenError
from tengen.network.evaluation import Outputs
from tengen.network.kernels.features import NUMBERS, PLANES
from tengen.network.net import Net
from tengen.network.own import OwnFeatures, load_own_net
from tengen.records.game import GameRecord

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install '.[train]'")

from tengen.network.training import archives, precision  # noqa: E402
from tengen.network.training.archives import (  # noqa: E402
    GameStream,
    Taken,
    take_positions,
    to_samples,
    usable_games,
)
from tengen.network.training.curves import draw_curves  # noqa: E402
from tengen.network.training.distill import LabelFolder, label_games, plain_games  # noqa: E402
from tengen.network.training.export import export  # noqa: E402
from tengen.network.training.labels import game_key, read_label_table, read_labels  # noqa: E402
from tengen.network.training.measure import measure  # noqa: E402
from tengen.network.training.model import OwnModel  # noqa: E402
from tengen.network.training.pool import (  # noqa: E402
    HeldOut,
    Material,
    SampleSource,
    split,
)
from tengen.network.training.precision import require_short_numbers  # noqa: E402
from tengen.network.training.session import TrainingFolder, gather, train  # noqa: E402
from tengen.network.training.settings import TrainSettings  # noqa: E402
from tengen.network.training.trainer import Trainer, pace, read_checkpoint  # noqa: E402

SIZE = 7
TINY = TrainSettings(blocks=1, channels=8, steps=200, batch=32, check_minutes=60.0, averaging=0.97)


def toy_positions(count, seed):
    """Random boards and a rule that looks the same from all sides.

    The last two moves lie side by side; the next one goes on in their line.
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
        if not all(position.on_board(point) and not position.colour(point) for point in line):
            continue
        moves = [Move(position.to_play, first), Move(position.to_play.opponent, line[1])]
        if position.play_sequence(moves) == 2 and position.is_legal(line[2]):
            place = position.points().index(line[2])
            win = float(position.to_play == BLACK)
            taken.append(Taken(position.block.copy(), place, 7.5, win))
    return to_samples(taken)


@pytest.fixture(scope="module")
def toy():
    return Material([SampleSource(toy_positions(400, 1))], [HeldOut("toys", toy_positions(150, 2))])


@pytest.fixture(scope="module")
def learned(toy, tmp_path_factory):
    folder = TrainingFolder(tmp_path_factory.mktemp("toy"), TINY)
    trainer = Trainer(TINY, folder.checkpoint)
    train(folder, trainer, toy, lambda progress: None)
    return trainer, folder


def test_a_tiny_net_learns_a_toy_rule(learned, toy):
    trainer, _ = learned
    (figures,) = measure(trainer.average, toy.held_out)
    assert trainer.progress.steps == 200
    assert figures.top_1 >= 0.95
    assert figures.win_error < 0.1, "komi tells whose move it is"


def test_the_folder_holds_net_curves_and_figures(learned, toy):
    trainer, folder = learned
    assert {(row["games"], row["size"]) for row in folder.rows()} == {("toys", "7x7")}
    assert (folder.path / "curves.png").stat().st_size > 1000
    net = load_own_net(folder.net)
    batch = toy.held_out[0].samples.batch(np.arange(20))
    with torch.no_grad():
        expected = trainer.average(*map(torch.from_numpy, (batch.planes, batch.numbers)))
    outputs = net._model.run(batch.planes, batch.numbers)
    np.testing.assert_allclose(outputs.policy, expected.policy, atol=1e-4)
    np.testing.assert_allclose(outputs.win, torch.sigmoid(expected.win), atol=1e-5)
    np.testing.assert_allclose(outputs.lead, expected.lead, atol=1e-3)
    np.testing.assert_allclose(outputs.ownership, expected.ownership, atol=1e-5)


@pytest.mark.parametrize("size", [(9, 9), (7, 11)])
def test_exports_say_what_the_net_says_on_any_board(size, tmp_path):
    model = OwnModel(4, 12)
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.1)
    export(model, tmp_path / "net.onnx", "any", {})
    net = load_own_net(tmp_path / "net.onnx")
    planes, numbers = net.encode([Position(*size), Position(*size)])
    with torch.no_grad():
        expected = model(torch.from_numpy(planes), torch.from_numpy(numbers))
    outputs = net._model.run(planes, numbers)
    np.testing.assert_allclose(outputs.policy, expected.policy, atol=1e-4)
    np.testing.assert_allclose(outputs.lead, expected.lead, atol=1e-3)


def test_training_goes_on_where_it_was(toy, tmp_path):
    checkpoint = tmp_path / "checkpoint.pt"
    first = Trainer(TINY, checkpoint)
    first.run(toy, lambda progress: None, lambda: first.progress.steps >= 5)
    again = Trainer(TINY, checkpoint)
    assert again.progress == first.progress
    for one, other in zip(first.average.parameters(), again.average.parameters(), strict=True):
        assert torch.equal(one, other)
    again.run(toy, lambda progress: None, lambda: again.progress.steps >= 7)
    assert read_checkpoint(checkpoint)["progress"]["steps"] == 7


def test_a_checkpoint_of_another_net_is_refused(toy, tmp_path):
    checkpoint = tmp_path / "checkpoint.pt"
    Trainer(TINY, checkpoint).run(toy, lambda progress: None, lambda: True)
    with pytest.raises(TengenError, match="1 blocks of 8 channels"):
        Trainer(TrainSettings(blocks=2, channels=8), checkpoint)
    checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    with pytest.raises(TengenError, match="damaged"):
        Trainer(TINY, checkpoint)
    torch.save({"other": 1}, checkpoint)
    with pytest.raises(TengenError, match="no checkpoint"):
        Trainer(TINY, checkpoint)


@pytest.fixture(scope="module")
def _short_numbers():
    try:
        require_short_numbers()
    except TengenError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("_short_numbers")
def test_the_toy_rule_is_learned_with_short_numbers_too(toy, tmp_path):
    trainer = Trainer(changed(precision="bfloat16"), tmp_path / "checkpoint.pt")
    (figures,) = trainer.run(toy, lambda progress: None, lambda: False)
    assert figures.top_1 >= 0.95
    kinds = {weights.dtype for weights in trainer.average.parameters()}
    assert kinds == {torch.float32}, "only the computing is short, what is learned is not"


@pytest.mark.usefixtures("_short_numbers")
def test_a_short_tower_says_nearly_the_same_and_its_heads_keep_all_digits():
    model = OwnModel(2, 8)
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.1)
    inputs = torch.randn(3, model.planes, 9, 9), torch.randn(3, NUMBERS)
    exact = model(*inputs)
    model.has_short_tower = True
    short = model(*inputs)
    for one, other in zip(exact, short, strict=True):
        assert other.dtype == torch.float32
        assert 0 < (one - other).abs().max() < 0.3


def test_a_machine_without_short_numbers_is_told_so(tmp_path, monkeypatch):
    monkeypatch.setattr(precision, "TRIAL", "raise RuntimeError('could not create a primitive')")
    with pytest.raises(TengenError, match=r"bfloat16 does not work .* could not create"):
        Trainer(changed(precision="bfloat16"), tmp_path / "checkpoint.pt")
    monkeypatch.setattr(precision, "TRIAL", "import os; os.abort()")
    with pytest.raises(TengenError, match="bfloat16 does not work"):
        Trainer(changed(precision="bfloat16"), tmp_path / "checkpoint.pt")


def changed(**settings):
    return TrainSettings(**{**vars(TINY), **settings})


def test_a_folder_keeps_its_settings_once_a_training_has_begun(tmp_path):
    TrainingFolder(tmp_path, changed(channels=12))
    folder = TrainingFolder(tmp_path, TINY)
    folder.checkpoint.touch()
    TrainingFolder(tmp_path, changed(hours=2.0))
    with pytest.raises(TengenError, match=r"other settings \(channels\)"):
        TrainingFolder(tmp_path, changed(channels=16, hours=3.0))
    (tmp_path / "settings.json").write_text('{"blocks": ')
    with pytest.raises(TengenError, match=r"settings\.json is damaged"):
        TrainingFolder(tmp_path, TINY)


def test_measurements_without_end_are_refused():
    with pytest.raises(TengenError, match="check_minutes must be at least"):
        changed(check_minutes=0)


def test_a_lead_that_nobody_knows_has_no_error(toy):
    (figures,) = measure(OwnModel(1, 8), toy.held_out)
    assert np.isnan(figures.lead_error)
    known = toy_positions(40, 3)
    known.lead[:10] = 1000.0
    known.win[10:] = np.nan
    (figures,) = measure(OwnModel(1, 8), [HeldOut("some", known)])
    assert figures.lead_error == pytest.approx(1000, abs=100)
    assert figures.win_error == pytest.approx(0.5, abs=0.2)


def test_curves_tell_folders_apart_and_know_older_files(tmp_path, monkeypatch):
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


def test_the_pace_rises_and_falls():
    paces = [pace(done) for done in np.linspace(0, 1, 101)]
    assert max(paces) == pytest.approx(1, abs=0.01)
    assert paces[0] < 0.1
    assert paces[-1] == pytest.approx(0, abs=1e-6)
    assert all(one > other for one, other in zip(paces[2:], paces[3:], strict=False))


# Labels, archives, teachers


class Corner:
    """A teacher that wants the top left corner and is sure to win."""

    def run(self, planes, numbers):
        n, _, rows, columns = planes.shape
        logits = -np.arange(rows * columns + 1, dtype=np.float32)
        return Outputs(
            policy=np.tile(logits, (n, 1)),
            win=np.full(n, 0.75, dtype=np.float32),
            lead=np.full(n, 2.0, dtype=np.float32),
            ownership=planes[:, 1] - planes[:, 2],
        )


def corner():
    return Net("corner", OwnFeatures(), Corner())


def sgf(seed):
    return random_sgf(np.random.default_rng(seed), 30, 9, "KM[6.5]RE[B+3]")


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.sgf"
    path.write_text("\n".join(sgf(seed) for seed in range(40)))
    return path


def test_a_teacher_labels_games_and_the_labels_are_read_back(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 100)
    (labelled,) = read_labels(folder)
    assert 100 <= len(labelled.samples) < 116
    batch = labelled.samples.batch(np.arange(len(labelled.samples)))
    assert np.all(batch.win == 0.75)
    assert np.all(batch.lead == 2)
    np.testing.assert_allclose(batch.ownership, batch.planes[:, 1] - batch.planes[:, 2], atol=0.01)
    legal = batch.planes[:, 9].reshape(len(batch.win), -1)
    assert np.array_equal(batch.policy.argmax(axis=1), legal.argmax(axis=1)), "the first legal one"


def test_labelling_goes_on_and_forgets_labels_of_unknown_games(games, tmp_path):
    teacher, folder = corner(), tmp_path / "labels"
    label_games(teacher, [str(games)], LabelFolder(folder, "corner"), 48)
    known = json.loads((folder / "games.json").read_text())
    (folder / "games.json").write_text(json.dumps(known[:-1]))  # killed before the last was listed
    (rest,) = read_labels(folder)
    assert set(rest.game.tolist()) == set(range(len(known) - 1))
    label_games(teacher, [str(games)], LabelFolder(folder, "corner"), 80)
    whole = tmp_path / "whole"
    label_games(teacher, [str(games)], LabelFolder(whole, "corner"), 80)
    (one,), (other,) = read_labels(folder), read_labels(whole)
    np.testing.assert_array_equal(one.samples.bits, other.samples.bits)
    np.testing.assert_array_equal(one.game, other.game)


def test_a_folder_takes_other_games_too_and_none_twice(games, tmp_path):
    folder, others = tmp_path / "labels", tmp_path / "others.sgf"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 32)
    others.write_text("\n".join(sgf(seed) for seed in (0, 100, 101)))
    label_games(corner(), [str(others)], LabelFolder(folder, "corner"), 1000)
    listed = [game["moves"] for game in json.loads((folder / "games.json").read_text())]
    assert len(listed) == len(set(listed)) == 4


def test_a_damaged_list_of_games_is_told_by_who_would_add_to_it(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    path = folder / "games.json"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(TengenError, match="no list of labelled games"):
        LabelFolder(folder, "corner")


@pytest.mark.parametrize("damage", ["games.json", "labels-9.npz"])
def test_damaged_labels_are_told(damage, games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    path = folder / damage
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(TengenError, match=damage):
        read_labels(folder)


def test_labels_of_one_size_are_enough(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    listed = json.loads((folder / "games.json").read_text())
    both = [*listed, {"size": 13, "komi": 7.5, "moves": "D4 K10"}]
    (folder / "games.json").write_text(json.dumps(both))
    (one,) = read_labels(folder)
    assert len(one.samples.bits) >= 20
    (folder / "labels-9.npz").unlink()
    with pytest.raises(TengenError, match=r"none of their labels: no labels-9\.npz"):
        read_labels(folder)


WRONG = {
    "policy_move of row 1 cannot be": lambda t: {"policy_move": t["policy_move"] + np.int64(82)},
    "policy of row 0 cannot be": lambda t: {"policy": t["policy"] * 0},
    "policy has the shape": lambda t: {"policy": t["policy"][:, 0]},
    "ownership has the shape": lambda t: {"ownership": t["ownership"][:, :-1]},
    "game has numbers that are not whole": lambda t: {"game": t["game"].astype(float)},
    "game of row 0 cannot be": lambda t: {"game": t["game"] - 1},
    "black_win of row": lambda t: {"black_win": t["black_win"] * 100 + 2},
    "black_lead of row": lambda t: {"black_lead": t["black_lead"] * np.nan},
}


@pytest.mark.parametrize("said", WRONG)
def test_labels_that_cannot_be_are_told_in_one_line(said, games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    path = folder / "labels-9.npz"
    with np.load(path) as stored:
        table = dict(stored)
    table["policy_move"] = table["policy_move"].astype(np.int64)
    changed = WRONG[said](table)
    if "policy_move" in changed:
        changed["policy_move"][0] = 0
    np.savez(path, **{**table, **changed})
    with pytest.raises(TengenError, match=f"labels-9.npz has no labels, or is damaged: {said}"):
        read_labels(folder)


def test_what_fills_up_a_row_of_labels_may_be_any_number(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    (before,) = read_labels(folder)
    path = folder / "labels-9.npz"
    with np.load(path) as stored:
        table = dict(stored)
    table["policy_move"] = np.where(table["policy"] > 0, table["policy_move"].astype(int), -1)
    np.savez(path, **table)
    (after,) = read_labels(folder)
    taken = before.samples.shares > 0
    np.testing.assert_array_equal(before.samples.moves[taken], after.samples.moves[taken])
    assert after.samples.moves.max() <= 81


def test_labels_of_a_game_of_another_size_and_odd_komi_are_told(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    path = folder / "games.json"
    listed = json.loads(path.read_text())
    path.write_text(json.dumps([{**listed[0], "size": 13}, *listed[1:]]))
    with pytest.raises(TengenError, match="labels of game 0, which is of another size"):
        read_labels(folder)
    path.write_text(json.dumps([{**listed[0], "komi": float("nan")}, *listed[1:]]))
    with pytest.raises(TengenError, match="no list of labelled games: komi nan"):
        read_labels(folder)


def test_any_damaged_byte_of_labels_is_told_in_one_line_or_does_no_harm(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    path, random = folder / "labels-9.npz", np.random.default_rng(1)
    whole = path.read_bytes()
    said = []
    for place in random.integers(len(whole), size=150):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            read_label_table(folder, 9, 10)
        except TengenError as error:
            said.append(str(error))
    assert len(said) > 50
    assert all("labels-9.npz has no labels, or is damaged" in text for text in said)


def test_moves_of_labelled_games_are_one_text(tmp_path):
    (tmp_path / "games.json").write_text('[{"size": 9, "komi": 7, "moves": ["D4", "Q16"]}]')
    with pytest.raises(TengenError, match="one text with blanks"):
        read_labels(tmp_path)


def test_a_size_without_labels_is_left_out(games, tmp_path):
    folder = LabelFolder(tmp_path, "corner")
    label_games(corner(), [str(games)], folder, 20)
    folder.add({"size": 7, "komi": 7.5, "moves": "D4"}, [])
    folder.save()
    (labelled,) = read_labels(tmp_path)
    assert labelled.samples.rows == 9


def test_games_with_handicap_are_not_labelled(tmp_path):
    path = tmp_path / "free.sgf"
    path.write_text("(;GM[1]SZ[9]HA[2];B[gc];W[ee])(;GM[1]SZ[9];B[gc];W[ee])")
    assert [record.handicap for record in plain_games([str(path)])] == [0]


def test_labels_are_saved_when_the_games_cannot_be_read_on(games, tmp_path):
    paths = [str(games), str(tmp_path / "nowhere.sgf")]
    with pytest.raises(TengenError, match="nowhere"):
        label_games(corner(), paths, LabelFolder(tmp_path / "labels", "corner"), 10**6)
    assert len(json.loads((tmp_path / "labels" / "games.json").read_text())) == 40


def test_whole_games_are_kept_apart(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 200)
    (labelled,) = read_labels(folder)
    material = split([labelled], 4, "labels")
    (source,), (apart,) = material.sources, material.held_out
    assert len(source.samples) + len(apart.samples) == len(labelled.samples)
    assert len(apart.samples) == np.count_nonzero(labelled.game % 4 == 0)


def test_what_one_keeps_apart_no_other_learns_from(games, tmp_path):
    """The same games, in another order, in a second folder, and as records."""
    one, other = tmp_path / "one", tmp_path / "other"
    label_games(corner(), [str(games)], LabelFolder(one, "corner"), 10**6)
    shutil.copytree(one, other)
    listed = json.loads((one / "games.json").read_text())
    shifted = listed[1:] + listed[:1]
    (other / "games.json").write_text(json.dumps(shifted))
    with np.load(one / "labels-9.npz") as stored:
        table = {name: stored[name] for name in stored.files}
    table["game"] = (table["game"] - 1) % len(listed)
    np.savez(other / "labels-9.npz", **table)
    settings = TrainSettings(held_out=4)
    material = gather([one, other, games], settings, lambda done, planned: None)
    measured = {bits for apart in material.held_out for bits in late_boards(apart.samples)}
    *labels, stream = material.sources
    learned = [bits for source in labels for bits in late_boards(source.samples)]
    learned += [bits for pool in stream._pools.values() for bits in late_boards(pool._samples)]
    assert len(measured) > 20
    assert len(learned) > 20
    assert not measured.intersection(learned)


def late_boards(samples):
    """The boards with so many stones that no two games share them."""
    return [
        row.tobytes()
        for row, planes in zip(
            samples.bits, samples.batch(np.arange(len(samples))).planes, strict=True
        )
        if planes[1].sum() + planes[2].sum() > 8
    ]


def test_what_folders_of_labels_are_measured_by_has_their_names(games, tmp_path):
    folders = [tmp_path / name / "labels" for name in ("one", "other")]
    for folder in folders:
        label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 60)
    material = gather(folders, TINY, lambda done, planned: None)
    assert [apart.games for apart in material.held_out] == ["one/labels", "other/labels"]


def test_archives_are_streamed(games, monkeypatch):
    monkeypatch.setattr(archives, "FIRST_POSITIONS", 100)
    stream = GameStream([str(games)], TrainSettings(held_out=4))
    material = stream.material()
    (source,), (apart,) = material.sources, material.held_out
    batch = source.draw(64, np.random.default_rng(1))
    side = np.where(batch.numbers[:, 0] < 0, 1.0, 0.0)  # komi is against Black, who won
    np.testing.assert_array_equal(batch.win, side)
    assert np.isnan(batch.lead).all()
    assert np.all(batch.policy.sum(axis=1) == 1)
    before = sum(stream._received())
    for _ in range(40):
        source.draw(64, np.random.default_rng(2))
    assert sum(stream._received()) > before, "new games are read as old ones are used"
    assert len(apart.samples) > 0


def test_sizes_are_learned_in_proportion_even_those_that_come_late(games, tmp_path, monkeypatch):
    """One game on 7x7 among forty on 9x9, met only after the training has begun."""
    monkeypatch.setattr(archives, "FIRST_POSITIONS", 1)
    monkeypatch.setattr(archives, "GAMES_AT_ONCE", 8)
    odd = tmp_path / "odd.sgf"
    odd.write_text(random_sgf(np.random.default_rng(1), 30, 7, "KM[9]"))
    stream = GameStream([str(games), str(odd)], TrainSettings(held_out=10**6))
    assert len(stream._pools) == 1
    random = np.random.default_rng(1)
    sizes = [stream.draw(8, random).planes.shape[-1] for _ in range(400)]
    assert 1 <= sizes.count(7) <= 40


@pytest.mark.parametrize(("steps", "expected"), [(0, 64), (3, 72), (30, 64), (330, 64)])
def test_a_training_that_goes_on_reads_on_where_it_was(steps, expected, tmp_path, monkeypatch):
    """A step of 64 positions takes 8 games in 3, of 12 positions that are drawn twice each."""
    path = tmp_path / "many.sgf"
    path.write_text("\n".join(sgf(seed) for seed in range(80)))
    monkeypatch.setattr(archives, "FIRST_POSITIONS", 1)
    stream = GameStream([str(path)], TrainSettings(held_out=10**6, batch=64), steps)
    listed = [game_key(move.move for move in record.moves) for record in usable_games([str(path)])]
    upcoming = next(stream._records)
    assert listed.index(game_key(move.move for move in upcoming.moves)) == expected


def test_a_training_that_goes_on_draws_other_positions(games):
    first, again = (
        GameStream([str(games)], TrainSettings(held_out=4), steps).draw(
            64, np.random.default_rng(1)
        )
        for steps in (0, 500)
    )
    assert not np.array_equal(first.planes, again.planes)


def test_a_ko_binds_only_the_side_it_was_taken_from(tmp_path):
    """Black takes a ko, and plays again: he may go where the ko was taken."""
    path = tmp_path / "ko.sgf"
    stones = "AB[db][dd][ec]AW[dc][cb][cd][bc]PL[B]"
    path.write_text(f"(;GM[1]SZ[7]{stones};B[cc];B[dc])")
    (record,) = usable_games([str(path)])
    assert record.position(1).block[layout.KO] == point_at(2, 3)
    taken = take_positions(record, 2, np.random.default_rng(1))
    assert [int(one.block[layout.KO]) for one in taken] == [int(layout.NOWHERE)] * 2


def test_handicap_games_are_told_the_same_komi_by_all(tmp_path):
    """What the search tells a net, what `tengen net eval` tells it, and what it learned with."""
    path = tmp_path / "handicap.sgf"
    path.write_text("(;GM[1]SZ[9]HA[2]KM[0.5]RU[Chinese]AB[gc][cg];W[ee];B[ec])")
    (record,) = usable_games([str(path)])
    (taken,) = take_positions(record, 1, np.random.default_rng(1))
    position = record.position(taken.turn)
    features = OwnFeatures()
    planes, numbers = np.zeros((PLANES, 9, 9), np.float32), np.zeros(NUMBERS, np.float32)
    features.encode(position, planes, numbers)
    bonus = position.rules.white_bonus(position.handicap)
    assert taken.komi == bonus == 2.5
    np.testing.assert_array_equal(
        numbers, features.encode_blocks(position.block[None], bonus)[1][0]
    )
    np.testing.assert_array_equal(numbers, to_samples([taken]).numbers[0])


@pytest.mark.parametrize(
    ("text", "turn", "komi"),
    [
        ("RU[Chinese]KM[0.5];B[gc];B[cg];B[ee];W[ec];B[eg]", 3, 3.5),
        ("RU[Japanese]HA[3]KM[0.5];B[gc];B[cg];B[ee];W[ec];B[eg]", 4, None),
        ("RU[Japanese]KM[6.5];B[gc];W[cg];B[];W[ec];B[eg]", 3, 5.5),
    ],
)
def test_komi_is_that_of_the_position_as_in_play(text, turn, komi, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(f"(;GM[1]SZ[9]{text})")
    (record,) = usable_games([str(path)])
    taken = {found.turn: found for found in take_positions(record, 5, np.random.default_rng(1))}
    assert taken[turn].komi == record.position(turn).area_bonus
    assert komi is None or taken[turn].komi == komi


def test_a_move_that_is_illegal_ends_what_is_learned():
    twice = [Move(BLACK, point_at(4, 4)), Move(WHITE, point_at(4, 4)), Move(BLACK, PASS)]
    record = GameRecord(9, 9, moves=twice)
    found = take_positions(record, 3, np.random.default_rng(1))
    assert [taken.turn for taken in found] == [0, 1]


def test_nothing_to_learn_from_is_told(tmp_path):
    path = tmp_path / "none.sgf"
    path.write_text("(;GM[1]SZ[9])")
    with pytest.raises(TengenError, match="no game to learn from"):
        gather([path], TINY, lambda done, planned: None)


def test_labels_tell_of_the_side_to_move(tmp_path):
    """What is said of Black in the file is turned round where White is to move."""
    owners = np.zeros((2, 81), dtype=np.int8)
    owners[:, 0] = 127
    np.savez(
        tmp_path / "labels-9.npz",
        game=[0, 0],
        turn=[0, 1],
        policy_move=[[40, 81], [41, 81]],
        policy=[[0.6, 0.2], [0.5, 0.5]],
        black_win=[0.9, 0.8],
        black_lead=[3.0, 2.0],
        ownership=owners,
    )
    (tmp_path / "games.json").write_text('[{"size": 9, "komi": 7.5, "moves": "E5 C3"}]')
    (labelled,) = read_labels(tmp_path)
    batch = labelled.samples.batch(np.arange(2))
    assert batch.win == pytest.approx([0.9, 0.2])
    assert batch.lead.tolist() == [3, -2]
    assert batch.ownership[:, 0, 0].tolist() == [1, -1]
    assert batch.policy[0, [40, 81]] == pytest.approx([0.75, 0.25], abs=1e-3)
    assert batch.planes[1, 2].argmax() == 40, "the black stone is the enemy's"
