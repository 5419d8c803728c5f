"""What a training learns from, and what it is measured by: games kept apart, komi, turns."""

import json
import shutil

import numpy as np
import pytest
from random_records import random_sgf
from teachers import corner, sgf_of

from tengen.board.colour import BLACK, WHITE
from tengen.board.kernels import layout
from tengen.board.points import PASS, point_at
from tengen.board.position import Move
from tengen.core.errors import TengenError
from tengen.network.kernels.features import NUMBERS, PLANES
from tengen.network.own import OwnFeatures
from tengen.records.game import GameRecord

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install '.[train]'")

from tengen.network.training import archives  # noqa: E402
from tengen.network.training.archives import (  # noqa: E402
    GameStream,
    take_positions,
    to_samples,
    usable_games,
)
from tengen.network.training.distill import LabelFolder, label_games  # noqa: E402
from tengen.network.training.labels import game_key, read_labels  # noqa: E402
from tengen.network.training.pool import (  # noqa: E402
    split,
)
from tengen.network.training.session import gather  # noqa: E402
from tengen.network.training.settings import TrainSettings  # noqa: E402


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
    material = gather(folders, TrainSettings(), lambda done, planned: None)
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
    path.write_text("\n".join(sgf_of(seed) for seed in range(80)))
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
        gather([path], TrainSettings(), lambda done, planned: None)
