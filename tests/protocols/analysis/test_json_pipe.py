"""`tengen analysis` over a pipe: responses on stdout, the rest on stderr, clean exits."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading

import pytest
from json_helpers import finals, make_query

from tengen.cli.main import main
from tengen.util import TengenError

COMMAND = [sys.executable, "-m", "tengen.cli.main", "analysis"]
PATIENCE_S = 240
"""Ends a test that hangs; a first start may have to compile."""
READY = "Started, ready to begin handling requests"


class Pipe:
    """An engine in a child process."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [*COMMAND, "seed=3", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines = queue.Queue()
        self.errors = []
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        self._is_ready = threading.Event()
        for thread in self._threads:
            thread.start()
        assert self._is_ready.wait(PATIENCE_S), self.errors

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors.append(line.decode().strip())
            if READY in self.errors[-1]:
                self._is_ready.set()

    def send(self, *objects):
        for given in objects:
            self.send_line(json.dumps(given))

    def send_line(self, text, end="\n"):
        self.process.stdin.write(text.encode() + end.encode())
        self.process.stdin.flush()

    def response(self):
        return self._lines.get(timeout=PATIENCE_S)

    def until(self, is_wanted):
        """Return the responses up to the first that matches."""
        responses = [self.response()]
        while not is_wanted(responses[-1]):
            responses.append(self.response())
        return responses

    def close(self):
        """End the input; return the exit code and the remaining responses."""
        self.process.stdin.close()
        return self.end()

    def end(self):
        rest = []
        while (response := self.response()) is not None:
            rest.append(response)
        code = self.process.wait(timeout=PATIENCE_S)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        return code, rest


@pytest.fixture
def pipe():
    engines = []

    def start(*words):
        engines.append(Pipe(*words))
        return engines[-1]

    yield start
    for engine in engines:
        if engine.process.poll() is None:
            engine.process.kill()
        engine.process.wait()
        for stream in (engine.process.stdin, engine.process.stdout, engine.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


LONG = {"maxVisits": 10_000_000, "reportDuringSearchEvery": 0.01}


def test_session(pipe):
    engine = pipe("--positions", "2")
    engine.send(make_query("long", **LONG))
    engine.until(lambda response: response["id"] == "long" and response["isDuringSearch"])
    moves = [["B", "C3"], ["W", "B2"]]
    engine.send(make_query("game", moves=moves, analyzeTurns=[0, 1, 2], priority=5))
    engine.send_line('{"id":"crlf","action":"query_version"}', end="\r\n")
    engine.send_line("")
    engine.send_line("nonsense \x00 \xff")
    responses = []
    while sum(finals(responses).values()) < 3:
        responses.append(engine.response())
    engine.send({"id": "t", "action": "terminate", "terminateId": "long"})
    responses += engine.until(lambda r: r.get("id") == "long" and r.get("isDuringSearch") is False)
    assert responses[-1]["rootInfo"]["visits"] > 0, "what was found until then"
    engine.send(make_query("more"), make_query("last"))
    code, rest = engine.close()
    assert code == 0
    responses += rest
    once = {("game", 0), ("game", 1), ("game", 2), ("long", 0), ("more", 0), ("last", 0)}
    assert finals(responses) == dict.fromkeys(once, 1), "open queries are answered at the end"
    assert sum("error" in response for response in responses) == 1
    assert {r["id"] for r in responses if "action" in r} == {"crlf", "t"}
    assert not any("Traceback" in line for line in engine.errors)


def test_quit_without_waiting(pipe):
    engine = pipe("-quit-without-waiting")
    engine.send(make_query("endless", maxVisits=10**9), make_query("waits", maxVisits=10**9))
    code, rest = engine.close()
    assert code == 0
    assert finals(rest) == {("endless", 0): 1, ("waits", 0): 1}


def test_sigint_exits_without_a_traceback(pipe):
    engine = pipe()
    engine.send(make_query("long", **LONG))
    engine.response()
    engine.process.send_signal(signal.SIGINT)
    code, _ = engine.end()
    assert code == 130
    assert not any("Traceback" in line for line in engine.errors)


def test_sigterm_exits(pipe):
    """KaTrain ends engines this way."""
    engine = pipe()
    engine.send(make_query("long", **LONG))
    engine.response()
    engine.process.send_signal(signal.SIGTERM)
    assert engine.end()[0] in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert not any("Traceback" in line for line in engine.errors)


def test_katago_options_are_applied_or_reported(pipe, tmp_path):
    config = tmp_path / "analysis.cfg"
    config.write_text(
        "# of KataGo's\nreportAnalysisWinratesAs = WHITE\nmaxVisits = 33 # few\n"
        "numAnalysisThreads = 1\nnnCacheSizePowerOfTwo = 20\n"
    )
    engine = pipe("-config", str(config), "-override-config", "maxVisits=7,homeDataDir=/nowhere")
    fields = make_query()
    del fields["maxVisits"]
    engine.send(fields)
    code, (response,) = engine.close()
    assert code == 0
    assert response["rootInfo"]["visits"] == 7
    unused = [line for line in engine.errors if "ignored KataGo settings" in line]
    assert len(unused) == 1
    assert "nnCacheSizePowerOfTwo, homeDataDir" in unused[0]


@pytest.mark.parametrize(
    "words",
    [
        ["-config", "/nowhere.cfg"],
        ["-model", "/nowhere.bin.gz"],
        ["-override-config", "maxVisits"],
        ["-override-config", "maxVisits=many"],
        ["--config", "/nowhere.toml"],
        ["nonsense=1"],
    ],
)
@pytest.mark.parametrize("command", ["analysis", "gtp"])
def test_start_errors_are_one_line(command, words):
    with pytest.raises(TengenError) as raised:
        main([command, *words])
    assert "\n" not in str(raised.value)


def test_reports_a_missing_network():
    done = subprocess.run(
        [*COMMAND, "-model", "/nowhere.onnx"], input=b"", capture_output=True, timeout=PATIENCE_S
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"tengen: /nowhere.onnx: no such network" in done.stderr


def test_exits_on_a_broken_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    broken = subprocess.Popen(
        [*COMMAND, "seed=1"], stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    lines = "".join(json.dumps(make_query(str(n))) + "\n" for n in range(3)).encode()
    _, errors = broken.communicate(lines, timeout=PATIENCE_S)
    assert b"Traceback" not in errors
    assert broken.returncode in (0, 141)
