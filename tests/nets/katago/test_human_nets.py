"""Human-like networks: the player profile is an input, checked against KataGo's own outputs."""

import io
import json

import golden
import numpy as np
import pytest

from tengen.board import BLACK, WHITE, Position
from tengen.engine import EngineSettings
from tengen.nets import NetSettings, load_net, load_net_named
from tengen.nets.katago import import_net, parse_profile
from tengen.protocols.analysis import QueryDefaults, serve
from tengen.protocols.gtp.loop import Session
from tengen.util import TengenError

ROWS = json.loads(golden.HUMAN_DATA.read_text())


@pytest.fixture(scope="module")
def human_net(tmp_path_factory):
    path = tmp_path_factory.mktemp("human") / "human.onnx"
    import_net(golden.HUMAN_MODEL, path)
    return path


@pytest.mark.kernels
@pytest.mark.parametrize("row", ROWS, ids=[row["profile"] for row in ROWS])
def test_outputs_equal_those_of_katago(human_net, row):
    net = load_net(human_net, NetSettings(profile=row["profile"], cache_mib=0))
    position = golden.position_of(row["game"])
    (found,) = net.evaluate([position])
    sign = 1 if position.to_play is WHITE else -1
    policy = np.append(found.policy.reshape(-1), found.pass_probability)
    expected = np.array(row["policy"], dtype=float)
    legal = expected != golden.POLICY_UNIT
    expected /= golden.POLICY_UNIT - 1
    assert np.abs(policy - expected)[legal].max() < 1e-3
    assert policy[~legal] == pytest.approx(0)
    white_win = found.win_to_play if sign == 1 else 1 - found.win_to_play
    assert white_win == pytest.approx(row["win"], abs=1e-3)
    assert sign * found.lead_to_play == pytest.approx(row["lead"], abs=2e-3)
    owners = np.array(row["ownership"]) / golden.OWNERSHIP_UNIT
    assert sign * found.ownership_to_play.reshape(-1) == pytest.approx(owners, abs=1e-3)


@pytest.mark.kernels
def test_profiles_change_the_policy(human_net):
    position = Position(9)
    strong, weak = (
        load_net(human_net, NetSettings(profile=profile)).evaluate([position])[0].policy
        for profile in ("rank_9d", "rank_20k")
    )
    assert np.abs(strong - weak).max() > 0.001


def test_profile_encoding():
    row = parse_profile("rank_3d_12k").encode(WHITE, 81)
    assert row[6:40].sum() == 21  # 12k is the twenty-first rank below 8 dan
    assert row[40:74].sum() == 7
    swapped = parse_profile("rank_3d_12k").encode(BLACK, 81)
    assert (swapped[6:40].sum(), swapped[40:74].sum()) == (7, 21)
    assert row[86] == pytest.approx(0.5 * np.log(81 / 361))


@pytest.mark.parametrize("text", ["rank_21k", "rank_", "proyear_1799", "proyear_2024", "5k", ""])
def test_unknown_profiles(text):
    with pytest.raises(TengenError, match="unknown player profile"):
        parse_profile(text)


def test_network_needs_a_profile(human_net):
    with pytest.raises(TengenError, match="needs a player profile"):
        load_net(human_net)
    with pytest.raises(TengenError, match="needs a player profile"):
        load_net_named(str(human_net))
    assert load_net_named(f"{human_net}@rank_5k").features.numbers == 211


# Protocols

SETTINGS = ["net=none", "playouts=20", "threads=1", "memory_mib=16"]


def settings(human_net, *more):
    return EngineSettings().with_overrides([*SETTINGS, f"human_net={human_net}", *more])


@pytest.mark.kernels
def test_gtp(human_net):
    session = Session(settings(human_net))
    assert session.handle("boardsize 9").startswith("=")
    assert "no human-like network" in session.handle("kata-raw-human-nn 0")
    assert session.handle("kata-set-param humanSLProfile rank_5k").startswith("=")
    assert session.handle("kata-get-param humanSLProfile").split() == ["=", "rank_5k"]
    weak = session.handle("kata-raw-human-nn 0")
    assert weak.startswith("= symmetry 0")
    session.handle("kata-set-param humanSLProfile proyear_1900")
    assert session.handle("kata-raw-human-nn 0") != weak
    assert "unknown player profile" in session.handle("kata-set-param humanSLProfile 5k")
    assert session.handle("kata-get-param humanSLProfile").split() == ["=", "proyear_1900"]
    session.handle("kata-set-param humanSLProfile _")
    assert "no human-like network" in session.handle("kata-raw-human-nn 0")


def answers(engine_settings, *queries):
    lines = [
        json.dumps({"rules": "chinese", "boardXSize": 9, "boardYSize": 9, **q}) for q in queries
    ]
    target = io.StringIO()
    serve(engine_settings, QueryDefaults(), [line.encode() for line in lines], target)
    replies = [json.loads(line) for line in target.getvalue().splitlines()]
    return {reply["id"]: reply for reply in replies}


@pytest.mark.kernels
def test_json_analysis(human_net):
    query = {"moves": [["B", "E5"]], "maxVisits": 20, "includePolicy": True}
    found = answers(
        settings(human_net),
        {**query, "id": "weak", "overrideSettings": {"humanSLProfile": "rank_15k"}},
        {**query, "id": "strong", "overrideSettings": {"humanSLProfile": "rank_9d"}},
        {**query, "id": "none"},
        {**query, "id": "bad", "overrideSettings": {"humanSLProfile": "strong"}},
    )
    weak, strong = found["weak"], found["strong"]
    assert len(weak["humanPolicy"]) == 82
    assert weak["humanPolicy"] != strong["humanPolicy"]
    assert weak["humanPolicy"][40] == -1  # E5 is occupied
    position = Position(9)
    position.play(position.parse_move("E5"))
    net = load_net(human_net, NetSettings(profile="rank_15k"))
    expected = net.evaluate([position])[0]
    info = weak["moveInfos"][0]
    share = expected.probability(position.parse_move(info["move"]))
    assert info["humanPrior"] == pytest.approx(share, abs=1e-5)
    assert 0 <= weak["rootInfo"]["humanWinrate"] <= 1
    assert "humanPolicy" not in found["none"]
    assert "humanPrior" not in found["none"]["moveInfos"][0]
    assert found["bad"]["field"] == "overrideSettings"


@pytest.mark.kernels
def test_human_like_network_as_the_first_one(human_net):
    session = Session(settings("none", f"net={human_net}@rank_5k"))
    session.handle("boardsize 9")
    weak = session.handle("kata-raw-nn 0")
    assert weak == session.handle("kata-raw-human-nn 0")
    assert session.handle("kata-set-param humanSLProfile rank_9d").startswith("=")
    assert session.settings.play.net.endswith("@rank_9d")
    assert session.handle("kata-raw-nn 0") != weak
    assert session.handle("genmove b").startswith("=")
