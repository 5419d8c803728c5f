"""Commands that the page runs in separate processes."""

import asyncio
import sys
import time

import pytest

from tengen.util import TengenError
from tengen.web import commands

WAITING = """
import json, sys, time
print(json.dumps({"ready": True}), flush=True)
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("tengen: interrupted", file=sys.stderr)
    open(sys.argv[-1], "w").write("cleaned up")
"""


@pytest.fixture
def script(monkeypatch):
    """Run a Python script with the arguments instead of `tengen`."""
    start = asyncio.create_subprocess_exec

    def use(code):
        def replaced(python, *words, **options):
            return start(python, "-c", code, *words[2:], **options)

        monkeypatch.setattr(asyncio, "create_subprocess_exec", replaced)

    return use


def test_passes_on_json_lines(script):
    script("print('text'); print('{\"share\": 0.5}'); print('{\"share\": 1}')")
    found = []
    asyncio.run(commands.run_command(["any"], found.append))
    assert found == [{"share": 0.5}, {"share": 1}]


def test_reports_the_last_line_of_a_failure(script):
    script("import sys; print('first', file=sys.stderr); sys.exit('tengen: it failed')")
    with pytest.raises(TengenError, match="^it failed$"):
        asyncio.run(commands.run_command(["any"], print))


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are not sent to processes")
def test_cancelling_interrupts_the_process(script, tmp_path):
    script(WAITING)
    target = tmp_path / "target"

    async def use():
        ready = asyncio.Event()
        running = commands.run_command([str(target)], lambda line: ready.set())
        task = asyncio.create_task(running)
        await ready.wait()
        task.cancel()
        started_s = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - started_s

    assert asyncio.run(use()) < commands.END_TIMEOUT_S
    assert target.read_text() == "cleaned up"
