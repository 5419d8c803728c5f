"""Label folders: written by a teacher, read for training, rejected if invalid."""

import json

import numpy as np
import pytest
from teachers import corner, sgf_of

from tengen.util.errors import TengenError

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install '.[train]'")

from tengen.nets.training.distillation import LabelFolder, label_games, plain_games  # noqa: E402
from tengen.nets.training.labels import read_label_table, read_labels  # noqa: E402


def test_labels_round_trip(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 100)
    (labeled,) = read_labels(folder)
    assert 100 <= len(labeled.samples) < 116
    batch = labeled.samples.batch(np.arange(len(labeled.samples)))
    assert np.all(batch.win == 0.75)
    assert np.all(batch.lead == 2)
    np.testing.assert_allclose(batch.ownership, batch.planes[:, 1] - batch.planes[:, 2], atol=0.01)
    legal = batch.planes[:, 9].reshape(len(batch.win), -1)
    assert np.array_equal(batch.policy.argmax(axis=1), legal.argmax(axis=1)), "the first legal move"


def test_resumed_labeling_drops_labels_of_unlisted_games(games, tmp_path):
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


def test_adds_new_games_only_once(games, tmp_path):
    folder, others = tmp_path / "labels", tmp_path / "others.sgf"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 32)
    others.write_text("\n".join(sgf_of(seed) for seed in (0, 100, 101)))
    label_games(corner(), [str(others)], LabelFolder(folder, "corner"), 1000)
    listed = [game["moves"] for game in json.loads((folder / "games.json").read_text())]
    assert len(listed) == len(set(listed)) == 4


def test_label_folder_rejects_damaged_games(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    path = folder / "games.json"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(TengenError, match="not a list of labeled games"):
        LabelFolder(folder, "corner")


@pytest.mark.parametrize("damage", ["games.json", "labels-9.npz"])
def test_rejects_damaged_labels(damage, games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    path = folder / damage
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(TengenError, match=damage):
        read_labels(folder)


def test_labels_of_one_size_suffice(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    listed = json.loads((folder / "games.json").read_text())
    both = [*listed, {"size": 13, "komi": 7.5, "moves": "D4 K10"}]
    (folder / "games.json").write_text(json.dumps(both))
    (one,) = read_labels(folder)
    assert len(one.samples.bits) >= 20
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
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
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


def test_rejects_another_board_size_and_invalid_komi(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
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
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 20)
    path, random = folder / "labels-9.npz", np.random.default_rng(1)
    whole = path.read_bytes()
    messages = []
    for place in random.integers(len(whole), size=150):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            read_label_table(folder, 9, 10)
        except TengenError as error:
            messages.append(str(error))
    assert len(messages) > 50
    assert all("labels-9.npz is not a label file, or is damaged" in text for text in messages)


def test_moves_must_be_one_string(tmp_path):
    (tmp_path / "games.json").write_text('[{"size": 9, "komi": 7, "moves": ["D4", "Q16"]}]')
    with pytest.raises(TengenError, match="one string separated by spaces"):
        read_labels(tmp_path)


def test_skips_sizes_without_labels(games, tmp_path):
    folder = LabelFolder(tmp_path, "corner")
    label_games(corner(), [str(games)], folder, 20)
    folder.add({"size": 7, "komi": 7.5, "moves": "D4"}, [])
    folder.save()
    (labeled,) = read_labels(tmp_path)
    assert labeled.samples.rows == 9


def test_handicap_games_are_not_labeled(tmp_path):
    path = tmp_path / "free.sgf"
    path.write_text("(;GM[1]SZ[9]HA[2];B[gc];W[ee])(;GM[1]SZ[9];B[gc];W[ee])")
    assert [record.handicap for record in plain_games([str(path)])] == [0]


def test_saves_labels_when_reading_fails(games, tmp_path):
    paths = [str(games), str(tmp_path / "nowhere.sgf")]
    with pytest.raises(TengenError, match="nowhere"):
        label_games(corner(), paths, LabelFolder(tmp_path / "labels", "corner"), 10**6)
    assert len(json.loads((tmp_path / "labels" / "games.json").read_text())) == 40


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
