"""Tests of the signal handling of the test run itself (`signals.py`)."""

import os
import signal
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
HANGING = """
import signal, subprocess, sys, time
import pytest, signals

signals.GRACE_S, signals.REPEAT_S = {grace_s}, 0.5

@pytest.fixture
def hanging_cleanup():
    yield
    time.sleep(60)

@pytest.mark.timeout(1)
def test_waits_for_a_child_that_hangs():
    with subprocess.Popen(["sleep", "60"]) as child:
        child.communicate()

@pytest.mark.timeout(1)
def test_fails_and_hangs_in_its_cleanup(hanging_cleanup):
    assert False

def test_passes_after_them():
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)

@pytest.mark.timeout(1)
def test_cannot_be_interrupted():
    {uninterruptible}
    time.sleep(3)

def test_is_last():
    pass
"""
BLOCKED = "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})"
INTERRUPTED = """
import signal, subprocess, sys

def test_child_is_interrupted():
    child = subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    assert child.wait(20) == -signal.SIGINT
"""


def run_tests(folder: Path, text: str, **options) -> subprocess.CompletedProcess:
    (folder / "test_run.py").write_text(text)
    (folder / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    words = ["-p", "no:cacheprovider", "-o", "addopts=", "--rootdir", str(folder), str(folder)]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        capture_output=True,
        text=True,
        timeout=100,
        **options,
    )


def test_a_timed_out_test_fails_alone(tmp_path):
    done = run_tests(tmp_path, HANGING.format(grace_s=60, uninterruptible="return"))
    assert "2 failed, 3 passed, 1 error" in done.stdout, done.stdout
    assert done.stdout.count("Failed: Timeout (>1.0s) from pytest-timeout") >= 2


def test_a_test_that_cannot_be_interrupted_ends_the_run(tmp_path):
    done = run_tests(tmp_path, HANGING.format(grace_s=1, uninterruptible=BLOCKED))
    assert done.returncode == 1
    assert "Stack of MainThread" in done.stdout
    assert "passed" not in done.stdout


def test_children_are_interrupted_where_sigint_is_ignored(tmp_path):
    """As under `nohup`, in the background or from cron."""

    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    done = run_tests(tmp_path, INTERRUPTED, preexec_fn=ignore)
    assert "1 passed" in done.stdout, done.stdout
