"""Compilation of layer kernels in a background process."""

import pytest

from tengen.view import registry


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_warm_up_computes_all_layers_once(cache, monkeypatch):
    computed = []
    monkeypatch.setattr(registry, "make_layer", lambda name, position: computed.append(name))
    registry.warm_up()
    assert {"bigmove.p1", "potential", "shape", "net.policy", "metric.ed4"} < set(computed)
    assert not {"search.visits", "experts"} & set(computed)
    assert registry.start_warm_up() is None


def test_warm_up_runs_in_a_process(cache, monkeypatch):
    monkeypatch.setattr(registry.sys, "executable", "true")
    process = registry.start_warm_up()
    assert process is not None
    assert process.wait(timeout=60) == 0


def test_no_warm_up_without_a_cache(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert registry.start_warm_up() is None
