"""Training data: held-out games, komi, streaming."""

import json
import shutil

import numpy as np
import pytest
from random_records import random_sgf
from teachers import corner, sgf_of

from tengen.board.color import BLACK, WHITE
from tengen.board.kernels import layout
from tengen.board.points import PASS, point_at
from tengen.board.position import Move
from tengen.nets.kernels.features import NUMBERS, PLANES
from tengen.nets.tengen_net import TengenFeatures
from tengen.records.game import GameRecord
from tengen.util.errors import TengenError

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install '.[train]'")

from tengen.nets.training import dataset  # noqa: E402
from tengen.nets.training.dataset import (  # noqa: E402
    GameStream,
    split_labels,
    take_positions,
    to_samples,
    usable_games,
)
from tengen.nets.training.distillation import LabelFolder, label_games  # noqa: E402
from tengen.nets.training.labels import game_key, read_labels  # noqa: E402
from tengen.nets.training.run import load_dataset  # noqa: E402
from tengen.nets.training.settings import TrainSettings  # noqa: E402


def test_holds_out_whole_games(games, tmp_path):
    folder = tmp_path / "labels"
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 200)
    (labeled,) = read_labels(folder)
    material = split_labels([labeled], 4, "labels")
    (source,), (apart,) = material.sources, material.held_out
    assert len(source.samples) + len(apart.samples) == len(labeled.samples)
    assert len(apart.samples) == np.count_nonzero(labeled.game % 4 == 0)


def test_held_out_games_are_not_learned_elsewhere(games, tmp_path):
    """The same games in another order in a second folder, and as records."""
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
    material = load_dataset([one, other, games], settings, lambda done, planned: None)
    measured = {bits for apart in material.held_out for bits in late_boards(apart.samples)}
    *labels, stream = material.sources
    learned = [bits for source in labels for bits in late_boards(source.samples)]
    learned += [bits for pool in stream._pools.values() for bits in late_boards(pool._samples)]
    assert len(measured) > 20
    assert len(learned) > 20
    assert not measured.intersection(learned)


def late_boards(samples):
    """Return the boards with enough stones to identify their game."""
    return [
        row.tobytes()
        for row, planes in zip(
            samples.bits, samples.batch(np.arange(len(samples))).planes, strict=True
        )
        if planes[1].sum() + planes[2].sum() > 8
    ]


def test_held_out_sets_are_named_by_folder(games, tmp_path):
    folders = [tmp_path / name / "labels" for name in ("one", "other")]
    for folder in folders:
        label_games(corner(), [str(games)], LabelFolder(folder, "corner"), 60)
    material = load_dataset(folders, TrainSettings(), lambda done, planned: None)
    assert [apart.games for apart in material.held_out] == ["one/labels", "other/labels"]


def test_streams_archives(games, monkeypatch):
    monkeypatch.setattr(dataset, "FIRST_POSITIONS", 100)
    stream = GameStream([str(games)], TrainSettings(held_out=4))
    material = stream.dataset()
    (source,), (apart,) = material.sources, material.held_out
    batch = source.draw(64, np.random.default_rng(1))
    side = np.where(batch.numbers[:, 0] < 0, 1.0, 0.0)  # komi is negative for Black, who won
    np.testing.assert_array_equal(batch.win, side)
    assert np.isnan(batch.lead).all()
    assert np.all(batch.policy.sum(axis=1) == 1)
    before = sum(stream._received())
    for _ in range(40):
        source.draw(64, np.random.default_rng(2))
    assert sum(stream._received()) > before, "new games are read as old ones are used"
    assert len(apart.samples) > 0


def test_board_sizes_are_drawn_in_proportion(games, tmp_path, monkeypatch):
    """One game on 7x7 among forty on 9x9, read only after training has started."""
    monkeypatch.setattr(dataset, "FIRST_POSITIONS", 1)
    monkeypatch.setattr(dataset, "GAMES_PER_READ", 8)
    odd = tmp_path / "odd.sgf"
    odd.write_text(random_sgf(np.random.default_rng(1), 30, 7, "KM[9]"))
    stream = GameStream([str(games), str(odd)], TrainSettings(held_out=10**6))
    assert len(stream._pools) == 1
    random = np.random.default_rng(1)
    sizes = [stream.draw(8, random).planes.shape[-1] for _ in range(400)]
    assert 1 <= sizes.count(7) <= 40


@pytest.mark.parametrize(("steps", "expected"), [(0, 64), (3, 72), (30, 64), (330, 64)])
def test_resumed_training_continues_reading(steps, expected, tmp_path, monkeypatch):
    """A step of 64 positions uses 8/3 games: 12 positions each, drawn twice."""
    path = tmp_path / "many.sgf"
    path.write_text("\n".join(sgf_of(seed) for seed in range(80)))
    monkeypatch.setattr(dataset, "FIRST_POSITIONS", 1)
    stream = GameStream([str(path)], TrainSettings(held_out=10**6, batch=64), steps)
    listed = [game_key(move.move for move in record.moves) for record in usable_games([str(path)])]
    upcoming = next(stream._records)
    assert listed.index(game_key(move.move for move in upcoming.moves)) == expected


def test_resumed_training_draws_other_positions(games):
    first, again = (
        GameStream([str(games)], TrainSettings(held_out=4), steps).draw(
            64, np.random.default_rng(1)
        )
        for steps in (0, 500)
    )
    assert not np.array_equal(first.planes, again.planes)


def test_ko_restricts_one_side_only(tmp_path):
    """Black captures a ko and plays again, also at the ko point."""
    path = tmp_path / "ko.sgf"
    stones = "AB[db][dd][ec]AW[dc][cb][cd][bc]PL[B]"
    path.write_text(f"(;GM[1]SZ[7]{stones};B[cc];B[dc])")
    (record,) = usable_games([str(path)])
    assert record.position(1).block[layout.KO] == point_at(2, 3)
    taken = take_positions(record, 2, np.random.default_rng(1))
    assert [int(one.block[layout.KO]) for one in taken] == [int(layout.NOWHERE)] * 2


def test_handicap_games_have_one_komi_everywhere(tmp_path):
    """Komi in the search, in `tengen net eval` and in training is equal."""
    path = tmp_path / "handicap.sgf"
    path.write_text("(;GM[1]SZ[9]HA[2]KM[0.5]RU[Chinese]AB[gc][cg];W[ee];B[ec])")
    (record,) = usable_games([str(path)])
    (taken,) = take_positions(record, 1, np.random.default_rng(1))
    position = record.position(taken.turn)
    features = TengenFeatures()
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
def test_komi_matches_the_position(text, turn, komi, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(f"(;GM[1]SZ[9]{text})")
    (record,) = usable_games([str(path)])
    taken = {found.turn: found for found in take_positions(record, 5, np.random.default_rng(1))}
    assert taken[turn].komi == record.position(turn).area_komi
    assert komi is None or taken[turn].komi == komi


def test_illegal_move_ends_a_game():
    twice = [Move(BLACK, point_at(4, 4)), Move(WHITE, point_at(4, 4)), Move(BLACK, PASS)]
    record = GameRecord(9, 9, moves=twice)
    found = take_positions(record, 3, np.random.default_rng(1))
    assert [taken.turn for taken in found] == [0, 1]


def test_rejects_archives_without_usable_games(tmp_path):
    path = tmp_path / "none.sgf"
    path.write_text("(;GM[1]SZ[9])")
    with pytest.raises(TengenError, match="no usable game"):
        load_dataset([path], TrainSettings(), lambda done, planned: None)
