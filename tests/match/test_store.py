import json
import os
import random
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from match_helpers import SETTINGS, plan_of, row_of

from tengen.board import BLACK, WHITE, Move, Rules
from tengen.cli.main import main
from tengen.engine import UNLIMITED, TimeControl
from tengen.match import GameRow, Store
from tengen.match.store import LOG_TAIL, digest_of
from tengen.records import EndReason
from tengen.records.database import GameStore
from tengen.util import TengenError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "match.sqlite"


@pytest.fixture
def store(path):
    store = Store(path)
    store.adopt(plan_of("a", "b"))
    yield store
    store.close()


def test_stored_game_round_trip(store):
    row = row_of(store.claim(2), 0, 1, 2)._replace(white_log="long log; " * 100 + "it failed")
    store.finish(row)
    assert store.games() == [row]
    assert store.results() == [row._replace(sgf="", white_log=row.white_log[-LOG_TAIL:])]


def test_each_game_is_claimed_once(store, path):
    other = Store(path)
    assert [store.claim(4), other.claim(4), store.claim(4), other.claim(4)] == [0, 1, 2, 3]
    assert store.claim(4) is None
    store.release(2)
    assert other.claim(4) == 2
    other.close()
    assert [store.claim(4), store.claim(4), store.claim(4)] == [1, 2, 3]


def test_rejects_storing_a_game_twice(store):
    store.finish(row_of(0, 0, 1, 2))
    with pytest.raises(TengenError, match="cannot store game"):
        store.finish(row_of(0, 0, 1, 1))
    assert store.count() == 1


def test_winner_and_color_must_agree(store):
    """The database itself refuses a result under the wrong color."""
    with pytest.raises(TengenError, match="CHECK"):
        store.finish(row_of(0, 0, 1, 2)._replace(winner=0))


def test_claims_of_dead_runners_are_freed(store, path):
    dead = Store(path)
    assert dead.claim(2) == 0
    dead._db.close()
    assert store.claim(2) == 1
    # Closing the descriptor releases the lock, as the death of the process would.
    os.close(dead._lock)
    assert store.claim(2) == 0


def test_rejects_another_match(store, path):
    store.finish(row_of(0, 0, 1, 2))
    with pytest.raises(TengenError, match="holds another match: its players"):
        store.adopt(plan_of("a", "c"))
    store.adopt(plan_of("a", "b"))


def test_rejects_a_changed_player_version(store):
    plan = plan_of("a", "b")
    newer = replace(plan.entrants[0], version="2")
    with pytest.raises(TengenError, match="now scripted 2"):
        store.adopt(replace(plan, entrants=(newer, plan.entrants[1])))


def test_rejects_a_text_file(path):
    path.write_text("this is not a database, but long enough to look at" * 20)
    with pytest.raises(TengenError, match="cannot open"):
        Store(path)


def test_rejects_a_missing_file(tmp_path):
    with pytest.raises(TengenError, match="no such file"):
        Store(tmp_path / "none.sqlite", create=False)


def test_finished_game_is_visible_to_other_connections(store, path):
    store.finish(row_of(0, 0, 1, 2))
    other = sqlite3.connect(path)
    assert other.execute("SELECT COUNT(*) FROM games").fetchone() == (1,)
    other.close()


def test_other_databases_are_left_unchanged(path):
    GameStore(path, create=True).close()
    before = path.read_bytes()
    for create in (True, False):
        with pytest.raises(TengenError, match="not a match file"):
            Store(path, create)
    assert path.read_bytes() == before


def test_rejects_another_format(store, path):
    store.set_metadata("format", 99)
    with pytest.raises(TengenError, match="has format 99"):
        Store(path)


def test_database_errors_are_reported(store):
    store._db.execute("DROP TABLE games")
    for method in (store.games, store.results, store.count, lambda: store.claim(2)):
        with pytest.raises(TengenError, match="cannot read .*no such table"):
            method()
    with pytest.raises(TengenError, match="cannot store game"):
        store.finish(row_of(0, 0, 1, 2))
    store.release(0)
    store._db.execute("PRAGMA query_only = ON")
    with pytest.raises(TengenError, match="cannot write"):
        store.release(0)
    store._db.execute("PRAGMA query_only = OFF")


