"""Single games, including engines that crash, hang, cheat and write noise."""

import dataclasses
import json

import pytest
from match_helpers import SETTINGS, scripted

from tengen.board import BLACK, WHITE
from tengen.engine import TimeControl
from tengen.match import parse_score
from tengen.match.game import Dispute, dispute_between, play_game, tromp_taylor_margin
from tengen.match.player import BadScoreError, GtpPlayer
from tengen.records import EndReason

FAST = dataclasses.replace(SETTINGS, time_control=TimeControl.parse("300ms/move"), lag_s=0.1)


def play(black, white, settings=SETTINGS, games=1):
    """Return games between the same two players."""
    players = {BLACK: GtpPlayer(black), WHITE: GtpPlayer(white)}
    try:
        return [play_game(settings, players, (), 7, tromp_taylor_margin) for _ in range(games)]
    finally:
        for player in players.values():
            player.close()


def test_finished_game_is_scored():
    (game,) = play(scripted(stones=3), scripted(stones=2))
    assert (game.result.winner, game.result.reason, game.result.margin_black) == (
        BLACK,
        EndReason.SCORE,
        0.5,
    )
    assert str(game.result) == "B+0.5"
    assert len(game.moves) == 7
    assert game.seed == 7


def test_time_and_cpu_time_are_recorded():
    (game,) = play(scripted(), scripted())
    for side in game.sides.values():
        assert side.time_s > 0
        assert side.cpu_s is None or side.cpu_s >= 0


@pytest.mark.parametrize(
    ("options", "reason", "note"),
    [
        ({"crash": 2}, EndReason.CRASH, "out of cheese"),
        ({"illegal": 2}, EndReason.ILLEGAL, "illegal move A1"),
        ({"nonsense": 1}, EndReason.ILLEGAL, "banana"),
        ({"resign": 2}, EndReason.RESIGN, ""),
        ({"refuse": 1}, EndReason.REFUSAL, "play: illegal move"),
    ],
)
def test_misbehaving_engine_loses_and_plays_on(options, reason, note):
    first, second = play(scripted(), scripted(**options), games=2)
    for game in (first, second):
        assert (game.result.winner, game.result.reason) == (BLACK, reason)
        assert note in game.note
        assert game.result.margin_black is None


def test_crash_log_is_kept():
    (game,) = play(scripted(crash=1), scripted())
    assert game.result.winner is WHITE
    assert "out of cheese" in game.sides[BLACK].log


def test_hung_engine_is_killed_and_restarted():
    first, second = play(scripted(hang=1), scripted(), FAST, games=2)
    assert (first.result.winner, first.result.reason) == (WHITE, EndReason.HANG)
    assert (second.result.winner, second.result.reason) == (WHITE, EndReason.HANG)


def test_late_reply_loses_on_time():
    patient = dataclasses.replace(SETTINGS, time_control=TimeControl.parse("1s/move"), grace_s=20)
    (game,) = play(scripted(late="2,1.5"), scripted(), patient)
    assert (game.result.winner, game.result.reason, str(game.result)) == (
        WHITE,
        EndReason.TIME,
        "W+T",
    )


def test_noise_on_standard_output_is_ignored():
    plain, babbled = play(scripted(), scripted()), play(scripted(babble=1), scripted(babble=1))
    assert plain[0].moves == babbled[0].moves


def test_disputed_score_is_recorded():
    (game,) = play(scripted(stones=3, score="B+0.5"), scripted(score="W+9"))
    assert game.result.winner is BLACK
    assert (game.sides[BLACK].reported_margin, game.sides[BLACK].dispute) == (0.5, Dispute.NONE)
    assert (game.sides[WHITE].reported_margin, game.sides[WHITE].dispute) == (-9, Dispute.WINNER)


def test_dispute_between_margins():
    assert dispute_between(None, 3.5) is Dispute.NONE
    assert dispute_between(2.5, 3.5) is Dispute.MARGIN
    assert dispute_between(0.0, 3.5) is Dispute.WINNER


