"""The database file: storage, duplicates, interrupted imports and damaged files."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from database_helpers import some_games, store_of

from tengen.board import Color
from tengen.records import new_stop, read_bytes, sgf_bytes, write_games
from tengen.records.database import (
    GameDatabase,
    GameHeaders,
    GameStore,
    ImportCounts,
    SkipReason,
    decode_moves,
    import_games,
)
from tengen.records.database.packing import decode_setup, encode_events, pack
from tengen.util import TengenError

IMPORT = [sys.executable, "-m", "tengen.cli.main", "games", "import", "--workers", "1"]
BROKEN = b"""(;SZ[9]KM[7]RE[B+R];B[aa];W[aa])(;SZ[9];C[no move])(;GM[2];B[aa])
(;SZ[9];B[aa];AB[bb];W[cc])(;SZ[25];B[aa])(;SZ[9]PB[Ann]RE[B+R];B[cc];W[gg]"""


def imported(store, *paths, workers=1) -> ImportCounts:
    return list(import_games(store, paths, workers, new_stop()))[-1]


def digests(path):
    with sqlite3.connect(path) as connection:
        return {row[0] for row in connection.execute("SELECT digest FROM games")}


# Storage


def test_decoding_of_events():
    for record in some_games(20):
        events = encode_events(record)
        assert decode_moves(events) == [tuple(move) for move in record.moves]
        assert sorted(decode_setup(events)) == sorted(record.setup)


def test_stored_games(tmp_path):
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


def test_stored_headers(tmp_path):
    text = b"(;SZ[9]KM[7]PB[A b]PW[C]BR[9d]WR[1p]DT[2001-02-03]EV[cup]RE[W+0.5]RU[Chinese];B[cc])"
    (tmp_path / "one.sgf").write_bytes(text)
    store = GameStore(tmp_path / "g.sqlite", create=True)
    imported(store, tmp_path / "one.sgf")
    source = str(tmp_path / "one.sgf")
    expected = (9, 9, "A b", "C", "9d", "1p", "2001-02-03", "cup", "W+0.5", Color.WHITE, 7.0)
    assert store.infos([1])[1] == GameHeaders(*expected, 0, "Chinese", 1, source, 0)


def test_many_headers(tmp_path):
    store = store_of(some_games(700, moves=12), tmp_path / "g.sqlite")
    assert len(store.infos(list(range(1, 701)))) == 700


# Skipped games


def test_broken_games_are_skipped_and_counted(tmp_path):
    (tmp_path / "odd.sgf").write_bytes(BROKEN)
    store = GameStore(tmp_path / "g.sqlite", create=True)
    counts = imported(store, tmp_path / "odd.sgf")
    expected = {
        SkipReason.BROKEN: 2,
        SkipReason.NO_MOVES: 1,
        SkipReason.NOT_PLAYABLE: 2,
        SkipReason.SETUP_LATER: 1,
    }
    assert {reason: n for reason, n in counts.skipped.items() if n} == expected
    assert (counts.read, counts.added, store.count()) == (6, 0, 0)
    assert store.skipped() == expected


def test_file_names_that_are_not_text_are_stored(tmp_path):
    (tmp_path / os.fsdecode(b"a\xff.sgf")).write_bytes(b"(;SZ[5];B[bc])")
    store = GameStore(tmp_path / "g.sqlite", create=True)
    assert imported(store, tmp_path).added == 1
    assert store.infos([1])[1].source.endswith("a?.sgf")


def test_game_with_too_many_moves_is_skipped():
    (record,) = read_bytes(b"(;SZ[3]" + b";B[];W[]" * 35_000 + b")")
    assert len(record.moves) == 70_000
    assert pack(record) is SkipReason.BROKEN


def test_skips_duplicates(tmp_path):
    """Neither from the same file, nor from another, nor under a symmetry."""
    write_games(tmp_path / "a.sgf", some_games(10))
    store = GameStore(tmp_path / "g.sqlite", create=True)
    assert imported(store, tmp_path / "a.sgf").added == 10
    again = imported(store, tmp_path / "a.sgf")
    assert (again.added, again.known_documents) == (0, 1)
    (tmp_path / "b.sgf").write_bytes((tmp_path / "a.sgf").read_bytes() + b"\n(;SZ[5];B[bc])")
    assert imported(store, tmp_path / "b.sgf").skipped[SkipReason.DUPLICATE] == 10
    (tmp_path / "c.sgf").write_bytes(b"(;SZ[5]PB[other];B[cd])(;SZ[5];B[cb])(;SZ[5];B[bb])")
    assert imported(store, tmp_path / "c.sgf").added == 1
    assert store.count() == 12


def test_missing_path():
    store = GameStore(":memory:", create=True)
    with pytest.raises(TengenError, match="no/such"):
        import_games(store, ["no/such"], 1, new_stop())


def test_number_of_workers_does_not_change_the_games(tmp_path):
    for number in range(4):
        write_games(tmp_path / f"{number}.sgf", some_games(30, seed=number))
    for workers in (1, 2):
        path = tmp_path / f"g{workers}.sqlite"
        assert imported(GameStore(path, create=True), tmp_path, workers=workers).added == 120
    assert digests(tmp_path / "g1.sqlite") == digests(tmp_path / "g2.sqlite")


def test_resumes_a_stopped_import(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.records.reader._BATCH_FILES", 2)
    for number in range(6):
        write_games(tmp_path / f"{number}.sgf", some_games(5, seed=number))
    store = GameStore(tmp_path / "g.sqlite", create=True)
    stop = new_stop()
    for _ in import_games(store, [tmp_path], 1, stop):
        stop.set()
    assert store.count() == 10
    counts = imported(store, tmp_path)
    assert (counts.added, counts.known_documents) == (20, 2)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """Return a folder of files, one batch each, and the digests of all games."""
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
def test_resumes_a_killed_import(collection, tmp_path, wanted):
    """Kill the process after some games were stored, then resume."""
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
    assert sum(len(chunk.headers) for chunk in store.chunks(9, 9)) == before
    counts = imported(store, *files)
    assert counts.known_documents == before // 150
    assert digests(path) == expected


def count_in(path):
    """Return the number of games in a file that another process is writing."""
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT COUNT(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0


# Other and damaged files


def test_rejects_other_files(tmp_path):
    with pytest.raises(TengenError, match="no game database .*tengen games import"):
        GameStore(tmp_path / "missing.sqlite")
    with pytest.raises(TengenError, match="is a folder"):
        GameStore(tmp_path)
    (tmp_path / "text").write_text("not a database at all" * 20)
    with pytest.raises(TengenError, match="is not a game database"):
        GameStore(tmp_path / "text", create=True)
    with sqlite3.connect(tmp_path / "other") as connection:
        connection.execute("CREATE TABLE games (id)")
    with pytest.raises(TengenError, match="another program"):
        GameStore(tmp_path / "other")


def test_rejects_other_format_versions(tmp_path):
    store_of(some_games(3), tmp_path / "g").close()
    with sqlite3.connect(tmp_path / "g") as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(TengenError, match="has format 7, but this version reads 1"):
        GameStore(tmp_path / "g")


@pytest.fixture(scope="module")
def intact(tmp_path_factory):
    path = tmp_path_factory.mktemp("intact") / "g"
    store_of(some_games(60, 9, 9, 80), path).close()
    return path.read_bytes()


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_rejects_truncated_files(intact, tmp_path, share):
    (tmp_path / "g").write_bytes(intact[: int(len(intact) * share)])
    with pytest.raises(TengenError, match=r"truncated|not a game database"):
        GameStore(tmp_path / "g")


@pytest.mark.parametrize("seed", range(150))
def test_damaged_files(intact, tmp_path, seed):
    """Random damage gives games or a one-line error, never a crash."""
    rng = random.Random(seed)
    data = bytearray(intact)
    for _ in range(rng.choice((1, 1, 5, 200))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    (tmp_path / "g").write_bytes(data)
    try:
        database = GameDatabase(tmp_path / "g")
        games = len(database.index(9, 9))
        database.infos([1, 2, 3])
        database.game(1)
    except TengenError as error:
        message = str(error)
    else:
        message = ""
        assert games <= 60
    assert len(message.splitlines()) <= 1


def test_wrong_checksum(tmp_path):
    store = store_of(some_games(3), tmp_path / "g")
    with sqlite3.connect(tmp_path / "g") as connection:
        connection.execute("UPDATE chunks SET events = zeroblob(length(events))")
    with pytest.raises(TengenError, match="checksum"):
        list(store.chunks(5, 5))


def test_pack_returns_skip_reasons():
    reasons = [pack(record) for record in read_bytes(BROKEN)]
    assert all(isinstance(reason, SkipReason) for reason in reasons)
