"""Engines lent in turn: no more at once than there are seats, and searches that can be ended."""

import asyncio
import threading

import pytest
from web_helpers import PATIENCE_S, QUICK, warm_up

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.search.limit import Limit
from tengen.web.engines import EnginePool


def run(work):
    warm_up()
    asyncio.run(asyncio.wait_for(work, PATIENCE_S))


class Counter:
    """Counts how many are inside at once."""

    def __init__(self):
        self.inside = self.most = 0
        self.guard = threading.Lock()

    def work(self, engine, job):
        with self.guard:
            self.inside += 1
            self.most = max(self.most, self.inside)
        threading.Event().wait(0.02)
        with self.guard:
            self.inside -= 1


def test_no_more_searches_than_seats():
    async def many():
        pool, counter = EnginePool(2), Counter()
        await asyncio.gather(*(pool.run(QUICK, str(n), counter.work) for n in range(10)))
        assert 1 <= counter.most <= 2
        assert pool.waiting == 0

    run(many())


def test_an_owner_gets_its_engine_back():
    async def twice():
        pool = EnginePool(1)
        first = await pool.run(QUICK, "mine", lambda engine, job: engine)
        other = await pool.run(QUICK, "yours", lambda engine, job: engine)
        again = await pool.run(QUICK, "mine", lambda engine, job: engine)
        assert first is again
        assert first is not other

    run(twice())


def test_idle_engines_do_not_pile_up():
    async def many():
        pool = EnginePool(1)
        engines = {id(await pool.run(QUICK, str(n), lambda engine, job: engine)) for n in range(9)}
        assert len(engines) <= 4

    run(many())


def test_who_is_cancelled_late_stops_nobody_elses_search():
    class Lent:
        """An engine of which the pool wants nothing but to lend it."""

        problems = ()
        stops = 0

        def stop(self):
            self.stops += 1

    jobs, engine = [], Lent()

    async def lend():
        pool = EnginePool(1)
        pool._give_back(QUICK, "", engine)
        await pool.run(QUICK, "x", lambda engine, job: jobs.append(job))

    run(lend())
    jobs[0].stop()
    assert jobs[0].is_stopped
    assert engine.stops == 0


def test_a_cancelled_search_ends_and_frees_its_seat():
    async def cancelled():
        pool, begun, ended = EnginePool(1), threading.Event(), threading.Event()

        def forever(engine, job):
            begun.set()
            while not job.heed():
                threading.Event().wait(0.001)
            ended.set()

        task = asyncio.create_task(pool.run(QUICK, "x", forever))
        await asyncio.to_thread(begun.wait, PATIENCE_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await pool.run(QUICK, "y", lambda engine, job: "next") == "next"
        assert ended.is_set()

    run(cancelled())


def test_a_long_search_gives_way_to_those_who_wait():
    async def shared():
        pool, begun = EnginePool(1), threading.Event()

        def long(engine, job):
            begun.set()
            while not job.heed(gives_way=True):
                threading.Event().wait(0.001)

        task = asyncio.create_task(pool.run(QUICK, "x", long))
        await asyncio.to_thread(begun.wait, PATIENCE_S)
        assert await pool.run(QUICK, "y", lambda engine, job: "next") == "next"
        await task

    run(shared())


def test_what_sources_raise_is_told_once_a_search_even_before_its_end(tmp_path):
    file = tmp_path / "ideas.py"
    file.write_text("def broken(position):\n    raise ValueError('my bug')\n")
    settings = QUICK.with_words([f"prior={file}:broken"])

    async def complaining():
        pool, told, heard = EnginePool(1), [], threading.Event()

        def search(engine, job):
            engine.analyse(Position(5), Limit(simulations=50))
            for _ in range(2):
                job.heed()
            heard.wait(PATIENCE_S)

        def complain(problem):
            told.append(problem)
            heard.set()

        await pool.run(settings, "x", search, complain)
        await asyncio.sleep(0)
        assert len(told) == 1
        assert "my bug" in told[0]

    run(complaining())


def test_a_search_that_fails_frees_its_seat():
    async def failing():
        pool = EnginePool(1)

        def fail(engine, job):
            raise TengenError("no")

        for _ in range(3):
            with pytest.raises(TengenError):
                await pool.run(QUICK, "x", fail)
        with pytest.raises(ZeroDivisionError):
            await pool.run(QUICK, "x", lambda engine, job: 1 / 0)
        assert await pool.run(QUICK, "x", lambda engine, job: "well") == "well"

    run(failing())
