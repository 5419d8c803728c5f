"""Searching against a slow and obvious search, and by hand."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
from database_helpers import orbit_of, random_game, slow_search, some_games, store_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.board.colour import BLACK, WHITE
from tengen.board.points import PASS, parse_vertex
from tengen.board.position import Position
from tengen.board.symmetry import symmetries
from tengen.core.errors import TengenError
from tengen.database.answer import summarise
from tengen.database.database import GameDatabase
from tengen.database.packing import pack
from tengen.database.pattern import Pattern, Region
from tengen.database.shelf import Shelf
from tengen.records.game import GameRecord
from tengen.records.reader import read_bytes

pytestmark = pytest.mark.kernels


def shelf_of(records):
    store = store_of(records)
    rows, columns = records[0].rows, records[0].columns
    return Shelf(rows, columns, store.chunks(rows, columns))


def search(shelf, pattern, most=10):
    return summarise(shelf, pattern, shelf.find(pattern), most)


def comparable(answer, position, mask):
    pattern = position.board() if mask is None else np.where(mask, position.board(), 3)
    square = position.rows == position.columns
    answers = {
        (orbit_of(one.move, position, pattern, square), one.colour): one[2:]
        for one in answer.continuations
    }
    return answer.games, answers, answer.unanswered


def mask_of(region, rows, columns):
    mask = np.zeros((rows, columns), bool)
    mask[region.top : region.bottom + 1, region.left : region.right + 1] = True
    return mask


CASES = [(5, 5), (4, 6), (3, 3)]


@pytest.fixture(scope="module", params=CASES, ids=str)
def library(request):
    rows, columns = request.param
    records = some_games(60, rows, columns, seed=rows)
    return SimpleNamespace(records=records, shelf=shelf_of(records))


def test_whole_positions_as_the_slow_search_finds_them(library):
    rng = random.Random(5)
    for _ in range(40):
        record = rng.choice(library.records)
        position = record.position(rng.randrange(min(len(record.moves), 8) + 1))
        answer = search(library.shelf, Pattern.whole(position))
        expected = slow_search(library.records, position, None)
        assert answer.games >= 1
        assert comparable(answer, position, None) == expected


def test_local_patterns_as_the_slow_search_finds_them(library):
    rng = random.Random(6)
    for _ in range(40):
        record = rng.choice(library.records)
        position = record.position(rng.randrange(len(record.moves) + 1))
        region = Region.between(*rng.choices(position.points(), k=2))
        mask = mask_of(region, position.rows, position.columns)
        answer = search(library.shelf, Pattern.local(position, region))
        assert comparable(answer, position, mask) == slow_search(library.records, position, mask)


@given(st.integers(0, 2**32), st.integers(0, 7), st.booleans())
@settings(max_examples=60, deadline=None)
def test_symmetry_and_colour_swap_change_nothing(seed, symmetry, swap):
    """A game that is turned, mirrored and recoloured answers as the game itself."""
    rng = random.Random(seed)
    record = random_game(rng, 5, 5, 30)
    table = symmetries(5, 5)[symmetry]
    twin = GameRecord(rows=5, columns=5)
    twin.moves = [
        move._replace(move=int(table[move.move]), colour=colour_of(move.colour, swap))
        for move in record.moves
    ]
    shelf = shelf_of([twin])
    number = rng.randrange(len(record.moves))
    position = record.position(number)
    answer = search(shelf, Pattern.whole(position))
    assert answer.games == 1
    one = answer.continuations[0]
    assert one.colour == position.to_play
    region = Region.around(rng.choice(position.points()), 3, 5, 5)
    assert search(shelf, Pattern.local(position, region)).games == 1


def colour_of(colour, swap):
    return colour.opponent if swap else colour


def test_equal_first_moves_are_one():
    text = b"(;SZ[9]RE[B+R];B[cc];W[gg])(;SZ[9]RE[W+R];B[gc];W[ch])(;SZ[9]RE[B+1];B[gg];W[ee])"
    shelf = shelf_of(list(read_bytes(text)))
    answer = search(shelf, Pattern.whole(Position(9)))
    (one,) = answer.continuations
    assert one == (parse_vertex("G7", 9, 9), BLACK, 3, 2, 1)
    assert one.rate == pytest.approx(2 / 3)


def test_after_a_stone_the_board_is_turned_back():
    """White is opposite on the diagonal in each: shown opposite to the stone asked for."""
    text = b"(;SZ[9];B[cc];W[gg])(;SZ[9];B[gc];W[cg];B[ee])(;SZ[9];B[gg];W[cc];B[ec])"
    shelf = shelf_of(list(read_bytes(text.replace(b"SZ[9]", b"SZ[9]RE[W+R]"))))
    position = Position(9)
    position.play(parse_vertex("C3", 9, 9))
    (one,) = search(shelf, Pattern.whole(position)).continuations
    assert one == (parse_vertex("G7", 9, 9), WHITE, 3, 3, 0)


def test_a_position_with_colours_swapped_is_told_apart():
    records = list(read_bytes(b"(;SZ[9]RE[W+R];W[cc];B[gg])(;SZ[9]RE[B+R];B[cc];W[gc])"))
    shelf = shelf_of(records)
    answer = search(shelf, Pattern.whole(records[1].position(1)))
    assert (answer.games, answer.swapped) == (2, 1)
    assert {(one.colour, one.games) for one in answer.continuations} == {(WHITE, 1)}
    assert sum(one.wins for one in answer.continuations) == 0


def test_the_side_to_move_is_part_of_a_whole_position():
    records = list(read_bytes(b"(;SZ[9];B[cc];W[gd];B[gc];W[cg])"))
    position = records[0].position(2)
    position.to_play = WHITE
    assert search(shelf_of(records), Pattern.whole(position)).games == 0


def test_a_local_answer_may_come_later():
    """Tenuki: both play elsewhere before the corner goes on."""
    records = list(read_bytes(b"(;SZ[9]RE[W+R];B[cc];W[gg];B[gc];W[dc])"))
    position = records[0].position(1)
    answer = search(shelf_of(records), Pattern.local(position, Region.parse("A5:E9", 9, 9)))
    assert answer.continuations == [(parse_vertex("D7", 9, 9), WHITE, 1, 1, 0)]
    assert answer.occurrences[0].after_move == 3


def test_edges_are_part_of_a_pattern():
    """The same stones a line further from the edge are another pattern."""
    records = list(read_bytes(b"(;SZ[9];B[cc];W[dc];B[cd])"))
    shelf = shelf_of(records)
    other = Position(9)
    for vertex in ("D7", "E7", "D6"):
        other.play(parse_vertex(vertex, 9, 9))
    here = records[0].position(3)
    assert search(shelf, Pattern.local(here, Region.parse("A5:F9", 9, 9))).games == 1
    assert search(shelf, Pattern.local(other, Region.parse("A5:F9", 9, 9))).games == 0


def test_handicap_stones_stand_before_the_first_move():
    records = list(read_bytes(b"(;SZ[9]HA[2]AB[cc][gg]RE[B+R];W[gc])"))
    shelf = shelf_of(records)
    answer = search(shelf, Pattern.whole(records[0].position(0)))
    assert answer.continuations[0][1:4] == (WHITE, 1, 0)
    assert search(shelf, Pattern.whole(Position(9))).games == 0


def test_passes_are_answers():
    records = list(read_bytes(b"(;SZ[9];B[cc];W[];B[])"))
    answer = search(shelf_of(records), Pattern.whole(records[0].position(1)))
    assert answer.continuations[0].move == PASS


@pytest.mark.parametrize("text", ["Q10", "A1:Z9", "A1:B2:C3", "pass:A1", "", "A0:B1"])
def test_odd_regions_are_refused(text):
    with pytest.raises(TengenError):
        Region.parse(text, 9, 9)


def test_regions_keep_to_the_board_and_to_a_size():
    assert Region.around(parse_vertex("A1", 9, 9), 5, 9, 9) == Region(6, 0, 8, 2)
    with pytest.raises(TengenError, match="odd side"):
        Region.around(parse_vertex("A1", 9, 9), 4, 9, 9)
    with pytest.raises(TengenError, match="too large"):
        Pattern.local(Position(19), Region(0, 0, 18, 18))
    with pytest.raises(TengenError, match="not on the board"):
        Pattern.local(Position(9), Region(0, 0, 9, 9))


def test_large_regions_count_right():
    """255 points, and a game that differs from the pattern in most of them."""
    rng = random.Random(3)
    record = random_game(rng, 19, 19, 700)
    shelf = shelf_of([record])
    region = Region(0, 0, 14, 16)
    for number in (0, 30, 200, 700):
        position = record.position(number)
        mask = mask_of(region, 19, 19)
        answer = search(shelf, Pattern.local(position, region))
        assert answer.games == 1
        if number > 600:
            assert comparable(answer, position, mask) == slow_search([record], position, mask)


def test_threads_find_what_one_finds(monkeypatch):
    records = some_games(200, seed=9)
    shelf = shelf_of(records)
    pattern = Pattern.whole(Position(5))
    alone = shelf.find(pattern)
    monkeypatch.setattr("tengen.database.shelf._FEWEST_FOR_THREADS", 10)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    together = shelf.find(pattern)
    assert (alone.variants == together.variants).all()
    assert (alone.answers == together.answers).all()


def test_games_added_later_are_found(tmp_path):
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


def test_players_are_found_in_any_case_of_any_alphabet(tmp_path):
    (record,) = read_bytes(
        "(;SZ[5]PB[\u0141ukasz \u00d6]PW[\u0396\u03b5\u03cd\u03c2];B[aa])".encode()
    )
    store = store_of([record], tmp_path / "games.sqlite")
    for part in ("\u0142UKASZ", "\u00f6", "\u03b6\u03b5\u03cd\u03c3"):
        assert len(store.ids_where(part)) == 1, part
    assert store.ids_where("lukasz") == []


def test_an_empty_shelf_answers(tmp_path):
    store_of([], tmp_path / "g.sqlite")
    answer = GameDatabase(tmp_path / "g.sqlite").search(Pattern.whole(Position(13)))
    assert (answer.searched, answer.games, answer.continuations) == (0, 0, [])
