"""GoGui's analyze commands, dialogs and setup commands."""

import re

import pytest
from gtp_helpers import SessionClient

from tengen.board import BLACK, WHITE, Color
from tengen.engine import LEVELS, PARTS
from tengen.view import LAYERS

TYPES = {"gfx", "var", "string", "plist", "none", "param"}
DRAWING = re.compile(
    r"COLOR #[0-9a-f]{6}( [A-HJ][1-9])+|INFLUENCE( [A-HJ][1-9] -?[01]\.\d+)+"
    r"|LABEL( [A-HJ][1-9] \S+)+|CIRCLE( [A-HJ][1-9])+|TEXT \S.*"
)


@pytest.fixture
def client():
    return SessionClient()


def entries(client):
    return [line.split("/") for line in client.ok("gogui-analyze_commands").splitlines()]


def test_lists_all_layers_and_settings(client):
    listed = entries(client)
    assert all(len(entry) == 3 for entry in listed), "labels hold no slash"
    assert {kind for kind, _, _ in listed} == TYPES
    commands = {command for _, _, command in listed}
    assert {f"tengen-layer {name}" for name in LAYERS} <= commands
    assert {f"tengen-param_{part}" for part in PARTS} <= commands
    known = client.ok("list_commands").split()
    assert {command.split()[0] for command in commands} <= set(known)
    labels = [label for _, label, _ in listed]
    assert len(set(labels)) == len(labels)


QUICK_LAYERS = ["distance", "tactics", "search.visits", "search.winrate", "search.ownership"]


@pytest.mark.kernels
@pytest.mark.parametrize("name", QUICK_LAYERS)
def test_draws_layers_with_a_description(client, name):
    client.ok("play b D4")
    client.ok("play w D5")
    before = client.state()
    lines = client.ok(f"tengen-layer {name}").splitlines()
    assert client.state() == before
    for line in lines:
        assert DRAWING.fullmatch(line), line
    assert LAYERS[name].meaning.split()[0] in lines[-1]
    assert LAYERS[name].title in lines[-1]


def test_draws_a_user_source(client, tmp_path):
    path = tmp_path / "ideas.py"
    path.write_text(
        "import numpy as np\n"
        "def corners(position):\n"
        "    values = np.full((position.rows, position.columns), np.nan)\n"
        "    values[0, 0] = values[-1, -1] = 1\n"
        "    return values\n"
    )
    drawn = client.ok(f"tengen-layer {path}:corners")
    assert re.search(r"COLOR #\w{6} A9 J1", drawn)


def test_rejects_unknown_layers(client, monkeypatch, tmp_path):
    monkeypatch.setenv("TENGEN_GAMES", str(tmp_path / "none.sqlite"))
    assert client.fails("tengen-layer").startswith("usage")
    assert client.fails("tengen-layer nonsense").startswith("unknown source")
    assert "games" in client.fails("tengen-layer experts")


@pytest.mark.kernels
def test_best_line_is_of_the_current_position(client):
    first = client.ok("tengen-line").split()
    assert first
    client.ok("play b E5")
    assert "E5" not in client.ok("tengen-line").split()


# Dialogs


def test_dialogs_list_and_set_every_setting(client):
    for part in PARTS:
        shown = client.ok(f"tengen-param_{part}").splitlines()
        component = getattr(client.session.settings, part)
        assert len(shown) == len(vars(component))
        for line in shown:
            kind, key, *value = line.split(" ")
            assert re.fullmatch(r"\[(bool|string|list/.+)\]", kind)
            if value != [""]:
                client.ok(f"tengen-param_{part} {key} {' '.join(value)}")
        assert client.ok(f"tengen-param_{part}").splitlines() == shown, (
            "every reported value can be set"
        )


def test_changes_a_setting(client):
    client.ok("tengen-param_search uct_exploration 0.5")
    client.ok("tengen-param_play stop_early 0")
    assert client.session.settings.search.uct_exploration == 0.5
    assert client.session.settings.play.stop_early is False
    assert "[bool] stop_early 0" in client.ok("tengen-param_play").splitlines()


@pytest.mark.parametrize(
    "line",
    [
        "tengen-param_search nonsense 1",
        "tengen-param_search kind magic",
        "tengen-param_search threads -1",
        "tengen-param_search threads",
        "tengen-param_live layer nonsense",
        "tengen-param_live what search.visits",
        "tengen-param_level level 9p",
    ],
)
def test_rejects_invalid_settings(client, line):
    before = client.session.settings
    assert client.fails(line)
    assert client.session.settings == before


@pytest.mark.kernels
def test_missing_network_keeps_the_old_engine(client):
    client.ok("genmove b")
    before = client.session.settings
    assert "no such network" in client.fails("tengen-param_play net /nowhere.onnx")
    assert client.session.settings == before
    client.ok("genmove w")


def test_levels_by_rank(client):
    names = [level.name for level in LEVELS]
    assert client.ok("tengen-param_level") == f"[list/{'/'.join(names)}] level {names[-1]}"
    before = client.session.settings
    client.ok(f"tengen-param_level level {names[0]}")
    assert client.session.settings.play.level == names[0]
    assert client.ok("tengen-param_level").endswith(f"level {names[0]}")
    client.ok(f"tengen-param_level level {names[-1]}")
    assert client.session.settings == before, "as strong as it was"


