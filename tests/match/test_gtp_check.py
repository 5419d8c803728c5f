import os
import shlex
import shutil

import pytest
from match_helpers import scripted

from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.match.gtp_check import Verdict, check_engine

GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")


def findings(command):
    return {f.promise: f for f in check_engine(shlex.split(command), 20)}


def broken(command):
    return [p for p, finding in findings(command).items() if finding.verdict is Verdict.BROKEN]


def test_a_sloppy_engine_is_found_out():
    """The scripted engine knows no ids and refuses nothing."""
    found = broken(scripted())
    assert any("number before the command" in promise for promise in found)
    assert any("refuses occupied" in promise for promise in found)
    assert not any("protocol_version" in promise for promise in found)


def test_babble_is_found_out():
    assert any("standard output" in promise for promise in broken(scripted(babble=1)))


def test_a_crash_is_a_finding_and_the_checks_go_on():
    found = findings(scripted(crash=1))
    assert "out of cheese" in found["genmove answers a move, and plays it."].detail
    assert found["quit answers, and the program ends."].verdict is Verdict.KEPT


def test_the_command_tells_by_its_exit_code(capsys):
    assert main(["gtp-check", scripted()]) == 1
    assert "FAIL" in capsys.readouterr().out


def test_an_engine_that_does_not_start_is_bad_input():
    with pytest.raises(TengenError, match="cannot start"):
        main(["gtp-check", "/no/such/engine"])


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian package gnugo)")
def test_gnu_go_keeps_the_protocol():
    assert broken(f"{GNUGO} --mode gtp --level 1") == []
