"""Players in the process of the match (engines and functions), and the probe before a match."""

import dataclasses
import pickle

import numpy as np
import pytest
from match_helpers import scripted

from tengen.board import BLACK, PASS, WHITE, Position, Rules
from tengen.cli.main import main
from tengen.engine import Clock, EngineSettings, TimeControl, TimeSystem
from tengen.match import (
    RESIGN,
    Entrant,
    MatchConfig,
    MatchSettings,
    Store,
    entrants,
    file_identity,
    make_player,
)
from tengen.match.entrants import spec_text
from tengen.match.player import BadMoveError, chosen_move
from tengen.match.worker import play_task
from tengen.records import EndReason
from tengen.util import TengenError

SETTINGS = MatchSettings(5, 5, Rules(komi=0.5))
QUICK = "tengen playouts=60 memory_mib=8"


def moves_of(player, seed, count=6):
    """Return the first moves of a player that moves for both sides."""
    player.new_game(SETTINGS, seed)
    return [player.genmove((BLACK, WHITE)[number % 2], 60.0) for number in range(count)]


def test_equal_seeds_give_equal_games():
    player = make_player(QUICK)
    first = moves_of(player, 1)
    moves_of(player, 2)
    assert moves_of(player, 1) == first
    assert moves_of(make_player(QUICK), 1) == first


def test_engine_player_follows_the_game():
    player = make_player(QUICK)
    player.new_game(SETTINGS, 1)
    position = Position(5)
    center = position.points()[12]
    player.play(BLACK, center)
    reply = player.genmove(WHITE, 60.0)
    assert reply not in (center, RESIGN)
    assert player.cpu_s is not None
    assert player.cpu_s > 0
    assert isinstance(player.final_score(), float)
    assert player.log == ""
    player.close()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("10s", TimeSystem.ABSOLUTE),
        ("1s/move", TimeSystem.CANADIAN),
        ("9s+1s", TimeSystem.FISCHER),
        ("9s+3x1s", TimeSystem.BYOYOMI),
    ],
)
def test_clock_of_every_time_system(text, kind):
    player = make_player(QUICK)
    player.new_game(SETTINGS, 1)
    player.set_clock(BLACK, Clock(TimeControl.parse(text), 0.2))
    assert player._clock.system is kind
    assert player._clock.remaining_s > 0


def test_byoyomi_periods():
    player = make_player(QUICK)
    player.new_game(SETTINGS, 1)
    clock = Clock(TimeControl.parse("9s+3x2s"), 0.2)
    clock.spend(12)
    player.set_clock(BLACK, clock)
    seen = player._clock
    assert (seen.control.period_s, seen.remaining_s, seen.overtime_left) == (2, 2, 2)


def test_settings_from_a_file(tmp_path):
    path = tmp_path / "weak.toml"
    path.write_text('[play]\nplayouts = 7\n[search]\nalgorithm = "uct"\n')
    settings = make_player(str(path))._engine.settings
    assert (settings.play.playouts, settings.search.algorithm) == (7, "uct")
    assert settings.search.threads == 1, "games run in parallel"


@pytest.mark.parametrize("spec", ["tengen nonsense=1", "tengen playouts=many", "tengen loud"])
def test_rejects_invalid_engine_settings(spec):
    with pytest.raises(TengenError, match="nonsense|playouts|loud"):
        make_player(spec)


def test_match_between_engines_in_process(tmp_path, capsys):
    path = tmp_path / "match.sqlite"
    words = ["--games", "4", "--size", "5", "--komi", "0.5", "-o", str(path)]
    assert main(["match", QUICK, f"{QUICK} algorithm=flat flat_playouts=2", *words]) == 0
    store = Store(path)
    rows = store.games()
    store.close()
    assert len(rows) == 4
    assert {row.black for row in rows} == {0, 1}
    assert "as Black" in capsys.readouterr().out


@pytest.mark.parametrize("quote", ["'{}'", "{}"])
def test_settings_path_may_be_quoted(tmp_path, quote):
    path = tmp_path / "weak.toml"
    path.write_text("playouts = 7\n")
    assert make_player(quote.format(path))._engine.settings.play.playouts == 7


def test_rejects_a_missing_settings_file():
    with pytest.raises(TengenError, match="no such file: no such.toml"):
        make_player("'no such.toml'")


