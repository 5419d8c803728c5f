"""Matches on a Dask scheduler and workers that are processes of their own."""

import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from match_helpers import plan_of, scripted

from tengen.match import Store, open_workers, run_match, verify_games
from tengen.match.plan import MatchLimits
from tengen.util import TengenError

pytest.importorskip("distributed", reason="needs tengen-go[cluster]")
pytestmark = pytest.mark.slow
START_TIMEOUT_S = 120
OTHER_VERSION = "import tengen\ntengen.__version__ = '0.1.0'\n"
NO_TENGEN = "import sys\nsys.modules['tengen'] = None\n"


def dask(*words):
    command = [sys.executable, "-m", "dask", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(condition):
    deadline_s = time.monotonic() + START_TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.1)


@contextmanager
def scheduler_and_worker(folder, preload=""):
    """Start a scheduler and a worker; yield both processes and the address."""
    folder.mkdir()
    file, script = folder / "scheduler.json", folder / "preload.py"
    script.write_text(preload)
    scheduler = dask("scheduler", "--port", 0, "--no-dashboard", "--scheduler-file", file)
    processes = [scheduler]
    try:
        wait_for(file.exists)
        options = ("--nthreads", 1, "--no-nanny", "--no-dashboard", "--preload", script)
        processes.append(dask("worker", "--scheduler-file", file, *options))
        yield processes, address_in(file)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def address_in(file):
    from distributed import Client

    with Client(scheduler_file=str(file), timeout=START_TIMEOUT_S) as client:
        client.wait_for_workers(1, timeout=START_TIMEOUT_S)
        return client.scheduler.address


def test_killed_scheduler_ends_the_match_which_resumes(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.match.pool.RECONNECT_TIMEOUT_S", 1.0)
    plan = plan_of(scripted(), scripted())
    store = Store(tmp_path / "match.sqlite")
    with scheduler_and_worker(tmp_path / "first") as ((scheduler, _), address):

        def kill_scheduler(status):
            if status.new_games == 4:
                scheduler.kill()

        with pytest.raises(TengenError, match="lost the Dask scheduler at .* run the same command"):
            run_match(plan, store, MatchLimits(10), open_workers(1, address), kill_scheduler)
    assert 4 <= store.count() < 10
    with scheduler_and_worker(tmp_path / "second") as (_, address):
        run_match(plan, store, MatchLimits(10), open_workers(1, address), lambda status: None)
    assert [row.number for row in store.results()] == list(range(10))
    assert verify_games(store) == []
    store.close()


@pytest.mark.parametrize(
    ("preload", "message"),
    [
        (OTHER_VERSION, "has Tengen 0.1.0, not .*: install the same version"),
        (NO_TENGEN, "cannot import Tengen"),
    ],
)
def test_workers_with_another_version_are_refused(tmp_path, preload, message):
    with (
        scheduler_and_worker(tmp_path / "cluster", preload) as (_, address),
        pytest.raises(TengenError, match=message),
    ):
        open_workers(1, address)
