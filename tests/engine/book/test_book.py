"""Opening books: comparison with slow counts, damaged files, choice of a move."""

import dataclasses
import os
import random
from collections import Counter, defaultdict

import numpy as np
import pytest
from database_helpers import LENIENT, random_game, some_games, store_of, transform
from hypothesis import given, settings, strategies as st

from tengen.board import BLACK, PASS, STRIDE, WHITE, Move, Position, parse_vertex, symmetries
from tengen.board.kernels import layout
from tengen.engine.book import (
    Book,
    BookPosition,
    BookSettings,
    BuildSettings,
    build_book,
    canonical_key,
    read_book,
    weigh_moves,
    write_book,
)
from tengen.engine.book.book import DEFAULT_BOOK_FILE, MOVES, POSITIONS, BookMove
from tengen.engine.book.player import PRIOR_GAMES, BookPlayer
from tengen.records import read_bytes
from tengen.records.database import GameIndex
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

ALL_MOVES = BuildSettings(depth=40, min_games=1, min_share=0)


def book_of(records, build=ALL_MOVES, probabilities=None):
    store = store_of(records)
    sizes = store.sizes()
    shelves = [GameIndex(*size, store.chunks(*size)) for size in sizes]
    return build_book(shelves, build, probabilities)


def text_games(*texts):
    return list(read_bytes("".join(f"(;SZ[9]{text})" for text in texts).encode()))


# Canonical keys


@given(st.integers(0, 2**32), st.integers(0, 7), st.booleans(), st.sampled_from([(5, 5), (3, 6)]))
@settings(max_examples=80, deadline=None)
def test_symmetric_and_color_swapped_positions_have_one_key(seed, symmetry, swap, size):
    rows, columns = size
    table = symmetries(*size)[symmetry % len(symmetries(*size))]
    record = random_game(random.Random(seed), rows, columns, 12)
    position = record.position()
    moves = [
        Move(move.color.opponent if swap else move.color, int(table[move.move]))
        for move in record.moves
    ]
    twin = Position(rows, columns, LENIENT)
    assert twin.play_sequence(moves) == len(moves)
    twin.to_play = position.to_play.opponent if swap else position.to_play
    assert canonical_key(twin).key == canonical_key(position).key
    twin.to_play = twin.to_play.opponent
    assert canonical_key(twin).key != canonical_key(position).key or is_its_own_swap(position)


def is_its_own_swap(position):
    board = position.board()
    swapped = np.array([0, 2, 1])[board]
    others = range(8 if position.rows == position.columns else 4)
    return any((transform(swapped, s) == board).all() for s in others)


def test_keys_differ_by_board_size():
    names = {
        canonical_key(Position(rows, columns)).key for rows in (2, 9) for columns in (2, 9, 19)
    }
    assert len(names) == 6


# Contents


def steps_of(record):
    """Yield (position, move) for the first moves of a game, as stored in a book."""
    if record.setup:
        return
    position = record.position(0)
    for move in record.moves[:40]:
        if move.move == PASS:
            return
        position.to_play = move.color
        yield position, move
        position.play(move.move)


def slow_book(records):
    """Count the moves of all games by a canonical board computed with NumPy."""
    found = defaultdict(Counter)
    for record in records:
        for position, move in steps_of(record):
            key, orbit = slow_key(position, move)
            won = record.winner is move.color
            lost = record.winner is move.color.opponent
            found[key][orbit] += np.array([1, won, lost])
    return found


