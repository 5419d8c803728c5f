"""Label folders: written by a teacher, read for training, rejected if invalid.

Tests of `games.json` and `labels-9.npz` concern the older format, which is still read.
"""

import json

import numpy as np
import pytest
from teachers import corner, old_labels, sgf_of

from tengen.util import TengenError

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'tengen-go[train]'")

from tengen.nets.training import (
    LabelFolder,
    LabelPlan,
    is_label_folder,
    label_games,
    plain_games,
    read_label_table,
)
from tengen.nets.training.distillation import drawn_positions
from tengen.nets.training.games import sample_plain_games
from tengen.nets.training.labels import LabelReader, read_labels
from tengen.nets.training.shards import shard_paths


def test_labels_round_trip(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), LabelPlan(100))
    (labeled,) = read_labels(folder)
    assert 100 <= len(labeled.samples) < 116
    batch = labeled.samples.batch(np.arange(len(labeled.samples)))
    assert np.all(batch.win == 0.75)
    assert np.all(batch.lead == 2)
    np.testing.assert_allclose(batch.ownership, batch.planes[:, 1] - batch.planes[:, 2], atol=0.01)
    legal = batch.planes[:, 9].reshape(len(batch.win), -1)
    assert np.array_equal(batch.policy.argmax(axis=1), legal.argmax(axis=1)), "the first legal move"


def test_resumed_labeling_gives_the_same_labels(games, tmp_path):
    teacher, folder = corner(), tmp_path / "labels"
    for positions in (48, 80):
        label_games(teacher, [str(games)], LabelFolder(folder, "corner"), LabelPlan(positions))
    assert len(shard_paths(folder)) == 2
    whole = tmp_path / "whole"
    label_games(teacher, [str(games)], LabelFolder(whole, "corner"), LabelPlan(80))
    (one,), (other,) = read_labels(folder), read_labels(whole)
    np.testing.assert_array_equal(one.samples.bits, other.samples.bits)
    np.testing.assert_array_equal(one.key, other.key)


def test_games_are_drawn_from_all_archives(games, tmp_path):
    """Not the first ones; a larger sample extends a smaller one."""
    others = tmp_path / "others.sgf"
    others.write_text("\n".join(sgf_of(seed) for seed in range(100, 140)))
    few, more = (sample_plain_games([str(games), str(others)], n, 1) for n in (20, 30))
    assert [game.key for game in few] == [game.key for game in more[:20]]
    first = {game.key for game in sample_plain_games([str(games)], 100, 1)}
    assert len(first) == 40
    assert 4 <= sum(game.key in first for game in few) <= 16
    assert {g.key for g in few} != {g.key for g in sample_plain_games([str(games)], 20, 2)}


def test_shares_are_disjoint(games):
    shares = [{g.key for g in sample_plain_games([str(games)], 100, 1, (n, 3))} for n in (1, 2, 3)]
    assert sum(map(len, shares)) == len(set().union(*shares)) == 40


def test_processes_write_to_one_folder(games, tmp_path):
    """Each writes its own shards and counts those of the other."""
    teacher, folder = corner(), tmp_path / "labels"
    one, other = LabelFolder(folder, "corner"), LabelFolder(folder, "corner")
    for writer, share in ((one, (1, 2)), (other, (2, 2))):
        label_games(teacher, [str(games)], writer, LabelPlan(10**4, each=4, share=share))
    assert len(LabelFolder(folder, "corner")) == len(other) == 160
    (labeled,) = read_labels(folder)
    assert len(set(labeled.key.tolist())) == 40


def test_damaged_shard_is_skipped_with_a_warning(games, tmp_path, caplog):
    folder = tmp_path / "labels"
    for positions in (48, 80):
        label_games(corner(), [str(games)], LabelFolder(folder, "corner"), LabelPlan(positions))
    last = shard_paths(folder)[-1]
    last.write_bytes(last.read_bytes()[:-60])
    (labeled,) = read_labels(folder)
    assert len(labeled.samples) == 48
    assert last.name in caplog.text
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), LabelPlan(80))
    assert sum(len(found.samples) for found in read_labels(folder)) == 80, "labeled again"


def test_kill_loses_only_the_unwritten_shard(games, tmp_path, monkeypatch):
    """A partly written file is ignored."""
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), LabelPlan(48))
    (folder / ".labels-9-0001.npz.77.part").write_bytes(b"PK")
    writer = LabelFolder(folder, "corner")
    monkeypatch.setattr(writer, "save", lambda: None)
    label_games(corner(), [str(games)], writer, LabelPlan(80))
    assert len(LabelFolder(folder, "corner")) == 48


