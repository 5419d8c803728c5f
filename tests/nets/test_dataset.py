"""Training data: held-out games, komi, streaming."""

import numpy as np
import pytest
from random_records import random_sgf
from teachers import corner, old_labels

from tengen.board import BLACK, PASS, WHITE, Move, point_at
from tengen.board.kernels import layout
from tengen.nets import TengenFeatures
from tengen.nets.kernels.features import NUMBERS, PLANES
from tengen.records import GameRecord
from tengen.util import TengenError

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'tengen-go[train]'")

from tengen.nets.training import (
    LabelFolder,
    LabelPlan,
    TrainSettings,
    label_games,
    load_dataset,
    parse_size_weights,
    sources,
    usable_games,
)
from tengen.nets.training.dataset import Mix
from tengen.nets.training.games import StoredGame, sample_stored_games, take_positions, to_samples
from tengen.nets.training.labels import read_labels
from tengen.nets.training.sources import GameSource, SampleSource


def load(paths, settings, weights=None):
    return load_dataset(paths, settings, lambda done, planned: None, weights=weights)


def label(games, folder, positions=10**4):
    label_games(corner(), [str(games)], LabelFolder(folder, "corner"), LabelPlan(positions))


def test_holds_out_whole_games(games, tmp_path):
    folder = tmp_path / "labels"
    label(games, folder, 200)
    (labeled,) = read_labels(folder)
    material = load([folder], TrainSettings(held_out=4))
    (source,), (apart,) = material.sources, material.held_out
    assert len(source.samples) + len(apart.samples) == len(labeled.samples)
    assert len(apart.samples) == np.count_nonzero(labeled.key % 4 == 0)


def test_held_out_games_are_not_learned_elsewhere(games, tmp_path):
    """The same games in a shard, in another order in the older format, and as records."""
    one, other = tmp_path / "one", tmp_path / "other"
    label(games, one)
    old_labels(games, other, 40)
    material = load([one, other, games], TrainSettings(held_out=4))
    measured = {bits for apart in material.held_out for bits in late_boards(apart.samples)}
    *labels, stream = material.sources
    stream.draw(8, np.random.default_rng(1))
    learned = [bits for source in labels for bits in late_boards(source.samples)]
    learned += late_boards(stream._pool)
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
        folder.parent.mkdir()
        label(games, folder)
    material = load(folders, TrainSettings(held_out=4))
    assert [apart.games for apart in material.held_out] == ["one/labels", "other/labels"]


def test_draws_positions_of_archives(games, monkeypatch):
    monkeypatch.setattr(sources, "FIRST_POSITIONS", 100)
    monkeypatch.setattr(sources, "GAMES_PER_READ", 8)
    material = load([games], TrainSettings(held_out=4))
    (source,), (apart,) = material.sources, material.held_out
    batch = source.draw(64, np.random.default_rng(1))
    side = np.where(batch.numbers[:, 0] < 0, 1.0, 0.0)  # komi is negative for Black, who won
    np.testing.assert_array_equal(batch.win, side)
    assert np.isnan(batch.lead).all()
    assert np.all(batch.policy.sum(axis=1) == 1)
    before = source.state()["received"]
    for _ in range(40):
        source.draw(64, np.random.default_rng(2))
    assert source.state()["received"] > before, "new games are read as old ones are used"
    assert len(apart.samples) > 0


def test_pool_is_bounded(games, monkeypatch):
    monkeypatch.setattr(sources, "FIRST_POSITIONS", 100)
    monkeypatch.setattr(sources, "POOL_POSITIONS", 150)
    source = GameSource(sample_stored_games([str(games)], 40, 1))
    for _ in range(30):
        source.draw(64, np.random.default_rng(2))
    assert len(source._pool) == 150


