"""KataGo's GTP extensions, and the commands of KGS and CGOS."""

import json
import re
from pathlib import Path

import pytest
from gtp_helpers import SessionClient

from tengen.engine import PARTS
from tengen.protocols.gtp import GtpLog, Identity, Session
from tengen.protocols.gtp.analysis import CGOS_LETTERS, cgos_ownership
from tengen.protocols.gtp.protocol import RECEIVED, SENT


@pytest.fixture
def client():
    return SessionClient()


def test_settings_have_katago_and_tengen_names(client):
    client.ok("kata-set-param maxVisits 77")
    assert client.ok("kata-get-param maxVisits") == "77"
    assert client.ok("kata-get-param play.playouts") == "77"
    client.ok("kata-set-param search.expansion_visits 5")
    assert client.ok("kata-get-param expansion_visits") == "5"
    client.ok("kata-set-param ponderingEnabled false")
    assert client.ok("kata-get-param ponderingEnabled") == "false"
    names = client.ok("kata-list-params").split()
    assert {name.split(".")[0] for name in names} == set(PARTS)
    for name in names:
        client.ok(f"kata-get-param {name}")
    for line in (
        "kata-get-param nonsense",
        "kata-get-param",
        "kata-set-param nonsense 1",
        "kata-set-param maxVisits",
        "kata-set-param maxVisits x",
        "kata-get-param what.playouts",
        "kata-set-param rules japanese",
        "kata-set-param numAnalysisThreads 2",
        "kata-set-param reportAnalysisWinratesAs WHITE",
        "kata-get-param resignThreshold",
    ):
        assert client.fails(line)


def test_resignation_can_be_disabled_and_enabled(client):
    usual = client.session.settings.play.resign
    client.ok("kata-set-param allowResignation true")
    assert client.session.settings.play.resign == usual
    client.ok("kata-set-param allowResignation false")
    assert client.session.settings.play.resign == 0
    client.ok("kata-set-param allowResignation true")
    assert client.session.settings.play.resign == usual
    client.ok("kata-set-param resignThreshold -0.9")
    assert client.session.settings.play.resign == pytest.approx(0.05)
    client.ok("kata-set-param rootNoiseEnabled false")


def test_new_game_clears_the_last_search(client):
    client.ok("genmove b")
    assert "In my last search" in client.ok("kgs-chat game joe hi")
    client.ok("clear_board")
    assert "not searched yet" in client.ok("kgs-chat game joe hi")


def test_katago_utilities_are_halved(client):
    client.ok("kata-set-param wideRootNoise 0.04")
    assert client.session.settings.search.wide_root_noise == pytest.approx(0.02)
    assert client.ok("kata-get-param wideRootNoise") == "0.04"
    client.ok("kata-set-param cpuctExploration 1")
    assert client.session.settings.search.puct_exploration == pytest.approx(0.5)
    assert client.ok("kata-get-param search.puct_exploration") == "0.5"


def test_set_rule_changes_one_rule(client):
    client.ok("komi 3.5")
    client.ok("kata-set-rule ko SIMPLE")
    assert json.loads(client.ok("kata-get-rules"))["ko"] == "SIMPLE"
    client.ok("kata-set-rule suicide true")
    assert client.session.position.rules.suicide is True
    assert client.ok("get_komi") == "3.5"
    client.ok("kata-set-rule hasButton false")
    client.ok("kata-set-rule tax none")
    client.ok("kata-set-rule scoring TERRITORY")
    client.ok("kata-set-rule scoring AREA")
    for line in ("kata-set-rule", "kata-set-rule ko NEVER", "kata-set-rule what 1"):
        assert client.fails(line)
    client.ok("kata-set-rule friendlyPassOk false")
    assert client.session.position.rules.requires_capture
    client.ok("kata-set-rule scoring TERRITORY")
    assert not client.session.position.rules.requires_capture
    for rule in ("hasButton true", "tax ALL"):
        assert "is not supported" in client.fails(f"kata-set-rule {rule}")


