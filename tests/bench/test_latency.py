"""Tests of the latency benchmarks over real pipes."""

from contextlib import ExitStack

import pytest

from tengen.bench.latency import EngineProcess, measure_interrupt, measure_start
from tengen.util import TengenError


def test_measures_start_times():
    rows = measure_start(1)
    assert len(rows) == 3
    assert all(0 < row["median_s"] <= row["max_s"] for row in rows)


def test_measures_all_protocols():
    rows = measure_interrupt(5, 4, 2, ["threads=1", "memory_mib=8"])
    assert [row["protocol"] for row in rows] == ["kata-analyze", "genmove", "JSON analysis"]
    for row in rows:
        assert row["size"] == "4x5"
        assert 0 < row["median_ms"] <= row["p95_ms"] <= row["max_ms"]


def test_reports_an_engine_that_does_not_start():
    with pytest.raises(TengenError, match="the engine process ended"):
        measure_interrupt(5, 5, 1, ["nonsense=1"])


def test_reports_an_error_response():
    with ExitStack() as stack:
        gtp = EngineProcess(stack, "gtp")
        gtp.send("no_such_command")
        with pytest.raises(TengenError, match="the engine reports an error: [?]"):
            gtp.wait_for(lambda line: False)
        analysis = EngineProcess(stack, "analysis")
        analysis.send("no JSON")
        with pytest.raises(TengenError, match="the engine reports an error: {"):
            analysis.wait_for(lambda line: False)
