"""GTP over a pipe: replies on stdout only, garbage, and clean exits."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

COMMAND = [sys.executable, "-m", "tengen.cli.main", "gtp", "playouts=50", "threads=1", "seed=3"]
PATIENCE_S = 120
"""Ends a test that hangs; a first start may have to compile."""


class Pipe:
    """An engine in a child process."""

    def __init__(self, *words, **environment):
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        self._lines = queue.Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line.decode())
        self._lines.put(None)

    def send(self, text):
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode())
        self.process.stdin.flush()

    def line(self):
        return self._lines.get(timeout=PATIENCE_S)

    def reply(self):
        """Return the lines up to the next blank line."""
        lines = []
        while (line := self.line()) not in ("\n", None):
            lines.append(line.rstrip("\n"))
        return lines

    def ask(self, text):
        self.send(text + "\n")
        return self.reply()

    def end(self):
        """Return (exit code, remaining stdout, stderr)."""
        code = self.process.wait(timeout=PATIENCE_S)
        rest = []
        while (line := self.line()) is not None:
            rest.append(line)
        return code, "".join(rest), self.process.stderr.read().decode()


@pytest.fixture
def pipe():
    engine = Pipe()
    yield engine
    if engine.process.poll() is None:
        engine.process.kill()
    engine.process.wait()
    for stream in (engine.process.stdin, engine.process.stdout, engine.process.stderr):
        with contextlib.suppress(BrokenPipeError):
            stream.close()


def no_traceback(errors):
    assert "Traceback" not in errors
    assert "Fatal Python error" not in errors
    return "tengen: " in errors or not errors.strip()


def test_session_with_garbage(pipe):
    assert pipe.ask("1 boardsize 9\r") == ["=1 "]
    pipe.send(b"\xff\xfe\x00garbage\x80 \xc3\n")
    assert pipe.reply() == ["? unknown command"]
    pipe.send(b"\n\r\n\t\n# a remark\n\x00\x01\n2\tname\x07 # who\r\n")
    assert pipe.reply() == ["=2 Tengen"]
    pipe.send(b"kata-set-rules \xe5\x9b\xb2\xe7\xa2\x81\n3 play b d4\r\n4 genmove w\r\n")
    assert pipe.reply()[0].startswith("? unknown rules")
    assert pipe.reply() == ["=3 "]
    assert re.fullmatch(r"=4 ([A-HJ][1-9]|pass|resign)", pipe.reply()[0])
    pipe.send("x" * 200_000 + "\n")
    assert pipe.reply() == ["? unknown command"]
    assert pipe.ask("quit") == ["= "]
    code, rest, errors = pipe.end()
    assert (code, rest) == (0, ""), "quit ends it although the pipe is still open"
    assert no_traceback(errors)


def test_ends_at_the_end_of_input(pipe):
    pipe.send(b"name\nversi")
    pipe.process.stdin.close()
    assert pipe.reply() == ["= Tengen"]
    code, rest, errors = pipe.end()
    assert code == 0
    assert rest in ("", "? unknown command\n\n")
    assert no_traceback(errors)


@pytest.mark.parametrize("stop", ["protocol_version", ""])
def test_lz_analyze_stops_at_the_next_line(pipe, stop):
    pipe.ask("boardsize 9")
    pipe.send("5 lz-analyze b 1 maxmoves 3\n")
    assert pipe.line() == "=5\n"
    info = re.compile(
        r"info move ([A-HJ]\d|pass) visits \d+ winrate \d+ prior \d+ lcb \d+ order \d+"
        r" pv( ([A-HJ]\d|pass))+"
    )
    for _ in range(3):
        parts = re.split(r" (?=info )", pipe.line().rstrip("\n"))
        assert 1 <= len(parts) <= 3
        for order, part in enumerate(parts):
            assert info.fullmatch(part), part
            assert f" order {order} " in part
    pipe.send(stop + "\n")
    assert all(line.startswith("info move ") for line in pipe.reply()), "then the blank line"
    if stop:
        assert pipe.reply() == ["= 2"]
    assert pipe.ask("6 name") == ["=6 Tengen"]


def test_kata_analyze_with_all_options(pipe):
    pipe.ask("boardsize 5 7")
    pipe.ask("play b C3")
    pipe.send("kata-analyze interval 1 rootInfo true ownership true allow w A1,B2 1\n")
    assert pipe.line() == "=\n"
    text = pipe.line()
    pipe.send("\n")
    pipe.reply()
    number = r"-?\d+\.\d+"
    moves = re.findall(r"info move (\w+) ", text)
    assert set(moves) <= {"A1", "B2", "pass"}
    for name in ("utility", "winrate", "scoreMean", "scoreStdev", "scoreLead", "prior", "lcb"):
        assert len(re.findall(rf" {name} {number}(?= )", text)) >= len(moves), name
    assert re.search(rf"rootInfo visits \d+ utility {number} winrate {number}", text)
    ownership = [float(word) for word in text.partition("ownership ")[2].split()]
    assert len(ownership) == 35
    assert all(-1 <= value <= 1 for value in ownership)


def test_quit_during_an_analysis(pipe):
    pipe.ask("boardsize 5")
    pipe.send("lz-analyze 1\n")
    assert pipe.line() == "=\n"
    assert pipe.line().startswith("info ")
    pipe.send("quit\n")
    pipe.reply()
    assert pipe.reply() == ["= "]
    assert pipe.end()[0] == 0


def test_end_of_input_during_an_analysis(pipe):
    pipe.ask("boardsize 5")
    pipe.send("lz-analyze 1\n")
    assert pipe.line() == "=\n"
    pipe.process.stdin.close()
    assert pipe.end()[0] == 0


@pytest.mark.parametrize("busy", [False, True])
def test_sigint_exits_without_a_traceback(pipe, busy):
    pipe.ask("boardsize 9")
    if busy:
        pipe.send("lz-analyze 1\n")
        assert pipe.line() == "=\n"
        assert pipe.line().startswith("info ")
    pipe.process.send_signal(signal.SIGINT)
    code, _, errors = pipe.end()
    assert code == 130
    assert errors == ""


def test_sigterm_exits(pipe):
    pipe.ask("name")
    pipe.process.send_signal(signal.SIGTERM)
    code, _, errors = pipe.end()
    assert code in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert "Traceback" not in errors


def test_exits_on_a_broken_pipe():
    engine = Pipe()
    engine.ask("name")
    reader, writer = os.pipe()
    os.close(reader)
    broken = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    _, errors = broken.communicate(b"name\nname\n", timeout=PATIENCE_S)
    assert b"Traceback" not in errors
    assert broken.returncode in (0, 141)
    engine.ask("quit")
    assert engine.end()[0] == 0


def test_prints_any_text_in_any_locale():
    engine = Pipe(PYTHONIOENCODING="ascii:strict")
    assert engine.ask("kgs-rules 囲碁")[0].startswith("? unknown rules '囲碁'")
    engine.ask("quit")
    assert engine.end()[0] == 0


def test_reports_a_failing_source_on_stderr(tmp_path):
    path = tmp_path / "ideas.py"
    path.write_text("def unlucky(position):\n    raise ValueError('no idea')\n")
    engine = Pipe("--prior", f"{path}:unlucky")
    engine.ask("boardsize 5")
    assert re.fullmatch(r"= ([A-E][1-5]|pass)", engine.ask("genmove b")[0])
    engine.ask("genmove w")
    engine.ask("quit")
    code, rest, errors = engine.end()
    assert (code, rest) == (0, "")
    assert errors.count("source unlucky failed in ideas.py, line 2: ValueError('no idea')") == 1


def test_ponders_between_commands():
    engine = Pipe("ponder=yes")
    engine.ask("boardsize 5")
    for command in ("genmove b", "play w A1", "genmove b", "undo", "clear_board", "genmove b"):
        assert engine.ask(command)[0].startswith("= ")
    time.sleep(0.05)
    engine.ask("quit")
    assert engine.end()[:2] == (0, "")


def test_interrupt_line_stops_a_genmove():
    """Even if it arrives together with the command."""
    engine = Pipe("playouts=0", "seconds=3600", "stop_early=no")
    engine.ask("boardsize 9")
    assert engine.ask("gogui-interrupt") == ["= "]
    engine.send("7 genmove b\n# interrupt\n")
    assert re.fullmatch(r"=7 [A-HJ][1-9]", engine.reply()[0])
    for command in ("lz-genmove_analyze w 10", "reg_genmove b"):
        engine.send(command + "\n")
        if "analyze" in command:
            assert engine.line() == "=\n"
        engine.send("# interrupt\r\n")
        assert engine.reply()
    assert engine.ask("8 name") == ["=8 Tengen"], "an old interrupt stops nothing new"
    engine.send("kata-analyze 5\n")
    assert engine.line() == "=\n"
    assert engine.line().startswith("info ")
    engine.send("quit\n")
    engine.reply()
    assert engine.reply() == ["= "]
    assert engine.end()[0] == 0


def test_settings_file_log_and_name(tmp_path):
    config, log = tmp_path / "engine.toml", tmp_path / "client.log"
    config.write_text("playouts = 20\n[search]\nexpansion_visits = 3\n[priors]\nshape = 0\n")
    engine = Pipe("--config", str(config), "--log", str(log), "--as", "katago")
    assert engine.ask("name") == ["= KataGo"]
    assert engine.ask("kata-get-param search.expansion_visits") == ["= 3"]
    assert engine.ask("kata-get-param priors.shape") == ["= 0"]
    engine.send(b"1 boardsize 5\r\n2 genmove b\r\n")
    assert engine.reply() == ["=1 "]
    assert engine.reply()[0].startswith("=2 ")
    engine.ask("quit")
    assert engine.end()[0] == 0
    logged = [line.split(" ", 2)[2] for line in log.read_text().splitlines()]
    assert logged[:2] == [">> name", "<< = KataGo"]
    assert logged[-2:] == [">> quit", "<< = "]
