"""`tengen analysis` over a real pipe: answers on stdout, the rest on stderr, a clean end."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading

import pytest
from json_helpers import finals, question

from tengen.cli.main import main
from tengen.core.errors import TengenError

COMMAND = [sys.executable, "-m", "tengen.cli.main", "analysis"]
PATIENCE_S = 240
"""Only to end a test that hangs: a first start may have to compile."""
READY = "Started, ready to begin handling requests"


class Pipe:
    """An engine in a process of its own."""

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

    def reply(self):
        return self._lines.get(timeout=PATIENCE_S)

    def until(self, is_wanted):
        """Return the replies up to the first that is wanted."""
        replies = [self.reply()]
        while not is_wanted(replies[-1]):
            replies.append(self.reply())
        return replies

    def close(self):
        """End the input; return the exit code and the replies that were left."""
        self.process.stdin.close()
        return self.end()

    def end(self):
        rest = []
        while (reply := self.reply()) is not None:
            rest.append(reply)
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


def test_a_conversation(pipe):
    engine = pipe("--positions", "2")
    engine.send(question("long", **LONG))
    engine.until(lambda reply: reply["id"] == "long" and reply["isDuringSearch"])
    moves = [["B", "C3"], ["W", "B2"]]
    engine.send(question("game", moves=moves, analyzeTurns=[0, 1, 2], priority=5))
    engine.send_line('{"id":"crlf","action":"query_version"}', end="\r\n")
    engine.send_line("")
    engine.send_line("nonsense \x00 \xff")
    replies = []
    while sum(finals(replies).values()) < 3:
        replies.append(engine.reply())
    engine.send({"id": "t", "action": "terminate", "terminateId": "long"})
    replies += engine.until(lambda r: r.get("id") == "long" and r.get("isDuringSearch") is False)
    assert replies[-1]["rootInfo"]["visits"] > 0, "what was found until then"
    engine.send(question("more"), question("last"))
    code, rest = engine.close()
    assert code == 0
    replies += rest
    once = {("game", 0), ("game", 1), ("game", 2), ("long", 0), ("more", 0), ("last", 0)}
    assert finals(replies) == dict.fromkeys(once, 1), "open questions are answered at the end"
    assert sum("error" in reply for reply in replies) == 1
    assert {r["id"] for r in replies if "action" in r} == {"crlf", "t"}
    assert not any("Traceback" in line for line in engine.errors)


def test_the_end_does_not_wait_if_told_so(pipe):
    engine = pipe("-quit-without-waiting")
    engine.send(question("endless", maxVisits=10**9), question("waits", maxVisits=10**9))
    code, rest = engine.close()
    assert code == 0
    assert finals(rest) == {("endless", 0): 1, ("waits", 0): 1}


def test_an_interrupt_ends_it_without_a_traceback(pipe):
    engine = pipe()
    engine.send(question("long", **LONG))
    engine.reply()
    engine.process.send_signal(signal.SIGINT)
    code, _ = engine.end()
    assert code == 130
    assert not any("Traceback" in line for line in engine.errors)


def test_a_termination_ends_it(pipe):
    """KaTrain ends an engine that way."""
    engine = pipe()
    engine.send(question("long", **LONG))
    engine.reply()
    engine.process.send_signal(signal.SIGTERM)
    assert engine.end()[0] in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert not any("Traceback" in line for line in engine.errors)


def test_katagos_flags_are_used_or_named(pipe, tmp_path):
    config = tmp_path / "analysis.cfg"
    config.write_text(
        "# of KataGo's\nreportAnalysisWinratesAs = WHITE\nmaxVisits = 33 # few\n"
        "numAnalysisThreads = 1\nnnCacheSizePowerOfTwo = 20\n"
    )
    engine = pipe("-config", str(config), "-override-config", "maxVisits=7,homeDataDir=/nowhere")
    fields = question()
    del fields["maxVisits"]
    engine.send(fields)
    code, (reply,) = engine.close()
    assert code == 0
    assert reply["rootInfo"]["visits"] == 7
    unused = [line for line in engine.errors if "not used" in line]
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
def test_what_cannot_start_says_why_in_one_line(command, words):
    with pytest.raises(TengenError) as raised:
        main([command, *words])
    assert "\n" not in str(raised.value)


def test_a_net_that_is_none_ends_it_with_a_word():
    done = subprocess.run(
        [*COMMAND, "-model", "/nowhere.onnx"], input=b"", capture_output=True, timeout=PATIENCE_S
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"tengen: /nowhere.onnx: no such net" in done.stderr


def test_a_reader_that_goes_away():
    reader, writer = os.pipe()
    os.close(reader)
    broken = subprocess.Popen(
        [*COMMAND, "seed=1"], stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    lines = "".join(json.dumps(question(str(n))) + "\n" for n in range(3)).encode()
    _, errors = broken.communicate(lines, timeout=PATIENCE_S)
    assert b"Traceback" not in errors
    assert broken.returncode in (0, 141)
