"""Tengen as a player in the match's own process."""

import pytest

from tengen.board.colour import BLACK, WHITE
from tengen.board.position import Position
from tengen.board.rules import Rules
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.engine.clock import ClockKind
from tengen.match.clock import Clock, parse_time
from tengen.match.factory import make_player
from tengen.match.player import RESIGN
from tengen.match.setting import GameSetting
from tengen.match.store import Store

SETTING = GameSetting(5, 5, Rules(komi=0.5))
QUICK = "tengen playouts=60 memory_mib=8"


def moves_of(player, seed, count=6):
    """The first moves that a player makes for both sides."""
    player.new_game(SETTING, seed)
    return [player.genmove((BLACK, WHITE)[number % 2], 60.0) for number in range(count)]


def test_a_seed_repeats_a_game_and_games_leave_nothing_behind():
    player = make_player(QUICK)
    first = moves_of(player, 1)
    moves_of(player, 2)
    assert moves_of(player, 1) == first
    assert moves_of(make_player(QUICK), 1) == first


def test_it_follows_the_game_and_counts_its_time():
    player = make_player(QUICK)
    player.new_game(SETTING, 1)
    position = Position(5)
    centre = position.points()[12]
    player.play(BLACK, centre)
    reply = player.genmove(WHITE, 60.0)
    assert reply not in (centre, RESIGN)
    assert player.cpu_s is not None
    assert player.cpu_s > 0
    assert isinstance(player.final_score(), float)
    assert player.log == ""
    player.close()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("10s", ClockKind.ABSOLUTE),
        ("1s/move", ClockKind.CANADIAN),
        ("9s+1s", ClockKind.FISCHER),
        ("9s+3x1s", ClockKind.BYOYOMI),
    ],
)
def test_every_clock_is_understood(text, kind):
    player = make_player(QUICK)
    player.new_game(SETTING, 1)
    control = parse_time(text)
    assert control is not None
    player.tell_time(BLACK, Clock(control, 0.2))
    assert player._clock.kind is kind
    assert player._clock.left_s > 0


def test_periods_of_byoyomi_are_understood():
    player = make_player(QUICK)
    player.new_game(SETTING, 1)
    clock = Clock(parse_time("9s+3x2s"), 0.2)
    clock.spend(12)
    player.tell_time(BLACK, clock)
    seen = player._clock
    assert (seen.period_s, seen.left_s, seen.stones_left) == (2, 2, 2)


def test_settings_from_a_file(tmp_path):
    path = tmp_path / "weak.toml"
    path.write_text('[play]\nplayouts = 7\n[search]\nkind = "uct"\n')
    settings = make_player(str(path))._settings
    assert (settings.play.playouts, settings.search.kind) == (7, "uct")
    assert settings.search.threads == 1, "games run beside each other"


@pytest.mark.parametrize("spec", ["tengen nonsense=1", "tengen playouts=many", "tengen loud"])
def test_wrong_settings_are_refused_by_name(spec):
    with pytest.raises(TengenError, match="nonsense|playouts|loud"):
        make_player(spec)


def test_a_whole_match(tmp_path, capsys):
    path = tmp_path / "match.sqlite"
    words = ["--games", "4", "--size", "5", "--komi", "0.5", "-o", str(path)]
    assert main(["match", QUICK, f"{QUICK} kind=flat flat_playouts=2", *words]) == 0
    store = Store(path)
    rows = store.games()
    store.close()
    assert len(rows) == 4
    assert {row.black for row in rows} == {0, 1}
    assert "as Black" in capsys.readouterr().out


@pytest.mark.parametrize("quote", ["'{}'", "{}"])
def test_the_path_of_settings_may_be_quoted(tmp_path, quote):
    path = tmp_path / "weak.toml"
    path.write_text("playouts = 7\n")
    assert make_player(quote.format(path))._settings.play.playouts == 7


def test_a_missing_settings_file_is_named():
    with pytest.raises(TengenError, match="no such file: no such.toml"):
        make_player("'no such.toml'")


def test_cpu_time_of_more_than_one_thread_is_unknown():
    player = make_player(f"{QUICK} threads=2")
    moves_of(player, 1, count=2)
    assert player.cpu_s is None
