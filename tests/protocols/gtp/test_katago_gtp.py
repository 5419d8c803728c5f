"""KataGo's GTP extensions, and the commands of KGS and CGOS."""

import json
import re
from pathlib import Path

import pytest
from gtp_helpers import Talk

from tengen.engine import PARTS
from tengen.protocols.gtp import GtpLog, Identity, Session
from tengen.protocols.gtp.analysis import CGOS_LETTERS, cgos_ownership
from tengen.protocols.gtp.protocol import RECEIVED, SENT


@pytest.fixture
def talk():
    return Talk()


def test_settings_have_katago_and_tengen_names(talk):
    talk.ok("kata-set-param maxVisits 77")
    assert talk.ok("kata-get-param maxVisits") == "77"
    assert talk.ok("kata-get-param play.playouts") == "77"
    talk.ok("kata-set-param search.expansion_visits 5")
    assert talk.ok("kata-get-param expansion_visits") == "5"
    talk.ok("kata-set-param ponderingEnabled false")
    assert talk.ok("kata-get-param ponderingEnabled") == "false"
    names = talk.ok("kata-list-params").split()
    assert {name.split(".")[0] for name in names} == set(PARTS)
    for name in names:
        talk.ok(f"kata-get-param {name}")
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
        assert talk.fails(line)


def test_resignation_can_be_disabled_and_enabled(talk):
    usual = talk.session.settings.play.resign
    talk.ok("kata-set-param allowResignation true")
    assert talk.session.settings.play.resign == usual
    talk.ok("kata-set-param allowResignation false")
    assert talk.session.settings.play.resign == 0
    talk.ok("kata-set-param allowResignation true")
    assert talk.session.settings.play.resign == usual
    talk.ok("kata-set-param resignThreshold -0.9")
    assert talk.session.settings.play.resign == pytest.approx(0.05)
    talk.ok("kata-set-param rootNoiseEnabled false")


def test_new_game_clears_the_last_search(talk):
    talk.ok("genmove b")
    assert "In my last search" in talk.ok("kgs-chat game joe hi")
    talk.ok("clear_board")
    assert "not searched yet" in talk.ok("kgs-chat game joe hi")


def test_katago_utilities_are_halved(talk):
    talk.ok("kata-set-param wideRootNoise 0.04")
    assert talk.session.settings.search.wide_root_noise == pytest.approx(0.02)
    assert talk.ok("kata-get-param wideRootNoise") == "0.04"
    talk.ok("kata-set-param cpuctExploration 1")
    assert talk.session.settings.search.puct_exploration == pytest.approx(0.5)
    assert talk.ok("kata-get-param search.puct_exploration") == "0.5"


def test_set_rule_changes_one_rule(talk):
    talk.ok("komi 3.5")
    talk.ok("kata-set-rule ko SIMPLE")
    assert json.loads(talk.ok("kata-get-rules"))["ko"] == "SIMPLE"
    talk.ok("kata-set-rule suicide true")
    assert talk.session.position.rules.suicide is True
    assert talk.ok("get_komi") == "3.5"
    talk.ok("kata-set-rule hasButton false")
    talk.ok("kata-set-rule tax none")
    talk.ok("kata-set-rule scoring TERRITORY")
    talk.ok("kata-set-rule scoring AREA")
    for line in ("kata-set-rule", "kata-set-rule ko NEVER", "kata-set-rule what 1"):
        assert talk.fails(line)
    talk.ok("kata-set-rule friendlyPassOk false")
    assert talk.session.position.rules.requires_capture
    talk.ok("kata-set-rule scoring TERRITORY")
    assert not talk.session.position.rules.requires_capture
    for rule in ("hasButton true", "tax ALL"):
        assert "is not supported" in talk.fails(f"kata-set-rule {rule}")


def test_sizes(talk):
    talk.ok("rectangular_boardsize 7 9")
    assert talk.ok("query_boardsize") == "7 9"
    talk.ok("boardsize 5")
    assert talk.ok("query_boardsize") == "5"
    assert talk.fails("rectangular_boardsize 7").startswith("usage")


@pytest.mark.kernels
def test_raw_network_output(talk):
    talk.ok("play b D4")
    words = talk.ok("kata-raw-nn 0").split()
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
    assert "symmetry 0" in talk.ok("kata-raw-nn all")
    assert talk.fails("kata-raw-nn 3")
    talk.ok("boardsize 5")
    assert "too small" in talk.fails("kata-raw-nn 0")


@pytest.mark.kernels
def test_kata_lines_contain_requested_fields():
    talk = Talk("playouts=300", size=5)
    talk.ok("play b C3")
    flags = "rootInfo true ownership true movesOwnership true pvVisits true pvEdgeVisits true"
    assert talk.session.handle(f"kata-genmove_analyze w maxmoves 2 {flags}") == "\n"
    _, text, _ = "".join(talk.written).splitlines()
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
    talk = Talk("playouts=20", size=5)
    talk.session.handle("lz-genmove_analyze b minmoves 12")
    assert "".join(talk.written).count("info move ") >= 12
    assert re.search(r" visits 0 ", "".join(talk.written))


