import os
import shlex
import shutil

import pytest
from match_helpers import scripted

from tengen.cli.main import main
from tengen.match import GtpClient
from tengen.protocols import CheckOutcome, check_engine
from tengen.util import TengenError

GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")


def check(command):
    return {r.requirement: r for r in check_engine(shlex.split(command), 20)}


def failed(command):
    return [name for name, r in check(command).items() if r.outcome is CheckOutcome.FAILED]


def test_reports_violations():
    """The scripted engine ignores ids and accepts everything."""
    found = failed(scripted())
    assert any("id of a command" in requirement for requirement in found)
    assert any("rejects occupied" in requirement for requirement in found)
    assert not any("protocol_version" in requirement for requirement in found)


def test_reports_other_text_on_standard_output():
    assert any("Standard output" in requirement for requirement in failed(scripted(babble=1)))


def test_continues_after_a_crash():
    found = check(scripted(crash=1))
    assert "out of cheese" in found["genmove replies with a move and plays it."].detail
    quit_result = found["quit gets a reply, and the program ends."]
    assert quit_result.outcome is CheckOutcome.PASSED


def test_command_fails_if_a_check_fails(capsys):
    assert main(["gtp-check", scripted()]) == 1
    assert "FAIL" in capsys.readouterr().out


def test_rejects_an_engine_that_does_not_start():
    with pytest.raises(TengenError, match="cannot start"):
        main(["gtp-check", "/no/such/engine"])


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian package gnugo)")
def test_gnu_go_passes():
    assert failed(f"{GNUGO} --mode gtp --level 1") == []


def test_reports_an_engine_without_a_name(capsys):
    assert main(["gtp-check", scripted(nameless=1)]) == 1
    assert "FAIL name and version" in capsys.readouterr().out


def test_unsupported_commands_are_counted_separately(capsys):
    main(["gtp-check", scripted()])
    out = capsys.readouterr().out.splitlines()
    passed, unsupported = (sum(line.startswith(mark) for line in out) for mark in ("ok ", "- "))
    total = passed + sum(line.startswith("FAIL") for line in out)
    assert unsupported
    assert out[-1] == f"{passed} of {total} checks passed, {unsupported} not supported"


def test_kills_the_engine_when_closed(monkeypatch):
    """As after Ctrl-C; results are yielded one by one."""
    clients = []

    def start(command):
        clients.append(GtpClient(command))
        return clients[-1]

    monkeypatch.setattr("tengen.protocols.conformance.GtpClient", start)
    checks = check_engine(shlex.split(scripted()), 20)
    assert next(checks).outcome is CheckOutcome.PASSED
    assert clients[0].is_alive
    checks.close()
    assert not clients[0].is_alive
