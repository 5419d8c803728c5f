import json
import os
import sqlite3
from dataclasses import replace

import pytest
from match_helpers import SETTING, plan_of, row_of

from tengen.board.rules import Rules
from tengen.core.errors import TengenError
from tengen.database.store import GameStore
from tengen.match.clock import parse_time
from tengen.match.store import LAST_WORDS, Store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "match.sqlite"


@pytest.fixture
def store(path):
    store = Store(path)
    store.adopt(plan_of("a", "b"))
    yield store
    store.close()


def test_a_finished_game_comes_back(store):
    row = row_of(store.claim(2), 0, 1, 2)._replace(white_log="much was said; " * 100 + "it failed")
    store.finish(row)
    assert store.games() == [row]
    assert store.results() == [row._replace(sgf="", white_log=row.white_log[-LAST_WORDS:])]


def test_games_are_claimed_once(store, path):
    other = Store(path)
    assert [store.claim(4), other.claim(4), store.claim(4), other.claim(4)] == [0, 1, 2, 3]
    assert store.claim(4) is None
    store.release(2)
    assert other.claim(4) == 2
    other.close()
    assert [store.claim(4), store.claim(4), store.claim(4)] == [1, 2, 3]


def test_a_game_is_never_stored_twice(store):
    store.finish(row_of(0, 0, 1, 2))
    with pytest.raises(TengenError, match="cannot be stored"):
        store.finish(row_of(0, 0, 1, 1))
    assert store.count() == 1


def test_winner_and_colour_must_agree(store):
    """The database itself refuses a result under the wrong colour."""
    with pytest.raises(TengenError, match="CHECK"):
        store.finish(row_of(0, 0, 1, 2)._replace(winner=0))


def test_claims_of_the_dead_are_free(store, path):
    dead = Store(path)
    assert dead.claim(2) == 0
    dead._db.close()
    assert store.claim(2) == 1
    # The system drops the lock of a process that dies; closing the descriptor does the same.
    os.close(dead._lock)
    assert store.claim(2) == 0


def test_another_match_is_refused(store, path):
    store.finish(row_of(0, 0, 1, 2))
    with pytest.raises(TengenError, match="holds another match: its players"):
        store.adopt(plan_of("a", "c"))
    store.adopt(plan_of("a", "b"))


def test_a_changed_version_is_refused(store):
    plan = plan_of("a", "b")
    newer = replace(plan.entrants[0], version="2")
    with pytest.raises(TengenError, match="now scripted 2"):
        store.adopt(replace(plan, entrants=(newer, plan.entrants[1])))


def test_something_else_is_no_match_file(path):
    path.write_text("this is not a database, but long enough to look at" * 20)
    with pytest.raises(TengenError, match="cannot open"):
        Store(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(TengenError, match="no such file"):
        Store(tmp_path / "none.sqlite", create=False)


def test_readers_see_whole_games_only(store, path):
    store.finish(row_of(0, 0, 1, 2))
    other = sqlite3.connect(path)
    assert other.execute("SELECT COUNT(*) FROM games").fetchone() == (1,)
    other.close()


def test_a_database_of_something_else_is_left_alone(path):
    GameStore(path, create=True).close()
    before = path.read_bytes()
    for create in (True, False):
        with pytest.raises(TengenError, match="as a match file: it is something else"):
            Store(path, create)
    assert path.read_bytes() == before


def test_another_format_is_refused(store, path):
    store.set_about("format", 99)
    with pytest.raises(TengenError, match="has format 99"):
        Store(path)


def test_what_goes_wrong_inside_is_told_in_a_line(store):
    store._db.execute("DROP TABLE games")
    for method in (store.games, store.results, store.count, lambda: store.claim(2)):
        with pytest.raises(TengenError, match="cannot be read: no such table"):
            method()
    with pytest.raises(TengenError, match="cannot be stored"):
        store.finish(row_of(0, 0, 1, 2))
    store.release(0)
    store._db.execute("PRAGMA query_only = ON")
    with pytest.raises(TengenError, match="cannot be written"):
        store.release(0)
    store._db.execute("PRAGMA query_only = OFF")


@pytest.mark.parametrize(
    "player", ["tengen prior={}:idea@5", "tengen play.net={}", "tengen net_below={}"]
)
def test_a_changed_file_of_a_player_is_another_match(path, tmp_path, player):
    file = tmp_path / ("idea.py" if "prior" in player else "mine.onnx")
    file.write_text("the first idea")
    store, plan = Store(path), plan_of("a", player.format(file))
    store.adopt(plan)
    store.adopt(plan)
    file.write_text("the second idea")
    with pytest.raises(TengenError, match=f"what stands in {file} has changed; put it back, or"):
        store.adopt(plan)
    file.write_text("the first idea")
    store.adopt(plan)
    store.close()


def test_a_changed_file_in_a_settings_file_is_another_match(path, tmp_path):
    idea, settings = tmp_path / "idea.py", tmp_path / "player.toml"
    idea.write_text("the first idea")
    settings.write_text(f"prior = ['{idea}:idea@5']\n")
    store, plan = Store(path), plan_of("a", str(settings))
    store.adopt(plan)
    idea.write_text("the second idea")
    with pytest.raises(TengenError, match="has changed"):
        store.adopt(plan)
    store.close()


def test_players_without_files_have_the_plan_they_always_had():
    """Matches of earlier versions go on."""
    plan = plan_of("tengen net=default book=shipped prior=bigmove@5", "gtp --net=mine.onnx")
    assert set(plan.identity) == {"players", "pairings", "setting", "openings", "judge", "seed"}


def test_what_a_file_does_not_say_of_its_games_is_as_by_default(store):
    """Matches of versions that knew fewer settings go on, and no others."""
    plan = plan_of("a", "b", setting=replace(SETTING, control=parse_time("10m+30s/5")))
    stored = json.loads(json.dumps(plan.identity))
    del stored["setting"]["start_timeout_s"]
    del stored["setting"]["rules"]["as_it_stands"]
    del stored["setting"]["control"]["increment_s"]
    store.set_about("plan", stored)
    store.adopt(plan)
    for other, difference in (
        (replace(plan.setting, start_timeout_s=1.0), "start_timeout_s: 180.0, not 1.0"),
        (replace(plan.setting, rules=Rules(komi=0.5, as_it_stands=True)), "as_it_stands: False"),
        (replace(plan.setting, control=parse_time("10m+30s/6")), "stones: 5, not 6"),
        (replace(plan.setting, control=None), "control: .* not None"),
    ):
        with pytest.raises(TengenError, match=f"holds another match: its {difference}"):
            store.adopt(replace(plan, setting=other))


def test_what_a_file_says_beyond_this_version_is_another_match(store):
    plan = plan_of("a", "b")
    stored = json.loads(json.dumps(plan.identity))
    stored["setting"]["gravity"] = 9.81
    store.set_about("plan", stored)
    with pytest.raises(TengenError, match="holds another match: its gravity: 9.81, not None"):
        store.adopt(plan)


def test_an_edited_settings_file_is_another_player(path, tmp_path):
    settings = tmp_path / "my settings.toml"
    settings.write_text("playouts = 7\n")
    store, plan = Store(path), plan_of("a", f"'{settings}'")
    store.adopt(plan)
    store.adopt(plan)
    settings.write_text("playouts = 8\n")
    with pytest.raises(TengenError, match="holds another match: its players"):
        store.adopt(plan)
    store.close()
