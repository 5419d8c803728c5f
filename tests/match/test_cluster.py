"""The same match on a real Dask scheduler with two worker processes, one of which is killed."""

import os
import signal

import pytest
from match_helpers import plan_of, scripted

from tengen.core.errors import TengenError
from tengen.match.runner import Limits, run_match
from tengen.match.store import Store
from tengen.match.workers import open_workers

dask = pytest.importorskip("dask", reason="needs Dask: pip install tengen[cluster]")
distributed = pytest.importorskip("distributed", reason="needs Dask: pip install tengen[cluster]")


@pytest.fixture
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    # How long to knock at the door of a dead worker; by default half a minute.
    quick = dask.config.set({"distributed.comm.timeouts.connect": "3s"})
    with quick, distributed.LocalCluster(processes=True, **options) as cluster:
        yield cluster


@pytest.mark.slow
def test_a_killed_worker_loses_no_game_and_plays_none_twice(cluster, tmp_path):
    store = Store(tmp_path / "match.sqlite")
    victim = next(iter(cluster.workers.values())).pid
    killed = []

    def kill_one(status):
        if status.new_games >= 6 and not killed:
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    workers = open_workers(2, cluster.scheduler_address)
    run_match(plan_of(scripted(), scripted()), store, Limits(40), workers, kill_one)
    assert killed
    assert [row.number for row in store.results()] == list(range(40))
    store.close()


def test_results_are_those_of_local_workers(cluster, tmp_path):
    """Same plan, same moves: only the place differs."""
    plan = plan_of(scripted(stones=3), scripted(), openings="random:2")
    digests = []
    for name, address in (("here", None), ("there", cluster.scheduler_address)):
        store = Store(tmp_path / f"{name}.sqlite")
        run_match(plan, store, Limits(8), open_workers(2, address), lambda status: None)
        digests.append([(row.digest, row.winner, row.seed) for row in store.results()])
        store.close()
    assert digests[0] == digests[1]


def test_no_scheduler_is_said_clearly(monkeypatch):
    monkeypatch.setattr("tengen.match.cluster.CONNECT_TIMEOUT_S", 1)
    with pytest.raises(TengenError, match="no Dask scheduler"):
        open_workers(1, "tcp://127.0.0.1:1")
