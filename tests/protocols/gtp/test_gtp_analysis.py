"""GTP analysis commands."""

import re

import numpy as np
import pytest
from gtp_helpers import SessionClient

from tengen.board import WHITE
from tengen.protocols.gtp import COMMANDS
from tengen.protocols.gtp.analysis import AnalysisOptions, AnalysisStream, lz_line
from tengen.search import SearchReport
from tengen.util import TengenError


@pytest.fixture
def client():
    return SessionClient()


@pytest.mark.parametrize(
    "words", ["x 5", "b interval", "avoid b D4", "avoid b Z9 1", "interval x", "maxmoves x"]
)
def test_rejects_invalid_analysis_arguments(client, words):
    for name in ("lz-analyze", "kata-analyze", "analyze"):
        assert client.fails(f"{name} {words}")
    assert client.written == []


@pytest.mark.kernels
@pytest.mark.parametrize(
    "words",
    ["", "w", "b 10", "10 b", "maxmoves 0 b 5", "allow b pass 1", "avoid w A1 1 w", "minmoves 3"],
)
def test_analysis_has_no_side_effects_or_blank_lines(words):
    client = SessionClient(size=5, interrupted=lambda: True)
    before = client.state()
    assert client.session.handle(f"lz-analyze {words}") == "\n"
    assert client.state() == before
    assert client.written[0] == "=\n"
    assert all(line.startswith("info move ") for line in client.written[1:])


@pytest.mark.parametrize(("name", "form"), [("lz", r"winrate \d+ "), ("kata", r"winrate 0\.\d+ ")])
def test_genmove_analyze(name, form):
    client = SessionClient()
    assert client.session.handle(f"7 {name}-genmove_analyze w 100") == "\n"
    begun, info, move = "".join(client.written).splitlines()
    assert begun == "=7"
    assert re.match(rf"info move \S+ visits \d+ .*{form}", info)
    word, vertex = move.split()
    assert word == "play"
    assert client.session.position.moves[-1].color is WHITE
    assert client.session.position.vertex(client.session.position.moves[-1].move) == vertex


@pytest.mark.parametrize("name", ["lz", "kata"])
def test_genmove_analyze_after_two_passes(client, name):
    for color in "bw":
        client.session.handle(f"play {color} pass")
    assert client.session.handle(f"{name}-genmove_analyze b 100") == "\n"
    begun, info, move = "".join(client.written).splitlines()
    assert begun == "="
    assert info.startswith("info move ")
    assert move.startswith("play ")


def test_sends_no_blank_line_before_the_first_visit(client):
    """A blank line would end the reply."""
    size = client.session.position.rows
    nothing = SearchReport([], 0, 0, 0.5, np.zeros((size, size)), 1, 0.0)
    AnalysisStream(client.session, AnalysisOptions(client.session, []), lz_line).send(nothing)
    assert "".join(client.written) == "=\n"


def test_reports_a_failure_during_a_streamed_reply(client, monkeypatch, capsys):
    def fails(session, arguments):
        session.output.begin_stream()
        raise TengenError("the net is gone")

    monkeypatch.setitem(COMMANDS, "fails", fails)
    noted = []
    client.session.output.note = noted.append
    assert client.session.handle("7 fails") == "\n"
    assert client.written == ["=7\n"]
    assert "the net is gone" in capsys.readouterr().err
    assert noted == ["the net is gone"]
