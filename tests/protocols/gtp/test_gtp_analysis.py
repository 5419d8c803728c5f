"""GTP analysis commands."""

import re

import numpy as np
import pytest
from gtp_helpers import Talk

from tengen.board import WHITE
from tengen.protocols.gtp import COMMANDS
from tengen.protocols.gtp.analysis import AnalysisOptions, AnalysisStream, lz_line
from tengen.search import SearchReport
from tengen.util import TengenError


@pytest.fixture
def talk():
    return Talk()


@pytest.mark.parametrize(
    "words", ["x 5", "b interval", "avoid b D4", "avoid b Z9 1", "interval x", "maxmoves x"]
)
def test_rejects_invalid_analysis_arguments(talk, words):
    for name in ("lz-analyze", "kata-analyze", "analyze"):
        assert talk.fails(f"{name} {words}")
    assert talk.written == []


@pytest.mark.kernels
@pytest.mark.parametrize(
    "words",
    ["", "w", "b 10", "10 b", "maxmoves 0 b 5", "allow b pass 1", "avoid w A1 1 w", "minmoves 3"],
)
def test_analysis_has_no_side_effects_or_blank_lines(words):
    talk = Talk(size=5, interrupted=lambda: True)
    before = talk.state()
    assert talk.session.handle(f"lz-analyze {words}") == "\n"
    assert talk.state() == before
    assert talk.written[0] == "=\n"
    assert all(line.startswith("info move ") for line in talk.written[1:])


@pytest.mark.parametrize(("name", "form"), [("lz", r"winrate \d+ "), ("kata", r"winrate 0\.\d+ ")])
def test_genmove_analyze(name, form):
    talk = Talk()
    assert talk.session.handle(f"7 {name}-genmove_analyze w 100") == "\n"
    begun, info, move = "".join(talk.written).splitlines()
    assert begun == "=7"
    assert re.match(rf"info move \S+ visits \d+ .*{form}", info)
    word, vertex = move.split()
    assert word == "play"
    assert talk.session.position.moves[-1].color is WHITE
    assert talk.session.position.vertex(talk.session.position.moves[-1].move) == vertex


@pytest.mark.parametrize("name", ["lz", "kata"])
def test_genmove_analyze_after_two_passes(talk, name):
    for color in "bw":
        talk.session.handle(f"play {color} pass")
    assert talk.session.handle(f"{name}-genmove_analyze b 100") == "\n"
    begun, info, move = "".join(talk.written).splitlines()
    assert begun == "="
    assert info.startswith("info move ")
    assert move.startswith("play ")


def test_sends_no_blank_line_before_the_first_visit(talk):
    """A blank line would end the reply."""
    size = talk.session.position.rows
    nothing = SearchReport([], 0, 0, 0.5, np.zeros((size, size)), 1, 0.0)
    AnalysisStream(talk.session, AnalysisOptions(talk.session, []), lz_line).send(nothing)
    assert "".join(talk.written) == "=\n"


def test_reports_a_failure_during_a_streamed_reply(talk, monkeypatch, capsys):
    def fails(session, arguments):
        session.output.begin_stream()
        raise TengenError("the net is gone")

    monkeypatch.setitem(COMMANDS, "fails", fails)
    noted = []
    talk.session.output.note = noted.append
    assert talk.session.handle("7 fails") == "\n"
    assert talk.written == ["=7\n"]
    assert "the net is gone" in capsys.readouterr().err
    assert noted == ["the net is gone"]
