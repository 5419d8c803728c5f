"""The worker pool, with workers that may die at any moment."""

from concurrent.futures import Future

import pytest

from tengen.match import WorkerPool
from tengen.match.pool import MAX_FAILURES
from tengen.util import TengenError


class WorkerDied(Exception):  # noqa: N818
    """Raised by the workers below when they die."""


class FragileWorkers:
    """Workers and executor in one; tasks run immediately."""

    failures = (WorkerDied,)
    fail_together = True

    def __init__(self, count=3):
        self.executor, self.count = self, count
        self.restarts, self.ended, self.refuses = 0, "", False

    def submit(self, work, task):
        if self.refuses:
            raise WorkerDied
        future = Future()
        try:
            future.set_result(work(task))
        except Exception as error:
            future.set_exception(error)
        return future

    def restart(self):
        self.restarts += 1
        self.refuses = False

    def finish(self):
        self.ended = "finished"

    def stop(self):
        self.ended = "stopped"


def halve(number):
    """Return half of a number; odd numbers kill the worker."""
    if number % 2:
        raise WorkerDied
    return number // 2


def run_all(workers, work, tasks):
    """Run tasks one after the other."""
    with WorkerPool(workers, work) as pool:
        for task in tasks:
            pool.start("job", task)
            list(pool.results())


def test_results_are_yielded_with_their_jobs():
    workers = FragileWorkers()
    with WorkerPool(workers, halve) as pool:
        pool.start("four", 4)
        pool.start("six", 6)
        assert pool.running == ["four", "six"]
        assert pool.has_room
        pool.start("eight", 8)
        assert not pool.has_room
        assert dict(pool.results()) == {"four": 2, "six": 3, "eight": 4}
        assert not pool.running
    assert (workers.restarts, workers.ended) == (0, "finished")


def test_lost_job_yields_none_and_workers_restart():
    workers = FragileWorkers()
    with WorkerPool(workers, halve) as pool:
        pool.start("good", 4)
        pool.start("bad", 5)
        assert dict(pool.results()) == {"good": 2, "bad": None}
    assert workers.restarts == 1


def test_results_of_a_broken_executor_are_collected():
    workers = FragileWorkers()
    pool = WorkerPool(workers, halve)
    late = Future()
    pool.start("bad", 5)
    pool._running[late] = "late"
    found = {}
    for job, result in pool.results():
        found[job] = result
        if job == "bad":
            late.set_result(7)
    assert found == {"bad": None, "late": 7}
    assert (workers.restarts, pool.running) == (1, [])


def test_independent_workers_are_not_waited_for():
    """A game that kills a Dask worker does not affect games of other workers."""
    workers = FragileWorkers()
    workers.fail_together = False
    pool = WorkerPool(workers, halve)
    late = Future()
    pool.start("bad", 5)
    pool._running[late] = "late"
    assert list(pool.results()) == [("bad", None)]
    assert (workers.restarts, pool.running) == (1, ["late"])
    late.set_result(7)
    assert list(pool.results()) == [("late", 7)]


def test_submitting_to_a_broken_executor_loses_the_job():
    workers = FragileWorkers()
    with WorkerPool(workers, halve) as pool:
        workers.refuses = True
        pool.start("four", 4)
        assert dict(pool.results()) == {"four": None}
        pool.start("four", 4)
        assert dict(pool.results()) == {"four": 2}
    assert (workers.restarts, workers.ended) == (1, "finished")


def test_repeated_failures_raise():
    workers = FragileWorkers()
    with pytest.raises(TengenError, match="died 6 times"):
        run_all(workers, halve, [5] * 100)
    assert (workers.restarts, workers.ended) == (MAX_FAILURES, "stopped")


def test_result_resets_the_failure_count():
    workers = FragileWorkers()
    run_all(workers, halve, [5, 4] * 10)
    assert workers.restarts == 10


def test_exception_stops_workers_and_keeps_running_jobs():
    workers = FragileWorkers()
    pool = WorkerPool(workers, halve)
    pool.start("four", 4)
    with pytest.raises(KeyboardInterrupt), pool:
        raise KeyboardInterrupt
    assert workers.ended == "stopped"
    assert pool.running == ["four"]


def test_exception_of_a_task_is_raised():
    with pytest.raises(ZeroDivisionError):
        run_all(FragileWorkers(), lambda task: 1 / task, [0])
