"""One game against engines that misbehave: each loses, and the next game goes on."""

import dataclasses
import json

import pytest
from match_helpers import SETTING, scripted

from tengen.board.colour import BLACK, WHITE
from tengen.match.clock import parse_time
from tengen.match.game import Dispute, Reason, dispute_of, play_game
from tengen.match.judge import tromp_taylor_margin
from tengen.match.player import BadScoreError, GtpPlayer, parse_score

FAST = dataclasses.replace(SETTING, control=parse_time("300ms/move"), lag_s=0.1)


def play(black, white, setting=SETTING, games=1):
    """Return the outcomes of some games between the same two engine objects."""
    players = {BLACK: GtpPlayer(black), WHITE: GtpPlayer(white)}
    try:
        return [play_game(setting, players, (), 7, tromp_taylor_margin) for _ in range(games)]
    finally:
        for player in players.values():
            player.close()


def test_a_decent_game_is_scored_by_the_judge():
    (outcome,) = play(scripted(stones=3), scripted(stones=2))
    assert (outcome.winner, outcome.reason, outcome.margin) == (BLACK, Reason.SCORE, 0.5)
    assert outcome.result == "B+0.5"
    assert len(outcome.moves) == 7
    assert outcome.seed == 7


def test_cpu_and_time_of_both_sides_are_known():
    (outcome,) = play(scripted(), scripted())
    for side in outcome.sides.values():
        assert side.time_s > 0
        assert side.cpu_s is None or side.cpu_s >= 0


@pytest.mark.parametrize(
    ("options", "reason", "note"),
    [
        ({"crash": 2}, Reason.CRASH, "out of cheese"),
        ({"illegal": 2}, Reason.ILLEGAL, "illegal move A1"),
        ({"nonsense": 1}, Reason.ILLEGAL, "banana"),
        ({"resign": 2}, Reason.RESIGN, ""),
        ({"refuse": 1}, Reason.REFUSAL, "play: illegal move"),
    ],
)
def test_who_misbehaves_loses_and_plays_on(options, reason, note):
    first, second = play(scripted(), scripted(**options), games=2)
    for outcome in (first, second):
        assert (outcome.winner, outcome.reason) == (BLACK, reason)
        assert note in outcome.note
        assert outcome.margin is None


def test_a_crash_keeps_the_last_words():
    (outcome,) = play(scripted(crash=1), scripted())
    assert outcome.winner is WHITE
    assert "out of cheese" in outcome.sides[BLACK].log


def test_a_hung_engine_is_killed_and_started_again():
    first, second = play(scripted(hang=1), scripted(), FAST, games=2)
    assert (first.winner, first.reason) == (WHITE, Reason.HANG)
    assert (second.winner, second.reason) == (WHITE, Reason.HANG)


def test_a_late_answer_loses_on_time():
    patient = dataclasses.replace(SETTING, control=parse_time("1s/move"), grace_s=20)
    (outcome,) = play(scripted(late="2,1.5"), scripted(), patient)
    assert (outcome.winner, outcome.reason, outcome.result) == (WHITE, Reason.TIME, "W+T")


def test_babble_does_not_confuse():
    plain, babbled = play(scripted(), scripted()), play(scripted(babble=1), scripted(babble=1))
    assert plain[0].moves == babbled[0].moves


def test_a_disputed_score_is_kept():
    (outcome,) = play(scripted(stones=3, score="B+0.5"), scripted(score="W+9"))
    assert outcome.winner is BLACK
    assert (outcome.sides[BLACK].says, outcome.sides[BLACK].dispute) == (0.5, Dispute.NONE)
    assert (outcome.sides[WHITE].says, outcome.sides[WHITE].dispute) == (-9, Dispute.WINNER)


def test_disputes():
    assert dispute_of(None, 3.5) is Dispute.NONE
    assert dispute_of(2.5, 3.5) is Dispute.MARGIN
    assert dispute_of(0.0, 3.5) is Dispute.WINNER


@pytest.mark.parametrize(("text", "margin"), [("B+3.5", 3.5), ("w+2", -2), ("0", 0), ("0.0", 0)])
def test_reads_scores(text, margin):
    assert parse_score(text) == margin


@pytest.mark.parametrize("text", ["", "B+", "X+3", "B+Resign", "draw"])
def test_refuses_what_is_no_score(text):
    with pytest.raises(BadScoreError):
        parse_score(text)


def test_rules_are_told_as_exactly_as_a_program_understands():
    (outcome,) = play(scripted(rules="kata-set-rules"), scripted(rules="kgs-rules"))
    told = json.loads(outcome.sides[BLACK].log.split()[0])
    assert (told["ko"], told["scoring"]) == ("POSITIONAL", "AREA"), "not KataGo's own `chinese`"
    assert outcome.sides[WHITE].log.split() == [SETTING.rules.name]


def test_a_seed_gets_into_the_command_line():
    (outcome,) = play(scripted(log="{seed}"), scripted(log="none"))
    assert "7" in outcome.sides[BLACK].log.split()
    assert "none" in outcome.sides[WHITE].log


def test_a_clock_is_told_and_kept():
    (outcome,) = play(
        scripted(), scripted(), dataclasses.replace(SETTING, control=parse_time("5m"))
    )
    assert outcome.reason is Reason.SCORE


KGS, KATA = "kgs-time_settings", "kata-time_settings"


def told_of_time(text, **options):
    """Return what an engine is told of a clock before its first move."""
    setting = dataclasses.replace(SETTING, control=parse_time(text))
    (outcome,) = play(scripted(echo=1, **options), scripted(), setting)
    assert outcome.reason is Reason.SCORE
    return [line for line in outcome.sides[BLACK].log.splitlines() if "time_" in line][:2]


@pytest.mark.parametrize(
    ("text", "options", "told"),
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
def test_every_clock_is_told_as_a_program_understands(text, options, told):
    assert told_of_time(text, **options) == told


def test_a_refused_clock_is_told_more_simply():
    told = told_of_time("3x30s", knows=KGS, rejects=KGS)
    assert told == ["kgs-time_settings byoyomi 0 30 3", "time_settings 0 30 1"]


@pytest.mark.parametrize("text", ["1s", "1s/move", "1s+1s/2", "200ms+500ms", "400ms+3x200ms"])
def test_every_clock_may_be_overstepped(text):
    patient = dataclasses.replace(SETTING, control=parse_time(text), lag_s=0.1, grace_s=20)
    (outcome,) = play(scripted(late="1,2.2"), scripted(), patient)
    assert (outcome.winner, outcome.reason, outcome.result) == (WHITE, Reason.TIME, "W+T")


def test_a_program_may_take_its_time_before_its_first_game():
    """It may load a net or compile at any command; later none may take so long."""
    player = GtpPlayer(scripted(slow=1.0))
    player.new_game(dataclasses.replace(SETTING, command_timeout_s=0.5), 1)
    assert player.name == "scripted"
    player.close()