def test_stored_games_are_equal_to_their_records(games, tmp_path):
    path = tmp_path / "handicap.sgf"
    path.write_text("(;GM[1]SZ[9]HA[2]KM[0.5]RU[Japanese]RE[W+3]AB[gc][cg];W[ee];B[];B[ec])")
    for record in [*usable_games([str(path)]), *usable_games([str(games)])]:
        again = StoredGame.from_record(record).record()
        names = ("rows", "columns", "handicap", "setup", "moves", "rules", "winner")
        for name in (*names, "first_to_play"):
            assert getattr(again, name) == getattr(record, name), name
        one, other = (take_positions(r, 3, np.random.default_rng(1)) for r in (record, again))
        assert [p.komi for p in one] == [p.komi for p in other]
        np.testing.assert_array_equal([p.block for p in one], [p.block for p in other])


def test_games_of_an_archive_are_a_sample(games):
    """Neither the first ones nor in the order of the archive."""
    order = [StoredGame.from_record(record).key for record in usable_games([str(games)])]
    drawn = [game.key for game in sample_stored_games([str(games)], 10, 1)]
    places = [order.index(key) for key in drawn]
    assert len(set(places)) == 10
    assert places != sorted(places)
    assert max(places) >= 10


@pytest.fixture
def two_sizes(games, tmp_path):
    """Forty games on 9x9 in one folder, ten of them in another, and two on 7x7."""
    many, few, small = (tmp_path / name for name in ("many", "few", "small"))
    label(games, many)
    label(games, few, 160)
    odd = tmp_path / "odd.sgf"
    random = np.random.default_rng(1)
    odd.write_text("".join(random_sgf(random, 30, 7, "KM[9]") for _ in range(6)))
    label(odd, small)
    return many, few, small


def test_mix_by_default_is_the_square_root_of_positions(two_sizes):
    material = load(two_sizes, TrainSettings(held_out=30))
    shares = {(name, size): share for name, size, _, share in material.shares()}
    counts = {(name, size): count for name, size, count, _ in material.shares()}
    sizes = ("9x9", "9x9", "7x7")
    many, few, small = zip(map(str, two_sizes), sizes, strict=True)
    assert shares[many] / shares[few] == pytest.approx((counts[many] / counts[few]) ** 0.5)
    nines = counts[many] + counts[few]
    assert shares[small] / (1 - shares[small]) == pytest.approx((counts[small] / nines) ** 0.5)


def test_mix_by_weights(two_sizes):
    many, few, small = map(str, two_sizes)
    settings = TrainSettings(held_out=30, size_weights="9=3,7=1")
    material = load(two_sizes, settings, {few: 2.0})
    shares = {name: share for name, _, _, share in material.shares()}
    assert shares == pytest.approx({many: 0.25, few: 0.5, small: 0.25})
    random = np.random.default_rng(1)
    sizes = [material.draw(4, random).planes.shape[-1] for _ in range(400)]
    assert 70 <= sizes.count(7) <= 130
    settings = TrainSettings(held_out=30, size_weights="7=0")
    shares = {name: share for name, _, _, share in load(two_sizes, settings, {many: 0}).shares()}
    assert shares == {many: 0.0, few: 1.0, small: 0.0}
    with pytest.raises(TengenError, match="all sources have weight 0"):
        load(two_sizes, TrainSettings(held_out=30, size_weights="7=0,9=0"))


def test_size_weights():
    assert parse_size_weights("9=2, 13x7=0.5") == {"9x9": 2.0, "13x7": 0.5}
    assert parse_size_weights("") == {}
    for text in ("9", "9=x", "x=1", "9=-1", "9=nan"):
        with pytest.raises(TengenError, match="SIZE=WEIGHT"):
            parse_size_weights(text)


def test_epoch_draws_each_sample_once(games, tmp_path):
    label(games, tmp_path / "labels", 96)
    (labeled,) = read_labels(tmp_path / "labels")
    source, random = SampleSource(labeled.samples), np.random.default_rng(1)
    assert Mix().probabilities([source]).tolist() == [1.0]
    drawn = np.concatenate([source.draw(12, random).numbers for _ in range(8)])
    assert len(drawn) == 96
    assert len(source._order) == 0


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
        load([path], TrainSettings())