def test_sizes(client):
    client.ok("rectangular_boardsize 7 9")
    assert client.ok("query_boardsize") == "7 9"
    client.ok("boardsize 5")
    assert client.ok("query_boardsize") == "5"
    assert client.fails("rectangular_boardsize 7").startswith("usage")


@pytest.mark.kernels
def test_raw_network_output(client):
    client.ok("play b D4")
    words = client.ok("kata-raw-nn 0").split()
    assert words[:2] == ["symmetry", "0"]
    begin, end = words.index("policy") + 1, words.index("policyPass")
    policy = words[begin:end]
    assert len(policy) == 81
    assert [index for index, word in enumerate(policy) if word == "NAN"] == [5 * 9 + 3]
    total = sum(float(word) for word in policy if word != "NAN") + float(words[end + 1])
    assert total == pytest.approx(1, abs=1e-3)
    assert len(words) - words.index("whiteOwnership") - 1 == 81
    win, loss = (float(words[words.index(name) + 1]) for name in ("whiteWin", "whiteLoss"))
    assert win + loss == pytest.approx(1, abs=1e-5)
    assert "symmetry 0" in client.ok("kata-raw-nn all")
    assert client.fails("kata-raw-nn 3")
    client.ok("boardsize 5")
    assert "too small" in client.fails("kata-raw-nn 0")


@pytest.mark.kernels
def test_kata_lines_contain_requested_fields():
    client = SessionClient("playouts=300", size=5)
    client.ok("play b C3")
    flags = "rootInfo true ownership true movesOwnership true pvVisits true pvEdgeVisits true"
    assert client.session.handle(f"kata-genmove_analyze w maxmoves 2 {flags}") == "\n"
    _, text, _ = "".join(client.written).splitlines()
    moves, _, root = text.partition(" rootInfo ")
    infos = re.split(r"(?<=\S) (?=info )", moves)
    assert len(infos) == 2
    for info in infos:
        line = re.search(r" pv (.*?) pvVisits (.*?) pvEdgeVisits (.*?) movesOwnership (.*)", info)
        assert line is not None, info
        assert len(line[1].split()) == len(line[2].split()) == len(line[3].split())
        assert len(line[4].split()) == 25
    assert len(root.partition("ownership ")[2].split()) == 25


@pytest.mark.kernels
def test_minmoves_reports_unvisited_moves():
    client = SessionClient("playouts=20", size=5)
    client.session.handle("lz-genmove_analyze b minmoves 12")
    assert "".join(client.written).count("info move ") >= 12
    assert re.search(r" visits 0 ", "".join(client.written))


@pytest.mark.kernels
@pytest.mark.parametrize("name", ["genmove_analyze", "lz-genmove_analyze"])
def test_avoid_and_allow_restrict_the_move(name):
    client = SessionClient("playouts=50", size=5)
    client.session.handle(f"{name} b allow b A1,B2 1")
    assert re.search(r"play (A1|B2|pass)\n", "".join(client.written))
    client.written.clear()
    client.session.handle(f"{name} w avoid w C3,pass 1")
    assert "info move C3" not in "".join(client.written)
    assert "info move pass" not in "".join(client.written)


# CGOS and KGS


@pytest.mark.kernels
def test_cgos_genmove_analyze():
    client = SessionClient("playouts=100", size=5)
    client.ok("cgos-opponent_name joe")
    client.ok("cgos-opponent_rating 1800?")
    assert client.session.handle("3 cgos-genmove_analyze b") == "\n"
    begun, line, move = "".join(client.written).splitlines()
    assert begun == "=3"
    reply = json.loads(line)
    assert set(reply) == {"winrate", "score", "visits", "moves", "ownership"}
    assert len(reply["ownership"]) == 25
    assert set(reply["moves"][0]) == {"move", "visits", "winrate", "score", "prior", "pv"}
    assert move == f"play {reply['moves'][0]['move']}"
    client.ok("cgos-gameover B+R")
    assert len(client.session.position.moves) == 1