def test_both_sides_have_the_same_stones(games, tmp_path):
    folder = tmp_path / "labels"
    plan = LabelPlan(64, each=8, both_sides=True)
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), plan)
    table = read_label_table(folder, 9)
    assert len(table) == 64
    pairs = {}
    for g, t, color in zip(*(table.columns[n] for n in ("game", "turn", "to_play")), strict=True):
        pairs.setdefault((g, t), []).append(int(color))
    assert {tuple(sorted(colors)) for colors in pairs.values()} == {(1, 2)}
    (labeled,) = read_labels(folder)
    planes = labeled.samples.batch(np.arange(64)).planes
    np.testing.assert_array_equal(planes[0::2, 1:3], planes[1::2, 2:0:-1])
    assert not planes[:, 10].any(), "no ko"


def test_shards_encode_the_positions_the_teacher_saw(games, tmp_path):
    """For both sides, equal to the features of the positions in play."""
    plan = LabelPlan(64, each=8, both_sides=True)
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), plan)
    (labeled,) = read_labels(folder)
    batch = labeled.samples.batch(np.arange(64))
    known = {game.key: game for game in sample_plain_games([str(games)], 100, 1)}
    for index in range(0, 64, 16):
        game = known[int(labeled.key[index])]
        positions = drawn_positions(game, plan)
        positions.sort(key=lambda p: (len(p.moves), p.to_play))
        planes, numbers = corner().encode(positions)
        np.testing.assert_array_equal(batch.planes[index : index + 16], planes)
        np.testing.assert_array_equal(batch.numbers[index : index + 16], numbers)


def test_64_moves_are_kept_and_mixed_with_32(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), LabelPlan(32))
    old_labels(games, folder, 2)
    (labeled,) = read_labels(folder)
    assert labeled.samples.moves.shape[1] == 64
    assert len(read_label_table(folder, 9)) == len(labeled.samples) == 64
    batch = labeled.samples.batch(np.arange(64))
    np.testing.assert_allclose(batch.policy.sum(axis=1), 1, atol=2e-3)


def test_reader_finds_new_shards_only(games, tmp_path):
    folder = tmp_path / "labels"
    assert not is_label_folder(folder)
    writer = LabelFolder(folder, "corner")
    assert is_label_folder(folder)
    reader = LabelReader(folder)
    assert reader.read_new() == []
    label_games(corner(), [str(games)], writer, LabelPlan(48))
    assert [len(found.samples) for found in reader.read_new()] == [48]
    label_games(corner(), [str(games)], writer, LabelPlan(80))
    assert [len(found.samples) for found in reader.read_new()] == [32]
    assert reader.read_new() == []


def test_adds_new_games_only_once(games, tmp_path):
    folder, others = tmp_path / "labels", tmp_path / "others.sgf"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), LabelPlan(10**4, each=4))
    others.write_text("\n".join(sgf_of(seed) for seed in (0, 100, 101)))
    label_games(corner(), [str(others)], LabelFolder(folder, "corner"), LabelPlan(10**4, each=4))
    assert len(read_label_table(folder, 9).keys) == 42


def test_label_folder_rejects_damaged_games(games, tmp_path):
    folder = tmp_path / "labels"
    old_labels(games, folder, 2)
    path = folder / "games.json"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(TengenError, match="not a list of labeled games"):
        LabelFolder(folder, "corner")


@pytest.mark.parametrize("damage", ["games.json", "labels-9.npz"])
def test_rejects_damaged_labels(damage, games, tmp_path):
    folder = tmp_path / "labels"
    old_labels(games, folder, 2)
    path = folder / damage
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(TengenError, match=damage):
        read_labels(folder)


def test_labels_of_one_size_suffice(games, tmp_path):
    folder = tmp_path / "labels"
    old_labels(games, folder, 2)
    listed = json.loads((folder / "games.json").read_text())
    both = [*listed, {"size": 13, "komi": 7.5, "moves": "D4 K10"}]
    (folder / "games.json").write_text(json.dumps(both))
    (one,) = read_labels(folder)
    assert len(one.samples.bits) == 32
    (folder / "labels-9.npz").unlink()
    with pytest.raises(TengenError, match=r"no labels: labels-9\.npz is missing"):
        read_labels(folder)


