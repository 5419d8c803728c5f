"""Analysis: what is refused, what is left unchanged, and a move with its thoughts."""

import re

import pytest
from gtp_helpers import Talk

from tengen.board.colour import WHITE


@pytest.fixture
def talk():
    return Talk()


@pytest.mark.parametrize(
    "words", ["x 5", "b interval", "avoid b D4", "avoid b Z9 1", "interval x", "maxmoves x"]
)
def test_bad_analysis_is_refused_at_once(talk, words):
    for name in ("lz-analyze", "kata-analyze", "analyze"):
        assert talk.fails(f"{name} {words}")
    assert talk.written == []


@pytest.mark.kernels
@pytest.mark.parametrize("words", ["", "w", "b 10", "maxmoves 0", "allow b pass 1", "minmoves 3"])
def test_analysis_changes_nothing_and_leaves_no_blank_line(words):
    talk = Talk(size=5, interrupted=lambda: True)
    before = talk.state()
    assert talk.session.handle(f"lz-analyze {words}") == "\n"
    assert talk.state() == before
    assert talk.written[0] == "=\n"
    assert all(line.startswith("info move ") for line in talk.written[1:])


@pytest.mark.parametrize(("name", "form"), [("lz", r"winrate \d+ "), ("kata", r"winrate 0\.\d+ ")])
def test_a_move_with_analysis(name, form):
    talk = Talk()
    assert talk.session.handle(f"7 {name}-genmove_analyze w 100") == "\n"
    begun, info, move = "".join(talk.written).splitlines()
    assert begun == "=7"
    assert re.match(rf"info move \S+ visits \d+ .*{form}", info)
    word, vertex = move.split()
    assert word == "play"
    assert talk.session.position.moves[-1].colour is WHITE
    assert talk.session.position.vertex(talk.session.position.moves[-1].move) == vertex


@pytest.mark.parametrize("name", ["lz", "kata"])
def test_after_two_passes_a_move_is_analysed_as_any_other(talk, name):
    for colour in "bw":
        talk.session.handle(f"play {colour} pass")
    assert talk.session.handle(f"{name}-genmove_analyze b 100") == "\n"
    begun, info, move = "".join(talk.written).splitlines()
    assert begun == "="
    assert info.startswith("info move ")
    assert move.startswith("play ")
