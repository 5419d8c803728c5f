"""The library: collections, search, paging, and saved games."""

import io
import json
import sqlite3
import tarfile
import threading

import pytest

from tengen.cli.main import main
from tengen.records import GameOrigin, Library, library as library_module, read_collection
from tengen.util import TengenError

GAME = "(;SZ[9]PB[{black}]PW[{white}]DT[{date}]RE[{result}]EV[Cup];B[ee];W[cc](;B[gc])(;B[gg]))"


def game(black="Ann", white="Bob", date="2020-01-01", result="B+R"):
    return GAME.format(black=black, white=white, date=date, result=result)


@pytest.fixture
def library(tmp_path):
    library = Library(tmp_path / "library.sqlite")
    yield library
    library.close()


def collect(library, path, stop=None, name="games"):
    return list(read_collection(library, [path], name, 1, stop or threading.Event()))[-1]


def write_archive(path, texts):
    with tarfile.open(path, "w:xz") as archive:
        for number, text in enumerate(texts):
            member = tarfile.TarInfo(f"{number:04}.sgf")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def test_collection_of_an_archive(library, tmp_path):
    texts = [game(black=f"Player {n}", white="Čada" if n % 2 else "Dee") for n in range(70)]
    counts = collect(library, write_archive(tmp_path / "many.tar.xz", texts))
    assert (counts.games, counts.unreadable) == (70, 0)
    (listed,) = library.collections()
    assert (listed.name, listed.games, listed.is_played, listed.is_complete) == (
        "games",
        70,
        False,
        True,
    )
    total, first = library.games(listed.id, limit=60)
    assert (total, len(first)) == (70, 60)
    total, rest = library.games(listed.id, offset=60, limit=60)
    assert [one.black for one in first + rest] == [f"Player {n}" for n in range(70)]
    assert (first[0].moves, first[0].rows, first[0].result) == (3, 9, "B+R")
    board = [first[0].board[9 * row : 9 * row + 9] for row in range(9)]
    assert (board[4], board[2][2], board[2][6]) == ("....X....", "O", "X")


def test_search_and_sort(library, tmp_path):
    path = tmp_path / "games.sgf"
    dates = ["2019-05-01", "2021-01-01", "2020-03-04"]
    names = ["Shusaku", "Dosaku", "Shuwa"]
    path.write_text("".join(game(name, date=date) for name, date in zip(names, dates, strict=True)))
    collect(library, path)
    (collection,) = library.collections()

    def found(**query):
        return [one.black for one in library.games(collection.id, **query)[1]]

    assert found(words="SAKU bob") == ["Shusaku", "Dosaku"]
    assert found(words="saku 2021") == ["Dosaku"]
    assert found(words="100%") == []
    assert found(sort="date", is_descending=True) == ["Dosaku", "Shuwa", "Shusaku"]
    assert found(sort="black") == ["Dosaku", "Shusaku", "Shuwa"]
    assert library.games(collection.id, words="shu", limit=1)[0] == 2
    with pytest.raises(TengenError, match="cannot sort"):
        library.games(collection.id, sort="sgf; DROP TABLE games")


def test_game_is_stored_completely(library, tmp_path):
    path = tmp_path / "a.sgf"
    path.write_text(game())
    collect(library, path)
    ((_, (row,)),) = [library.games(one.id) for one in library.collections()]
    stored = library.game(row.id)
    assert stored.played is None
    assert [len(node.children) for node in stored.record.root.children[0].children] == [2]
    with pytest.raises(TengenError, match="no longer"):
        library.game(10**30)


def test_other_games_and_empty_files_are_not_listed(library, tmp_path):
    path = tmp_path / "a.sgf"
    path.write_text("(;GM[2]SZ[8];B[aa])(;SZ[9])(;SZ[40];B[aa])")
    assert collect(library, path).games == 0
    assert library.collections() == []


def test_stopped_reading_adds_nothing(library, tmp_path):
    stop = threading.Event()
    path = tmp_path / "a.sgf"
    path.write_text(game() * 3)
    reading = read_collection(library, [path], "a", 1, stop)
    next(reading)
    assert library.collections()[0].games == 3
    stop.set()
    for _ in reading:
        pass
    assert library.collections() == []


def test_killed_reading_is_removed(library, monkeypatch):
    library.add_collection("killed")
    library.add_collection("fresh")
    assert len(library.collections()) == 2, "others may still be read"
    monkeypatch.setattr(library_module, "STALE_S", -1)
    new = library.add_collection("new")
    assert [one.id for one in library.collections()] == [new]


def test_limit_of_games(library, tmp_path, monkeypatch):
    monkeypatch.setattr(library_module, "MAX_GAMES", 2)
    path = tmp_path / "a.sgf"
    path.write_text(game() * 5)
    assert collect(library, path).games == 2


def test_saved_games(library):
    played = GameOrigin("key", "room", '{"level": "10k"}')
    library.save(played, game().encode(), "played")
    library.save(GameOrigin("other", "elsewhere", ""), game("Eve").encode(), "played")
    library.save(played, game("You").encode(), "played")
    (collection,) = library.collections()
    assert (collection.is_played, collection.games) == (True, 2)
    total, rows = library.games(collection.id)
    assert [(one.black, total) for one in rows] == [("You", 2), ("Eve", 2)]
    stored = library.latest_of_room("room")
    assert stored.played == played
    assert library.game(rows[0].id).record.black == "You", "a saved game keeps its id"
    assert library.latest_of_room("nowhere") is None
    library.remove_game(rows[0].id)
    assert library.latest_of_room("room") is None


def test_two_connections(library):
    other = Library(library.path)
    library.save(GameOrigin("a", "r", ""), game().encode(), "played")
    assert other.collections()[0].games == 1
    other.close()


def test_refuses_other_databases(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    with pytest.raises(TengenError, match="not a game library"):
        Library(path)
    (tmp_path / "text.db").write_bytes(b"text" * 1000)
    with pytest.raises(TengenError, match="not a game library"):
        Library(tmp_path / "text.db")


def test_command(tmp_path, capsys):
    (tmp_path / "cup.sgf").write_text(game() * 2)
    target = str(tmp_path / "library.sqlite")
    collect = ["games", "collect", str(tmp_path / "cup.sgf"), "--library", target, "--workers", "1"]
    assert main(collect) == 0
    assert "2 games added" in capsys.readouterr().out
    assert main([*collect, "--name", "Cup", "--progress"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["share"] <= 1
    assert lines[-1] == {"games": 2, "unreadable": 0}
    library = Library(target)
    assert [one.name for one in library.collections()] == ["Cup", "cup.sgf"]
    library.close()
    (tmp_path / "none.sgf").write_text("no game")
    with pytest.raises(TengenError, match="no games of Go"):
        main(["games", "collect", str(tmp_path / "none.sgf"), "--library", target])