def test_cpu_time_is_unknown_with_several_threads():
    player = make_player(f"{QUICK} threads=2")
    moves_of(player, 1, count=2)
    assert player.cpu_s is None


def corner(position):
    """Score every point by its distance from the lower left corner."""
    rows, columns = np.indices((position.rows, position.columns))
    return 1 - (position.rows - 1 - rows + columns) / (position.rows + position.columns)


def first_legal(position):
    """Return the first legal move as a vertex, or pass."""
    moves = position.legal_moves()
    return position.vertex(moves[0]) if len(position.moves) < 4 and moves else "pass"


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("C3", Position(5).parse_move("C3")),
        ("pass", PASS),
        (" Resign", RESIGN),
        (PASS, PASS),
        (np.int64(PASS), PASS),
    ],
)
def test_moves_of_functions(answer, move):
    assert chosen_move(Position(5), answer) == move


@pytest.mark.parametrize("answer", ["Z9", None, [1, 2], np.zeros((3, 3))])
def test_rejects_invalid_answers_of_functions(answer):
    with pytest.raises(BadMoveError):
        chosen_move(Position(5), answer)


def test_scores_choose_the_best_legal_point():
    position = Position(5).after("A1")
    assert position.vertex(chosen_move(position, corner(position))) in ("A2", "B1")
    scores = np.full((5, 5), np.nan)
    scores[4, 0] = 1.0
    scores[2, 2] = 0.0
    assert position.vertex(chosen_move(position, scores)) == "C3"


def test_scores_do_not_fill_eyes():
    diagram = """
        . X .
        X X X
        . X .
    """
    position = Position.from_diagram(diagram)
    position.to_play = BLACK
    assert chosen_move(position, np.ones((3, 3))) == PASS


def test_match_between_functions_and_settings():
    settings = EngineSettings().with_overrides(QUICK.split()[1:])
    config = MatchConfig((corner, first_legal, settings), games=2, size="5", komi=0.5)
    plan = config.plan()
    assert [entrant.label for entrant in plan.entrants][:2] == ["corner", "first_legal"]
    rows = [play_task(plan.task(number)) for number in range(6)]
    assert {row.reason for row in rows} <= {EndReason.SCORE, EndReason.RESIGN, EndReason.LENGTH}
    assert pickle.loads(pickle.dumps(plan.task(0))).entrants == plan.task(0).entrants


def test_function_in_a_file(tmp_path):
    path = tmp_path / "my_player.py"
    path.write_text("def choose(position):\n    return 'C3'\n")
    player = make_player(f"{path}:choose")
    player.new_game(SETTINGS, 1)
    assert player.genmove(BLACK, 1.0) == Position(5).parse_move("C3")
    assert list(file_identity([f"{path}:choose"])["files"]) == [str(path)]


def test_illegal_move_of_a_function_loses():
    plan = MatchConfig((lambda position: "A1", first_legal), games=2, size="5").plan()
    row = play_task(plan.task(0))
    assert (row.winner, row.reason) == (1, EndReason.ILLEGAL)


def test_identity_of_a_function_has_its_source():
    assert len(Entrant("a", corner).identity) == 3
    assert Entrant("a", corner).identity[1].endswith("test_players.corner")


def test_settings_as_text():
    settings = EngineSettings().with_overrides(["playouts=7", "algorithm=uct"])
    text = spec_text(settings)
    assert text == "tengen play.playouts=7 search.algorithm=uct"
    assert EngineSettings().with_overrides(text.split()[1:]) == settings


@pytest.mark.parametrize("spec", [5, None])
def test_rejects_objects_that_are_no_player(spec):
    with pytest.raises(TengenError, match="not a player"):
        make_player(spec)


# The probe


def test_slow_start_prints_a_notice(monkeypatch, capsys):
    monkeypatch.setattr(entrants, "_START_NOTICE_S", 0.2)
    slow, fast = scripted(slow=1), scripted(name="fast")
    slow_one, _ = entrants.probe_players([slow, fast], ["slow", "fast"], SETTINGS)
    assert slow_one.label == "slow"
    assert f"waiting for {slow!r} to start (at most 180 s per command)" in capsys.readouterr().err


def test_probe_rejects_a_program_without_gtp(capsys):
    settings = dataclasses.replace(SETTINGS, start_timeout_s=1.0)
    with pytest.raises(TengenError, match="player 'cat': .*no reply"):
        entrants.probe_players(["cat"], [None], settings)
    assert capsys.readouterr().err == ""