def test_cgos_ownership_encoding():
    import numpy as np

    packed = cgos_ownership(np.array([[-1.0, 0.0], [1.0, 7.0]]))
    assert packed == CGOS_LETTERS[0] + CGOS_LETTERS[31] + CGOS_LETTERS[62] * 2


@pytest.mark.kernels
def test_kgs_chat(client):
    assert "not searched yet" in client.ok("kgs-chat private joe who are you")
    client.ok("genmove b")
    assert re.search(r"(Black|White) won \d+% of \d+ simulations", client.ok("kgs-chat game joe ?"))
    assert client.fails("kgs-chat game").startswith("usage")


# Names and the log


def test_identity_is_configurable():
    session = Session(identity=Identity("KataGo", "1.15.0"))
    assert session.handle("name") == "= KataGo\n\n"
    assert session.handle("version") == "= 1.15.0\n\n"


def test_log_appends_input_and_output(tmp_path):
    path = tmp_path / "client.log"
    for _ in range(2):
        log = GtpLog(path)
        log.write(RECEIVED, "1 name\r\n")
        log.write(SENT, "=1 Tengen\n\n")
        log.close()
    lines = path.read_text().splitlines()
    assert [line.split(" ", 2)[2] for line in lines] == [">> 1 name", "<< =1 Tengen"] * 2
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ", line) for line in lines)


def test_full_disk_ends_the_log_only(capsys):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    log = GtpLog(Path("/dev/full"))
    for _ in range(3):
        log.write(RECEIVED, "1 name\r\n")
    log.close()
    errors = capsys.readouterr().err
    assert errors == (
        "tengen: cannot write the log /dev/full: No space left on device; the log ends here\n"
    )


# Searches that play nothing


@pytest.mark.kernels
@pytest.mark.parametrize("is_cancelled", [False, True])
def test_kata_search_plays_nothing_and_is_cancellable(is_cancelled):
    client = SessionClient(size=5, interrupted=lambda: is_cancelled)
    before = client.state()
    assert client.session.parse_move(client.ok("kata-search b")) >= 0
    found = client.ok("kata-search_cancellable b")
    assert (found == "cancelled") == is_cancelled
    client.session.handle("kata-search_analyze_cancellable b 100")
    assert ("play cancelled" in "".join(client.written)) == is_cancelled
    client.written.clear()
    client.session.handle("kata-search_analyze b 100")
    assert re.search(r"info move .*\nplay [A-Ep]", "".join(client.written))
    assert "cancelled" not in "".join(client.written)
    assert client.state() == before


@pytest.mark.kernels
def test_seed_reproduces_a_game():
    client = SessionClient("seed=0")
    games = []
    for _ in range(2):
        client.ok("clear_board")
        client.ok("set_random_seed 5")
        games.append([client.ok("genmove b"), client.ok("genmove w"), client.ok("genmove b")])
    assert games[0] == games[1]
    for seed in ("0", "-3", "99999999999999999999"):
        client.ok(f"set_random_seed {seed}")
    assert client.fails("set_random_seed x")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ('{"scorring":"TERRITORY"}', "unknown rule 'scorring'"),
        ('{"scoring":"AREA","komi":0.5}', "unknown rule 'komi'"),
    ],
)
def test_rejects_unknown_rules(client, words, complaint):
    assert complaint in client.fails(f"kata-set-rules {words}")


def test_rules_have_katago_config_names(client):
    client.ok('kata-set-rules {"koRule":"SIMPLE","multiStoneSuicideLegal":true}')
    assert '"ko": "SIMPLE"' in client.ok("kata-get-rules")
    assert '"suicide": true' in client.ok("kata-get-rules")


def test_invalid_settings_are_not_applied(client):
    """Neither before the first move, nor after it, nor when repeated."""
    for _ in range(2):
        assert "no network 'nonexist'" in client.fails("kata-set-param play.net nonexist")
    client.ok("genmove b")
    for _ in range(2):
        assert "no network 'nonexist'" in client.fails("kata-set-param play.net nonexist")
        assert "cannot read the book" in client.fails("kata-set-param opening.book nonexist")
    client.ok("genmove w")
