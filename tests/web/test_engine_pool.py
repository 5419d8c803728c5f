"""The engine pool: number of searches, engine reuse, cancellation."""

import asyncio
import threading

import pytest
from web_helpers import PATIENCE_S, QUICK, warm_up

from tengen.board import Position
from tengen.search import SearchLimit
from tengen.util import TengenError
from tengen.web import EnginePool


def run(work):
    warm_up()
    asyncio.run(asyncio.wait_for(work, PATIENCE_S))


class Counter:
    """Counts concurrent calls."""

    def __init__(self):
        self.active = self.max_active = 0
        self.lock = threading.Lock()

    def work(self, engine, job):
        with self.lock:
            self.active += 1
            self.max_active = max(self.max_active, self.active)
        threading.Event().wait(0.02)
        with self.lock:
            self.active -= 1


def test_limits_concurrent_searches():
    async def many():
        pool, counter = EnginePool(2), Counter()
        await asyncio.gather(*(pool.run(QUICK, str(n), counter.work) for n in range(10)))
        assert 1 <= counter.max_active <= 2
        assert pool.waiting == 0

    run(many())


def test_owner_gets_its_engine_back():
    async def twice():
        pool = EnginePool(1)
        first = await pool.run(QUICK, "mine", lambda engine, job: engine)
        other = await pool.run(QUICK, "yours", lambda engine, job: engine)
        again = await pool.run(QUICK, "mine", lambda engine, job: engine)
        assert first is again
        assert first is not other

    run(twice())


def test_limits_idle_engines():
    async def many():
        pool = EnginePool(1)
        engines = {id(await pool.run(QUICK, str(n), lambda engine, job: engine)) for n in range(9)}
        assert len(engines) <= 4

    run(many())


def test_late_stop_does_not_affect_the_next_search():
    class IdleEngine:
        """An engine that counts calls of `stop`."""

        problems = ()
        stops = 0

        def stop(self):
            self.stops += 1

    jobs, engine = [], IdleEngine()

    async def use():
        pool = EnginePool(1)
        pool._return_engine(QUICK, "", engine)
        await pool.run(QUICK, "x", lambda engine, job: jobs.append(job))

    run(use())
    jobs[0].stop()
    assert jobs[0].is_stopped
    assert engine.stops == 0


def test_cancelled_search_frees_its_thread():
    async def cancelled():
        pool, started, ended = EnginePool(1), threading.Event(), threading.Event()

        def forever(engine, job):
            started.set()
            while not job.poll():
                threading.Event().wait(0.001)
            ended.set()

        task = asyncio.create_task(pool.run(QUICK, "x", forever))
        await asyncio.to_thread(started.wait, PATIENCE_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await pool.run(QUICK, "y", lambda engine, job: "next") == "next"
        assert ended.is_set()

    run(cancelled())


def test_yielding_search_stops_for_waiting_ones():
    async def shared():
        pool, started = EnginePool(1), threading.Event()

        def long(engine, job):
            started.set()
            while not job.poll(yields=True):
                threading.Event().wait(0.001)

        task = asyncio.create_task(pool.run(QUICK, "x", long))
        await asyncio.to_thread(started.wait, PATIENCE_S)
        assert await pool.run(QUICK, "y", lambda engine, job: "next") == "next"
        await task

    run(shared())


def test_reports_source_errors_once_and_during_the_search(tmp_path):
    file = tmp_path / "ideas.py"
    file.write_text("def broken(position):\n    raise ValueError('my bug')\n")
    settings = QUICK.with_overrides([f"prior={file}:broken"])

    async def failing_source():
        pool, reported, done = EnginePool(1), [], threading.Event()

        def search(engine, job):
            engine.analyze(Position(5), SearchLimit(simulations=50))
            for _ in range(2):
                job.poll()
            done.wait(PATIENCE_S)

        def on_problem(problem):
            reported.append(problem)
            done.set()

        await pool.run(settings, "x", search, on_problem)
        await asyncio.sleep(0)
        assert len(reported) == 1
        assert "my bug" in reported[0]

    run(failing_source())


def test_failed_search_frees_its_thread():
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
