"""`tengen games import`, `search` and `show`, and `tengen bench games`."""

import json

import pytest
from database_helpers import some_games

from tengen.cli.main import main
from tengen.records import read_bytes, write_games
from tengen.util import TengenError

GAME = b"(;SZ[9]PB[Ann]PW[Bob]RE[B+R]DT[2001];B[cc];W[gg];B[gc];W[cg];B[dg])"
TURNED = b"(;SZ[9]PB[Cid]PW[Dan]RE[W+1];B[gc];W[cg];B[cc];W[gg];B[fg];W[ee])"


@pytest.fixture
def database(tmp_path, capsys):
    (tmp_path / "game.sgf").write_bytes(GAME)
    (tmp_path / "games.sgf").write_bytes(TURNED + b"(;SZ[9];B[aa];W[aa])")
    path = str(tmp_path / "g.sqlite")
    words = ["games", "import", str(tmp_path), "--database", path, "--workers", "1", "--json"]
    assert main(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["read"], report["added"], report["skipped"]) == (3, 2, {"broken": 1})
    assert report["sizes"] == {"9x9": 2}
    return path


def search(database, capsys, *words):
    file = database.replace("g.sqlite", "game.sgf")
    assert main(["games", "search", file, *words, "--database", database, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_search_before_a_move(database, capsys):
    report = search(database, capsys, "--move", "5")
    assert (report["to_play"], report["played"], report["games"]) == ("black", "D3", 2)
    assert report["continuations"] == [
        {"move": "F3", "color": "black", "games": 2, "wins": 1, "losses": 1}
    ]
    assert [found["black"] for found in report["found_in"]] == ["Ann", "Cid"]
    assert report["found_in"][0]["after_move"] == 4


def test_search_the_final_position(database, capsys):
    report = search(database, capsys)
    assert (report["move"], report["games"], report["unanswered"]) == (6, 2, 1)
    assert report["continuations"][0]["move"] == "E5"


def test_search_in_a_region_and_around_a_move(database, capsys):
    assert search(database, capsys, "--move", "3", "--region", "A5:E9")["games"] == 2
    assert search(database, capsys, "--move", "3", "--around", "3")["games"] == 2


def test_search_the_games_of_a_player(database, capsys):
    assert search(database, capsys, "--move", "1", "--player", "cid")["games"] == 1
    assert search(database, capsys, "--move", "1", "--player", "none")["searched"] == 0


def test_tables(database, capsys):
    file = database.replace("g.sqlite", "game.sgf")
    assert main(["games", "search", file, "--move", "5", "--database", database]) == 0
    out = capsys.readouterr().out
    assert "found in 2 of 2 games" in out
    assert "F3*" in out  # D3 on a symmetric board
    assert "Ann" in out


def test_a_second_import_adds_nothing(database, tmp_path, capsys):
    assert main(["games", "import", str(tmp_path), "--database", database, "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "0 games read, 0 added" in out
    assert "files imported before: 2" in out


def test_show(database, capsys):
    assert main(["games", "show", "1", "--database", database]) == 0
    (record,) = read_bytes(capsys.readouterr().out.encode())
    (expected,) = read_bytes(GAME)
    assert record.moves == expected.moves
    assert (record.black, record.result_text) == ("Ann", "B+R")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["search", "GAME", "--move", "99"], "no move 99"),
        (["search", "GAME", "--region", "A1"], "invalid region"),
        (["search", "GAME", "--around", "3"], "requires a move"),
        (["search", "GAME", "--move", "1", "--around", "4"], "must be odd"),
        (["search", "no/such.sgf"], "cannot read"),
        (["show", "77"], "there is no game 77"),
        (["show", "9" * 20], "there is no game 999"),
        (["import", "no/such"], "cannot read"),
        (["import", ".", "--workers", "0"], "workers must be from 1 to 1024"),
    ],
)
def test_invalid_input_gives_a_one_line_error(database, words, message):
    file = database.replace("g.sqlite", "game.sgf")
    words = [file if word == "GAME" else word for word in words]
    with pytest.raises(TengenError, match=message) as caught:
        main(["games", *words, "--database", database])
    assert len(str(caught.value).splitlines()) == 1


def test_missing_database(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_GAMES", str(tmp_path / "none.sqlite"))
    (tmp_path / "game.sgf").write_bytes(GAME)
    with pytest.raises(TengenError, match="create one with `tengen games import`"):
        main(["games", "search", str(tmp_path / "game.sgf")])
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.parametrize("words", [["search", "x", "--move", "0"], ["show", "x"], ["import"]])
def test_rejects_invalid_arguments(words):
    with pytest.raises(SystemExit):
        main(["games", *words])


def test_bench(tmp_path, capsys):
    write_games(tmp_path / "a.sgf", some_games(20, 5, 5, 30, fewest=5))
    path = str(tmp_path / "g.sqlite")
    main(["games", "import", str(tmp_path), "--database", path, "--workers", "1"])
    capsys.readouterr()
    words = ["bench", "games", "--database", path, "--seconds", "0.2", "--json"]
    assert main([*words, "--size", "5"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["games"] == 20
    assert report["whole_queries"] > 0
    assert report["local_cpu_ms_max"] >= report["local_cpu_ms"] > 0
    with pytest.raises(TengenError, match="no games on 19x19"):
        main(words)
