"""Labels: a teacher writes them, a training reads them back, what is wrong in them is told."""

import json

import numpy as np
import pytest
from teachers import corner, sgf_of

from tengen.core.errors import TengenError

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install '.[train]'")

from tengen.network.training.distill import LabelFolder, label_games, plain_games  # noqa: E402
from tengen.network.training.labels import read_label_table, read_labels  # noqa: E402


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
    others.write_text("\n".join(sgf_of(seed) for seed in (0, 100, 101)))
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