def slow_key(position, move):
    board = position.board().astype(int)
    own = board if move.color is BLACK else np.array([0, 2, 1])[board]
    mark = np.zeros_like(own)
    mark[move.move // STRIDE - 1, move.move % STRIDE - 1] = 1
    square = position.rows == position.columns
    views = [
        (transform(own, s).tobytes(), transform(mark, s).tobytes())
        for s in range(8 if square else 4)
    ]
    return min(views)[0], min(views)[1]


@pytest.mark.parametrize("size", [(5, 5), (4, 6)])
def test_counts_match_slow_counts(size):
    records = some_games(60, *size)
    book = book_of(records)
    expected = slow_book(records)
    assert len(book) == len(expected)
    for record in records:
        for position, move in steps_of(record):
            found = book.look_up(position)
            key, orbit = slow_key(position, move)
            counted = expected[key]
            assert len(found.moves) == len(counted)
            (own,) = [one for one in found.moves if move.move in one.equivalents]
            assert (own.games, own.wins, own.losses) == tuple(counted[orbit])
            assert found.games == sum(count[0] for count in counted.values())


def test_color_swapped_positions_share_counts():
    """White to move first is equivalent to Black to move first."""
    book = book_of(text_games("RE[B+R];B[cc];W[gg]", "RE[W+R];W[gc];B[cc]"))
    for color in (BLACK, WHITE):
        position = Position(9)
        position.to_play = color
        (move,) = book.look_up(position).moves
        assert (move.games, move.wins, move.losses) == (2, 2, 0)
        assert len(move.equivalents) == 4
        assert move.move == parse_vertex("G7", 9, 9)


def test_rare_positions_and_moves_are_omitted():
    games = [f"RE[B+R];B[cc];W[gg];B[{x}]" for x in ("ee", "ef", "eg", "eh")]
    games += ["RE[W+R];B[cc];W[gc]", "RE[B+1];B[ee]"]
    book = book_of(text_games(*games), BuildSettings(min_games=4, min_share=0.3))
    assert len(book) == 3
    (move,) = book.look_up(Position(9)).moves
    assert (move.games, book.look_up(Position(9)).games) == (5, 6)
    shallow = book_of(text_games(*games), BuildSettings(depth=1, min_games=1))
    assert len(shallow) == 1


def test_handicap_games_are_skipped():
    assert len(book_of(text_games("HA[2]AB[cc][gg]RE[B+R];W[gc]"))) == 0
    assert len(book_of(text_games("HA[2]RE[B+R];B[cc];B[gg];W[gc];B[cg]"))) == 0
    assert len(book_of(text_games("RE[B+R];B[cc];W[gg];B[gc];W[cg]"))) > 0


def test_illegal_moves_are_not_offered():
    """The key does not contain the ko, so the rules decide."""
    text = b"(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc]PL[W];W[bb];B[ee];W[ff];B[cb])"
    (record,) = read_bytes(text)
    position, take = record.position(3), record.moves[3].move
    name = canonical_key(position)
    positions, moves = np.zeros(1, POSITIONS), np.zeros(1, MOVES)
    positions["key"], positions["moves"], positions["games"] = name.key, 1, 1
    moves["move"] = symmetries(9, 9)[name.symmetries[0], take]
    book = Book(positions, moves)
    assert [one.move for one in book.look_up(position).moves] == [take]
    position.block[layout.KO] = take
    assert book.look_up(position).moves == []


def test_shape_probabilities_are_computed_once_per_position():
    """Equivalent moves share their probabilities: the four corners are one move."""
    calls = []

    def corners(position):
        calls.append(position.diagram())
        values = np.zeros((position.rows, position.columns))
        values[[2, 2, -3, -3], [2, -3, 2, -3]] = 0.25
        return values

    book = book_of(text_games("RE[B+R];B[cc];W[gg]", "RE[B+R];B[ee];W[gg]"), probabilities=corners)
    shapes = {one.move: one.shape for one in book.look_up(Position(9)).moves}
    assert shapes == {parse_vertex("G7", 9, 9): 1.0, parse_vertex("E5", 9, 9): 0.0}
    assert len(calls) == len(set(calls)) == len(book) == 3


# The file


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("book") / "some.book"
    write_book(book_of(some_games(30)), path)
    return path


def test_book_round_trip(file):
    book, expected = read_book(file), book_of(some_games(30))
    assert (book.positions == expected.positions).all()
    for name in ("move", "games", "wins", "losses"):
        assert (book.moves[name] == expected.moves[name]).all()
    assert book.about["sizes"] == {"5x5": {"games": 30, "positions": len(book)}}


def test_two_board_sizes_in_one_file(tmp_path):
    records = [*some_games(10), *some_games(10, 4, 6), *text_games("RE[B+R];B[cc]")]
    write_book(book_of(records), tmp_path / "b")
    book = read_book(tmp_path / "b")
    for rows, columns in ((5, 5), (4, 6), (9, 9)):
        assert book.look_up(Position(rows, columns)) is not None
    assert book.look_up(Position(6, 6)) is None


def test_bundled_book_has_usual_first_moves():
    book = read_book("default")
    for size, vertex in ((9, "E5"), (19, "Q16")):
        found = book.look_up(Position(size))
        assert parse_vertex(vertex, size, size) in {one.move for one in found.moves[:2]}
        assert found.games > 7000
        assert all(one.shape is not None for one in found.moves)
    assert DEFAULT_BOOK_FILE.stat().st_size < 1_000_000


def test_rejects_truncated_files(file, tmp_path):
    data = file.read_bytes()
    for length in [*range(0, 200), *range(200, len(data), 97), len(data) - 1]:
        (tmp_path / "cut").write_bytes(data[:length])
        with pytest.raises(
            TengenError, match=r"not an opening book|has format|truncated or damaged"
        ):
            read_book(tmp_path / "cut")


def test_detects_every_changed_byte(file, tmp_path):
    data = file.read_bytes()
    rng = random.Random(1)
    for place in [*range(60), *(rng.randrange(len(data)) for _ in range(200))]:
        damaged = bytearray(data)
        damaged[place] ^= 1 << rng.randrange(8)
        (tmp_path / "b").write_bytes(damaged)
        with pytest.raises(TengenError) as caught:
            read_book(tmp_path / "b")
        assert len(str(caught.value).splitlines()) == 1


def test_rejects_other_files(file, tmp_path):
    (tmp_path / "text").write_text("(;SZ[9];B[cc])")
    with pytest.raises(TengenError, match="is not an opening book"):
        read_book(tmp_path / "text")
    (tmp_path / "new").write_bytes(b"TGNBOOK\x09" + file.read_bytes()[8:])
    with pytest.raises(TengenError, match="has format 9, expected 1"):
        read_book(tmp_path / "new")
    with pytest.raises(TengenError, match="cannot read the book"):
        read_book(tmp_path / "missing")
    with pytest.raises(TengenError, match="cannot read the book"):
        read_book(tmp_path)


def test_failed_write_keeps_the_old_book(file, tmp_path, monkeypatch):
    book, path = read_book(file), tmp_path / "old.book"
    write_book(book, path)
    old = path.read_bytes()

    def fail(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(TengenError, match="cannot write .*: No space left on device"):
        write_book(dataclasses.replace(book, about={"games": 0}), path)
    assert path.read_bytes() == old
    assert [entry.name for entry in path.parent.glob("old*")] == ["old.book"]


# Choice of a move


def move_of(point, games, wins, losses, shape=None):
    return BookMove(point, (point,), games, wins, losses, shape)


def test_results_change_weights():
    good, often = move_of(100, 80, 60, 20), move_of(101, 100, 40, 60)
    found = BookPosition(180, 100, 80, [often, good])
    usual = 101 / 182
    value = (60 + PRIOR_GAMES * usual) / (80 + PRIOR_GAMES)
    first, second = weigh_moves(found, BookSettings(book_result_power=2))
    assert first.move is good
    assert first.value == pytest.approx(value)
    assert first.weight == pytest.approx(80 * (value / usual) ** 2)
    assert second.weight < 100
    assert [one.move for one in weigh_moves(found, BookSettings(book_result_power=0))] == [
        often,
        good,
    ]


def test_few_games_change_weights_little():
    lucky, steady = move_of(100, 2, 2, 0), move_of(101, 50, 25, 25)
    weighed = weigh_moves(
        BookPosition(52, 27, 25, [steady, lucky]), BookSettings(book_result_power=10)
    )
    assert weighed[0].move is steady


def test_shape_adds_games():
    shaped, other = move_of(100, 10, 5, 5, 0.9), move_of(101, 12, 6, 6, 0.01)
    found = BookPosition(22, 11, 11, [other, shaped])
    assert weigh_moves(found, BookSettings(book_shape_games=0))[0].move is other
    assert weigh_moves(found, BookSettings(book_shape_games=10))[0].move is shaped


@pytest.fixture
def player(tmp_path):
    games = [f"RE[B+R];B[cc];W[gg];B[{x}]" for x in ("ee", "ef", "eg", "eh", "ed")]
    write_book(book_of(text_games(*games)), tmp_path / "b")

    def make(**values):
        return BookPlayer(BookSettings(book=str(tmp_path / "b"), **values), seed=3)

    return make


def test_book_is_not_used_with_few_games(player):
    position = Position(9)
    assert player(book_min_games=5).choose(position) is not None
    assert player(book_min_games=6).choose(position) is None
    position.play(parse_vertex("A1", 9, 9))
    assert player(book_min_games=1).choose(position) is None


def test_equal_moves_are_sampled_reproducibly(player):
    one, other = player(book_min_games=1), player(book_min_games=1)
    moves = [one.choose(Position(9)) for _ in range(40)]
    assert moves == [other.choose(Position(9)) for _ in range(40)]
    corners = {parse_vertex(vertex, 9, 9) for vertex in ("C3", "C7", "G3", "G7")}
    assert set(moves) == corners
    one.restart(3)
    assert [one.choose(Position(9)) for _ in range(40)] == moves


def test_min_weight_one_plays_the_best_move(tmp_path):
    games = [f"RE[B+R];B[cc];W[gg];B[{x}]" for x in ("ee", "ef", "eg")]
    games += [f"RE[W+R];B[ee];W[gg];B[{x}]" for x in ("cc", "cd", "ce")]
    write_book(book_of(text_games(*games)), tmp_path / "b")
    settings = BookSettings(book=str(tmp_path / "b"), book_min_games=1, book_min_weight=1)
    player = BookPlayer(settings)
    assert parse_vertex("E5", 9, 9) not in {player.choose(Position(9)) for _ in range(30)}
