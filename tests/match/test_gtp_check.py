import os
import shlex
import shutil

import pytest
from match_helpers import scripted

from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.match.gtp_check import Verdict, check_engine
from tengen.match.gtp_client import GtpClient

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


def test_an_engine_that_refuses_its_name_is_found_out(capsys):
    assert main(["gtp-check", scripted(nameless=1)]) == 1
    assert "FAIL name and version" in capsys.readouterr().out


def test_what_is_not_offered_has_not_passed(capsys):
    main(["gtp-check", scripted()])
    out = capsys.readouterr().out.splitlines()
    kept, not_offered = (sum(line.startswith(word) for line in out) for word in ("ok ", "- "))
    broken = sum(line.startswith("FAIL") for line in out)
    assert not_offered
    assert out[-1] == f"{kept} of {kept + broken} checks passed, {not_offered} not offered"


def test_an_engine_ends_with_its_checks(monkeypatch):
    """As after Ctrl-C; and each finding is told at once."""
    clients = []

    def start(command):
        clients.append(GtpClient(command))
        return clients[-1]

    monkeypatch.setattr("tengen.match.gtp_check.GtpClient", start)
    checks = check_engine(shlex.split(scripted()), 20)
    assert next(checks).verdict is Verdict.KEPT
    assert clients[0].alive
    checks.close()
    assert not clients[0].alive
