"""The next moves in the game database and in the opening book."""

import pytest
from web_helpers import QUICK, client_of, make_game_server, page_of

from tengen.board import Position
from tengen.records import new_stop
from tengen.records.database import GameStore, import_games
from tengen.web.continuations import find_continuations

GAMES = (
    "(;SZ[9]PB[Ann]RE[B+R];B[cc];W[gg];B[gc])(;SZ[9]PB[Bea]RE[W+R];B[gc];W[cg];B[ge])"
    "(;SZ[9]PB[Cho]RE[B+2];B[gg];W[ce];B[gc])"
)


@pytest.fixture
def database(tmp_path):
    (tmp_path / "games.sgf").write_text(GAMES)
    path = tmp_path / "games.sqlite"
    store = GameStore(path, create=True)
    counts = list(import_games(store, [tmp_path / "games.sgf"], 1, new_stop()))
    assert counts[-1].added == 3
    store.close()
    return path


def moves(found):
    return [(one.vertex, one.color, one.games, one.wins, one.losses) for one in found]


def test_whole_board_under_symmetries(database):
    first = find_continuations(7, Position(9), False, QUICK, database)
    assert (first.node, first.searched, first.games, first.is_local) == (7, 3, 3, False)
    assert moves(first.moves) == [("G7", "black", 3, 2, 1)], "four corners are one move"
    position = Position(9).after("C3")
    second = find_continuations(1, position, False, QUICK, database)
    found = {one.vertex: one.games for one in second.moves}
    assert found.pop("G7") == 2, "the opposite corner"
    assert sum(found.values()) == 1
    assert {one.black for one in second.examples} == {"Ann", "Bea", "Cho"}
    assert all(one.move == 1 for one in second.examples)


def test_corner_of_the_last_move(database):
    position = Position(9).after("E9 G7")
    whole = find_continuations(2, position, False, QUICK, database)
    assert (whole.games, whole.moves) == (0, [])
    corner = find_continuations(2, Position(9).after("C3 A1 G7"), True, QUICK, database)
    assert corner.is_local
    assert corner.games == 3
    empty = find_continuations(0, Position(9), True, QUICK, database)
    assert not empty.is_local, "without a last move there is no corner"


def test_without_a_database(tmp_path):
    found = find_continuations(0, Position(9), False, QUICK, tmp_path / "none.sqlite")
    assert (found.searched, found.moves, found.problem) == (None, [], "")
    assert found.book_games > 0, "the bundled book is used"
    assert found.book[0].games <= found.book_games
    (tmp_path / "bad.sqlite").write_bytes(b"no database" * 100)
    damaged = find_continuations(0, Position(9), False, QUICK, tmp_path / "bad.sqlite")
    assert "not a game database" in damaged.problem


def test_updates_follow_the_position(database):
    server = make_game_server(color="both", size="9")
    server.context.database = database
    with client_of(server) as client, page_of(client) as page:
        found = page.request("show_continuations", _answer="continuations", on=True)
        assert found["games"] == 3
        page.request("play", vertex="G7")
        page.receive("continuations", lambda one: one["node"] == 1 and one["games"] == 3)
        opened = page.request("open_example", game=1, move=2, _wanted=lambda s: s["move"] == 2)
        assert opened["board"].count(".........") == 7
        page.request("show_continuations", on=False)
        page.newest.pop("continuations", None)
        page.request("go_to", node=1)
        page.settle()
        assert "continuations" not in page.newest
        error = page.request("open_example", _answer="error", game=99, move=0)
        assert "no game 99" in error["text"]