WRONG = {
    "invalid policy_move in row 1": lambda t: {"policy_move": t["policy_move"] + np.int64(82)},
    "invalid policy in row 0": lambda t: {"policy": t["policy"] * 0},
    "policy has shape": lambda t: {"policy": t["policy"][:, 0]},
    "ownership has shape": lambda t: {"ownership": t["ownership"][:, :-1]},
    "game must be integers": lambda t: {"game": t["game"].astype(float)},
    "invalid game in row 0": lambda t: {"game": t["game"] - 1},
    "invalid black_win in row": lambda t: {"black_win": t["black_win"] * 100 + 2},
    "invalid black_lead in row": lambda t: {"black_lead": t["black_lead"] * np.nan},
}


@pytest.mark.parametrize("message", WRONG)
def test_rejects_invalid_labels(message, games, tmp_path):
    folder = tmp_path / "labels"
    old_labels(games, folder, 2)
    path = folder / "labels-9.npz"
    with np.load(path) as stored:
        table = dict(stored)
    table["policy_move"] = table["policy_move"].astype(np.int64)
    changed = WRONG[message](table)
    if "policy_move" in changed:
        changed["policy_move"][0] = 0
    np.savez(path, **{**table, **changed})
    with pytest.raises(
        TengenError, match=f"labels-9.npz is not a label file, or is damaged: {message}"
    ):
        read_labels(folder)


def test_padding_moves_may_be_any_number(games, tmp_path):
    folder = tmp_path / "labels"
    old_labels(games, folder, 2)
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


def test_rejects_another_board_size_and_invalid_komi(games, tmp_path):
    folder = tmp_path / "labels"
    old_labels(games, folder, 2)
    path = folder / "games.json"
    listed = json.loads(path.read_text())
    path.write_text(json.dumps([{**listed[0], "size": 13}, *listed[1:]]))
    with pytest.raises(TengenError, match="labels of game 0, which has another board size"):
        read_labels(folder)
    path.write_text(json.dumps([{**listed[0], "komi": float("nan")}, *listed[1:]]))
    with pytest.raises(TengenError, match="not a list of labeled games: komi nan"):
        read_labels(folder)


def test_damaged_bytes_are_reported_or_harmless(games, tmp_path):
    folder = tmp_path / "labels"
    old_labels(games, folder, 2)
    path, random = folder / "labels-9.npz", np.random.default_rng(1)
    whole = path.read_bytes()
    messages = []
    for place in random.integers(len(whole), size=150):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            read_label_table(folder, 9)
        except TengenError as error:
            messages.append(str(error))
    assert len(messages) > 50
    assert all("labels-9.npz is not a label file, or is damaged" in text for text in messages)


def test_moves_must_be_one_string(tmp_path):
    (tmp_path / "games.json").write_text('[{"size": 9, "komi": 7, "moves": ["D4", "Q16"]}]')
    with pytest.raises(TengenError, match="one string separated by spaces"):
        read_labels(tmp_path)


def test_handicap_games_are_not_labeled(tmp_path):
    path = tmp_path / "free.sgf"
    path.write_text("(;GM[1]SZ[9]HA[2];B[gc];W[ee])(;GM[1]SZ[9];B[gc];W[ee])")
    assert [record.handicap for record in plain_games([str(path)])] == [0]


def test_saves_labels_when_the_teacher_fails(games, tmp_path):
    class Failing:
        calls = 0

        def evaluate(self, positions):
            self.calls += 1
            if self.calls == 3:
                raise MemoryError
            return corner().evaluate(positions)

    labels = LabelFolder(tmp_path / "labels", "corner")
    with pytest.raises(MemoryError):
        label_games(Failing(), [str(games)], labels, LabelPlan(10**4, batch=16))
    assert len(LabelFolder(tmp_path / "labels", "corner")) == 32


def test_labels_are_for_the_side_to_move(tmp_path):
    """Labels from Black's point of view are flipped if White is to move."""
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
    (labeled,) = read_labels(tmp_path)
    batch = labeled.samples.batch(np.arange(2))
    assert batch.win == pytest.approx([0.9, 0.2])
    assert batch.lead.tolist() == [3, -2]
    assert batch.ownership[:, 0, 0].tolist() == [1, -1]
    assert batch.policy[0, [40, 81]] == pytest.approx([0.75, 0.25], abs=1e-3)
    assert batch.planes[1, 2].argmax() == 40, "the black stone is the opponent's"
