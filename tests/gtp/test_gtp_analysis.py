"""Analysis: what is refused, what is left unchanged, and a move with its thoughts."""

import re

import numpy as np
import pytest
from gtp_helpers import Talk

from tengen.board.colour import WHITE
from tengen.core.errors import TengenError
from tengen.gtp.analysis import Broadcast
from tengen.gtp.analysis_lines import lz_line
from tengen.gtp.analysis_options import Options
from tengen.gtp.session import COMMANDS
from tengen.search.report import SearchReport


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
@pytest.mark.parametrize(
    "words",
    ["", "w", "b 10", "10 b", "maxmoves 0 b 5", "allow b pass 1", "avoid w A1 1 w", "minmoves 3"],
)
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


def test_before_any_visit_no_blank_line_is_written(talk):
    """A blank line would end the reply."""
    size = talk.session.position.rows
    nothing = SearchReport([], 0, 0, 0.5, np.zeros((size, size)), 1, 0.0)
    Broadcast(talk.session, Options(talk.session, []), lz_line).send(nothing)
    assert "".join(talk.written) == "=\n"


def test_a_failure_in_a_reply_that_has_begun_is_told_on_stderr(talk, monkeypatch, capsys):
    def fails(session, arguments):
        session.begin_reply()
        raise TengenError("the net is gone")

    monkeypatch.setitem(COMMANDS, "fails", fails)
    noted = []
    talk.session.note = noted.append
    assert talk.session.handle("7 fails") == "\n"
    assert talk.written == ["=7\n"]
    assert "the net is gone" in capsys.readouterr().err
    assert noted == ["the net is gone"]
