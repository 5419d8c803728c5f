"""Matches on a Dask scheduler with two worker processes, one of which is killed."""

import os
import signal

import pytest
from match_helpers import plan_of, scripted

from tengen.match import Store, open_workers, run_match
from tengen.match.plan import MatchLimits
from tengen.util import TengenError

dask = pytest.importorskip("dask", reason="needs tengen-go[cluster]")
distributed = pytest.importorskip("distributed", reason="needs tengen-go[cluster]")


@pytest.fixture
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    # Timeout for connecting to a dead worker; 30 s by default.
    quick = dask.config.set({"distributed.comm.timeouts.connect": "3s"})
    with quick, distributed.LocalCluster(processes=True, **options) as cluster:
        yield cluster


@pytest.mark.slow
def test_killed_dask_worker_loses_and_repeats_no_game(cluster, tmp_path):
    store = Store(tmp_path / "match.sqlite")
    victim = next(iter(cluster.workers.values())).pid
    killed = []

    def kill_one(status):
        if status.new_games >= 6 and not killed:
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    workers = open_workers(2, cluster.scheduler_address)
    run_match(plan_of(scripted(), scripted()), store, MatchLimits(40), workers, kill_one)
    assert killed
    assert [row.number for row in store.results()] == list(range(40))
    store.close()


def test_dask_and_local_workers_give_equal_results(cluster, tmp_path):
    """The same plan gives the same moves."""
    plan = plan_of(scripted(stones=3), scripted(), openings="random:2")
    digests = []
    for name, address in (("here", None), ("there", cluster.scheduler_address)):
        store = Store(tmp_path / f"{name}.sqlite")
        run_match(plan, store, MatchLimits(8), open_workers(2, address), lambda status: None)
        digests.append([(row.digest, row.winner, row.seed) for row in store.results()])
        store.close()
    assert digests[0] == digests[1]


def test_rejects_an_unreachable_scheduler(monkeypatch):
    monkeypatch.setattr("tengen.match.pool.CONNECT_TIMEOUT_S", 1)
    with pytest.raises(TengenError, match="no Dask scheduler"):
        open_workers(1, "tcp://127.0.0.1:1")