@pytest.mark.parametrize(("text", "margin"), [("B+3.5", 3.5), ("w+2", -2), ("0", 0), ("0.0", 0)])
def test_parses_scores(text, margin):
    assert parse_score(text) == margin


@pytest.mark.parametrize("text", ["", "B+", "X+3", "B+Resign", "draw"])
def test_rejects_invalid_scores(text):
    with pytest.raises(BadScoreError):
        parse_score(text)


def test_rules_sent_to_engines():
    (game,) = play(scripted(rules="kata-set-rules"), scripted(rules="kgs-rules"))
    sent = json.loads(game.sides[BLACK].log.split()[0])
    assert (sent["ko"], sent["scoring"]) == ("POSITIONAL", "AREA"), "not KataGo's own `chinese`"
    assert game.sides[WHITE].log.split() == [SETTINGS.rules.name]


def test_seed_in_the_command_line():
    (game,) = play(scripted(log="{seed}"), scripted(log="none"))
    assert "7" in game.sides[BLACK].log.split()
    assert "none" in game.sides[WHITE].log


def test_game_with_a_clock():
    (game,) = play(
        scripted(), scripted(), dataclasses.replace(SETTINGS, time_control=TimeControl.parse("5m"))
    )
    assert game.result.reason is EndReason.SCORE


KGS, KATA = "kgs-time_settings", "kata-time_settings"


def sent_time_commands(text, **options):
    """Return the time commands sent before the first move."""
    settings = dataclasses.replace(SETTINGS, time_control=TimeControl.parse(text))
    (game,) = play(scripted(echo=1, **options), scripted(), settings)
    assert game.result.reason is EndReason.SCORE
    return [line for line in game.sides[BLACK].log.splitlines() if "time_" in line][:2]


@pytest.mark.parametrize(
    ("text", "options", "sent"),
    [
        ("5m", {}, ["time_settings 300 0 0", "time_left b 300 0"]),
        ("5m", {"rejects": "time_left"}, ["time_settings 300 0 0", "time_left b 300 0"]),
        ("9s/move", {"knows": KGS}, ["time_settings 0 9 1", "time_left b 9 1"]),
        ("5m+30s/5", {}, ["time_settings 300 30 5", "time_left b 300 0"]),
        ("3x30s", {"knows": KGS}, ["kgs-time_settings byoyomi 0 30 3", "time_left b 30 3"]),
        ("3x30s", {"knows": KATA}, ["kata-time_settings byoyomi 0 30 3", "time_left b 30 3"]),
        ("3x30s", {}, ["time_settings 0 30 1", "time_left b 30 1"]),
        ("5m+9s", {"knows": KATA}, ["kata-time_settings fischer 300 9", "time_left b 300 0"]),
        ("5m+9s", {}, ["time_settings 300 0 0", "time_left b 300 0"]),
    ],
)
def test_time_settings_sent_to_engines(text, options, sent):
    assert sent_time_commands(text, **options) == sent


def test_rejected_time_settings_fall_back_to_simpler_ones():
    sent = sent_time_commands("3x30s", knows=KGS, rejects=KGS)
    assert sent == ["kgs-time_settings byoyomi 0 30 3", "time_settings 0 30 1"]


@pytest.mark.parametrize("text", ["1s", "1s/move", "1s+1s/2", "200ms+500ms", "400ms+3x200ms"])
def test_every_time_control_can_be_exceeded(text):
    patient = dataclasses.replace(
        SETTINGS, time_control=TimeControl.parse(text), lag_s=0.1, grace_s=20
    )
    (game,) = play(scripted(late="1,2.2"), scripted(), patient)
    assert (game.result.winner, game.result.reason, str(game.result)) == (
        WHITE,
        EndReason.TIME,
        "W+T",
    )


def test_commands_before_the_first_game_have_a_longer_timeout():
    player = GtpPlayer(scripted(slow=1.0))
    player.new_game(dataclasses.replace(SETTINGS, command_timeout_s=0.5), 1)
    assert player.name == "scripted"
    player.close()