def test_level_keeps_other_settings(client):
    client.ok("tengen-param_search uct_exploration 0.5")
    client.ok("tengen-param_play resign 0.2")
    client.ok(f"tengen-param_level level {LEVELS[0].name}")
    settings = client.session.settings
    assert (settings.search.uct_exploration, settings.play.resign) == (0.5, 0.2)
    assert settings.play.level == LEVELS[0].name


def test_auto_level_counts_the_games_of_one_opponent(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    client = SessionClient("level=auto", size=5)
    expected = "auto: plays at 15k, opponent about 15k (29k to 1k), 0 games"
    assert client.ok("tengen-level") == expected
    for vertex in ("C3", "B2", "C2", "B3", "C4", "B4"):
        color = "b" if vertex.startswith("C") else "w"
        client.ok(f"play {color} {vertex}")
    client.ok("play b pass")
    client.session.engine_colors.add(Color.WHITE)
    client.ok("play w pass")
    assert client.ok("tengen-level").endswith("1 game")
    client.ok("play b resign")
    assert client.ok("tengen-level").endswith("1 game"), "a game counts once"
    client.ok("clear_board")
    client.session.engine_colors.add(Color.WHITE)
    client.ok("play b resign")
    assert client.ok("tengen-level").endswith("2 games")
    client.ok("clear_board")
    client.session.engine_colors.update(Color)
    client.ok("play b resign")
    assert client.ok("tengen-level").endswith("2 games"), "the engine played itself"


# Live graphics


@pytest.mark.kernels
def test_live_graphics(capsys, monkeypatch):
    monkeypatch.setattr("tengen.protocols.gtp.observer.LiveGraphics.INTERVAL_S", 0.0)
    client = SessionClient("playouts=300", size=5)
    assert client.ok("tengen-param_live").endswith("layer off")
    client.ok("genmove b")
    assert "gogui-gfx" not in capsys.readouterr().err
    for layer in ("search.visits", "search.ownership"):
        client.ok(f"tengen-param_live layer {layer}")
        client.ok("genmove w")
        errors = capsys.readouterr().err.splitlines(keepends=True)
        drawn = "".join(line for line in errors if not line.startswith("tengen: compil"))
        assert drawn.startswith("gogui-gfx:\n")
        assert drawn.endswith("gogui-gfx: CLEAR\n")
        block = drawn.split("\n\n")[0].splitlines()[1:]
        assert block[-1].startswith("TEXT Search")
        assert ("VAR w " in drawn) is (layer == "search.ownership")
    client.ok("tengen-param_live layer off")
    client.ok("genmove b")
    assert "gogui-gfx" not in capsys.readouterr().err


# Positions


def test_play_sequence_is_all_or_nothing(client):
    client.ok("gogui-play_sequence B C3 w d4 B PASS")
    assert len(client.session.position.moves) == 3
    assert client.fails("gogui-play_sequence b E5 w E5") == "illegal move"
    assert client.fails("gogui-play_sequence b").startswith("usage")
    assert client.fails("gogui-play_sequence b Z9") == "invalid vertex"
    client.ok("gogui-play_sequence")


def test_setup(client):
    client.ok("gogui-setup b D4 w E5")
    assert [client.board().count(stone) for stone in "XO"] == [1, 1]
    assert client.session.position.moves == []
    assert client.fails("gogui-setup b A1") == "board not empty"
    client.ok("gogui-setup_player w")
    assert client.session.position.to_play is WHITE
    assert "PL[W]" in client.ok("printsgf")
    assert client.fails("gogui-setup_player gray") == "invalid color"
    assert client.fails("gogui-setup_player").startswith("usage")
    client.ok("clear_board")
    assert client.session.position.to_play is BLACK
    assert client.fails("gogui-setup b pass") == "invalid vertex"
    assert "liberty" in client.fails("gogui-setup b A1 w A2 w B1")


@pytest.mark.kernels
def test_the_rules_of_the_game(client):
    client.ok("boardsize 3")
    client.ok("play b B2")
    assert client.ok("gogui-rules_game_id") == "Go"
    assert client.ok("gogui-rules_board_size") == "3"
    assert client.ok("gogui-rules_board").split() == list("....X....")
    assert client.ok("gogui-rules_side_to_move") == "white"
    assert client.ok("gogui-rules_legal_moves") == "A3 B3 C3 A2 C2 A1 B1 C1 pass"
    assert client.ok("gogui-rules_final_result") == "Black wins by 1.5 points"
    client.ok("gogui-play_sequence w pass b pass")
    assert client.ok("gogui-rules_legal_moves") == ""
    client.ok("boardsize 3 4")
    assert client.ok("gogui-rules_board_size") == "3 4"
    client.ok("gogui-play_sequence b A1 w A2 b C4 w B1")
    assert client.ok("gogui-rules_captured_count") == "0 1"
