"""Pattern tables: accuracy, independent collisions, file format."""

import json

import numpy as np
import pytest

from tengen.sources import BUNDLED_TABLES, ShapeSettings, ShapeTables, load_tables, save_tables
from tengen.sources.kernels.shape_tables import count_patterns, look_up_sizes, slot_of
from tengen.sources.shape import MAGIC
from tengen.util import TengenError

pytestmark = pytest.mark.kernels


def patterns(count: int, seed: int = 1) -> np.ndarray:
    """Return distinct pattern keys."""
    random = np.random.default_rng(seed)
    return random.integers(0, 2**64, size=(count, 4), dtype=np.uint64)


def filled(settings: ShapeSettings, keys: np.ndarray, outcomes: np.ndarray) -> ShapeTables:
    tables = ShapeTables(settings)
    count_patterns(keys, outcomes.astype(np.uint8), tables.parameters(), tables.counts)
    tables.losses = int(outcomes.sum())
    tables.moves = len(outcomes) - tables.losses
    return tables


def rates_of(tables: ShapeTables, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = np.zeros((2, len(keys), 4), dtype=np.float32)
    parameters, slots = tables.parameters(), tables.slots()
    for row, key in enumerate(keys):
        look_up_sizes(key, parameters, slots, found[0, row], found[1, row])
    return found[0], found[1]


def test_large_table_gives_exact_rates():
    keys = patterns(40)
    random = np.random.default_rng(2)
    seen = random.integers(0, 40, size=5000)
    outcomes = random.integers(0, 2, size=5000)
    tables = filled(ShapeSettings(bits="20"), keys[seen], outcomes)
    rates, leasts = rates_of(tables, keys)
    for index in range(40):
        own = outcomes[seen == index]
        assert rates[index] == pytest.approx(1 - own.mean(), abs=1e-6)
        assert leasts[index] == pytest.approx(len(own))


def test_more_tables_improve_small_tables():
    keys = patterns(2000)
    random = np.random.default_rng(3)
    share = random.random(2000)
    seen = random.integers(0, 2000, size=100_000)
    outcomes = (random.random(100_000) > share[seen]).astype(int)
    errors = []
    for tables in (1, 4):
        settings = ShapeSettings(tables=tables, bits="12")
        rates, _ = rates_of(filled(settings, keys[seen], outcomes), keys)
        errors.append(float(np.abs(rates[:, 0] - share).mean()))
    assert errors[1] < errors[0]
    assert errors[1] < 0.2


@pytest.mark.parametrize("bits", [8, 12])
def test_tables_collide_independently(bits):
    keys = patterns(3000)[:, 0]
    places = np.array(
        [[int(slot_of(key, np.uintp(t), np.uintp(bits))) for key in keys] for t in range(4)]
    )
    assert places.max() < 1 << bits
    pairs = len(keys) * (len(keys) - 1) / 2
    together = [_equal_pairs(row) for row in places]
    for count in together:
        assert count == pytest.approx(pairs / 2**bits, rel=0.15)
    both = [
        _equal_pairs(places[a].astype(np.int64) << 32 | places[b])
        for a in range(4)
        for b in range(a)
    ]
    # Collisions in both tables: independent within four standard deviations.
    expected = pairs / 4**bits
    assert max(both) <= expected + 4 * np.sqrt(expected) + 2


def _equal_pairs(values: np.ndarray) -> int:
    _, counts = np.unique(values, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


def test_keys_differing_in_one_bit_get_different_slots():
    key = np.uint64(12345)
    places = {int(slot_of(key ^ np.uint64(1 << b), np.uintp(0), np.uintp(16))) for b in range(64)}
    assert len(places) > 60


def test_rejects_invalid_settings():
    assert ShapeSettings(bits="12,0,18,0").bits_of_sizes == (12, 0, 18, 0)
    assert ShapeSettings().slots == 16 * 65536
    for bad in ("", "0", "x", "1,2", "25", "16,16,16,99", "-4"):
        with pytest.raises(TengenError):
            ShapeSettings(bits=bad)
    with pytest.raises(TengenError):
        ShapeSettings(tables=0)


@pytest.fixture
def file(tmp_path):
    keys = patterns(50)
    tables = filled(ShapeSettings(bits="8,0,9,7", ko=True), keys, np.arange(50) % 2)
    tables.games, tables.broken, tables.documents = 7, 1, {"ab12": "games/one.sgf"}
    path = tmp_path / "tables.bin"
    save_tables(tables, path)
    return tables, path


def test_file_round_trip(file):
    tables, path = file
    again = load_tables(path)
    assert again.about() == tables.about()
    assert (again.counts == tables.counts).all()
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.3, 0.9, 0.999])
def test_rejects_truncated_file(file, share):
    _, path = file
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(TengenError, match=r"tables"):
        load_tables(path)


def test_detects_changed_bytes(file):
    _, path = file
    data = bytearray(path.read_bytes())
    for place in range(len(MAGIC), len(data), 37):
        changed = bytes([*data[:place], data[place] ^ 0x55, *data[place + 1 :]])
        path.write_bytes(changed)
        try:
            tables = load_tables(path)
        except TengenError:
            continue
        # Only a digit of the figures or a letter of a name can pass unnoticed.
        assert tables.counts.sum() > 0


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"(;GM[1])",
        MAGIC,
        MAGIC + b"[]\n",
        MAGIC + b"{}\n",
        MAGIC + json.dumps({"body_bytes": 0, "body_crc32": 0, "settings": 5}).encode() + b"\n",
        MAGIC + b'{"body_bytes": "x"}\n',
        b"\x00" * 5000,
    ],
)
def test_rejects_foreign_file(tmp_path, data):
    path = tmp_path / "foreign.bin"
    path.write_bytes(data)
    with pytest.raises(TengenError, match="foreign.bin"):
        load_tables(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(TengenError, match="cannot read"):
        load_tables(tmp_path / "nothing")
    with pytest.raises(TengenError, match="cannot write"):
        save_tables(ShapeTables(ShapeSettings(bits="2")), tmp_path / "no" / "folder")


def test_bundled_file_size_and_origin():
    assert BUNDLED_TABLES.stat().st_size <= 4_000_000
    tables = load_tables(BUNDLED_TABLES)
    assert tables.games > 100_000
    assert len(tables.documents) > 100
    assert tables.counts.sum() == (tables.moves + tables.losses) * tables.settings.tables * sum(
        bits > 0 for bits in tables.settings.bits_of_sizes
    )
