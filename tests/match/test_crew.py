"""Crews: tasks done by workers that may die at any moment, and a pool that takes none."""

from concurrent.futures import Future

import pytest

from tengen.core.errors import TengenError
from tengen.match.crew import MOST_BREAKDOWNS, Crew


class WorkerDied(Exception):  # noqa: N818
    """What the workers below raise when they break down."""


class Mortal:
    """Workers and executor in one: tasks are done at once, or by nobody any more."""

    breakdowns = (WorkerDied,)
    break_together = True

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
    """Return the half; a worker dies of an odd number."""
    if number % 2:
        raise WorkerDied
    return number // 2


def have_done(workers, work, tasks):
    """Have one task done after the other."""
    with Crew(workers, work) as crew:
        for task in tasks:
            crew.start("job", task)
            list(crew.results())


def test_results_come_under_the_names_of_their_jobs():
    workers = Mortal()
    with Crew(workers, halve) as crew:
        crew.start("four", 4)
        crew.start("six", 6)
        assert crew.running == ["four", "six"]
        assert crew.has_room
        crew.start("eight", 8)
        assert not crew.has_room
        assert dict(crew.results()) == {"four": 2, "six": 3, "eight": 4}
        assert not crew.running
    assert (workers.restarts, workers.ended) == (0, "finished")


def test_a_lost_job_is_told_and_the_workers_are_replaced():
    workers = Mortal()
    with Crew(workers, halve) as crew:
        crew.start("good", 4)
        crew.start("bad", 5)
        assert dict(crew.results()) == {"good": 2, "bad": None}
    assert workers.restarts == 1


def test_what_broken_workers_still_finish_counts():
    workers = Mortal()
    crew = Crew(workers, halve)
    late = Future()
    crew.start("bad", 5)
    crew._running[late] = "late"
    found = {}
    for job, result in crew.results():
        found[job] = result
        if job == "bad":
            late.set_result(7)
    assert found == {"bad": None, "late": 7}
    assert (workers.restarts, crew.running) == (1, [])


def test_nobody_waits_for_the_others_where_one_breaks_alone():
    """A game that kills workers of a cluster says nothing of the games of the others."""
    workers = Mortal()
    workers.break_together = False
    crew = Crew(workers, halve)
    late = Future()
    crew.start("bad", 5)
    crew._running[late] = "late"
    assert list(crew.results()) == [("bad", None)]
    assert (workers.restarts, crew.running) == (1, ["late"])
    late.set_result(7)
    assert list(crew.results()) == [("late", 7)]


def test_workers_that_broke_since_the_last_look_lose_the_job():
    workers = Mortal()
    with Crew(workers, halve) as crew:
        workers.refuses = True
        crew.start("four", 4)
        assert dict(crew.results()) == {"four": None}
        crew.start("four", 4)
        assert dict(crew.results()) == {"four": 2}
    assert (workers.restarts, workers.ended) == (1, "finished")


def test_workers_that_die_again_and_again_are_given_up():
    workers = Mortal()
    with pytest.raises(TengenError, match="died 6 times"):
        have_done(workers, halve, [5] * 100)
    assert (workers.restarts, workers.ended) == (MOST_BREAKDOWNS, "stopped")


def test_a_result_in_between_gives_new_hope():
    workers = Mortal()
    have_done(workers, halve, [5, 4] * 10)
    assert workers.restarts == 10


def test_an_error_stops_the_workers_and_leaves_the_jobs_that_were_under_way():
    workers = Mortal()
    crew = Crew(workers, halve)
    crew.start("four", 4)
    with pytest.raises(KeyboardInterrupt), crew:
        raise KeyboardInterrupt
    assert workers.ended == "stopped"
    assert crew.running == ["four"]


def test_what_a_task_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        have_done(Mortal(), lambda task: 1 / task, [0])