@pytest.mark.parametrize(
    "player", ["tengen prior={}:idea@5", "tengen play.net={}", "tengen net_below={}"]
)
def test_rejects_a_changed_file_of_a_player(path, tmp_path, player):
    file = tmp_path / ("idea.py" if "prior" in player else "mine.onnx")
    file.write_text("first version")
    store, plan = Store(path), plan_of("a", player.format(file))
    store.adopt(plan)
    store.adopt(plan)
    file.write_text("second version")
    with pytest.raises(TengenError, match=f"{file} has changed; restore it, or"):
        store.adopt(plan)
    file.write_text("first version")
    store.adopt(plan)
    store.close()


def test_rejects_a_changed_file_named_in_a_settings_file(path, tmp_path):
    idea, settings = tmp_path / "idea.py", tmp_path / "player.toml"
    idea.write_text("first version")
    settings.write_text(f"prior = ['{idea}:idea@5']\n")
    store, plan = Store(path), plan_of("a", str(settings))
    store.adopt(plan)
    idea.write_text("second version")
    with pytest.raises(TengenError, match="has changed"):
        store.adopt(plan)
    store.close()


def test_plan_identity_without_files():
    plan = plan_of("tengen net=default book=default prior=bigmove@5", "gtp --net=mine.onnx")
    assert set(plan.identity) == {"players", "pairings", "setting", "openings", "judge", "seed"}


def test_missing_settings_have_default_values(store):
    """Files of earlier versions can be resumed."""
    plan = plan_of(
        "a", "b", settings=replace(SETTINGS, time_control=TimeControl.parse("10m+30s/5"))
    )
    stored = json.loads(json.dumps(plan.identity))
    del stored["setting"]["start_timeout_s"]
    del stored["setting"]["rules"]["requires_capture"]
    del stored["setting"]["control"]["increment_s"]
    store.set_metadata("plan", stored)
    store.adopt(plan)
    for other, difference in (
        (replace(plan.settings, start_timeout_s=1.0), "start_timeout_s: 180.0, not 1.0"),
        (
            replace(plan.settings, rules=Rules(komi=0.5, requires_capture=True)),
            "requires_capture: False",
        ),
        (replace(plan.settings, time_control=TimeControl.parse("10m+30s/6")), "stones: 5, not 6"),
        (replace(plan.settings, time_control=UNLIMITED), "control: .* not None"),
    ):
        with pytest.raises(TengenError, match=f"holds another match: its {difference}"):
            store.adopt(replace(plan, settings=other))


def test_rejects_unknown_stored_settings(store):
    plan = plan_of("a", "b")
    stored = json.loads(json.dumps(plan.identity))
    stored["setting"]["gravity"] = 9.81
    store.set_metadata("plan", stored)
    with pytest.raises(TengenError, match="holds another match: its gravity: 9.81, not None"):
        store.adopt(plan)


def test_rejects_an_edited_settings_file(path, tmp_path):
    settings = tmp_path / "my settings.toml"
    settings.write_text("playouts = 7\n")
    store, plan = Store(path), plan_of("a", f"'{settings}'")
    store.adopt(plan)
    store.adopt(plan)
    settings.write_text("playouts = 8\n")
    with pytest.raises(TengenError, match="holds another match: its players"):
        store.adopt(plan)
    store.close()


