"""The bench of interruptions runs, over real pipes; its figures are not judged here."""

from contextlib import ExitStack

import pytest

from tengen.bench.interrupt import Talk, measure
from tengen.core.errors import TengenError


def test_every_way_to_interrupt_is_measured():
    figures = measure(5, 4, 2, ["threads=1", "memory_mib=8"])
    assert (figures["size"], figures["rounds"]) == ("4x5", 2)
    for way in ("analyze", "genmove", "json"):
        delays = figures[way]
        assert 0 < delays["median_ms"] <= delays["p95_ms"] <= delays["most_ms"]


def test_an_engine_that_does_not_start_is_told():
    with pytest.raises(TengenError, match="the engine ended"):
        measure(5, 5, 1, ["nonsense=1"])


def test_a_refusal_is_not_waited_for():
    with ExitStack() as stack:
        gtp = Talk(stack, "gtp")
        gtp.send("no_such_command")
        with pytest.raises(TengenError, match="the engine refuses: [?]"):
            gtp.until(lambda line: False)
        analysis = Talk(stack, "analysis")
        analysis.send("no JSON")
        with pytest.raises(TengenError, match="the engine refuses: {"):
            analysis.until(lambda line: False)
