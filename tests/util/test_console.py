"""Control characters of records and file names do not reach the terminal."""

import io
import sys

import pytest

from tengen.cli import main as command_line
from tengen.util import Console, clean_streams, raw_stream
from tengen.util.terminal import CleanStream, printable

EVIL = "B+R\x1b[2J\x1b]0;title\x07\r\x9b31m\u202e:x:"
CLEAN = "B+R[2J]0;title31m:x:"


def test_printable():
    assert printable(EVIL) == CLEAN
    assert printable("a\tb\n圍碁 é") == "a\tb\n圍碁 é"


def test_streams_drop_control_characters(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    clean_streams()
    clean_streams()
    print(EVIL)
    sys.stdout.writelines([EVIL])
    assert out.getvalue() == f"{CLEAN}\n{CLEAN}"
    assert raw_stream(sys.stdout) is out
    assert isinstance(sys.stderr, CleanStream)


@pytest.mark.parametrize("is_terminal", [False, True])
def test_console_keeps_its_own_escape_sequences_only(monkeypatch, is_terminal):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    clean_streams()
    colors = "truecolor" if is_terminal else None
    console = Console(highlight=False, force_terminal=is_terminal, color_system=colors)
    console.print("[red]" + EVIL.replace("[", "\\["))
    text = out.getvalue()
    assert CLEAN in text
    assert text.count("\x1b") == (2 if is_terminal else 0)


@pytest.mark.kernels
@pytest.mark.parametrize("words", [["score"], ["games", "stat"]])
def test_commands_print_no_control_characters(tmp_path, capfd, monkeypatch, words):
    path = tmp_path / "evil\x1b[31m.sgf"
    path.write_bytes(f"(;SZ[5]RE[{EVIL}]PB[{EVIL}]RU[{EVIL}];B[cc];W[zz])".encode())
    monkeypatch.setattr(sys, "argv", ["tengen", *words, str(path)])
    with pytest.raises(SystemExit):
        command_line.entry()
    captured = capfd.readouterr()
    text = captured.out + captured.err
    assert text
    assert printable(text) == text
