import pytest

from tengen.board import BLACK, WHITE, Position, Rules, column_of, row_of
from tengen.match import MatchSettings, load_openings
from tengen.records import read_games
from tengen.util import TengenError

NINE = MatchSettings(9, 9, Rules())


def test_empty_openings():
    openings = load_openings("empty", NINE, 1)
    assert openings.opening(0).moves == openings.opening(99).moves == ()


def test_random_openings_depend_on_the_seed():
    one, same, other = (load_openings("random:6", NINE, seed) for seed in (1, 1, 2))
    assert one.opening(3) == same.opening(3)
    assert one.opening(3) != one.opening(4)
    assert one.opening(3) != other.opening(3)
    assert one.digest == same.digest != other.digest


def test_random_moves_avoid_the_edge():
    moves = load_openings("random:8", NINE, 1).opening(0).moves
    assert len(moves) == 8
    assert all(0 < row_of(m.move) < 8 and 0 < column_of(m.move) < 8 for m in moves)


@pytest.fixture
def games(tmp_path):
    (tmp_path / "a.sgf").write_text("(;SZ[9];B[ee];W[cc];B[gg])(;SZ[9];B[aa];W[bb])")
    (tmp_path / "b.sgf").write_text("(;SZ[19];B[ee];W[cc];B[gg])")
    (tmp_path / "c.sgf").write_text("(;SZ[9]AB[cc][gg];W[ee];B[ce])")
    return tmp_path


def test_openings_from_game_records(games):
    openings = load_openings(str(games), NINE, 1)
    lengths = [len(openings.opening(number).moves) for number in range(4)]
    assert sorted(lengths[:3]) == [2, 3, 4]
    assert lengths[3] == lengths[0]


def test_openings_are_truncated_to_n_moves(games):
    openings = load_openings(f"{games}:3", NINE, 1)
    assert {len(openings.opening(number).moves) for number in range(6)} == {3}


@pytest.mark.parametrize("text", ["random:", "random:x", "/no/such/folder", "nothing:3"])
def test_rejects_invalid_openings(text):
    with pytest.raises(TengenError):
        load_openings(text, NINE, 1)


def test_rejects_records_of_other_sizes(games):
    with pytest.raises(TengenError, match="no opening for size 13"):
        load_openings(str(games), MatchSettings(13, 13, Rules()), 1)


def test_setup_stones_do_not_count_as_moves(games):
    openings = load_openings(f"{games / 'c.sgf'}:1", NINE, 1)
    moves = openings.opening(0).moves
    assert [move.color for move in moves] == [BLACK, BLACK, WHITE]
    with pytest.raises(TengenError, match="no opening"):
        load_openings(f"{games / 'c.sgf'}:3", NINE, 1)


@pytest.mark.parametrize(
    ("setup", "to_play"),
    [
        ("AB[cc][gg][cg]AW[gc][ee]PL[B]", BLACK),
        ("AB[cc][gg][cg]AW[gc][ee]PL[W]", WHITE),
        ("AB[cc][gg][cg]AW[gc]PL[B]", BLACK),
    ],
)
def test_setup_of_both_colors_is_no_handicap(tmp_path, setup, to_play):
    path = tmp_path / "setup.sgf"
    path.write_text(f"(;SZ[9]{setup})")
    moves = load_openings(str(path), NINE, 1).opening(0).moves
    position = Position(9, rules=NINE.rules)
    assert position.play_sequence(moves) == len(moves)
    assert (position.handicap, position.to_play) == (0, to_play)
    (record,) = read_games(path)
    assert position.diagram() == record.position().diagram()


@pytest.mark.parametrize(
    ("setup", "is_used"),
    [
        ("AB[cc][gg]PL[W]", True),
        ("AB[cc][gg]PL[B]", False),
        ("HA[2]AB[cc][gg]", True),
        ("AB[cc]AW[gg]PL[B]", True),
        ("PL[W]", False),
    ],
)
def test_setup_without_moves_needs_the_implied_side_to_play(tmp_path, setup, is_used):
    path = tmp_path / "setup.sgf"
    path.write_text(f"(;SZ[9]{setup})(;SZ[9];B[aa];W[ii];B[bb])")
    openings = load_openings(str(path), NINE, 1)
    assert (openings.opening(0) == openings.opening(1)) is not is_used
