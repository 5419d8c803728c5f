"""Pattern search: against a brute-force search, and by hand."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
from database_helpers import brute_force_search, orbit_of, random_game, some_games, store_of
from hypothesis import given, settings, strategies as st

from tengen.board import BLACK, PASS, WHITE, Position, parse_vertex, symmetries
from tengen.records import GameRecord, read_bytes
from tengen.records.database import GameDatabase, GameIndex, Pattern, Region
from tengen.records.database.packing import pack
from tengen.records.database.search import summarize
from tengen.util import TengenError

pytestmark = pytest.mark.kernels


def build_index(records):
    store = store_of(records)
    rows, columns = records[0].rows, records[0].columns
    return GameIndex(rows, columns, store.chunks(rows, columns))


def search(index, pattern, most=10):
    return summarize(index, pattern, index.find(pattern), most)


def comparable(found, position, mask):
    pattern = position.board() if mask is None else np.where(mask, position.board(), 3)
    square = position.rows == position.columns
    continuations = {
        (orbit_of(one.move, position, pattern, square), one.color): one[2:]
        for one in found.continuations
    }
    return found.games, continuations, found.without_continuation


def mask_of(region, rows, columns):
    mask = np.zeros((rows, columns), bool)
    mask[region.top : region.bottom + 1, region.left : region.right + 1] = True
    return mask


CASES = [(5, 5), (4, 6), (3, 3)]


@pytest.fixture(scope="module", params=CASES, ids=str)
def library(request):
    rows, columns = request.param
    records = some_games(60, rows, columns, seed=rows)
    return SimpleNamespace(records=records, index=build_index(records))


def test_whole_positions_agree_with_brute_force(library):
    rng = random.Random(5)
    for _ in range(40):
        record = rng.choice(library.records)
        position = record.position(rng.randrange(min(len(record.moves), 8) + 1))
        found = search(library.index, Pattern.whole(position))
        expected = brute_force_search(library.records, position, None)
        assert found.games >= 1
        assert comparable(found, position, None) == expected


def test_local_patterns_agree_with_brute_force(library):
    rng = random.Random(6)
    for _ in range(40):
        record = rng.choice(library.records)
        position = record.position(rng.randrange(len(record.moves) + 1))
        region = Region.between(*rng.choices(position.points(), k=2))
        mask = mask_of(region, position.rows, position.columns)
        found = search(library.index, Pattern.local(position, region))
        assert comparable(found, position, mask) == brute_force_search(
            library.records, position, mask
        )


@given(st.integers(0, 2**32), st.integers(0, 7), st.booleans())
@settings(max_examples=60, deadline=None)
def test_invariance_under_symmetry_and_color_swap(seed, symmetry, swap):
    """A rotated, mirrored and recolored game gives the same statistics."""
    rng = random.Random(seed)
    record = random_game(rng, 5, 5, 30)
    table = symmetries(5, 5)[symmetry]
    twin = GameRecord(rows=5, columns=5)
    twin.moves = [
        move._replace(move=int(table[move.move]), color=color_of(move.color, swap))
        for move in record.moves
    ]
    index = build_index([twin])
    number = rng.randrange(len(record.moves))
    position = record.position(number)
    found = search(index, Pattern.whole(position))
    assert found.games == 1
    one = found.continuations[0]
    assert one.color == position.to_play
    region = Region.around(rng.choice(position.points()), 3, 5, 5)
    assert search(index, Pattern.local(position, region)).games == 1


def color_of(color, swap):
    return color.opponent if swap else color


def test_merges_equivalent_first_moves():
    text = b"(;SZ[9]RE[B+R];B[cc];W[gg])(;SZ[9]RE[W+R];B[gc];W[ch])(;SZ[9]RE[B+1];B[gg];W[ee])"
    index = build_index(list(read_bytes(text)))
    found = search(index, Pattern.whole(Position(9)))
    (one,) = found.continuations
    assert one == (parse_vertex("G7", 9, 9), BLACK, 3, 2, 1)
    assert one.win_rate == pytest.approx(2 / 3)


def test_continuations_have_the_orientation_of_the_query():
    """White plays the opposite corner in each game, also as seen from the query."""
    text = b"(;SZ[9];B[cc];W[gg])(;SZ[9];B[gc];W[cg];B[ee])(;SZ[9];B[gg];W[cc];B[ec])"
    index = build_index(list(read_bytes(text.replace(b"SZ[9]", b"SZ[9]RE[W+R]"))))
    position = Position(9)
    position.play(parse_vertex("C3", 9, 9))
    (one,) = search(index, Pattern.whole(position)).continuations
    assert one == (parse_vertex("G7", 9, 9), WHITE, 3, 3, 0)


def test_counts_swapped_colors():
    records = list(read_bytes(b"(;SZ[9]RE[W+R];W[cc];B[gg])(;SZ[9]RE[B+R];B[cc];W[gc])"))
    index = build_index(records)
    found = search(index, Pattern.whole(records[1].position(1)))
    assert (found.games, found.swapped) == (2, 1)
    assert {(one.color, one.games) for one in found.continuations} == {(WHITE, 1)}
    assert sum(one.wins for one in found.continuations) == 0


def test_side_to_move_matters_for_whole_positions():
    records = list(read_bytes(b"(;SZ[9];B[cc];W[gd];B[gc];W[cg])"))
    position = records[0].position(2)
    position.to_play = WHITE
    assert search(build_index(records), Pattern.whole(position)).games == 0


def test_local_continuation_after_moves_elsewhere():
    """Both sides play elsewhere before the continuation in the corner."""
    records = list(read_bytes(b"(;SZ[9]RE[W+R];B[cc];W[gg];B[gc];W[dc])"))
    position = records[0].position(1)
    found = search(build_index(records), Pattern.local(position, Region.parse("A5:E9", 9, 9)))
    assert found.continuations == [(parse_vertex("D7", 9, 9), WHITE, 1, 1, 0)]
    assert found.occurrences[0].after_move == 3


def test_patterns_are_not_shifted():
    """The same stones one line further from the edge are another pattern."""
    records = list(read_bytes(b"(;SZ[9];B[cc];W[dc];B[cd])"))
    index = build_index(records)
    other = Position(9)
    for vertex in ("D7", "E7", "D6"):
        other.play(parse_vertex(vertex, 9, 9))
    here = records[0].position(3)
    assert search(index, Pattern.local(here, Region.parse("A5:F9", 9, 9))).games == 1
    assert search(index, Pattern.local(other, Region.parse("A5:F9", 9, 9))).games == 0


def test_handicap_stones():
    records = list(read_bytes(b"(;SZ[9]HA[2]AB[cc][gg]RE[B+R];W[gc])"))
    index = build_index(records)
    found = search(index, Pattern.whole(records[0].position(0)))
    assert found.continuations[0][1:4] == (WHITE, 1, 0)
    assert search(index, Pattern.whole(Position(9))).games == 0


def test_pass_as_continuation():
    records = list(read_bytes(b"(;SZ[9];B[cc];W[];B[])"))
    found = search(build_index(records), Pattern.whole(records[0].position(1)))
    assert found.continuations[0].move == PASS


@pytest.mark.parametrize("text", ["Q10", "A1:Z9", "A1:B2:C3", "pass:A1", "", "A0:B1"])
def test_rejects_invalid_regions(text):
    with pytest.raises(TengenError):
        Region.parse(text, 9, 9)


def test_limits_of_regions():
    assert Region.around(parse_vertex("A1", 9, 9), 5, 9, 9) == Region(6, 0, 8, 2)
    with pytest.raises(TengenError, match="must be odd"):
        Region.around(parse_vertex("A1", 9, 9), 4, 9, 9)
    with pytest.raises(TengenError, match="at most 255 points"):
        Pattern.local(Position(19), Region(0, 0, 18, 18))
    with pytest.raises(TengenError, match="not on the board"):
        Pattern.local(Position(9), Region(0, 0, 9, 9))


def test_large_regions():
    """255 points, and a game that differs from the pattern in most of them."""
    rng = random.Random(3)
    record = random_game(rng, 19, 19, 700)
    index = build_index([record])
    region = Region(0, 0, 14, 16)
    for number in (0, 30, 200, 700):
        position = record.position(number)
        mask = mask_of(region, 19, 19)
        found = search(index, Pattern.local(position, region))
        assert found.games == 1
        if number > 600:
            assert comparable(found, position, mask) == brute_force_search([record], position, mask)


def test_threads_find_the_same_matches(monkeypatch):
    records = some_games(200, seed=9)
    index = build_index(records)
    pattern = Pattern.whole(Position(5))
    alone = index.find(pattern)
    monkeypatch.setattr("tengen.records.database.search._MIN_GAMES_FOR_THREADS", 10)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    together = index.find(pattern)
    assert (alone.variants == together.variants).all()
    assert (alone.continuations == together.continuations).all()


def test_finds_games_added_later(tmp_path):
    records = some_games(40)
    path = tmp_path / "games.sqlite"
    store = store_of(records[:20], path)
    database = GameDatabase(path)
    pattern = Pattern.whole(Position(5))
    before = database.search(pattern)
    store.add([], [pack(record) for record in records[20:]], [])
    after = database.search(pattern)
    assert (before.searched, after.searched) == (20, 40)
    assert database.search(pattern, player=records[3].black.upper()).searched == 1
    assert database.search(pattern, player="nobody").games == 0


def test_player_names_ignore_case(tmp_path):
    (record,) = read_bytes(
        "(;SZ[5]PB[\u0141ukasz \u00d6]PW[\u0396\u03b5\u03cd\u03c2];B[aa])".encode()
    )
    store = store_of([record], tmp_path / "games.sqlite")
    for part in ("\u0142UKASZ", "\u00f6", "\u03b6\u03b5\u03cd\u03c3"):
        assert len(store.find_ids(part)) == 1, part
    assert store.find_ids("lukasz") == []


def test_empty_database(tmp_path):
    store_of([], tmp_path / "g.sqlite")
    found = GameDatabase(tmp_path / "g.sqlite").search(Pattern.whole(Position(13)))
    assert (found.searched, found.games, found.continuations) == (0, 0, [])