OLD_COLUMNS = (
    "number INTEGER PRIMARY KEY, pair INTEGER NOT NULL, opening TEXT NOT NULL, "
    "opening_moves INTEGER NOT NULL, seed INTEGER NOT NULL, "
    "black INTEGER NOT NULL REFERENCES players, white INTEGER NOT NULL REFERENCES players, "
    "winner_colour INTEGER CHECK (winner_colour IN (1, 2)), winner INTEGER REFERENCES players, "
    "reason INTEGER NOT NULL, margin REAL, length INTEGER NOT NULL, black_time_s REAL NOT NULL, "
    "white_time_s REAL NOT NULL, black_cpu_s REAL, white_cpu_s REAL, black_says REAL, "
    "white_says REAL, black_dispute INTEGER NOT NULL, white_dispute INTEGER NOT NULL, "
    "black_log TEXT NOT NULL, white_log TEXT NOT NULL, note TEXT NOT NULL, digest TEXT NOT NULL, "
    "sgf TEXT NOT NULL, began TEXT NOT NULL, took_s REAL NOT NULL, host TEXT NOT NULL, "
    "CHECK (winner IS CASE winner_colour WHEN 1 THEN black WHEN 2 THEN white END)"
)


def test_reads_and_resumes_files_with_old_column_names(store, path):
    store._db.execute("DROP TABLE games")
    store._db.execute(f"CREATE TABLE games ({OLD_COLUMNS})")
    old = Store(path)
    rows = [row_of(0, 0, 1, 2), row_of(1, 1, 0, None)]
    for row in rows:
        old.finish(row)
    assert old.games() == rows
    assert [row.winner_color for row in old.results()] == [2, None]
    old.close()
    reader = Store(path, create=False, read_only=True)
    assert reader.games() == rows
    reader.close()


def test_schema_follows_the_row_type(store):
    columns = store._db.execute("PRAGMA table_info(games)").fetchall()
    assert [column[1] for column in columns] == list(GameRow._fields)
    nullable = [column[1] for column in columns if not column[3] and not column[5]]
    assert nullable == [
        "winner_color",
        "winner",
        "margin",
        "black_cpu_s",
        "white_cpu_s",
        "black_reported_margin",
        "white_reported_margin",
    ]


# Damage


def filled(path, games=6):
    """Store games with real records; return the rows."""
    store = Store(path)
    store.adopt(plan_of("a", "b"))
    moves = [Move(BLACK, 21), Move(WHITE, 22)]
    for number in range(games):
        sgf = f"(;GM[1]SZ[5]RE[B+R]C[{number}];B[aa];W[ba])"
        store.finish(
            row_of(number, 0, 1, 1)._replace(
                sgf=sgf, reason=int(EndReason.RESIGN), margin=None, length=2,
                digest=digest_of(moves),
            )
        )  # fmt: skip
    rows = store.games()
    store.close()
    return rows


def test_bit_flips_are_noticed(path):
    rows = filled(path)
    data = path.read_bytes()
    rng = random.Random(6)
    noticed = 0
    for _ in range(300):
        place = rng.randrange(len(data))
        damaged = bytearray(data)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            store = Store(path, create=False, read_only=True)
            players, found = store.players(), store.games()
            assert [row[:2] for row in store.results()] == [row[:2] for row in rows]
            store.close()
        except TengenError:
            noticed += 1
            continue
        assert found == rows, place
        assert [player.label for player in players] == ["p0", "p1"]
    assert noticed > 20


def test_verify_replays_games(path, capsys):
    filled(path)
    assert main(["report", str(path), "--verify"]) == 0
    assert capsys.readouterr().out == f"{path}: 6 games, 0 problems\n"
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE games SET sgf = replace(sgf, 'B[aa]', 'B[cc]') WHERE number = 1")
        db.execute("UPDATE games SET winner_color = 2, winner = 1 WHERE number = 2")
        db.execute("DELETE FROM games WHERE number = 3")
        db.commit()
    assert main(["report", str(path), "--verify"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [f"game {n}: does not match its checksum" for n in (1, 2, 3)]
    assert lines[3:5] == [
        "game 1: the moves do not match the digest",
        "game 2: result 'B+R' in the SGF, 'W+R' stored",
    ]
    with pytest.raises(TengenError, match="game [123] does not match its checksum"):
        Store(path, create=False).results()


def test_games_of_older_files_have_no_checksum(path):
    rows = filled(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE checksums")
        db.commit()
    store = Store(path, create=False, read_only=True)
    assert store.games() == rows
    assert store.damaged_games() == []
    store.close()
