"""The database file: what is stored comes back, whatever is done to the file or the process."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from database_helpers import some_games, store_of

from tengen.board.colour import Colour
from tengen.core.errors import TengenError
from tengen.database.database import GameDatabase
from tengen.database.importer import ImportCounts, import_games
from tengen.database.packing import GameInfo, Skip, events_of, moves_of, pack, setup_of
from tengen.database.store import GameStore
from tengen.records.parallel import new_stop
from tengen.records.reader import read_bytes
from tengen.records.writer import sgf_bytes, write_games

IMPORT = [sys.executable, "-m", "tengen.cli.main", "games", "import", "--workers", "1"]
BROKEN = b"""(;SZ[9]KM[7]RE[B+R];B[aa];W[aa])(;SZ[9];C[no move])(;GM[2];B[aa])
(;SZ[9];B[aa];AB[bb];W[cc])(;SZ[25];B[aa])(;SZ[9]PB[Ann]RE[B+R];B[cc];W[gg]"""


def imported(store, *paths, workers=1) -> ImportCounts:
    return list(import_games(store, paths, workers, new_stop()))[-1]


def digests(path):
    with sqlite3.connect(path) as connection:
        return {row[0] for row in connection.execute("SELECT digest FROM games")}


# What is stored comes back


def test_events_tell_the_game():
    for record in some_games(20):
        events = events_of(record)
        assert moves_of(events) == [tuple(move) for move in record.moves]
        assert sorted(setup_of(events)) == sorted(record.setup)


def test_games_come_back(tmp_path):
    records = some_games(10)
    store_of(records, tmp_path / "g.sqlite")
    database = GameDatabase(tmp_path / "g.sqlite")
    for number, record in enumerate(records, 1):
        game = database.game(number)
        assert game.moves == record.moves
        assert sorted(game.setup) == sorted(record.setup)
        assert (game.black, game.white, game.result) == (record.black, record.white, record.result)
        (again,) = read_bytes(sgf_bytes(game))
        assert again.moves == record.moves
    with pytest.raises(TengenError, match="there is no game 11"):
        database.game(11)


def test_headers_come_back(tmp_path):
    text = b"(;SZ[9]KM[7]PB[A b]PW[C]BR[9d]WR[1p]DT[2001-02-03]EV[cup]RE[W+0.5]RU[Chinese];B[cc])"
    (tmp_path / "one.sgf").write_bytes(text)
    store = GameStore(tmp_path / "g.sqlite", create=True)
    imported(store, tmp_path / "one.sgf")
    source = str(tmp_path / "one.sgf")
    expected = (9, 9, "A b", "C", "9d", "1p", "2001-02-03", "cup", "W+0.5", Colour.WHITE, 7.0)
    assert store.infos([1])[1] == GameInfo(*expected, 0, "Chinese", 1, source, 0)


def test_many_headers_at_once(tmp_path):
    store = store_of(some_games(700, moves=12), tmp_path / "g.sqlite")
    assert len(store.infos(list(range(1, 701)))) == 700


# What is left out


def test_broken_games_are_skipped_and_counted(tmp_path):
    (tmp_path / "odd.sgf").write_bytes(BROKEN)
    store = GameStore(tmp_path / "g.sqlite", create=True)
    counts = imported(store, tmp_path / "odd.sgf")
    expected = {Skip.BROKEN: 2, Skip.NO_MOVES: 1, Skip.NOT_PLAYABLE: 2, Skip.SETUP_LATER: 1}
    assert {reason: n for reason, n in counts.skipped.items() if n} == expected
    assert (counts.read, counts.added, store.count()) == (6, 0, 0)
    assert store.skipped() == expected


def test_a_file_whose_name_is_no_text_is_imported(tmp_path):
    (tmp_path / os.fsdecode(b"a\xff.sgf")).write_bytes(b"(;SZ[5];B[bc])")
    store = GameStore(tmp_path / "g.sqlite", create=True)
    assert imported(store, tmp_path).added == 1
    assert store.infos([1])[1].source.endswith("a?.sgf")


def test_a_game_without_end_is_broken():
    (record,) = read_bytes(b"(;SZ[3]" + b";B[];W[]" * 35_000 + b")")
    assert len(record.moves) == 70_000
    assert pack(record) is Skip.BROKEN


def test_no_game_is_stored_twice(tmp_path):
    """Neither from the same file, nor from another, nor turned around."""
    write_games(tmp_path / "a.sgf", some_games(10))
    store = GameStore(tmp_path / "g.sqlite", create=True)
    assert imported(store, tmp_path / "a.sgf").added == 10
    again = imported(store, tmp_path / "a.sgf")
    assert (again.added, again.files_done_before) == (0, 1)
    (tmp_path / "b.sgf").write_bytes((tmp_path / "a.sgf").read_bytes() + b"\n(;SZ[5];B[bc])")
    assert imported(store, tmp_path / "b.sgf").skipped[Skip.DUPLICATE] == 10
    (tmp_path / "c.sgf").write_bytes(b"(;SZ[5]PB[other];B[cd])(;SZ[5];B[cb])(;SZ[5];B[bb])")
    assert imported(store, tmp_path / "c.sgf").added == 1
    assert store.count() == 12


def test_a_missing_path_is_told_at_once():
    store = GameStore(":memory:", create=True)
    with pytest.raises(TengenError, match="no/such"):
        import_games(store, ["no/such"], 1, new_stop())


def test_workers_store_the_same(tmp_path):
    for number in range(4):
        write_games(tmp_path / f"{number}.sgf", some_games(30, seed=number))
    for workers in (1, 2):
        path = tmp_path / f"g{workers}.sqlite"
        assert imported(GameStore(path, create=True), tmp_path, workers=workers).added == 120
    assert digests(tmp_path / "g1.sqlite") == digests(tmp_path / "g2.sqlite")


def test_a_stopped_import_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.records.parallel._BATCH_FILES", 2)
    for number in range(6):
        write_games(tmp_path / f"{number}.sgf", some_games(5, seed=number))
    store = GameStore(tmp_path / "g.sqlite", create=True)
    stop = new_stop()
    for _ in import_games(store, [tmp_path], 1, stop):
        stop.set()
    assert store.count() == 10
    counts = imported(store, tmp_path)
    assert (counts.added, counts.files_done_before) == (20, 2)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """A folder of files, each a batch of its own, and all its games in a database."""
    folder = tmp_path_factory.mktemp("collection")
    for number in range(6):
        filler = b"(;GM[1]C[" + b"x" * (1 << 20) + b"])"
        records = some_games(150, 9, 9, 60, seed=number, fewest=20)
        games = b"".join(map(sgf_bytes, records))
        (folder / f"{number}.sgf").write_bytes(games + filler)
    whole = folder / "whole.sqlite"
    imported(GameStore(whole, create=True), *sorted(folder.glob("*.sgf")))
    return folder, digests(whole)


@pytest.mark.parametrize("wanted", [1, 300, 700])
def test_a_killed_import_loses_nothing(collection, tmp_path, wanted):
    """Kill the process when some games are in, at no moment of its choosing; then go on."""
    folder, expected = collection
    path = tmp_path / "g.sqlite"
    files = [str(file) for file in sorted(folder.glob("*.sgf"))]
    process = subprocess.Popen([*IMPORT, "--database", str(path), *files])
    while process.poll() is None and count_in(path) < wanted:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    store = GameStore(path)
    before = store.count()
    assert before % 150 == 0
    assert sum(len(chunk.facts) for chunk in store.chunks(9, 9)) == before
    counts = imported(store, *files)
    assert counts.files_done_before == before // 150
    assert digests(path) == expected


def count_in(path):
    """Return how many games a file holds that another process is writing."""
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT COUNT(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0


# Files that are something else


def test_foreign_files_are_refused(tmp_path):
    with pytest.raises(TengenError, match="no games database .*tengen games import"):
        GameStore(tmp_path / "missing.sqlite")
    with pytest.raises(TengenError, match="is a folder"):
        GameStore(tmp_path)
    (tmp_path / "text").write_text("not a database at all" * 20)
    with pytest.raises(TengenError, match="is no games database"):
        GameStore(tmp_path / "text", create=True)
    with sqlite3.connect(tmp_path / "other") as connection:
        connection.execute("CREATE TABLE games (id)")
    with pytest.raises(TengenError, match="something else"):
        GameStore(tmp_path / "other")


def test_another_format_is_refused(tmp_path):
    store_of(some_games(3), tmp_path / "g").close()
    with sqlite3.connect(tmp_path / "g") as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(TengenError, match="has format 7, this Tengen reads 1"):
        GameStore(tmp_path / "g")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "g"
    store_of(some_games(60, 9, 9, 80), path).close()
    return path.read_bytes()


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_truncated_files_are_refused(sound, tmp_path, share):
    (tmp_path / "g").write_bytes(sound[: int(len(sound) * share)])
    with pytest.raises(TengenError, match=r"cut off|no games database"):
        GameStore(tmp_path / "g")


@pytest.mark.parametrize("seed", range(150))
def test_damaged_files_are_refused_or_read(sound, tmp_path, seed):
    """Whatever bytes change, games come back or one clear error does; never a crash."""
    rng = random.Random(seed)
    data = bytearray(sound)
    for _ in range(rng.choice((1, 1, 5, 200))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    (tmp_path / "g").write_bytes(data)
    try:
        database = GameDatabase(tmp_path / "g")
        games = len(database.shelf(9, 9))
        database.infos([1, 2, 3])
        database.game(1)
    except TengenError as error:
        message = str(error)
    else:
        message = ""
        assert games <= 60
    assert len(message.splitlines()) <= 1


def test_a_wrong_checksum_is_told(tmp_path):
    store = store_of(some_games(3), tmp_path / "g")
    with sqlite3.connect(tmp_path / "g") as connection:
        connection.execute("UPDATE chunks SET events = zeroblob(length(events))")
    with pytest.raises(TengenError, match="checksum"):
        list(store.chunks(5, 5))


def test_packing_tells_why_not():
    reasons = [pack(record) for record in read_bytes(BROKEN)]
    assert all(isinstance(reason, Skip) for reason in reasons)