@pytest.mark.kernels
@pytest.mark.parametrize("name", ["genmove_analyze", "lz-genmove_analyze"])
def test_avoid_and_allow_restrict_the_move(name):
    talk = Talk("playouts=50", size=5)
    talk.session.handle(f"{name} b allow b A1,B2 1")
    assert re.search(r"play (A1|B2|pass)\n", "".join(talk.written))
    talk.written.clear()
    talk.session.handle(f"{name} w avoid w C3,pass 1")
    assert "info move C3" not in "".join(talk.written)
    assert "info move pass" not in "".join(talk.written)


# CGOS and KGS


@pytest.mark.kernels
def test_cgos_genmove_analyze():
    talk = Talk("playouts=100", size=5)
    talk.ok("cgos-opponent_name joe")
    talk.ok("cgos-opponent_rating 1800?")
    assert talk.session.handle("3 cgos-genmove_analyze b") == "\n"
    begun, line, move = "".join(talk.written).splitlines()
    assert begun == "=3"
    told = json.loads(line)
    assert set(told) == {"winrate", "score", "visits", "moves", "ownership"}
    assert len(told["ownership"]) == 25
    assert set(told["moves"][0]) == {"move", "visits", "winrate", "score", "prior", "pv"}
    assert move == f"play {told['moves'][0]['move']}"
    talk.ok("cgos-gameover B+R")
    assert len(talk.session.position.moves) == 1


def test_cgos_ownership_encoding():
    import numpy as np

    packed = cgos_ownership(np.array([[-1.0, 0.0], [1.0, 7.0]]))
    assert packed == CGOS_LETTERS[0] + CGOS_LETTERS[31] + CGOS_LETTERS[62] * 2


@pytest.mark.kernels
def test_kgs_chat(talk):
    assert "not searched yet" in talk.ok("kgs-chat private joe who are you")
    talk.ok("genmove b")
    assert re.search(r"(Black|White) won \d+% of \d+ simulations", talk.ok("kgs-chat game joe ?"))
    assert talk.fails("kgs-chat game").startswith("usage")


# Names and the log


def test_identity_is_configurable():
    session = Session(identity=Identity("KataGo", "1.15.0"))
    assert session.handle("name") == "= KataGo\n\n"
    assert session.handle("version") == "= 1.15.0\n\n"


def test_log_appends_input_and_output(tmp_path):
    path = tmp_path / "talk.log"
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
    talk = Talk(size=5, interrupted=lambda: is_cancelled)
    before = talk.state()
    assert talk.session.parse_move(talk.ok("kata-search b")) >= 0
    found = talk.ok("kata-search_cancellable b")
    assert (found == "cancelled") == is_cancelled
    talk.session.handle("kata-search_analyze_cancellable b 100")
    assert ("play cancelled" in "".join(talk.written)) == is_cancelled
    talk.written.clear()
    talk.session.handle("kata-search_analyze b 100")
    assert re.search(r"info move .*\nplay [A-Ep]", "".join(talk.written))
    assert "cancelled" not in "".join(talk.written)
    assert talk.state() == before


@pytest.mark.kernels
def test_seed_reproduces_a_game():
    talk = Talk("seed=0")
    games = []
    for _ in range(2):
        talk.ok("clear_board")
        talk.ok("set_random_seed 5")
        games.append([talk.ok("genmove b"), talk.ok("genmove w"), talk.ok("genmove b")])
    assert games[0] == games[1]
    for seed in ("0", "-3", "99999999999999999999"):
        talk.ok(f"set_random_seed {seed}")
    assert talk.fails("set_random_seed x")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ('{"scorring":"TERRITORY"}', "unknown rule 'scorring'"),
        ('{"scoring":"AREA","komi":0.5}', "unknown rule 'komi'"),
    ],
)
def test_rejects_unknown_rules(talk, words, complaint):
    assert complaint in talk.fails(f"kata-set-rules {words}")


def test_rules_have_katago_config_names(talk):
    talk.ok('kata-set-rules {"koRule":"SIMPLE","multiStoneSuicideLegal":true}')
    assert '"ko": "SIMPLE"' in talk.ok("kata-get-rules")
    assert '"suicide": true' in talk.ok("kata-get-rules")


def test_invalid_settings_are_not_applied(talk):
    """Neither before the first move, nor after it, nor when repeated."""
    for _ in range(2):
        assert "no network 'nonexist'" in talk.fails("kata-set-param play.net nonexist")
    talk.ok("genmove b")
    for _ in range(2):
        assert "no network 'nonexist'" in talk.fails("kata-set-param play.net nonexist")
        assert "cannot read the book" in talk.fails("kata-set-param opening.book nonexist")
    talk.ok("genmove w")
